/* SPDX-License-Identifier: MIT */
/*
 * What libFuzzer calls with its inputs: PTX texts, or fat binaries. A form feed in a text parts
 * it into several that are linked.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/fatbin.h"
#include "mock/ptx/read.h"

#define CAPABILITY 120
#define MOST_TEXTS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_texts(const char *text, size_t size)
{
    const char *texts[MOST_TEXTS];
    size_t lengths[MOST_TEXTS], n = 0;
    struct ptx__module module;
    struct ptx__log log = {.messages = NULL};
    enum ptx__status status;

    for (const char *end = text + size; text <= end && n < MOST_TEXTS; n++) {
        const char *part = memchr(text, '\f', (size_t) (end - text));

        texts[n] = text;
        lengths[n] = (size_t) ((part ? part : end) - text);
        text = (part ? part : end) + 1;
    }
    status = ptx__read(texts, lengths, n, CAPABILITY, &module, &log);
    /* A text that is refused is refused with a reason. */
    if ((status == PTX_INVALID || status == PTX_REFUSED) && !log.n_messages)
        abort();
    if (status == PTX_OK && log.n_errors)
        abort();
    ptx__finish(&module);
    ptx__log_finish(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* In memory of its own, so that a read past the end is seen. */
    char *copy = malloc(size ? size : 1), *text = NULL;

    if (!copy)
        return 0;
    memcpy(copy, data, size);
    if (size >= 4 && !memcmp(copy, "\x50\xed\x55\xba", 4)) {
        if (ptx__fatbin_text(copy, size, CAPABILITY, &text) == PTX_OK)
            read_texts(text, strlen(text));
        free(text);
    } else {
        read_texts(copy, size);
    }
    free(copy);
    return 0;
}
