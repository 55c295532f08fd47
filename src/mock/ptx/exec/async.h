/* SPDX-License-Identifier: MIT */
/*
 * Copies that are done when they are asked for, barriers in shared memory, and clusters.
 * A cluster is one worker's: nothing here takes a lock.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_ASYNC_H
#define CUSHIM_MOCK_PTX_EXEC_ASYNC_H

#include "mock/ptx/machine/code.h"
#include "mock/ptx/syntax/types.h"

/* An address operand: slot, offset, whether the slot has 64 bits, and the space. */
struct ptx__place_in {
    uint32_t slot;
    int64_t offset;
    bool wide;
    uint8_t space;
};

/* cp.async: so many bytes, of which only some come from the source and the others are zeros. */
struct ptx__copy {
    struct ptx__place_in to, from;
    uint32_t bytes;
    uint32_t size;   /* the slot of how many come from there; 0: all */
    uint32_t ignore; /* the slot of the predicate that says none do; 0: there is none */
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
    uint32_t operand; /* the slot of the count, the state or the parity; 0: one */
};

struct ptx__lowering;
struct ptx__operand;

/* Where an address operand is, in a space. */
struct ptx__place_in ptx__place_of(struct ptx__lowering *lower, const struct ptx__operand *memory,
                                   enum ptx__space space);

/* So many bytes came that a barrier in memory counts. */
void ptx__mbarrier_complete(unsigned char *barrier, uint64_t bytes);

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
