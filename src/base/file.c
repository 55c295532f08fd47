/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/util.h"

static bool fail(struct cushim__file *file, enum cushim__file_state state, const char *why)
{
    file->state = state;
    snprintf(file->why, sizeof(file->why), "%s", why);
    return false;
}

static bool fail_by(struct cushim__file *file, int error)
{
    if (error == ENOENT || error == ENOTDIR)
        return fail(file, CUSHIM__FILE_ABSENT, strerror(error));
    if (error == ELOOP)
        return fail(file, CUSHIM__FILE_CIRCLE, "its symbolic links lead in a circle");
    return fail(file, CUSHIM__FILE_UNREADABLE, strerror(error));
}

static bool is_regular(const struct stat *info, struct cushim__file *file)
{
    switch (info->st_mode & S_IFMT) {
    case S_IFREG:
        file->size = (uint64_t) info->st_size;
        return true;
    case S_IFDIR:
        return fail(file, CUSHIM__FILE_FOLDER, "it is a folder");
    case S_IFIFO:
        return fail(file, CUSHIM__FILE_SPECIAL, "it is a pipe, not a regular file");
    case S_IFSOCK:
        return fail(file, CUSHIM__FILE_SPECIAL, "it is a socket, not a regular file");
    default:
        return fail(file, CUSHIM__FILE_SPECIAL, "it is a device, not a regular file");
    }
}

/*
 * Tells whether the file is stored on a medium. Reading a file that the kernel generates may block,
 * never end, or change what is read. Such files have no blocks, so most files need no further
 * check.
 */
static bool is_stored(const char *path, const struct stat *info, struct cushim__file *file)
{
    static const unsigned long made_up[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC,
                                            TRACEFS_MAGIC};
    struct statfs system;

    if (info->st_blocks > 0)
        return true;
    if (statfs(path, &system) < 0)
        return fail_by(file, errno);
    for (size_t i = 0; i < ARRAY_SIZE(made_up); i++) {
        if ((unsigned long) system.f_type == made_up[i])
            return fail(file, CUSHIM__FILE_SPECIAL,
                        "the kernel makes it up, it is not a regular file");
    }
    return true;
}

int cushim__file_open(const char *path, struct cushim__file *ret_file)
{
    struct stat info;
    int fd;

    *ret_file = (struct cushim__file){.state = CUSHIM__FILE_FINE};
    if (!*path) {
        fail(ret_file, CUSHIM__FILE_ABSENT, "the path is empty");
        return -1;
    }
    /* stat() comes first, because opening a device may have an effect on it. */
    if (stat(path, &info) < 0)
        fail_by(ret_file, errno);
    else if (is_regular(&info, ret_file))
        is_stored(path, &info, ret_file);
    if (ret_file->state != CUSHIM__FILE_FINE)
        return -1;
    /*
     * The check is repeated, because the path may lead to another file now. O_NONBLOCK prevents
     * that open() waits for it.
     */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &info) < 0)
        fail_by(ret_file, errno);
    else if (is_regular(&info, ret_file))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool too_large(struct cushim__file *file, size_t most)
{
    char why[sizeof(file->why)];

    snprintf(why, sizeof(why), "it has more than the %zu bytes that are read", most);
    return fail(file, CUSHIM__FILE_TOO_LARGE, why);
}

/* Makes room for the wanted bytes and a NUL. */
static bool make_room(struct cushim__file *file, size_t wanted, size_t *capacity)
{
    char *larger;

    if (wanted <= *capacity)
        return true;
    larger = realloc(file->bytes, wanted + 1);
    if (!larger)
        return fail(file, CUSHIM__FILE_NO_MEMORY, "there is no memory for it");
    file->bytes = larger;
    *capacity = wanted;
    return true;
}

/*
 * Reads the whole file. The size is only a hint: a file may grow, and some file systems do not tell
 * sizes. So one byte more is read to see the end.
 */
static bool read_all(int fd, size_t most, struct cushim__file *file)
{
    size_t capacity = 0, wanted = (size_t) file->size + 1;

    for (file->size = 0; make_room(file, wanted, &capacity);) {
        const ssize_t n = read(fd, file->bytes + file->size, capacity - file->size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(file, CUSHIM__FILE_UNREADABLE, strerror(errno));
        file->size += (size_t) n;
        if (file->size > most)
            return too_large(file, most);
        file->bytes[file->size] = '\0';
        if (!n)
            return true;
        if (file->size == capacity)
            wanted = 2 * capacity < most ? 2 * capacity : most + 1;
    }
    return false;
}

bool cushim__file_read(const char *path, size_t most, struct cushim__file *ret_file)
{
    const int fd = cushim__file_open(path, ret_file);
    bool good;

    if (fd < 0)
        return false;
    good = ret_file->size <= most ? read_all(fd, most, ret_file) : too_large(ret_file, most);
    close(fd);
    if (!good)
        free(TAKE_PTR(ret_file->bytes));
    return good;
}

bool cushim__file_read_text(const char *path, size_t most, struct cushim__file *ret_file)
{
    const char *nul;
    char why[sizeof(ret_file->why)];

    if (!cushim__file_read(path, most, ret_file))
        return false;
    nul = memchr(ret_file->bytes, '\0', ret_file->size);
    if (!nul)
        return true;
    snprintf(why, sizeof(why), "it is no text: byte %zu is a NUL",
             (size_t) (nul - ret_file->bytes));
    fail(ret_file, CUSHIM__FILE_NO_TEXT, why);
    free(TAKE_PTR(ret_file->bytes));
    return false;
}

void cushim__file_finish(struct cushim__file *file)
{
    free(TAKE_PTR(file->bytes));
}
