/* SPDX-License-Identifier: MIT */
/* Kernels that are drawn from a seed: random_write.c writes them, and random.c runs them. */
#ifndef CUSHIM_TESTS_PTX_RANDOM_H
#define CUSHIM_TESTS_PTX_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RANDOM_TEXT = 1 << 17, /* of a kernel */
    RANDOM_STATEMENTS = 1024,
    RANDOM_THREADS = 8192, /* at most, of a launch */
    RANDOM_OUT = 384,      /* bytes for the registers of a thread */
    RANDOM_SCRATCH = 64,   /* bytes that only one thread uses, */
    RANDOM_COMMON = 4096,  /* and, behind those of all threads, bytes that any may use */
    RANDOM_ROOM = 16,      /* bytes for the atomic operations of a thread */
    RANDOM_DATA = 16384,   /* bytes that are read */
    RANDOM_COUNTERS = 128  /* bytes that all threads use by atomic operations */
};

/* A statement has a key, from which all is drawn that it decides; those within it have keys of
 * theirs. So a statement may be left out, and the others stay as they are. */
struct random_program {
    uint64_t seed;
    bool blocks; /* what blocks and their warps do is drawn, too: random_blocks.c */
    bool calm;   /* its warps rarely part */
    unsigned grid[3], block[3], cluster[3];
    unsigned dynamic;    /* bytes of shared memory that the launch adds */
    unsigned step_limit; /* of the launch, as is order: a seed for the order of its blocks */
    uint64_t order;
    uint32_t number; /* the parameter n */
    uint32_t moved;  /* by so many bytes all memory lies elsewhere */
    bool read_only;  /* the data, which a program that is wrong may write */
    bool wrong;      /* it may do what is an error */
    bool tiles;      /* it reads rows and columns of shared memory */
    bool fresh;      /* not all of its memory is written before */
    bool adds;       /* its only atomic operations on global memory are additions without results */
    uint64_t keys[RANDOM_STATEMENTS];
    unsigned n_keys;
    uint64_t dropped[RANDOM_STATEMENTS];
    unsigned n_dropped;
};

/* Finds the forms that the engine takes: called once, before all else. */
void random_find_forms(void);

/* Draws the shape. */
struct random_program random_program(uint64_t seed, bool blocks);

unsigned random_threads(const struct random_program *program); /* of a block */

/* Another launch of the same kernel; turn 0: that of the program. */
struct random_program random_turned(const struct random_program *program, unsigned turn);

/* A seed whose program has the shape of another one's. */
uint64_t random_of_shape(uint64_t seed, uint64_t other);

/* What stands before the kernels of a module. */
void random_head(char *text);

/* Writes the kernel `name`, which has the parameters data, out, scratch, room, counters (addresses)
 * and n (a number), and notes the keys. */
void random_write(struct random_program *program, const char *name, char *text);

/* Leaves out all statements without which the program still differs. */
void random_shrink(struct random_program *program, bool (*differs)(struct random_program *program));

/* splitmix64 */
uint64_t random_mixed(uint64_t z);

#endif
