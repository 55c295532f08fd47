/* SPDX-License-Identifier: MIT */
/* Modules whose kernels and functions use memory at hostile addresses, drawn from bytes. */
#ifndef CUSHIM_TESTS_FUZZ_MEMORY_KERNELS_H
#define CUSHIM_TESTS_FUZZ_MEMORY_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* What decides: one byte after another, and zeros behind the last one. */
struct choices {
    const uint8_t *bytes;
    size_t left;
};

/* A number below another one, which is at most 65536. */
unsigned choose(struct choices *choices, unsigned below);

/* The text of a module, as long as there is room; it ends with a NUL. */
void memory_kernels(struct choices *choices, char *text, size_t size);

/* Handles of textures and surfaces that its kernels use: 1 to this one. */
#define MEMORY_KERNELS_IMAGES 6

#endif
