/* SPDX-License-Identifier: MIT */
/*
 * What is noted about memory while a launch runs, and the fast path of asking it. What is told of
 * it, and the slow path, are in racecheck_shared.c and racecheck_global.c;
 * exec_racecheck.c asks for a warp at once. What is noted about shared and local memory is the
 * worker's own; each line of global memory has a lock, which is a bit of its word.
 */
#ifndef CUSHIM_MOCK_PTX_RACECHECK_RACECHECK_H
#define CUSHIM_MOCK_PTX_RACECHECK_RACECHECK_H

#include "mock/ptx/machine/exec.h"
#include "mock/ptx/machine/grid.h"
#include "mock/ptx/machine/memory_space.h"

/* --- shared memory --- */

/*
 * An access is kept as who made it: the clock of the warp, and the thread. Clocks never run
 * backwards, not even from one block to the next in the same memory, so what earlier blocks left
 * does not have to be cleared: it lies before everything.
 */
#define PTX__THREAD_BITS 10
#define PTX__MOST_CLOCK  ((1u << (32 - PTX__THREAD_BITS)) - 2)

struct ptx__shared_racecheck {
    unsigned shift; /* of a granule: four bytes, or as few as an access had */
    unsigned n_warps;
    uint32_t bytes, n_granules;
    uint64_t *written; /* a bit a granule: in this block */
    uint32_t *writers; /* the last of each granule */
    uint32_t *readers; /* and of each warp the one that read it last */
    /* Of each warp: which others wrote, or read, what it has not learned of by a barrier. */
    uint32_t unseen_writes[PTX__MAX_WARPS], unseen_reads[PTX__MAX_WARPS];
    uint32_t last_write[PTX__MAX_WARPS], last_read[PTX__MAX_WARPS]; /* clocks */
    uint32_t clocks[PTX__MAX_WARPS][PTX__MAX_WARPS]; /* of each warp, what it knows of each */
    uint32_t strong[PTX__MAX_WARPS];
};

/* Granules as small as such an access needs. False: there is no memory, nothing is watched. */
bool ptx__shared_racecheck_refine(struct ptx__block *block, uint32_t bits);

/* An access that may order others comes after all such before it, and before all later ones. */
void ptx__shared_racecheck_pass_on(struct ptx__warp *warp);

/* What is wrong with the access of one lane. */
void ptx__shared_racecheck_tell(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                                uint32_t offset, unsigned bytes, enum ptx__use use);

/* Notes what one lane does to shared memory. */
void ptx__racecheck_shared_lane(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                                uint32_t offset, unsigned bytes, enum ptx__use use);

static inline uint32_t ptx__who(const struct ptx__shared_racecheck *watch,
                                const struct ptx__warp *warp, unsigned lane)
{
    return watch->clocks[warp->number][warp->number] << PTX__THREAD_BITS |
           (warp->number * PTX__LANES + lane);
}

/* Has any of these granules another last writer, of whom the warp does not know? */
static inline bool ptx__unordered(const uint32_t *who, uint32_t n, const uint32_t *clocks)
{
    uint32_t unordered = 0;

    for (uint32_t i = 0; i < n; i++)
        unordered |= who[i] >> PTX__THREAD_BITS > clocks[who[i] / PTX__LANES % PTX__MAX_WARPS];
    return unordered;
}

/* The warp wrote, or read, for the first time since its clock went on: nobody knows. */
static inline void ptx__note_unseen(uint32_t *last, uint32_t *unseen, uint32_t clock, unsigned warp)
{
    if (last[warp] == clock)
        return;
    last[warp] = clock;
    for (unsigned i = 0; i < PTX__MAX_WARPS; i++)
        unseen[i] |= i == warp ? 0 : 1u << warp;
}

/* --- global memory --- */

/*
 * A line of 64 bytes has a word that says what the launch did to it, so mostly that word is all
 * there is to look at. Which bytes were read and written is in the bits of the range, unless the
 * word says all of them. Under its lock, a bit of the word, everything about the line changes.
 */
#define PTX__LINE_BYTES 64u

enum {
    PTX__LINE_NEW = 0,
    PTX__LINE_OF_ONE = 1,  /* only one block touched it, whose number is above the flags */
    PTX__LINE_OF_TWO = 2,  /* two blocks, whose numbers it has, read all of it; none wrote */
    PTX__LINE_DETAILS = 3, /* where a record of the bytes is, or NULL, is above the flags */
    PTX__LINE_KIND = 3,
    PTX__LINE_LOCK = 4,
    PTX__LINE_ALL_READ = 8, /* and all of it was written before */
    PTX__LINE_ALL_WRITTEN = 16,
    PTX__LINE_ALL = PTX__LINE_ALL_READ | PTX__LINE_ALL_WRITTEN,
    PTX__LINE_MANY = 32, /* two blocks or more read all of it, and none wrote: reads are fine */
    PTX__LINE_FLAGS = 63,
};

#define PTX__LINE_SHIFT 8
#define PTX__BLOCK_BITS 28

/* One access: of a lane, or of all from it on that are one behind the other, step bytes each. */
struct ptx__touch {
    struct ptx__warp *warp;
    const struct ptx__op *op;
    const struct ptx__range *range;
    enum ptx__use use;
    unsigned lane, step;
};

/* Notes what is done to bytes from an offset of the range on. */
void ptx__racecheck_global(const struct ptx__touch *touch, uint64_t offset, uint64_t bytes);

/* The number of the block as it is noted. */
static inline uint64_t ptx__line_owner(const struct ptx__block *block,
                                       const struct ptx__range *range)
{
    return range->check_blocks ? block->number % ((1u << PTX__BLOCK_BITS) - 1) + 1 : 0;
}

/* Would noting the access change nothing, and find nothing? */
static inline bool ptx__line_unchanged(uint64_t line, uint64_t owner, enum ptx__use use,
                                       bool strong)
{
    const uint64_t wanted = (use & PTX__LOADS ? PTX__LINE_ALL_READ : 0) |
                            (use & PTX__STORES ? PTX__LINE_ALL_WRITTEN : 0);

    if ((line & wanted) != wanted)
        return false;
    return strong ||
           (line & ~(uint64_t) PTX__LINE_ALL) == (PTX__LINE_OF_ONE | owner << PTX__LINE_SHIFT) ||
           (!(use & PTX__STORES) && line & PTX__LINE_MANY);
}

static inline void ptx__racecheck_span(const struct ptx__touch *touch, uint64_t offset,
                                       uint64_t bytes)
{
    struct ptx__block *block = touch->warp->block;
    const uint64_t owner = ptx__line_owner(block, touch->range);
    const uint64_t last = (offset + bytes - 1) / PTX__LINE_BYTES;

    block->strong |= !!(touch->use & PTX__STRONG);
    for (uint64_t i = offset / PTX__LINE_BYTES; i <= last; i++) {
        const uint64_t line = __atomic_load_n(&touch->range->lines[i], __ATOMIC_ACQUIRE);

        if (!ptx__line_unchanged(line, owner, touch->use, block->strong)) {
            ptx__racecheck_global(touch, offset, bytes);
            return;
        }
    }
}

/* --- of a warp at once, once for each instruction set --- */

/* Notes what the active lanes do: offsets in shared memory, addresses in a range. */
#define ptx__racecheck_shared PTX__CLONED(ptx__racecheck_shared)
#define ptx__racecheck_lanes  PTX__CLONED(ptx__racecheck_lanes)
void ptx__racecheck_shared(struct ptx__warp *warp, const struct ptx__op *op,
                           const uint32_t *offsets, unsigned bytes, enum ptx__use use);
void ptx__racecheck_lanes(struct ptx__warp *warp, const struct ptx__op *op,
                          const struct ptx__range *range, const uint64_t *addresses, unsigned bytes,
                          enum ptx__use use);

/* Another block of the cluster writes: what is there is written, by nobody that clocks know. */
void ptx__racecheck_shared_from(struct ptx__block *block, uint64_t offset, unsigned bytes);

/* Notes what a lane does to its local memory, where that is watched. */
void ptx__racecheck_local(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                          uint64_t offset, unsigned bytes, enum ptx__use use);

/* The same for all active lanes at imm of their frame. */
void ptx__racecheck_frame(struct ptx__warp *warp, const struct ptx__op *op, unsigned bytes,
                          enum ptx__use use);

#endif
