/* SPDX-License-Identifier: MIT */
/*
 * Memory of devices that can be mapped more than once, and in several processes: files without a
 * name. Most memory consists of pieces of one file, because a process has few descriptors. Memory
 * that is exported by a descriptor has its own file. Behind the bytes of a file there is a label,
 * so that other descriptors are not mistaken for it. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_MEM_FILE_H
#define CUSHIM_MOCK_ALLOCATION_MEM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mock__file_label {
    char magic[16];
    uint64_t bytes;         /* without the label */
    unsigned char uuid[16]; /* of the device; zeros if it does not matter */
};

/* Makes a file. Returns a descriptor, or -1 on failure. uuid may be NULL. */
int mock__file_new(size_t bytes, const unsigned char *uuid);

/* Returns a zeroed piece of the common file, or false on failure; and gives a piece back. */
bool mock__file_piece(size_t bytes, int *ret_fd, size_t *ret_offset);
void mock__file_return(int fd, size_t offset, size_t bytes);

/* Tells whether the descriptor is such a file, and returns its label. */
bool mock__file_read_label(int fd, struct mock__file_label *ret_label);

/* Tells whether both descriptors are of the same file. */
bool mock__file_same(int a, int b);

/* Maps a part of a file, at an address if that is not NULL. NULL on failure. */
void *mock__file_map(int fd, size_t offset, size_t bytes, void *address);

/* Reserves address space without access, at an address if that is not NULL. */
void *mock__space_new(size_t bytes, void *address);

#endif
