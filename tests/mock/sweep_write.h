/* SPDX-License-Identifier: MIT */
/* A random kernel with a thread for each element, and how it is launched: sweep_write.c draws it.
 */
#ifndef CUSHIM_TESTS_MOCK_SWEEP_WRITE_H
#define CUSHIM_TESTS_MOCK_SWEEP_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARRAYS = 3, ROOM = 1 << 16 /* bytes of an array, at most */ };

struct text {
    char text[8000];
    size_t used;
};

struct program {
    struct text text;
    unsigned grid[2], block[2], n;
    size_t bytes[ARRAYS], set[ARRAYS]; /* of each array, and how many of them are written before */
    unsigned moved[ARRAYS];            /* where the kernel's array begins */
    bool alias;                        /* two of the arrays are one */
    bool no_numbers;                   /* they have words that are no numbers, and small ones */
    bool strong; /* has accesses that may order blocks, so that none is known to be a race */
};

void sweep_draw(struct program *program, uint64_t seed);

#endif
