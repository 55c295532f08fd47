/* SPDX-License-Identifier: MIT */
/* A launch, from its request to the end of its kernel. Callers hold the lock. */
#ifndef CUSHIM_MOCK_LAUNCH_LAUNCH_H
#define CUSHIM_MOCK_LAUNCH_LAUNCH_H

#include <stdbool.h>

#include <cushim/mock.h>

#include "mock/functions.h"
#include "mock/queue/work.h"

#define MOCK__MAX_LAUNCH_EVENTS 2

struct mock__event;
struct mock__function;

/* Launch attributes, by number: a caller may know more of them than the toolkit of the build. */
#define MOCK__N_LAUNCH_ATTRIBUTES 16
#define MOCK__LAUNCH_ATTRIBUTE    64

struct mock__attributes {
    unsigned set; /* which were, as bits */
    unsigned char values[MOCK__N_LAUNCH_ATTRIBUTES][MOCK__LAUNCH_ATTRIBUTE];
};

/* What a caller asked for. */
struct mock__request {
    CUfunction function;
    CUstream stream;
    unsigned grid[3], block[3], shared_bytes;
    void **params; /* one pointer a parameter, */
    void **extra;  /* or all of them in one buffer */
    bool cooperative;
    const struct mock__attributes *attributes;           /* NULL: none were set */
    struct mock__event *events[MOCK__MAX_LAUNCH_EVENTS]; /* recorded by the launch */
    unsigned n_events;
};

/* A kernel with its arguments, as work. */
struct mock__kernel_work {
    struct mock__work work;
    CUfunction function;
    struct cushim_mock_launch launch;
    cushim_mock_kernel_fn fn;
    void **values;
    size_t *sizes;
    bool cooperative;
    struct mock__attributes *attributes;
};

/* Checks a request as the driver does, and submits it to its stream. */
CUresult mock__launch(const struct mock__request *request);

/* The same, without a stream: work that may be submitted, or copied for a graph. */
CUresult mock__kernel_work(const struct mock__request *request, struct mock__work **ret_work);

/* The request that such work answers. Its pointers are the work's. */
struct mock__request mock__kernel_request(const struct mock__work *work);

/* Gives a kernel the attributes of another one, which then has none. */
void mock__kernel_take_attributes(struct mock__work *work, struct mock__work *from);

/* A captured kernel has the priority of its stream, unless its launch said another. */
CUresult mock__kernel_default_priority(struct mock__work *work, int priority);

/*
 * Sets an attribute of a request, and remembers it in the attributes. CUDA_ERROR_INVALID_VALUE if
 * there is no such attribute, or it cannot have this value.
 */
CUresult mock__launch_attribute(struct mock__request *request, struct mock__attributes *attributes,
                                int id, const void *value);

/* The bytes of an attribute's value; 0 if no kernel has it. */
size_t mock__launch_attribute_size(int id);

/* A call of the program's function, which is not made in a context that is broken. */
CUresult mock__host_work(const CUDA_HOST_NODE_PARAMS *call, struct mock__work **ret_work);
const CUDA_HOST_NODE_PARAMS *mock__host_of_work(const struct mock__work *work);

/*
 * A copy of the arguments, in the layout that the function declares.
 * values[i] points to the i-th; one call of free() on values frees all.
 */
CUresult mock__arguments_read(const struct mock__function *function, void **params, void **extra,
                              void ***ret_values);

#endif
