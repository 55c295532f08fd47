/* SPDX-License-Identifier: MIT */
/* Texts that stand for the program's objects in findings. Callers hold the lock. */
#ifndef CUSHIM_MOCK_ALLOCATION_LABEL_H
#define CUSHIM_MOCK_ALLOCATION_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/queue/work.h"

struct mock__freed;
struct mock__memory;
struct mock__object;

/* A text that stands for an object in a finding. */
struct mock__text {
    char text[192];
};

/*
 * Returns such as "allocation 3 'weights' (256 bytes, made by cuMemAlloc, the program's 2nd)". In
 * allocation/label.c.
 */
struct mock__text mock__text_of_memory(const struct mock__memory *memory);
struct mock__text mock__text_of_freed(const struct mock__freed *freed);

/* "stream 0x200000000070 'upload', made by cuStreamCreate, the program's 1st" */
struct mock__text mock__text_of_object(const char *kind, const struct mock__object *object);

/* "stream 7 'upload'" */
struct mock__text mock__text_of_stream(const struct mock__queue *queue);

/* "kernel 'add' in stream 7 'upload'" */
struct mock__text mock__text_of_work(const struct mock__work *work);

/*
 * The same, for what is kept of work that may be gone when it is told, which is seldom: it takes a
 * tenth of the time to note.
 */
struct mock__work_name {
    const char *type;
    uint64_t stream_id;
    bool of_graph, legacy;
    char label[65], stream_label[MOCK__STREAM_LABEL];
};

void mock__name_work(const struct mock__work *work, struct mock__work_name *ret_name);
struct mock__text mock__text_of_name(const struct mock__work_name *name);

#endif
