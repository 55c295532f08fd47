/* SPDX-License-Identifier: MIT */
/*
 * Green contexts: a primary context with only a part of the device's multiprocessors. The handle of
 * one is a CUcontext, too. All that lives in a context lives in the primary one; only streams belong
 * to a green context. Its part is a share, which stands for a CUdevResource or a description of some,
 * and is never freed, as nothing in the driver's interface frees those. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_BASE_GREEN_H
#define CUSHIM_MOCK_BASE_GREEN_H

#include "mock/base/context.h"
struct mock__device;

/* A range of multiprocessors. */
struct mock__span {
    unsigned first, n;
};

struct mock__share {
    struct mock__object object;
    struct mock__device *device;
    uintptr_t from;         /* the share that it is a part of; 0: the device, or several parts */
    unsigned size, n_parts; /* how that was divided; such a part cannot be divided again */
    unsigned n;             /* of multiprocessors */
    size_t n_spans;
    struct mock__span spans[]; /* sorted, with gaps between them */
};

struct mock__green {
    struct mock__object object;
    struct mock__context *primary; /* NULL once that is gone */
    struct mock__share *share;
    uint64_t id;
    struct mock__queue *wait_queue, *recorder; /* as those of a context */
};

struct mock__green *mock__green_find(const void *handle);

/* For the functions that ask for one: of any other handle, a driver says that its context is gone. */
CUresult mock__green_of(const void *handle, struct mock__green **ret_green);

/* The green context that is current in the thread; NULL if another one is, or none. */
struct mock__green *mock__green_current(void);

/* What a green context has of its device; NULL, which stands for all, for none. */
const struct mock__share *mock__green_share(const struct mock__green *green);

/* How many multiprocessors a share has; the device's for NULL. */
unsigned mock__multiprocessors(const struct mock__share *share, const struct mock__device *device);

/* The n-th multiprocessor of a share, and from the first one on again. */
unsigned mock__multiprocessor(const struct mock__share *share, uint64_t n);

/* A primary context ends: its green ones are of no use any more. */
void mock__greens_end(const struct mock__context *primary);

#endif
