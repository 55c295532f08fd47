/* SPDX-License-Identifier: MIT */
/* What the writers of random kernels share: random_write.c, random_simple.c, random_lanes.c, and
 * random_lines.c. */
#ifndef CUSHIM_TESTS_PTX_RANDOM_WRITER_H
#define CUSHIM_TESTS_PTX_RANDOM_WRITER_H

#include "random.h"

struct writer {
    char *at, *end;
    struct random_program *program;
    const char *body; /* of what is around it: what all of it surrounds */
    uint64_t state;
    unsigned depth, labels;
    bool together; /* all threads of the block are here */
    bool brief;    /* within a short piece of code, which has only jumps forward */
};

/* A number below another one. */
unsigned random_draw(struct writer *w, unsigned below);
bool random_one_in(struct writer *w, unsigned n);

__attribute__((format(printf, 2, 3))) void random_put(struct writer *w, const char *format, ...);

/* Writes a line, or one of several: "#" becomes the number of a register of the letter before it,
 * "~" a number below 64, and "<a|b>" one of these. */
void random_put_line(struct writer *w, const char *line);
void random_put_one(struct writer *w, const char *const *lines, unsigned n);

/* --- random_lanes.c --- */

void random_put_count(struct writer *w);
void random_put_marks(struct writer *w);
void random_put_lanes(struct writer *w);
void random_put_members(struct writer *w);

/* A kind of statements. */
struct random_simple {
    unsigned weight;
    bool together; /* only where all threads of the block are */
    void (*write)(struct writer *w);
    unsigned kind; /* RANDOM_BRIEF and others */
};

enum {
    RANDOM_BRIEF = 1, /* also within a short piece of code */
    RANDOM_NESTS = 2, /* there are others in it */
    RANDOM_PARTS = 4, /* lanes or warps part */
};

extern const struct random_simple random_simple[];
extern const unsigned random_n_simple;

/* --- random_write.c --- */

/* Statements within one more branch; `key` is of the one that they are in. */
void random_put_inner(struct writer *w, uint64_t key, bool together);

/* Behind a branch to a label: what those do that pass it, and the others, if there are two ways. */
struct ways {
    uint64_t key;
    unsigned label;
    bool together, two;
};
void random_put_ways(struct writer *w, struct ways ways);

/* --- random_blocks.c --- */

/* Draws another shape: of more blocks. */
void random_draw_blocks(struct random_program *program);

extern const struct random_simple random_blocks[];
extern const unsigned random_n_blocks;

#endif
