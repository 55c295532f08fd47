/* SPDX-License-Identifier: MIT */
/*
 * What libFuzzer calls with its inputs: images, as files and as a program's data have them. What
 * the safe layer takes for whole is then read as a driver reads it, which gets no size.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/code/code.h"
#include "mock/ptx/container/fatbin.h"

enum { MOST = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

static void read_binary(const char *image, size_t size)
{
    static const int capabilities[] = {52, 75, 90, 120};

    for (size_t i = 0; i < sizeof(capabilities) / sizeof(*capabilities); i++) {
        char *text = NULL;
        const enum ptx__status status = ptx__fatbin_text(image, size, capabilities[i], MOST, &text);

        require((status == PTX_OK) == (text != NULL), "a text, or none, and the other status");
        require(!text || strlen(text) <= MOST, "a text is larger than wanted");
        require(status == PTX_OK || status == PTX_NO_PTX || status == PTX_NO_TARGET ||
                    status == PTX_MACHINE_CODE || status == PTX_TOO_LARGE ||
                    status == PTX_NO_LIBRARY || status == PTX_OUT_OF_MEMORY,
                "a status that a binary does not have");
        free(text);
    }
}

static void take(const uint8_t *data, size_t size)
{
    struct cushim__code code = {.bytes = NULL};

    if (cushim__code_copy(data, size, NULL, "fuzz", &code) != CUSHIM_OK)
        return;
    require(code.bytes[code.n_bytes] == '\0', "code without an end");
    require((code.kind == CUSHIM__CODE_FATBINARY) == ptx__is_fatbin(code.bytes, SIZE_MAX),
            "code that another reader takes for something else");
    if (code.kind == CUSHIM__CODE_FATBINARY)
        read_binary(code.bytes, SIZE_MAX);
    cushim__code_finish(&code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* In memory of its own, so that a read past the end is seen. */
    char *copy = malloc(size ? size : 1);

    if (!copy)
        return 0;
    memcpy(copy, data, size);
    read_binary(copy, size);
    ptx__is_elf(copy, size);
    free(copy);
    take(data, size);
    return 0;
}
