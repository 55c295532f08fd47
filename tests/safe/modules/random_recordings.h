/* SPDX-License-Identifier: MIT */
/* What the two files of random_recordings share: the program that is recorded. */
#ifndef CUSHIM_TESTS_RANDOM_RECORDINGS_H
#define CUSHIM_TESTS_RANDOM_RECORDINGS_H

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "../../unit/plain.h"

#define CHECK(call) CHECK_EQ(call, CUSHIM_OK)

enum {
    PROGRAMS = 30,
    STEPS = 40,
    RECORDERS = 3,
    SLICES = 4,
    MADE = 6, /* slices of arenas */
    KEPT = 3, /* graphs of programs before */
    N = 32,
    LONGEST = 400,
    NODES = 4 * STEPS,
    UNIT = 512, /* bytes: what a slice of an arena takes is a multiple */
    UNITS = 64,
};

typedef uint64_t steps; /* a set of steps */

/* The bytes of an arena, as the host knows them. */
struct arena {
    uint64_t address; /* 0: nothing was allocated yet */
    bool taken[UNITS];
    uint32_t values[UNITS * UNIT / 4];
};

/* A slice, and what should be in it. */
struct memory {
    cushim_slice slice;
    uint64_t address;
    uint32_t *values, length;
    struct arena *arena; /* or NULL */
};

struct part {
    struct memory in;
    uint32_t first, length;
    bool write;
};

/* What the host does for a step, when all is launched. */
struct step {
    enum { FILL, COPY, MIX, HOST, EVENT } kind;
    struct part to, from; /* length 0: none */
    uint32_t value;
    steps after; /* all steps that it comes after */
};

struct program {
    cushim_graph graph;
    cushim_stream recorders[RECORDERS];
    steps must[RECORDERS], of[RECORDERS]; /* what the next step comes after; the recorder's own */
    struct step steps[STEPS];
    int n;
    cushim_event events[STEPS];
    struct arena *arena;
};

extern struct program program;
extern cushim_driver driver;

/* Checks that the graph of the program has the order that its steps need, and no other. */
void check_order(void);

#endif
