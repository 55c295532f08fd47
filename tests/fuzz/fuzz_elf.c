/* SPDX-License-Identifier: MIT */
/*
 * What libFuzzer calls with its inputs: files that could be libraries, and the caches that name
 * them. Nothing is loaded: what the headers say decides.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/linker/ld_cache.h"
#include "base/linker/library_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

/* A file with these bytes; the path is the same for all of them. */
static const char *file_with(const uint8_t *data, size_t size)
{
    static char path[64];
    static int fd = -1;

    if (fd < 0)
        fd = memfd_create("fuzz", MFD_CLOEXEC);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t) size) {
        perror("fuzz: memfd");
        exit(1);
    }
    return path;
}

static void inspect(const uint8_t *data, size_t size)
{
    struct cushim__arena arena = {0};
    const struct cushim__library_file file = cushim__library_file_at(file_with(data, size), &arena);

    require((file.state == CUSHIM__LIBRARY_FITS) == !*file.why, "a reason, or none, and the other");
    require(file.state != CUSHIM__LIBRARY_ABSENT, "the file is there");
    require((file.state == CUSHIM__LIBRARY_EMPTY && !strncmp(file.why, "the file", 8)) == !size,
            "empty, and not empty");
    cushim__arena_finish(&arena);
}

/* Each path is a string, so its length can be asked. */
static bool measure(const char *path, void *user)
{
    *(size_t *) user += strlen(path) + 1;
    return false;
}

static void search(const uint8_t *data, size_t size)
{
    char *copy = malloc(size ? size : 1);
    size_t bytes = 0;

    if (!copy)
        return;
    memcpy(copy, data, size);
    cushim__ld_cache_find(copy, size, "libcuda.so.1", measure, &bytes);
    cushim__ld_cache_find(copy, size, "", measure, &bytes);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    inspect(data, size);
    search(data, size);
    return 0;
}
