/* SPDX-License-Identifier: MIT */
/*
 * Names of the memory that a graph uses: the labels of slices, and numbers for the rest. What
 * stands for no memory, such as the code of a module, has no name.
 */
#ifndef CUSHIM_CORE_GRAPH_NAMES_H
#define CUSHIM_CORE_GRAPH_NAMES_H

#include "base/str.h"
#include "base/tree.h"
#include "core/order/recording.h"

struct cushim__label;

struct cushim__names {
    struct cushim__label *labels;
    size_t n_labels, max_labels;
    struct cushim__tree numbered; /* by the address of the buffer, which is never looked into */
    size_t n_numbered;
    bool failed; /* out of memory */
};

/* Collects the labels of all open slices. Called without locks. */
void cushim__names_collect(struct cushim__names *names);

/* Numbers the memory of a recording, in the order in which its works use it. */
void cushim__names_number(struct cushim__names *names, const struct cushim__recording *recording);

/* Writes the name of some bytes of memory, such as "x" or "memory 2 [0..64)". */
void cushim__name_append(const struct cushim__names *names, const struct cushim__access *access,
                         struct cushim__str *str);

void cushim__names_finish(struct cushim__names *names);

/* Tells whether a buffer is memory, and does not stand for something else that is kept in order. */
bool cushim__buffer_is_memory(const struct cushim__buffer *buffer);

/*
 * Copies what a work uses, in an order that does not depend on where the host keeps it. NULL when
 * out of memory. The caller frees it.
 */
struct cushim__access *cushim__accesses_in_order(const struct cushim__recording *recording,
                                                 const struct cushim__recorded *work);

#endif
