/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <stdio.h>
#include <string.h>

#include "base/write_whole.h"

bool write_whole(const char *path, const void *bytes, size_t n_bytes)
{
    const int error = cushim__write_whole(path, bytes, n_bytes);

    if (error)
        fprintf(stderr, "cushim compile: %s: %s\n", path, strerror(error));
    return !error;
}
