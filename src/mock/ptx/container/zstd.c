/* SPDX-License-Identifier: MIT */
/* Zstandard, by the system's own library: found when it is needed, and never unloaded. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "mock/ptx/container/fatbin.h"

typedef size_t decompress_fn(void *to, size_t n_to, const void *from, size_t n_from);

static decompress_fn *decompress;

static void open_library(void)
{
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "ZSTD_decompress") : NULL;

    memcpy(&decompress, &symbol, sizeof(decompress));
}

bool ptx__zstd(const unsigned char *from, size_t n_from, unsigned char *to, size_t n_to)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, open_library);
    /* An error is a number larger than any size. */
    return decompress && decompress(to, n_to, from, n_from) == n_to;
}
