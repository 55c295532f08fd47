/* SPDX-License-Identifier: MIT */
/*
 * One launch, from the program's arguments to the driver call.
 *
 * launch_fast.c has the fast path, and launch.c all other launches. launch_check.c compares the
 * arguments with the kernel, launch_check_options.c the options with what they may be,
 * launch_options.c has the attributes, and launch_timing.c the time that a launch took.
 */
#ifndef CUSHIM_CORE_LAUNCH_LAUNCH_H
#define CUSHIM_CORE_LAUNCH_LAUNCH_H

#include <string.h>

#include <cushim/launch.h>

#include "core/code/module.h"
#include "core/memory/slice.h"
#include "core/order/stream.h"

struct cushim__shape {
    unsigned grid[3], block[3];
};

/* The configuration of a launch, read from structures of the program, which may be older. */
struct cushim__launch_config {
    struct cushim_launch_config config; /* its options are NULL, or those below */
    struct cushim_launch_options options;
};

struct cushim__launch {
    struct cushim__scope *scope; /* of the function's context */
    struct cushim__function *function;
    struct cushim__stream *stream;
    const struct cushim_launch_config *config;
    const struct cushim_argument *arguments;
    size_t n;
    struct cushim__shape shape;

    /* Arrays of n elements; accesses has n + 1. */
    void **values;          /* the parameters for the driver */
    CUdeviceptr *addresses; /* addresses of memory, to which values point */
    struct cushim__access *accesses;
    size_t n_accesses;
    struct cushim__about about; /* for a graph */
};

/* Reads the program's configuration. Fails with a sentence if it has no size. */
cushim_status cushim__launch_config_read(const struct cushim_launch_config *config,
                                         const char *call,
                                         struct cushim__launch_config *ret_config);

/* The threads of a block if the program gives only the number of elements. */
enum { CUSHIM__BLOCK = 256 };

/* Nothing may be given of a grid or a block where there are elements. */
static inline bool cushim__has_grid(const struct cushim_launch_config *config)
{
    uint64_t words[3]; /* grid and block follow each other */

    _Static_assert(offsetof(struct cushim_launch_config, block) ==
                           offsetof(struct cushim_launch_config, grid) + sizeof(config->grid) &&
                       sizeof(words) == sizeof(config->grid) + sizeof(config->block),
                   "no gap between grid and block");
    memcpy(words, (const char *) config + offsetof(struct cushim_launch_config, grid),
           sizeof(words));
    return words[0] | words[1] | words[2];
}

/*
 * Computes grid and block from the configuration. Returns false if the launch is empty, or exceeds
 * the limits of the function or its device. The first function is for a grid and a block, the
 * second one for a number of elements.
 */
bool cushim__shape_of_grid(const struct cushim__function *function,
                           const struct cushim_launch_config *config,
                           struct cushim__shape *ret_shape);

static inline bool cushim__shape_of_elements(const struct cushim__function *function,
                                             const struct cushim_launch_config *config,
                                             struct cushim__shape *ret_shape)
{
    const unsigned most = function->max_threads;
    size_t threads = CUSHIM__BLOCK, blocks = (config->elements - 1) / CUSHIM__BLOCK + 1;

    if (__builtin_expect(most && most < CUSHIM__BLOCK, 0)) {
        threads = most;
        blocks = (config->elements - 1) / threads + 1;
    }
    *ret_shape = (struct cushim__shape){{(unsigned) blocks, 1, 1}, {(unsigned) threads, 1, 1}};
    return !cushim__has_grid(config) && blocks <= function->max_blocks;
}

static inline bool cushim__shape_of(const struct cushim__function *function,
                                    const struct cushim_launch_config *config,
                                    struct cushim__shape *ret_shape)
{
    const bool fits = config->elements ? cushim__shape_of_elements(function, config, ret_shape)
                                       : cushim__shape_of_grid(function, config, ret_shape);

    return fits && config->shared_bytes <=
                       (size_t) atomic_load_explicit(&function->max_dynamic, memory_order_relaxed);
}

/*
 * Computes the shape of a launch like cushim__shape_of(), but fails with a sentence that names the
 * limit. An empty launch is not an error.
 */
cushim_status cushim__launch_shape(struct cushim__launch *launch);

/* Tells whether the launch has nothing to do. */
static inline bool cushim__launch_is_empty(const struct cushim__launch *launch)
{
    return !launch->shape.grid[0];
}

/*
 * Checks number and sizes of the arguments against the kernel's parameters, and that no value is
 * NULL.
 */
cushim_status cushim__launch_check_arguments(const struct cushim__launch *launch);

/* Checks that memory which is written overlaps no other argument. The accesses must be known. */
cushim_status cushim__launch_check_overlap(const struct cushim__launch *launch);

/*
 * Checks the values of the options that no driver accepts. The shape must be known. Values that
 * depend on the driver or the device are left to the driver.
 */
cushim_status cushim__launch_check_options(const struct cushim__launch *launch,
                                           const struct cushim_launch_options *options);

/* The attributes of a launch's options. The caller provides the memory. */
enum { CUSHIM__LAUNCH_ATTRIBUTES = 32 };

struct cushim__launch_attributes {
    struct cushim__cu_attribute list[CUSHIM__LAUNCH_ATTRIBUTES];
    unsigned n;
    uint64_t pinned[3]; /* handles of events and slices that the attributes use */
    unsigned n_pinned;
    struct cushim__event *events[2]; /* the events that the launch records */
    unsigned n_events;
};

/* Fills attributes. cushim__launch_attributes_finish() must follow, also if this fails. */
cushim_status cushim__launch_attributes_make(const struct cushim__launch *launch,
                                             const struct cushim_launch_options *options,
                                             struct cushim__launch_attributes *attributes);
void cushim__launch_attributes_finish(struct cushim__launch_attributes *attributes);

/*
 * Notes, under the context lock and after the launch is submitted, that its events are recorded.
 * They are reached before the kernel has ended, so waiting for them does not mean that the kernel
 * is done.
 */
void cushim__launch_attributes_recorded(const struct cushim__launch_attributes *attributes);

/* Returns a number that is another one for other attributes, and 0 without any. */
uint64_t cushim__launch_attributes_hash(const struct cushim__launch_attributes *attributes);

/* Adds to the error of a refused launch which of its attributes need a newer driver. */
void cushim__launch_attributes_explain(const struct cushim__launch *launch,
                                       const struct cushim__launch_attributes *attributes);

/* Returns to the program what the launch has returned through an attribute. */
void cushim__launch_attributes_read(const struct cushim__launch_attributes *attributes,
                                    const struct cushim_launch_options *options);

/* The two events around a launch that is timed; otherwise NULL. */
struct cushim__launch_timing {
    struct cushim__event *start, *end; /* each with a reference */
    uint64_t start_id, end_id;         /* their handles, until the program has them */
};

cushim_status cushim__launch_timing_make(const struct cushim__launch *launch,
                                         struct cushim__launch_timing *timing);
/* Records one of the events in the order of the launch's stream. Under the stream lock. */
cushim_status cushim__launch_timing_record(const struct cushim__launch *launch,
                                           struct cushim__event *event);

void cushim__launch_timing_give(const struct cushim__launch *launch,
                                struct cushim__launch_timing *timing);
void cushim__launch_timing_drop(const struct cushim__launch *launch,
                                struct cushim__launch_timing *timing);

/* Returns the driver's structure for a launch. attributes may be NULL. */
struct cushim__cu_launch cushim__launch_describe(const struct cushim__launch *launch,
                                                 struct cushim__launch_attributes *attributes);

/*
 * Launches a kernel. The handles need not be pinned. Takes the fast path if possible, and
 * cushim__launch_general() otherwise.
 */
cushim_status cushim__launch(uint64_t stream, uint64_t function,
                             const struct cushim_launch_config *config,
                             const struct cushim_argument *arguments, size_t n, const char *call);

/*
 * Launches a kernel with any arguments and options. A launch that is not valid fails with a
 * sentence that tells why.
 */
cushim_status cushim__launch_general(uint64_t stream, uint64_t function,
                                     const struct cushim_launch_config *config,
                                     const struct cushim_argument *arguments, size_t n,
                                     const char *call);

#endif
