/* SPDX-License-Identifier: MIT */
/*
 * A launch, from its request to the end of its kernel. launch_arguments.c reads the arguments, and
 * launch_attribute.c the attributes. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_LAUNCH_LAUNCH_H
#define CUSHIM_MOCK_LAUNCH_LAUNCH_H

#include <stdbool.h>

#include <cushim/mock.h>

#include "mock/functions.h"
#include "mock/queue/work.h"

#define MOCK__MAX_LAUNCH_EVENTS 2

struct mock__event;
struct mock__function;

/*
 * Launch attributes by their numbers, because a caller's toolkit may know more of them than the one
 * of this build.
 */
#define MOCK__N_LAUNCH_ATTRIBUTES 16
#define MOCK__LAUNCH_ATTRIBUTE    64

struct mock__attributes {
    unsigned set; /* a bit for each attribute that is set */
    unsigned char values[MOCK__N_LAUNCH_ATTRIBUTES][MOCK__LAUNCH_ATTRIBUTE];
};

/* The arguments of a launch. */
struct mock__request {
    CUfunction function;
    CUstream stream;
    unsigned grid[3], block[3], shared_bytes;
    void **params; /* one pointer for each parameter, */
    void **extra;  /* or all of them in one buffer */
    bool cooperative;
    const struct mock__share *share;                     /* of multiprocessors; NULL: all */
    const struct mock__attributes *attributes;           /* NULL: no attributes */
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
    const struct mock__share *share; /* of the device's multiprocessors; NULL: all */
    struct mock__attributes *attributes;
};

/* Checks a request as the driver does, and submits it to its stream. */
CUresult mock__launch(const struct mock__request *request);

/*
 * Makes work from a request without submitting it. The work may be submitted, or copied for a
 * graph.
 */
CUresult mock__kernel_work(const struct mock__request *request, struct mock__work **ret_work);

/* Returns the request of such work. Its pointers belong to the work. */
struct mock__request mock__kernel_request(const struct mock__work *work);

/*
 * Sets an attribute of a request, and stores it in the attributes. CUDA_ERROR_INVALID_VALUE if the
 * attribute does not exist or cannot have this value.
 */
CUresult mock__launch_attribute(struct mock__request *request, struct mock__attributes *attributes,
                                int id, const void *value);

/* Returns the size of an attribute's value, or 0 if kernels do not have it. */
size_t mock__launch_attribute_size(int id);

/* Makes work that calls a function of the program. In a broken context it is not called. */
CUresult mock__host_work(const CUDA_HOST_NODE_PARAMS *call, struct mock__work **ret_work);
const CUDA_HOST_NODE_PARAMS *mock__host_of_work(const struct mock__work *work);

/*
 * Copies the arguments in the layout that the function declares. values[i] points to argument i.
 * free(values) frees everything.
 */
CUresult mock__arguments_read(const struct mock__function *function, void **params, void **extra,
                              void ***ret_values);

#endif
