/* SPDX-License-Identifier: MIT */
/*
 * Copies, stores and reductions of the asynchronous copy engine: cp.async.bulk, st.async, red.async
 * and similar ones. The mock makes them at once, and then notifies the barrier in memory that
 * counts their bytes.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_BULK_H
#define CUSHIM_MOCK_PTX_EXEC_BULK_H

#include "mock/ptx/exec/async.h"
#include "mock/ptx/exec/reduce.h"

struct ptx__bulk {
    struct ptx__place_in to, from, barrier;
    bool has_barrier;
    bool every_block; /* each block of the cluster gets the data */
    uint32_t size;    /* the slot of the number of bytes; 64 bits wide if wide_size */
    bool wide_size;
    uint32_t blocks;   /* the slot of the mask of blocks that get the data; 0: the block of the
                          address */
    uint32_t bytes_of; /* the slot of the mask of bytes to write in each 16; 0: all */
    struct ptx__reducing reduction;
    uint8_t n_values; /* st.async, red.async: their slots are in the operation's list */
    bool wide_values;
};

#define H(name) const struct ptx__op *name(struct ptx__warp *warp, const struct ptx__op *op)
H(ptx__do_bulk_copy);   /* also with a reduction */
H(ptx__do_bulk_fill);   /* st.bulk: zeros */
H(ptx__do_async_store); /* st.async, red.async */
H(ptx__do_cancel);      /* clusterlaunchcontrol.try_cancel: never cancels anything */
#undef H

#endif
