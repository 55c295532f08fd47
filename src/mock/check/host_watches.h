/* SPDX-License-Identifier: MIT */
/*
 * What host_watch.c keeps of each piece of work that is watched, and host_cover.c protects pages
 * by. Written with the lock, and read by a signal handler at any time.
 */
#ifndef CUSHIM_MOCK_CHECK_HOST_WATCHES_H
#define CUSHIM_MOCK_CHECK_HOST_WATCHES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/allocation/label.h"
#include "mock/base/finding.h"

struct mock__host_watch {
    _Atomic uintptr_t begin, end; /* what the work uses; end is 0 in a free place */
    atomic_bool armed;            /* nothing of the host's is before the work any more */
    atomic_bool writes;           /* the work writes: no access. Else: no writing */
    _Atomic uintptr_t hit;        /* where the host came, 0 while it has not */
    atomic_int kind;              /* what it did there */
    bool reported;
    const struct mock__work *work; /* NULL once it is done */
    const char *type;              /* what it is */
    unsigned slot;                 /* its place in clocks; */
    uint64_t number;               /* 0: it is not submitted yet */
    uintptr_t memory, memory_end;  /* the allocation that the bytes are in */
    struct mock__words what, who;  /* that allocation, and the work */
};

/* The i-th place, NULL behind the last that is used. */
struct mock__host_watch *mock__host_watch_at(size_t i);

/* Protects the pages of [begin, end) as all watches together want it, or opens them. */
void mock__host_cover(uintptr_t begin, uintptr_t end);

#endif
