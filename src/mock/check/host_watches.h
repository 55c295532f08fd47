/* SPDX-License-Identifier: MIT */
/*
 * The watches: host_watch.c keeps one for each range of memory of unfinished work, and host_cover.c
 * protects pages by them. They are written with the lock, and read by a signal handler at any time:
 * the handler reads only atomic fields, and goes through the table. Under the lock, watches are
 * found by the trees.
 */
#ifndef CUSHIM_MOCK_CHECK_HOST_WATCHES_H
#define CUSHIM_MOCK_CHECK_HOST_WATCHES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tree.h"
#include "mock/allocation/label.h"
#include "mock/base/finding.h"

/* How far the watches at and below one in a tree reach at most. */
struct mock__host_reach {
    struct cushim__tree_node by_begin;
    uintptr_t furthest;
};

struct mock__host_watch {
    _Atomic uintptr_t begin, end; /* the bytes of the work; end is 0 in a free place */
    atomic_bool armed;            /* nothing that the host does is before the work any more */
    atomic_bool writes;           /* the work writes: no access. Else: no writing */
    _Atomic uintptr_t hit;        /* the address that the host used, 0 while there is none */
    atomic_int kind;              /* the access there, as in host_watch.c */
    bool reported;
    const struct mock__work *work;            /* NULL once it is done */
    const char *type;                         /* the work's type, for findings */
    unsigned slot;                            /* of the work in clocks */
    uint64_t number;                          /* 0: it is not submitted yet */
    uintptr_t memory, memory_end;             /* the allocation that the bytes are in */
    struct mock__text memory_text, work_text; /* that allocation, and the work */
    /* Among the free places; and where it has one: by work, by slot and number, by allocation. */
    struct cushim__tree_node free_place, by_work, by_slot, by_memory;
    /* While it is not armed: by the work for which the host holds it up. */
    struct cushim__tree_node by_holder;
    /* Once it is armed: by slot and begin; and, where it was not hit, by begin (host_cover.c). */
    struct cushim__tree_node by_place;
    struct mock__host_reach uses, writing;
};

/* Lets a watch count, or count no more, for which pages are protected. */
void mock__host_cover_add(struct mock__host_watch *watch);
void mock__host_cover_remove(struct mock__host_watch *watch);

/* Protects the pages of [begin, end) as all watches together want it, or opens them. */
void mock__host_cover(uintptr_t begin, uintptr_t end);

#endif
