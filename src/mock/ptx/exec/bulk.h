/* SPDX-License-Identifier: MIT */
/*
 * Copies, stores and reductions that an engine of its own makes: cp.async.bulk, st.async,
 * red.async and their kin. Here they are done when they are asked for, and then the barrier in
 * memory that counts their bytes is told.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_BULK_H
#define CUSHIM_MOCK_PTX_EXEC_BULK_H

#include "mock/ptx/exec/async.h"
#include "mock/ptx/machine/reduction.h"

struct ptx__bulk {
    struct ptx__place_in to, from, barrier;
    bool has_barrier;
    bool every_block; /* of the cluster gets it */
    uint32_t size;    /* the slot of how many bytes; 64 bits wide if wide_size */
    bool wide_size;
    uint32_t blocks;   /* the slot of the mask of blocks that get it; 0: the one of the address */
    uint32_t bytes_of; /* the slot of the mask of bytes of each 16 that are written; 0: all */
    uint8_t reduction, type, element; /* enum ptx__type, and its bytes */
    uint8_t n_values; /* st.async, red.async: their slots are in the operation's list */
    bool wide_values;
};

#define H(name) const struct ptx__op *name(struct ptx__warp *warp, const struct ptx__op *op)
H(ptx__do_bulk_copy);   /* and with a reduction */
H(ptx__do_bulk_fill);   /* st.bulk: zeros */
H(ptx__do_async_store); /* st.async, red.async */
H(ptx__do_cancel);      /* clusterlaunchcontrol.try_cancel: it comes too late */
#undef H

#endif
