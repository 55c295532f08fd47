/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        const ssize_t written = write(fd, bytes, n);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        n -= (size_t) written;
    }
    return true;
}

/* mkstemp() makes files for their owner only. */
static bool open_to_others(int fd)
{
    const mode_t mask = umask(0);

    umask(mask);
    return !fchmod(fd, 0666 & ~mask);
}

static bool fill(const char *temporary, int fd, const void *bytes, size_t n_bytes, const char *path)
{
    const bool written = write_all(fd, bytes, n_bytes) && open_to_others(fd);

    if (close(fd) || !written)
        return false;
    return !rename(temporary, path);
}

bool write_whole(const char *path, const void *bytes, size_t n_bytes)
{
    char *temporary = format("%s.XXXXXX", path);
    const int fd = mkstemp(temporary);
    const bool written = fd >= 0 && fill(temporary, fd, bytes, n_bytes, path);

    if (!written) {
        fprintf(stderr, "cushim compile: %s: %s\n", path, strerror(errno));
        if (fd >= 0)
            unlink(temporary);
    }
    free(temporary);
    return written;
}
