/* SPDX-License-Identifier: MIT */
/*
 * The files that nvcc and the host's compiler make: libraries of objects, and objects with fat
 * binaries in them. Nothing is copied; what is damaged has nothing in it. Nothing here is shared
 * between threads.
 */
#ifndef CUSHIM_MOCK_PTX_CONTAINER_OBJECT_H
#define CUSHIM_MOCK_PTX_CONTAINER_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

struct ptx__piece {
    const char *bytes;
    size_t size;
};

bool ptx__is_library(struct ptx__piece file);

/*
 * Finds the member of a library at *at, with its name, and moves *at behind it. Returns false if
 * there are no more. *at is 0 at first.
 */
bool ptx__library_next(struct ptx__piece library, size_t *at, struct ptx__piece *ret_member,
                       char name[64]);

/* Tells whether this is an object of the host, and not machine code for a device. */
bool ptx__is_host_object(struct ptx__piece file);

/* Returns a section of an object; it is empty if there is no such section. */
struct ptx__piece ptx__object_section(struct ptx__piece object, const char *name);

/* Where an object of the host has device code: that which is linked, and that which is not. */
#define PTX__LINKED_SECTION      ".nv_fatbin"
#define PTX__RELOCATABLE_SECTION "__nv_relfatbin"

/*
 * Finds the fat binary at *at of such a section, and moves *at behind it: the linker of the host
 * puts several behind each other. What is none is one piece to the end. False at the end; *at is 0
 * at first.
 */
bool ptx__binaries_next(struct ptx__piece section, size_t *at, struct ptx__piece *ret_binary);

#endif
