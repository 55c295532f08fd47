/* SPDX-License-Identifier: MIT */
/* Zstandard, by the system's own library: found when it is needed, and never unloaded. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/linker/library_file.h"
#include "base/log.h"
#include "mock/ptx/container/fatbin.h"

typedef size_t decompress_fn(void *to, size_t n_to, const void *from, size_t n_from);
typedef unsigned long long size_fn(const void *from, size_t n_from);

/* Results of the second function: the frame does not say its size, or it is no frame. */
#define SIZE_UNKNOWN (~0ull)
#define NO_SIZE      (~0ull - 1)

static decompress_fn *decompress;
static size_fn *content_size;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void)
{
    struct cushim__arena arena = {0};
    const char *why;
    void *library = cushim__library_open("libzstd.so.1", &arena, &why);
    void *symbol = library ? dlsym(library, "ZSTD_decompress") : NULL;

    memcpy(&decompress, &symbol, sizeof(decompress));
    symbol = symbol ? dlsym(library, "ZSTD_getFrameContentSize") : NULL;
    memcpy(&content_size, &symbol, sizeof(content_size));
    if (!library)
        cushim__log(CUSHIM_LOG_DEBUG, "libzstd.so.1: %s", why);
    cushim__arena_finish(&arena);
}

bool ptx__has_zstd(void)
{
    pthread_once(&once, open_library);
    return decompress;
}

/* A first frame that is larger than all of it should be is not worth the work. */
static bool may_become(const unsigned char *from, size_t n_from, size_t n_to)
{
    const unsigned long long size = content_size ? content_size(from, n_from) : SIZE_UNKNOWN;

    return size == SIZE_UNKNOWN || (size != NO_SIZE && size <= n_to);
}

bool ptx__zstd(const unsigned char *from, size_t n_from, unsigned char *to, size_t n_to)
{
    /* An error is a number larger than any size. */
    return ptx__has_zstd() && may_become(from, n_from, n_to) &&
           decompress(to, n_to, from, n_from) == n_to;
}
