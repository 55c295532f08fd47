/* SPDX-License-Identifier: MIT */
/*
 * Reading files whose path comes from elsewhere. A path may lead to a pipe without a writer, to a
 * device that never ends, to a file that the kernel generates, or to symbolic links in a circle.
 * These functions return a sentence for each of them. They wait for nothing, open only regular
 * files, and read no more than the caller wants.
 */
#ifndef CUSHIM_BASE_FILE_H
#define CUSHIM_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cushim__file_state {
    CUSHIM__FILE_FINE,
    CUSHIM__FILE_ABSENT,     /* the file, or perhaps its folder, does not exist */
    CUSHIM__FILE_UNREADABLE, /* it exists, but the system denies access */
    CUSHIM__FILE_CIRCLE,     /* symbolic links lead in a circle */
    CUSHIM__FILE_FOLDER,
    CUSHIM__FILE_SPECIAL, /* neither a regular file nor a folder */
    CUSHIM__FILE_TOO_LARGE,
    CUSHIM__FILE_NO_TEXT, /* a text was wanted, but it contains a NUL */
    CUSHIM__FILE_NO_MEMORY,
};

struct cushim__file {
    enum cushim__file_state state;
    char why[96]; /* unless state is CUSHIM__FILE_FINE: "it is a pipe", or the system's error
                     text */
    char *bytes;  /* the contents, followed by a NUL; NULL unless they were read */
    uint64_t size;
};

/*
 * Opens a regular file for reading and returns its size in ret_file. Returns a descriptor that the
 * caller closes, or -1 with the reason in ret_file.
 */
int cushim__file_open(const char *path, struct cushim__file *ret_file);

/*
 * Read all of a file that has at most `most` bytes. The second function also fails if the file
 * contains a NUL. The caller frees the result with cushim__file_finish().
 */
bool cushim__file_read(const char *path, size_t most, struct cushim__file *ret_file);
bool cushim__file_read_text(const char *path, size_t most, struct cushim__file *ret_file);

void cushim__file_finish(struct cushim__file *file);

#define SCOPED_FILE __attribute__((cleanup(cushim__file_finish))) struct cushim__file

#endif
