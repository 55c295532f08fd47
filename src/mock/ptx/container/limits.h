/* SPDX-License-Identifier: MIT */
/*
 * The register limits of a compilation's options. Programs may copy a linked image, which is a
 * text. So the limits are written into the text itself, as a comment at its end. Nothing here is
 * shared between threads.
 */
#ifndef CUSHIM_MOCK_PTX_CONTAINER_LIMITS_H
#define CUSHIM_MOCK_PTX_CONTAINER_LIMITS_H

#include <stdbool.h>

struct ptx__limits {
    unsigned registers; /* of a thread; 0: no limit */
    unsigned threads;   /* of a block, for which the registers must suffice; 0: no limit */
};

/* Writes limits to the end of a text, which may be reallocated. False if there is no memory. */
bool ptx__limits_write(const struct ptx__limits *limits, char **text);

/* Reads the limits that were written last. */
struct ptx__limits ptx__limits_read(const char *text);

#endif
