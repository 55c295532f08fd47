/* SPDX-License-Identifier: MIT */
#include "base/write_whole.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

bool cushim__write_all(int file, const void *bytes, size_t n)
{
    const char *from = bytes;

    while (n) {
        const ssize_t written = write(file, from, n);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        from += written;
        n -= (size_t) written;
    }
    return true;
}

/* mkstemp() makes files for their owner only; umask() can only be asked by setting it. */
static mode_t usual_mode(const char *path)
{
    struct stat old;
    mode_t mask;

    if (!stat(path, &old))
        return old.st_mode & 0777;
    mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int fill(const char *temporary, int fd, const void *bytes, size_t n, const char *path)
{
    int error = 0;

    if (!cushim__write_all(fd, bytes, n) || fchmod(fd, usual_mode(path)))
        error = errno;
    if (close(fd) && !error)
        error = errno;
    if (!error && rename(temporary, path))
        error = errno;
    if (error)
        unlink(temporary);
    return error;
}

int cushim__write_whole(const char *path, const void *bytes, size_t n)
{
    struct cushim__str temporary = {0};
    int error = ENOMEM, fd;

    cushim__str_append(&temporary, "%s.XXXXXX", path);
    if (!temporary.failed) {
        fd = mkstemp(temporary.text);
        error = fd < 0 ? errno : fill(temporary.text, fd, bytes, n, path);
    }
    cushim__str_finish(&temporary);
    return error;
}
