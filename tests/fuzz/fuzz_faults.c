/* SPDX-License-Identifier: MIT */
/* What libFuzzer calls with its inputs: rules for faults. What is taken is put to some calls. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/rows.h>

#include "base/status.h"
#include "interpose/fault.h"

enum { ARGUMENTS = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

/* Would some call wait? */
static bool has_delay(const char *text)
{
    return strstr(text, "delay");
}

static void call(struct cushim__faults *faults, unsigned row)
{
    static uint64_t numbers[ARGUMENTS];
    void *args[ARGUMENTS];
    struct cushim_call one = {
        .library = CUSHIM_LIBRARY_CUDA, .row = row, .args = args, .n_args = ARGUMENTS};

    for (size_t i = 0; i < ARGUMENTS; i++)
        args[i] = &numbers[i];
    if (!cushim__faults_before(faults, &one))
        cushim__faults_after(faults, &one);
    require(one.result >= 0, "a result that no driver has");
}

static void use(struct cushim__faults *faults)
{
    for (int i = 0; i < 3; i++) {
        call(faults, CUSHIM_ROW_cuInit);
        call(faults, CUSHIM_ROW_cuLaunchKernel);
        call(faults, CUSHIM_ROW_cuMemFree_v2);
        call(faults, CUSHIM_ROW_cuStreamSynchronize);
    }
    cushim__faults_reset(faults);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cushim__faults *faults = cushim__faults_new(NULL);
    char *text = calloc(1, size + 1);

    if (text && faults) {
        memcpy(text, data, size);
        if (cushim__faults_read(faults, text, "fuzz"))
            require(*cushim__error()->text, "refused without a reason");
        else if (!has_delay(text))
            use(faults);
    }
    free(text);
    cushim__faults_free(faults);
    return 0;
}
