/* SPDX-License-Identifier: MIT */
/*
 * Memory of the device that can be mapped more than once, and by more than one process: files
 * without a name. All memory is in pieces of one file, as descriptors are few, but what is
 * exported by its descriptor has a file of its own. Behind a file's bytes a label says what
 * it is, so that a descriptor from somewhere else is not taken for one. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_MEM_FILE_H
#define CUSHIM_MOCK_ALLOCATION_MEM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mock__file_label {
    char magic[16];
    uint64_t bytes;         /* without the label */
    unsigned char uuid[16]; /* of the device, zeros if that does not matter */
};

/* A descriptor, -1 if there is none to be had. `uuid` may be NULL. */
int mock__file_new(size_t bytes, const unsigned char *uuid);

/* A piece of the common file, zeroed; false if there is none to be had. And its end. */
bool mock__file_piece(size_t bytes, int *ret_fd, size_t *ret_offset);
void mock__file_return(int fd, size_t offset, size_t bytes);

/* Is the descriptor such a file, and which? */
bool mock__file_read_label(int fd, struct mock__file_label *ret_label);

/* Do both descriptors mean the same file? */
bool mock__file_same(int a, int b);

/* Maps a part of the file, at an address if that is not NULL; NULL if there is no room. */
void *mock__file_map(int fd, size_t offset, size_t bytes, void *address);

/* Address space that cannot be used, at an address if that is not NULL. */
void *mock__space_new(size_t bytes, void *address);

#endif
