/* SPDX-License-Identifier: MIT */
/*
 * The file of questions. One begins with "ask NAME", and what it needs that is not usual: ptx=8.8
 * sm=90 grid=1 rows=1 block=32 cluster=0 shared=0. Lines follow that stand before the kernel, a
 * line "entry DIRECTIVES" for the kernel itself, and behind a line "--" its body. "#" begins a
 * comment. The kernel has 64 bytes of output at [%o] for each thread, and 64 bytes of input at
 * [%a], which %r1 to %r8 and %d1 to %d4 hold.
 */
#ifndef CUSHIM_TESTS_PTX_ASKED_H
#define CUSHIM_TESTS_PTX_ASKED_H

#include <stddef.h>

enum { MOST_ASKED = 1024, ASKED_TEXT = 8192 };

struct asked {
    char name[64];
    unsigned version, target, grid[2], block, cluster, shared;
    char text[ASKED_TEXT];
};

/* Ends the program with a sentence where the file cannot be read. Answers how many there are. */
size_t asked_read(const char *path, struct asked *list);

/* The whole file, to be freed. */
char *asked_read_file(const char *path);

#endif
