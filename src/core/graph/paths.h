/* SPDX-License-Identifier: MIT */
/*
 * Whether the edges of a graph keep its works apart. A graph's recording has the edges that it was
 * made with, whatever has changed since.
 */
#ifndef CUSHIM_CORE_GRAPH_PATHS_H
#define CUSHIM_CORE_GRAPH_PATHS_H

#include "core/order/recording.h"

/* One work must come after another one, which has a smaller number. */
struct cushim__demand {
    unsigned before, after;
};

/* The caller frees the items. */
struct cushim__demands {
    struct cushim__demand *items;
    size_t n, max;
};

/* False when out of memory. */
bool cushim__demands_add(struct cushim__demands *demands, unsigned before, unsigned after);

/*
 * Leaves only those demands that the edges do not meet, in the order in which they were added.
 * False when out of memory.
 */
bool cushim__demands_check(struct cushim__demands *demands,
                           const struct cushim__recording *recording);

/* Tells whether two uses of memory must be kept apart. */
bool cushim__accesses_conflict(const struct cushim__access *a, const struct cushim__access *b);

#endif
