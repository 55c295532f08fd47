/* SPDX-License-Identifier: MIT */
/*
 * Noting what all warps of a block are going to do, before they do it. It is done only where no
 * order of the warps makes a difference: no access changes more than that its lines are the
 * block's.
 */
#ifndef CUSHIM_MOCK_PTX_RACECHECK_RACECHECK_BLOCK_H
#define CUSHIM_MOCK_PTX_RACECHECK_RACECHECK_BLOCK_H

#include "mock/ptx/racecheck/racecheck.h"

/* An access of all threads of a block of whole warps. All fields are words for compiled code. */
struct ptx__block_access {
    const struct ptx__range_cache *memory;
    const struct ptx__op *op;
    uint64_t offset; /* of the first thread, in the memory */
    uint64_t bytes;  /* of one thread */
    uint64_t step;   /* from each thread to the next */
    uint64_t use;
};

/*
 * Notes all of the accesses, in their order. False: it makes a difference which comes first, and
 * nothing is noted. Memory whose accesses are not noted is passed over.
 */
bool ptx__racecheck_block(struct ptx__block *block, const struct ptx__block_access *accesses,
                          uint64_t n);

#endif
