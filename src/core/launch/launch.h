/* SPDX-License-Identifier: MIT */
/*
 * One launch, from what a program says to what the driver gets.
 *
 * launch_fast.c has the one that programs are fast by, launch.c all others.
 */
#ifndef CUSHIM_CORE_LAUNCH_LAUNCH_H
#define CUSHIM_CORE_LAUNCH_LAUNCH_H

#include <cushim/launch.h>

#include "core/code/module.h"
#include "core/memory/slice.h"
#include "core/order/stream.h"

struct cushim__shape {
    unsigned grid[3], block[3];
};

struct cushim__launch {
    struct cushim__scope *scope; /* of the function's context */
    struct cushim__function *function;
    struct cushim__stream *stream;
    const struct cushim_launch_config *config;
    const struct cushim_argument *arguments;
    size_t n;
    struct cushim__shape shape;

    /* Room for n, and n + 1 of the last. */
    void **values;          /* what the driver gets */
    CUdeviceptr *addresses; /* of memory; values point here */
    struct cushim__access *accesses;
    size_t n_accesses;
};

/* Threads of a block where a program tells no more than the number of elements. */
enum { CUSHIM__BLOCK = 256 };

/*
 * The grid and the block, from the configuration. False if the launch is empty, or more than the
 * function or its device allow.
 */
static inline bool cushim__shape_of(const struct cushim__function *function,
                                    const struct cushim_launch_config *config,
                                    struct cushim__shape *ret_shape)
{
    const struct cushim__limits *limits = &function->object.context->limits;
    unsigned *grid = ret_shape->grid, *block = ret_shape->block;
    bool fits;

    if (config->elements) {
        const unsigned most = function->max_threads;
        const unsigned threads = most && most < CUSHIM__BLOCK ? most : CUSHIM__BLOCK;
        const size_t n = config->elements, blocks = n / threads + (n % threads != 0);

        *ret_shape = (struct cushim__shape){{(unsigned) blocks, 1, 1}, {threads, 1, 1}};
        fits = !config->grid[0] && !config->block[0] && blocks <= (size_t) limits->max_grid[0];
    } else {
        fits = true;
        for (int i = 0; i < 3; i++) {
            grid[i] = config->grid[i] || !i ? config->grid[i] : 1;
            block[i] = config->block[i] || !i ? config->block[i] : 1;
            fits = fits && grid[i] <= (unsigned) limits->max_grid[i] &&
                   block[i] <= (unsigned) limits->max_block[i];
        }
        fits = fits && grid[0] && block[0] &&
               (uint64_t) block[0] * block[1] * block[2] <= function->max_threads;
    }
    return fits && config->shared_bytes <=
                       (size_t) atomic_load_explicit(&function->max_dynamic, memory_order_relaxed);
}

/* The same, with the sentence why not. Empty is no error. */
cushim_status cushim__launch_shape(struct cushim__launch *launch);

/* Is there anything to do? */
static inline bool cushim__launch_is_empty(const struct cushim__launch *launch)
{
    return !launch->shape.grid[0];
}

/* Are count and sizes of the arguments those of the kernel's parameters, and the values there? */
cushim_status cushim__launch_check_arguments(const struct cushim__launch *launch);

/* Does memory that is written overlap any other argument? Once accesses are known. */
cushim_status cushim__launch_check_overlap(const struct cushim__launch *launch);

/* What the options come to; room for them is the caller's. */
enum { CUSHIM__LAUNCH_ATTRIBUTES = 32 };

struct cushim__launch_attributes {
    struct cushim__cu_attribute list[CUSHIM__LAUNCH_ATTRIBUTES];
    unsigned n;
    uint64_t pinned[3]; /* handles of events and slices that the attributes lead to */
    unsigned n_pinned;
    struct cushim__event *events[2]; /* that the launch records */
    unsigned n_events;
};

/* Fills attributes; cushim__launch_attributes_finish() even if it fails. */
cushim_status cushim__launch_attributes_make(const struct cushim__launch *launch,
                                             const struct cushim_launch_options *options,
                                             struct cushim__launch_attributes *attributes);
void cushim__launch_attributes_finish(struct cushim__launch_attributes *attributes);

/*
 * Under the submission lock, once the launch was submitted: its events are recorded, and reached
 * before the kernel has ended, so that they tell nothing about it.
 */
void cushim__launch_attributes_recorded(const struct cushim__launch_attributes *attributes);

/* What the launch gave back through an attribute. */
void cushim__launch_attributes_read(const struct cushim__launch_attributes *attributes,
                                    const struct cushim_launch_options *options);

/* Two events around a launch, for the caller; NULL where it is not timed. */
struct cushim__launch_timing {
    struct cushim__event *start, *end;
};

cushim_status cushim__launch_timing_make(const struct cushim__launch *launch,
                                         struct cushim__launch_timing *timing);
cushim_status cushim__launch_timing_give(const struct cushim__scope *scope,
                                         const struct cushim_launch_options *options,
                                         struct cushim__launch_timing *timing);
void cushim__launch_timing_drop(struct cushim__launch_timing *timing);

/* The driver's structure for a launch; attributes may be NULL. */
struct cushim__cu_launch cushim__launch_describe(const struct cushim__launch *launch,
                                                 struct cushim__launch_attributes *attributes);

/* Everything, for handles that nobody has pinned yet: the fast way if this is the common case. */
cushim_status cushim__launch(uint64_t stream, uint64_t function,
                             const struct cushim_launch_config *config,
                             const struct cushim_argument *arguments, size_t n, const char *call);

/* The same for any launch, with the sentence for one that is wrong. */
cushim_status cushim__launch_general(uint64_t stream, uint64_t function,
                                     const struct cushim_launch_config *config,
                                     const struct cushim_argument *arguments, size_t n,
                                     const char *call);

#endif
