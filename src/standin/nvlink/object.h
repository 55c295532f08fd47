/* SPDX-License-Identifier: MIT */
/*
 * The files that nvcc and the host's compiler make: libraries of objects, and objects with fat
 * binaries in them. Nothing is copied; what is damaged has nothing in it.
 */
#ifndef CUSHIM_STANDIN_NVLINK_OBJECT_H
#define CUSHIM_STANDIN_NVLINK_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct piece {
    const char *bytes;
    size_t size;
};

bool object_is_library(struct piece file);

/*
 * Finds the member of a library at *at, with its name, and moves *at behind it. Returns false if
 * there are no more. *at is 0 at first.
 */
bool object_next_member(struct piece library, size_t *at, struct piece *ret_member, char name[64]);

/* Tells whether this is an object of the host, and not machine code for a device. */
bool object_is_of_host(struct piece file);

/* Returns a section of an object; it is empty if there is no such section. */
struct piece object_section(struct piece object, const char *name);

#endif
