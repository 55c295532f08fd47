/* SPDX-License-Identifier: MIT */
/*
 * The race check: the shadow memory of a running launch, and its fast path, which is inline. The
 * rest, including the texts of findings, is in racecheck_shared.c, racecheck_global.c (whose shadow
 * memory racecheck_range.c makes and clears) and racecheck_local.c. exec_racecheck.c checks all
 * lanes of a warp at once. The shadow memory of
 * shared and local memory belongs to one worker; each line of global memory has a lock, which is a
 * bit of its word.
 */
#ifndef CUSHIM_MOCK_PTX_RACECHECK_RACECHECK_H
#define CUSHIM_MOCK_PTX_RACECHECK_RACECHECK_H

#include "mock/ptx/machine/exec.h"
#include "mock/ptx/machine/grid.h"
#include "mock/ptx/machine/memory_space.h"

/* --- shared memory --- */

/*
 * A shadow record of an access is the clock of its warp and its thread. Clocks only increase, also
 * from one block to the next that uses the same shadow memory. So records of earlier blocks need
 * not be cleared: they are ordered before all accesses of later blocks.
 */
#define PTX__THREAD_BITS   10
#define PTX__GRANULE_SHIFT 2 /* of granules of four bytes */
#define PTX__MOST_CLOCK    ((1u << (32 - PTX__THREAD_BITS)) - 2)

/*
 * What compiled code needs to note plain reads of a warp itself. It may as long as no other warp
 * has written anything that this warp has not seen, and its clock stays: then such a read only has
 * to find what it reads written, and to become the last one.
 */
struct ptx__shared_reads {
    uint32_t *readers; /* the warp's part of all readers; NULL: it may not */
    uint32_t record;   /* of lane 0 */
};

struct ptx__shared_racecheck {
    unsigned shift; /* of a granule: 4 bytes, or the size of the smallest access */
    unsigned n_warps;
    uint32_t bytes, n_granules;
    uint64_t *written; /* a bit for each granule: written in this block */
    uint32_t *writers; /* the last writer of each granule */
    uint32_t *readers; /* for each granule, the last reader of each warp */
    /*
     * For each warp, a bit for each other warp that has written, or read, since they last met at a
     * barrier.
     */
    uint32_t unseen_writes[PTX__MAX_WARPS], unseen_reads[PTX__MAX_WARPS];
    uint32_t last_write[PTX__MAX_WARPS], last_read[PTX__MAX_WARPS]; /* clocks */
    uint32_t clocks[PTX__MAX_WARPS][PTX__MAX_WARPS]; /* for each warp, what it has seen of each */
    uint32_t strong[PTX__MAX_WARPS];
    struct ptx__shared_reads reads[PTX__MAX_WARPS];
};

struct ptx__shared_racecheck *ptx__shared_racecheck_new(uint32_t shared_bytes, unsigned n_warps);
void ptx__shared_racecheck_free(struct ptx__shared_racecheck *shadow);
void ptx__shared_racecheck_start(struct ptx__block *block);

/*
 * Called when a warp arrives at a barrier, and when it leaves it: they order the accesses before
 * and after.
 */
void ptx__shared_racecheck_arrive(struct ptx__warp *warp, struct ptx__barrier *barrier);
void ptx__shared_racecheck_leave(struct ptx__warp *warp, const struct ptx__barrier *barrier);

/* The same as if each warp of the block had arrived at a barrier, and then each had left it. */
void ptx__shared_racecheck_meet(struct ptx__block *block);

/*
 * Makes the granules as small as an access needs. When out of memory it returns false, and the
 * check ends for this block.
 */
bool ptx__shared_racecheck_refine(struct ptx__block *block, uint32_t bits);

/*
 * Orders a strong access (volatile, relaxed, atomic) after all earlier ones of this kind, and
 * before all later ones.
 */
void ptx__shared_racecheck_pass_on(struct ptx__warp *warp);

/* Reports what is wrong with the access of one lane. */
void ptx__shared_racecheck_tell(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                                uint32_t offset, unsigned bytes, enum ptx__use use);

/* Checks and records the access of one lane to shared memory. */
void ptx__racecheck_shared_lane(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                                uint32_t offset, unsigned bytes, enum ptx__use use);

static inline uint32_t ptx__shared_record(const struct ptx__shared_racecheck *shadow,
                                          const struct ptx__warp *warp, unsigned lane)
{
    return shadow->clocks[warp->number][warp->number] << PTX__THREAD_BITS |
           (warp->number * PTX__LANES + lane);
}

/* Tells whether a record of these granules is of an access that is not ordered before the warp. */
static inline bool ptx__unordered(const uint32_t *records, uint32_t n, const uint32_t *clocks)
{
    uint32_t unordered = 0;

    for (uint32_t i = 0; i < n; i++)
        unordered |=
            records[i] >> PTX__THREAD_BITS > clocks[records[i] / PTX__LANES % PTX__MAX_WARPS];
    return unordered;
}

/*
 * Notes the first write, or read, of a warp since its clock advanced: no other warp has seen it
 * yet.
 */
static inline void ptx__note_unseen(uint32_t *last, uint32_t *unseen, uint32_t clock, unsigned warp)
{
    last[warp] = clock;
    for (unsigned i = 0; i < PTX__MAX_WARPS; i++)
        unseen[i] |= i == warp ? 0 : 1u << warp;
}

/* Ends what compiled code may note itself: of all warps, or of all but one. */
static inline void ptx__stop_reads(struct ptx__shared_racecheck *shadow, unsigned but)
{
    for (unsigned i = 0; i < shadow->n_warps; i++) {
        if (i != but)
            shadow->reads[i].readers = NULL;
    }
}

/* --- global memory --- */

/*
 * Each line of 64 bytes has one word in shadow memory, and most checks read only this word. The
 * bits of the range tell which bytes were read and written, unless the word says that all were. A
 * bit of the word is the lock of the line: everything about the line changes only under it.
 */
#define PTX__LINE_BYTES 64u

enum {
    PTX__LINE_NEW = 0,
    PTX__LINE_OF_ONE = 1, /* only one block has used it; its number is above the flags */
    PTX__LINE_OF_TWO = 2, /* the two blocks with these numbers have read all of it; none wrote */
    PTX__LINE_RECORD = 3, /* the address of a shadow record, or NULL, is above the flags */
    PTX__LINE_KIND = 3,
    PTX__LINE_LOCK = 4,
    PTX__LINE_ALL_READ = 8, /* and all of it was written before */
    PTX__LINE_ALL_WRITTEN = 16,
    PTX__LINE_ALL = PTX__LINE_ALL_READ | PTX__LINE_ALL_WRITTEN,
    PTX__LINE_MANY =
        32, /* several blocks have read all of it, none wrote: more reads change nothing */
    PTX__LINE_FLAGS = 63,
    /*
     * Of PTX__LINE_OF_TWO: only the first block is known to have read all of it. Instead of the
     * second number there is a bit for each word of four bytes that others have read, too.
     */
    PTX__LINE_OF_SOME = 64,
};

#define PTX__LINE_SHIFT 8
#define PTX__BLOCK_BITS 28

/*
 * One access: of a lane, or a contiguous access of all lanes from this one on, with step bytes
 * each.
 */
struct ptx__touch {
    struct ptx__warp *warp;
    const struct ptx__op *op;
    const struct ptx__range *range;
    enum ptx__use use;
    unsigned lane, step;
};

/* Checks and records an access to bytes of a range, without the fast path. */
void ptx__racecheck_global(const struct ptx__touch *touch, uint64_t offset, uint64_t bytes);

/* The same of each active lane by itself: each has its own address. */
void ptx__racecheck_each(const struct ptx__touch *touch, const uint64_t *addresses, unsigned bytes);

/* Makes the shadow memory of a range at its first use. */
void ptx__racecheck_range(struct ptx__range *range);

/* Frees the shadow memory. A range without it stays as it is. */
void ptx__racecheck_range_free(struct ptx__range *range);

/*
 * What a launch has used of the shadow memory of a part: words of lines, bits of bytes, and bits of
 * bytes for strong accesses. These have bits of their own, because two of them are no race between
 * streams; where plain accesses have used the same bytes, they may be missing.
 */
enum { PTX__PART_LINES = 1, PTX__PART_BITS = 2, PTX__PART_STRONG = 4 };

static inline uint8_t *ptx__part_of_line(const struct ptx__range *range, uint64_t number)
{
    return &range->parts[number * PTX__LINE_BYTES / PTX__PART_BYTES];
}

/*
 * Returns which bytes of a line a launch has read, or written, when it is over: by plain accesses,
 * or by strong ones. Bits of bytes behind the end of the range have no meaning.
 */
static inline uint64_t ptx__line_used(const struct ptx__range *range, uint64_t number,
                                      enum ptx__use use)
{
    const bool read = use == PTX__LOADS;

    if (use & PTX__STRONG)
        return *ptx__part_of_line(range, number) & PTX__PART_STRONG
                   ? (use & PTX__STORES ? range->strong_writes : range->strong_reads)[number]
                   : 0;
    if (range->lines[number] & (read ? PTX__LINE_ALL_READ : PTX__LINE_ALL_WRITTEN))
        return ~UINT64_C(0);
    if (!(*ptx__part_of_line(range, number) & PTX__PART_BITS))
        return 0;
    return (read ? range->reads : range->writes)[number];
}

/* Returns the number that a block has in shadow memory. */
static inline uint64_t ptx__owner_of_block(uint64_t number)
{
    return number % ((1u << PTX__BLOCK_BITS) - 1) + 1;
}

/* Returns which bits the lines of a range have of it: none if blocks are not recorded. */
static inline uint64_t ptx__line_owners(const struct ptx__range *range)
{
    return range->check_blocks ? ~UINT64_C(0) : 0;
}

/* Returns the number of the block in shadow memory, or 0 if blocks are not recorded. */
static inline uint64_t ptx__line_owner(const struct ptx__block *block,
                                       const struct ptx__range *range)
{
    return block->owner & ptx__line_owners(range);
}

/* The fast path: tells whether the access would neither change the line's word nor be a finding. */
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

/*
 * Check and record the access of the active lanes: at offsets in shared memory, or at addresses in
 * a range.
 */
#define ptx__racecheck_shared PTX__CLONED(ptx__racecheck_shared)
#define ptx__racecheck_lanes  PTX__CLONED(ptx__racecheck_lanes)
void ptx__racecheck_shared(struct ptx__warp *warp, const struct ptx__op *op,
                           const uint32_t *offsets, unsigned bytes, enum ptx__use use);
void ptx__racecheck_lanes(struct ptx__warp *warp, const struct ptx__op *op,
                          const struct ptx__range *range, const uint64_t *addresses, unsigned bytes,
                          enum ptx__use use);

/*
 * Records a write of another block of the cluster. The bytes count as written, but clocks have no
 * number for the writer.
 */
void ptx__racecheck_shared_from(struct ptx__block *block, uint64_t offset, unsigned bytes);

/* Checks and records the access of a lane to its local memory, if local memory is checked. */
void ptx__racecheck_local(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                          uint64_t offset, unsigned bytes, enum ptx__use use);

/*
 * Checks and records an access of all active lanes to their local memory, at offset imm of their
 * frame.
 */
void ptx__racecheck_frame(struct ptx__warp *warp, const struct ptx__op *op, unsigned bytes,
                          enum ptx__use use);

/* --- local memory: reads of bytes that were never written --- */

/*
 * Grows the shadow memory with the local memory, to bytes for each lane. False when out of memory.
 */
bool ptx__local_racecheck_grow(struct ptx__warp *warp, size_t bytes);

/*
 * Called when a function begins for some lanes: its variables are not yet written, and the rest of
 * its frame counts as written.
 */
void ptx__local_racecheck_frame(struct ptx__warp *warp, const struct ptx__frame *frame,
                                uint32_t lanes);

/* Marks bytes of a lane's local memory as not written. */
void ptx__local_racecheck_clear(struct ptx__warp *warp, unsigned lane, uint64_t offset,
                                uint64_t bytes);

#endif
