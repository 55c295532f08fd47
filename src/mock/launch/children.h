/* SPDX-License-Identifier: MIT */
/*
 * Kernels that kernels launch. What a grid launches is kept until it is done, and then run in the
 * order of its launches, one after another, each with all that it launches itself; last comes what
 * was launched for the end of the grid. Every stream and event of a device allows this order, and
 * CUDA promises no other. Callers hold the lock; kernels that run ask under the engine's.
 */
#ifndef CUSHIM_MOCK_LAUNCH_CHILDREN_H
#define CUSHIM_MOCK_LAUNCH_CHILDREN_H

#include "base/tree.h"
#include "mock/module/module.h"
#include "mock/ptx/machine/run.h"

struct mock__child;

/* The end is where the next one goes. */
struct mock__child_list {
    struct mock__child *first, *last;
};

struct mock__child {
    struct cushim__tree_node node; /* among those not launched yet */
    struct mock__child *next;      /* among those launched */
    const struct mock__entry *entry;
    const struct mock__function *function;
    const char *parent;  /* the name of the kernel that has launched it; NULL: the host has */
    uint64_t generation; /* how many launches led to it, one by the other */
    unsigned grid[3], block[3];
    uint32_t shared_bytes;
    uint64_t room; /* the address of its parameters */
    /* What it has launched, and who waits for it, once it has run. */
    struct mock__child_list launched, tail;
    struct mock__child *outer;
};

/* All that is launched by a launch of the host. */
struct mock__children {
    const struct mock__module *module;
    struct cushim__tree rooms;              /* not launched yet, by room */
    struct mock__child_list launched, tail; /* by the grid that runs */
    const char *name;                       /* of its kernel */
    uint64_t generation;                    /* and its generation; 0: the host has launched it */
    unsigned char *handles;                 /* the kinds of streams and events that were made */
    size_t n_handles;
};

/*
 * Makes room for parameters, before a kernel of the module runs, if its kernels launch kernels:
 * while one runs, no memory is made. False: there is none.
 */
bool mock__children_prepare(const struct mock__module *module);

/* What the engine asks of it: the functions of struct ptx__children. */
uint64_t mock__children_room(struct mock__children *children, const struct ptx__child *wanted,
                             unsigned *ret_error);
unsigned mock__children_launch(struct mock__children *children, uint64_t room, uint64_t stream);
uint64_t mock__children_handle(struct mock__children *children, unsigned what, uint64_t handle);
uint64_t mock__children_ask(const struct mock__children *children, unsigned what, uint64_t number,
                            uint64_t more);

/*
 * After a grid has run: what it has launched goes to `family`. Returns the next one to run, with
 * *family as the one that it belongs to, or NULL if all have run. Those that are done are freed.
 */
struct mock__child *mock__children_next(struct mock__children *children,
                                        struct mock__child **family);

/* Frees all that is left, and what the family waits for. */
void mock__children_finish(struct mock__children *children, struct mock__child *family);

#endif
