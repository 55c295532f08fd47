/* SPDX-License-Identifier: MIT */
/*
 * The library path of this program has two libraries that the mock opens by name, both cut short:
 * one with kernels, and the one that unpacks fat binaries. The dynamic linker would die of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mock/functions.h"
#include "mock/ptx/container/fatbin.h"

/* What stderr gets while the mock is initialised. */
static size_t initialise(char *text, size_t size)
{
    FILE *file = tmpfile();
    const int before = dup(STDERR_FILENO);
    size_t n;

    if (!file || before < 0 || dup2(fileno(file), STDERR_FILENO) < 0)
        return 0;
    if (mock_cuInit(0) != CUDA_SUCCESS)
        fprintf(stderr, "cuInit failed\n");
    dup2(before, STDERR_FILENO);
    rewind(file);
    n = fread(text, 1, size - 1, file);
    text[n] = '\0';
    fclose(file);
    return n;
}

int main(void)
{
    static const char begins[] = "cushim mock: CUSHIM_MOCK_KERNELS: libkernels.so: the file is cut "
                                 "short: ";
    char text[512];

    setenv("CUSHIM_MOCK_KERNELS", "libkernels.so", 1);
    if (!initialise(text, sizeof(text)) || strncmp(text, begins, strlen(begins)) != 0) {
        fprintf(stderr, "the mock said '%s', not '%s...'\n", text, begins);
        return 1;
    }
    if (ptx__has_zstd()) {
        fprintf(stderr, "a libzstd that is cut short was loaded\n");
        return 1;
    }
    return 0;
}
