/* SPDX-License-Identifier: MIT */
/* Putting hooks in front of a table, and taking them out. Thread-safe. */
#ifndef CUSHIM_INTERPOSE_INTERPOSE_H
#define CUSHIM_INTERPOSE_INTERPOSE_H

#include <cushim/interpose.h>

#include "base/rows.h"

/*
 * Takes a slot for the table below and gives the interposed one. The hooks are copied.
 * The table has as many rows as its list: call is for error texts.
 */
cushim_status cushim__interpose(enum cushim_library library, cushim__entry *const *below,
                                const struct cushim_hooks *hooks, size_t n_hooks, const char *call,
                                int *ret_slot, cushim__entry *const **ret_table);

/*
 * Takes the hooks out and waits until no call is in them. The slot's table then passes calls on.
 * Not from inside a hook.
 */
void cushim__interpose_stop(enum cushim_library library, int slot);

/* The same, and gives the slot back. */
void cushim__interpose_end(enum cushim_library library, int slot);

/* Is the calling thread in a hook? */
bool cushim__in_hook(void);

#endif
