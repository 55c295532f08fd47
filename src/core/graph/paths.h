/* SPDX-License-Identifier: MIT */
/*
 * Which works of a graph the edges keep apart. A graph's recording has the edges that it was made
 * with, whatever has changed since.
 */
#ifndef CUSHIM_CORE_GRAPH_PATHS_H
#define CUSHIM_CORE_GRAPH_PATHS_H

#include "core/order/recording.h"

/* Where each work of a graph stands to one of them. */
enum cushim__path {
    CUSHIM__PATH_NONE, /* they may run at the same time */
    CUSHIM__PATH_BEFORE,
    CUSHIM__PATH_AFTER,
    CUSHIM__PATH_SAME,
};

/* Fills an array with one enum cushim__path for each work, seen from the work with a number. */
void cushim__paths_find(const struct cushim__recording *recording, unsigned number,
                        unsigned char *paths);

/* Tells whether two uses of memory must be kept apart. */
bool cushim__accesses_conflict(const struct cushim__access *a, const struct cushim__access *b);

#endif
