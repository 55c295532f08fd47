/* SPDX-License-Identifier: MIT */
/* Which functions of a module call which, and which functions name which variables. */
#ifndef CUSHIM_MOCK_PTX_LINK_CALLS_H
#define CUSHIM_MOCK_PTX_LINK_CALLS_H

#include "mock/ptx/link/link.h"

/*
 * A list of numbers for each of n numbers: the list of i is targets[begins[i]] to targets[begins[i
 * + 1]].
 */
struct ptx__lists {
    uint32_t *begins, *targets;
    uint32_t n;
};

struct ptx__calls {
    struct ptx__module *module;
    /*
     * The callees and the callers of each function. One additional number stands for all indirect
     * calls: functions with such a call call it, and it calls all functions whose address is taken.
     */
    struct ptx__lists callees, callers;
    struct ptx__lists users; /* of each variable of the module: the functions that name it */
    uint32_t *order;         /* callees before their callers; functions in circles are left out */
    uint32_t n_order;
};

/* Returns false when out of memory. The caller must finish it in any case. */
bool ptx__calls_init(struct ptx__calls *calls, struct ptx__module *module);
void ptx__calls_finish(struct ptx__calls *calls);

/*
 * Sets marks[i] for a function and for all functions that reach it by calls. Appends those that
 * were not marked before to `marked`, which has n_marked entries and room for n. Returns the new
 * number of entries.
 */
uint32_t ptx__mark_callers(const struct ptx__calls *calls, uint32_t function, bool *marks,
                           uint32_t *marked, uint32_t n_marked);

#endif
