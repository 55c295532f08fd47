/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous copies, which the mock makes at once, barriers in shared memory, and clusters. One
 * worker runs all of a cluster, so nothing here takes a lock.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_ASYNC_H
#define CUSHIM_MOCK_PTX_EXEC_ASYNC_H

#include "mock/ptx/exec/place.h"
#include "mock/ptx/machine/code.h"
#include "mock/ptx/syntax/types.h"

/* cp.async: the number of bytes. Some of them may come from the source; the others are zeros. */
struct ptx__copy {
    struct ptx__place_in to, from;
    uint32_t bytes;
    uint32_t size;   /* the slot of the number of bytes that come from the source; 0: all of them */
    uint32_t ignore; /* the slot of the predicate that selects none; 0: there is no predicate */
};

enum ptx__mbarrier_kind {
    PTX__MBARRIER_INIT,
    PTX__MBARRIER_INVAL,
    PTX__MBARRIER_EXPECT,
    PTX__MBARRIER_COMPLETE,
    PTX__MBARRIER_ARRIVE,
    PTX__MBARRIER_TEST,
    PTX__MBARRIER_TEST_PARITY,
    PTX__MBARRIER_PENDING,
};

struct ptx__mbarrier {
    struct ptx__place_in at;
    uint8_t kind;
    bool drops, expects; /* arrive_drop, arrive.expect_tx */
    bool has_result;
    uint32_t operand; /* the slot of the count, the state or the parity; 0: the number 1 */
};

/* Arrives once at a barrier in memory. */
void ptx__mbarrier_arrive(unsigned char *barrier);

#define H(name) const struct ptx__op *name(struct ptx__warp *warp, const struct ptx__op *op)
H(ptx__do_copy);
H(ptx__do_mbarrier);
H(ptx__do_elect);
H(ptx__do_cluster_arrive);
H(ptx__do_cluster_wait);
H(ptx__do_map_address);
H(ptx__do_rank_of);
#undef H

#endif
