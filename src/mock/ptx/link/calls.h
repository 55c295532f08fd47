/* SPDX-License-Identifier: MIT */
/* Which function of a module calls which, and which names which variable. */
#ifndef CUSHIM_MOCK_PTX_LINK_CALLS_H
#define CUSHIM_MOCK_PTX_LINK_CALLS_H

#include "mock/ptx/link/link.h"

/* A list of numbers for each of n: that of i is targets[begins[i]] to targets[begins[i + 1]]. */
struct ptx__lists {
    uint32_t *begins, *targets;
    uint32_t n;
};

struct ptx__calls {
    struct ptx__module *module;
    /*
     * The functions that each calls, and the other way round. One more stands for all indirect
     * calls: it is called by those who have one, and calls all whose address is taken.
     */
    struct ptx__lists callees, callers;
    struct ptx__lists users; /* of each variable of the module: the functions that name it */
    uint32_t *order;         /* callees in front of their callers; those in circles are left out */
    uint32_t n_order;
};

/* Whether there was memory; it is to be finished in any case. */
bool ptx__calls_init(struct ptx__calls *calls, struct ptx__module *module);
void ptx__calls_finish(struct ptx__calls *calls);

/*
 * Sets marks[i] for a function and all that get to it by calls, and lists those that had no mark
 * behind the n_marked that are in marked already, which has room for n numbers. The new count.
 */
uint32_t ptx__mark_callers(const struct ptx__calls *calls, uint32_t function, bool *marks,
                           uint32_t *marked, uint32_t n_marked);

#endif
