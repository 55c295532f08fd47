/* SPDX-License-Identifier: MIT */
/*
 * From the addresses of 32 lanes to the bytes in host memory. Every access is checked. This is
 * cheap because in most accesses the lanes are contiguous or all at one address, in the range that
 * the operation used last. Each worker remembers that range for each operation. The shadow memory
 * of a range is made under grid->lock.
 */
#ifndef CUSHIM_MOCK_PTX_MEMORY_MEMORY_H
#define CUSHIM_MOCK_PTX_MEMORY_MEMORY_H

#include "mock/ptx/machine/exec.h"
#include "mock/ptx/machine/grid.h"
#include "mock/ptx/machine/memory_space.h"
#include "mock/ptx/racecheck/racecheck.h"

enum ptx__pattern {
    PTX__FAULT,      /* there was a fault, which is reported */
    PTX__CONTIGUOUS, /* contiguous from row on */
    PTX__UNIFORM,    /* all lanes at row */
    PTX__OFFSETS,    /* lane l at row + offsets[l] */
    PTX__SCATTERED,  /* lane l at each[l]; only active lanes have one */
};

struct ptx__where {
    unsigned char *row;
    uint32_t offsets[PTX__LANES] __attribute__((aligned(64)));
    unsigned char *each[PTX__LANES];
};

/* An access, without its addresses: each lane has an address of its own. */
struct ptx__access {
    enum ptx__access_space space;
    unsigned bytes; /* of a lane */
    enum ptx__use use;
};

/*
 * The general path, lane by lane, which fills each. Returns false if there was a fault, which is
 * reported.
 */
bool ptx__locate_lanes(struct ptx__warp *warp, const struct ptx__op *op, struct ptx__access access,
                       const uint64_t *addresses, struct ptx__where *where);

/* Returns the bytes at a generic address for one lane, or NULL after a fault, which is reported. */
unsigned char *ptx__reach(struct ptx__lane_op at, uint64_t address, unsigned bytes,
                          enum ptx__use use);

/* Like ptx__reach(), for an address in one state space. */
unsigned char *ptx__reach_in(struct ptx__lane_op at, enum ptx__access_space space, uint64_t address,
                             unsigned bytes, enum ptx__use use);

/*
 * Finds the range of an address for an operation. Returns false if there is none that it may use
 * in this way.
 */
bool ptx__range_cache_find(struct ptx__warp *warp, const struct ptx__op *op, uint64_t address,
                           enum ptx__use use);

/* Computes the address of each lane: slot a, which is 8 bytes wide if c is set, plus imm. */
static inline void ptx__addresses(const struct ptx__warp *w, const struct ptx__op *op,
                                  uint64_t *restrict addresses)
{
    if (op->c) {
        const uint64_t *a = REG(uint64_t, op->a);
        PTX__EACH_LANE addresses[l] = a[l] + op->imm;
    } else {
        const uint32_t *a = REG(uint32_t, op->a);
        PTX__EACH_LANE addresses[l] = (uint32_t) (a[l] + (uint32_t) op->imm);
    }
}

static inline unsigned char *ptx__lane_at(const struct ptx__where *where, enum ptx__pattern pattern,
                                          unsigned lane, size_t bytes)
{
    switch (pattern) {
    case PTX__SCATTERED:
        return where->each[lane];
    case PTX__OFFSETS:
        return where->row + where->offsets[lane];
    default:
        return where->row + (pattern == PTX__CONTIGUOUS ? lane * bytes : 0);
    }
}

/* Properties that the addresses of a warp lack. */
enum {
    PTX__NO_ROW = 1,    /* not contiguous */
    PTX__NO_ONE = 2,    /* not all the same */
    PTX__NO_PLACE = ~3, /* at least one is outside of the range, or not aligned */
};

/*
 * Classifies the addresses in one pass without branches. Sizes are below 2^63, so the top bit of a
 * difference tells that it is negative.
 */
static inline uint64_t ptx__classify_addresses(const uint64_t *addresses, uint64_t begin,
                                               uint64_t size, unsigned bytes)
{
    const uint64_t first = addresses[0], last = begin + size - bytes;
    uint64_t no = size < bytes ? (uint64_t) PTX__NO_PLACE : 0;

    PTX__EACH_LANE
    {
        const uint64_t address = addresses[l], outside = (address - begin) | (last - address);

        no |= (address == first + (uint64_t) l * bytes ? 0 : PTX__NO_ROW) |
              (address == first ? 0 : PTX__NO_ONE) | (outside >> 63 << 2) |
              (address & (bytes - 1)) << 3;
    }
    return no;
}

/*
 * The fast path for global memory. PTX__FAULT means that it does not apply. Inactive lanes have the
 * address of an active one.
 */
static inline enum ptx__pattern ptx__locate_global(struct ptx__warp *w, const struct ptx__op *op,
                                                   unsigned bytes, enum ptx__use use,
                                                   const uint64_t *addresses,
                                                   struct ptx__where *where)
{
    const struct ptx__range_cache *hit = &w->worker->hits[op->site];
    uint64_t no;

    if (addresses[0] - hit->begin >= hit->size && !ptx__range_cache_find(w, op, addresses[0], use))
        return PTX__FAULT;
    if (use & PTX__STORES && hit->read_only)
        return PTX__FAULT;
    no = ptx__classify_addresses(addresses, hit->begin, hit->size, bytes);
    if (no & PTX__NO_PLACE)
        return PTX__FAULT;
    if (w->mask == PTX__ALL && no != (PTX__NO_ROW | PTX__NO_ONE)) {
        const bool row = !(no & PTX__NO_ROW);

        where->row = hit->host + (addresses[0] - hit->begin);
        if (hit->lines)
            ptx__racecheck_span(&(struct ptx__touch){w, op, hit->range, use, 0, row ? bytes : 0},
                                addresses[0] - hit->begin, row ? PTX__LANES * bytes : bytes);
        return row ? PTX__CONTIGUOUS : PTX__UNIFORM;
    }
    PTX__EACH_LANE where->each[l] = hit->host + (addresses[l] - hit->begin);
    if (hit->lines)
        ptx__racecheck_lanes(w, op, hit->range, addresses, bytes, use);
    return PTX__SCATTERED;
}

/* Shared memory, after the offsets were checked. */
static inline enum ptx__pattern ptx__locate_offsets(struct ptx__warp *w, const struct ptx__op *op,
                                                    unsigned bytes, enum ptx__use use, bool row,
                                                    struct ptx__where *where)
{
    const struct ptx__block *block = w->block;

    if (block->shadow)
        ptx__racecheck_shared(w, op, where->offsets, bytes, use);
    if (w->mask == PTX__ALL) {
        where->row = block->shared + (row ? where->offsets[0] : 0);
        return row ? PTX__CONTIGUOUS : PTX__OFFSETS;
    }
    PTX__EACH_LANE where->each[l] = block->shared + where->offsets[l];
    return PTX__SCATTERED;
}

/* The fast path for shared memory with addresses of 64 bits. The block's memory begins at begin. */
static inline enum ptx__pattern ptx__locate_shared(struct ptx__warp *w, const struct ptx__op *op,
                                                   struct ptx__access access,
                                                   const uint64_t *addresses, uint64_t begin,
                                                   struct ptx__where *where)
{
    const uint64_t no =
        ptx__classify_addresses(addresses, begin, w->block->grid->shared_bytes, access.bytes);

    if (no & PTX__NO_PLACE)
        return PTX__FAULT;
    PTX__EACH_LANE where->offsets[l] = (uint32_t) (addresses[l] - begin);
    return ptx__locate_offsets(w, op, access.bytes, access.use, !(no & PTX__NO_ROW), where);
}

/* The fast path for shared memory with addresses of 32 bits, which compilers use. */
static inline enum ptx__pattern ptx__locate_near(struct ptx__warp *w, const struct ptx__op *op,
                                                 unsigned bytes, enum ptx__use use,
                                                 struct ptx__where *where)
{
    const uint32_t *a = REG(uint32_t, op->a), mask = w->mask, add = (uint32_t) op->imm;
    const uint32_t first = a[__builtin_ctz(mask)] + add, size = w->block->grid->shared_bytes;
    const uint32_t last = size - bytes;
    uint32_t no = size < bytes ? (uint32_t) PTX__NO_PLACE : 0;

    PTX__EACH_LANE
    {
        const uint32_t offset = mask >> l & 1 ? a[l] + add : first;

        where->offsets[l] = offset;
        no |= (offset == first + l * bytes ? 0 : PTX__NO_ROW) | (offset > last ? 4 : 0) |
              (offset & (bytes - 1)) << 3;
    }
    if (no & (uint32_t) PTX__NO_PLACE)
        return PTX__FAULT;
    return ptx__locate_offsets(w, op, bytes, use, !(no & PTX__NO_ROW), where);
}

static inline void ptx__settle_inactive(uint32_t mask, uint64_t *addresses)
{
    const uint64_t first = addresses[__builtin_ctz(mask)];

    PTX__EACH_LANE addresses[l] = mask >> l & 1 ? addresses[l] : first;
}

/* Finds the bytes of an operation's operands, each of the given size. */
static inline enum ptx__pattern ptx__locate(struct ptx__warp *w, const struct ptx__op *op,
                                            enum ptx__access_space space, unsigned bytes,
                                            enum ptx__use use, struct ptx__where *where)
{
    const struct ptx__access access = {space, bytes, use};
    uint64_t addresses[PTX__LANES] __attribute__((aligned(64)));
    enum ptx__pattern pattern = PTX__FAULT;

    if (space == PTX__IN_SHARED && !op->c) {
        pattern = ptx__locate_near(w, op, bytes, use, where);
        if (pattern != PTX__FAULT)
            return pattern;
    }
    ptx__addresses(w, op, addresses);
    if (w->mask != PTX__ALL)
        ptx__settle_inactive(w->mask, addresses);
    if (space == PTX__IN_SHARED && op->c)
        pattern = ptx__locate_shared(w, op, access, addresses, 0, where);
    else if (space == PTX__IN_GENERIC && addresses[0] >> PTX__WINDOW_SHIFT)
        pattern = ptx__locate_shared(w, op, access, addresses, PTX__SHARED_WINDOW, where);
    else if (space == PTX__IN_GLOBAL || space == PTX__IN_GENERIC)
        pattern = ptx__locate_global(w, op, bytes, use, addresses, where);
    if (pattern == PTX__FAULT && ptx__locate_lanes(w, op, access, addresses, where))
        pattern = PTX__SCATTERED;
    return pattern;
}

#endif
