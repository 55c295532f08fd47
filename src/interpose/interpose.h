/* SPDX-License-Identifier: MIT */
/* Adding hooks to a table, and removing them. Thread-safe. */
#ifndef CUSHIM_INTERPOSE_INTERPOSE_H
#define CUSHIM_INTERPOSE_INTERPOSE_H

#include <stdatomic.h>

#include <cushim/interpose.h>

#include "base/rows.h"

/* Hooks, and the table of a library that they are put around. */
struct cushim__interposition {
    enum cushim_library library;
    cushim__entry *const *below;
    const struct cushim_hooks *hooks;
    size_t n_hooks;
};

/*
 * Takes a slot for the table below it, and returns the interposed table, which has as many rows as
 * its list. The hooks are copied. call is for error texts.
 */
cushim_status cushim__interpose(const struct cushim__interposition *wanted, const char *call,
                                int *ret_slot, cushim__entry *const **ret_table);

/*
 * Removes the hooks and waits until no call uses them. The slot's table then only passes calls on.
 * Must not be called inside of a hook.
 */
void cushim__interpose_stop(enum cushim_library library, int slot);

/* Like cushim__interpose_stop(), and also gives the slot back. */
void cushim__interpose_end(enum cushim_library library, int slot);

/* Tells whether the calling thread is inside of a hook. */
bool cushim__in_hook(void);

#endif
