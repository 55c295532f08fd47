/* SPDX-License-Identifier: MIT */
/*
 * Reading files that somebody else names. A path may lead to a pipe that nobody writes to, to a
 * device that never ends, to something that the kernel makes up while it is read, or round in
 * circles. Each of these is told in words; nothing is waited for, nothing but a regular file is
 * even opened, and no more is read than the caller wants.
 */
#ifndef CUSHIM_BASE_FILE_H
#define CUSHIM_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cushim__file_state {
    CUSHIM__FILE_FINE,
    CUSHIM__FILE_ABSENT,     /* neither it nor, maybe, its folder */
    CUSHIM__FILE_UNREADABLE, /* there, and the system says no */
    CUSHIM__FILE_CIRCLE,     /* of symbolic links */
    CUSHIM__FILE_FOLDER,
    CUSHIM__FILE_SPECIAL, /* neither a regular file nor a folder */
    CUSHIM__FILE_TOO_LARGE,
    CUSHIM__FILE_NO_TEXT, /* it has a NUL where a text was wanted */
    CUSHIM__FILE_NO_MEMORY,
};

struct cushim__file {
    enum cushim__file_state state;
    char why[96]; /* unless it is fine: "it is a pipe", or the system's words */
    char *bytes;  /* NULL unless it is fine and was read; a NUL follows */
    uint64_t size;
};

/*
 * Opens a regular file for reading, and says how large it is. A descriptor that the caller
 * closes; -1 with the reason in ret_file.
 */
int cushim__file_open(const char *path, struct cushim__file *ret_file);

/* Reads all of a file of at most so many bytes; the second wants a text, which has no NUL. */
bool cushim__file_read(const char *path, size_t most, struct cushim__file *ret_file);
bool cushim__file_read_text(const char *path, size_t most, struct cushim__file *ret_file);

void cushim__file_finish(struct cushim__file *file);

#define SCOPED_FILE __attribute__((cleanup(cushim__file_finish))) struct cushim__file

#endif
