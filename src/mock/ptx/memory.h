/* SPDX-License-Identifier: MIT */
/*
 * From the addresses of 32 lanes to where the bytes are. Every access is checked; what makes that
 * cheap is that lanes mostly access one row of memory, or all the same place, in the range where
 * the operation found its bytes last time.
 */
#ifndef CUSHIM_MOCK_PTX_MEMORY_H
#define CUSHIM_MOCK_PTX_MEMORY_H

#include "mock/ptx/exec.h"
#include "mock/ptx/grid.h"
#include "mock/ptx/memory_space.h"

enum ptx__pattern {
    PTX__NOWHERE, /* a fault, which was told */
    PTX__ROW,     /* one behind the other, from row on */
    PTX__ONE,     /* all at row */
    PTX__OFFSETS, /* lane l at row + offsets[l] */
    PTX__EACH,    /* lane l at each[l]; of those that are active */
};

enum ptx__use {
    PTX__LOADS = 1,
    PTX__STORES = 2,
    PTX__STRONG = 4, /* volatile, relaxed, atomic: two of them are no race */
    PTX__UPDATES = PTX__LOADS | PTX__STORES | PTX__STRONG,
};

struct ptx__where {
    unsigned char *row;
    uint32_t offsets[PTX__LANES] __attribute__((aligned(64)));
    unsigned char *each[PTX__LANES];
};

/* What the fast paths leave: lane by lane, into each. False: a fault was told. */
bool ptx__locate_lanes(struct ptx__warp *warp, const struct ptx__op *op,
                       enum ptx__where_space space, unsigned bytes, enum ptx__use use,
                       const uint64_t *addresses, struct ptx__where *where);

/* Bytes at a generic address, for one lane; NULL: a fault was told. */
unsigned char *ptx__reach(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                          uint64_t address, unsigned bytes, enum ptx__use use);

/* The same in a space of its own. */
unsigned char *ptx__reach_in(struct ptx__warp *warp, const struct ptx__op *op,
                             enum ptx__where_space space, unsigned lane, uint64_t address,
                             unsigned bytes, enum ptx__use use);

/* Finds the range of an address for an operation; false if there is none. */
bool ptx__hit_find(struct ptx__warp *warp, const struct ptx__op *op, uint64_t address);

/* Notes what is done to bytes of global memory by one lane, or by all from the lane on. */
bool ptx__watch_global(struct ptx__warp *warp, const struct ptx__op *op,
                       const struct ptx__range *range, uint64_t address, uint64_t bytes,
                       enum ptx__use use, unsigned lane);

/* Notes what the active lanes do to shared memory. */
bool ptx__watch_shared(struct ptx__warp *warp, const struct ptx__op *op, const uint64_t *addresses,
                       unsigned bytes, enum ptx__use use);

/* The address of each lane: slot a, 8 bytes wide if c says so, and imm. */
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
    case PTX__EACH:
        return where->each[lane];
    case PTX__OFFSETS:
        return where->row + where->offsets[lane];
    default:
        return where->row + (pattern == PTX__ROW ? lane * bytes : 0);
    }
}

/* How the addresses of a full warp lie. */
static inline enum ptx__pattern ptx__pattern_of(const uint64_t *addresses, unsigned bytes)
{
    const uint64_t first = addresses[0];
    uint64_t row = 0, one = 0;

    PTX__EACH_LANE
    {
        const uint64_t d = addresses[l] - first;

        one |= d;
        row |= d ^ (uint64_t) l * bytes;
    }
    return !row ? PTX__ROW : !one ? PTX__ONE : PTX__EACH;
}

static inline bool ptx__aligned(const uint64_t *addresses, unsigned bytes)
{
    uint64_t low = 0;

    PTX__EACH_LANE low |= addresses[l];
    return !(low & (bytes - 1));
}

/* All 32 addresses in [begin, begin + size - bytes]; sizes are below 2^63. */
static inline bool ptx__inside(const uint64_t *addresses, uint64_t begin, uint64_t size,
                               unsigned bytes)
{
    const uint64_t last = begin + size - bytes;
    uint64_t outside = 0;

    PTX__EACH_LANE outside |= (addresses[l] - begin) | (last - addresses[l]);
    return size >= bytes && !(outside >> 63);
}

/* The fast paths, for a full warp. PTX__NOWHERE: they do not apply. */
static inline enum ptx__pattern ptx__locate_global(struct ptx__warp *w, const struct ptx__op *op,
                                                   unsigned bytes, enum ptx__use use,
                                                   const uint64_t *addresses,
                                                   struct ptx__where *where)
{
    const struct ptx__hit *hit = &w->worker->hits[op->site];
    const enum ptx__pattern pattern = ptx__pattern_of(addresses, bytes);
    const uint64_t span = pattern == PTX__ROW ? (uint64_t) PTX__LANES * bytes : bytes;

    if (addresses[0] - hit->begin >= hit->size && !ptx__hit_find(w, op, addresses[0]))
        return PTX__NOWHERE;
    if (pattern == PTX__EACH) {
        if (hit->watched || !ptx__inside(addresses, hit->begin, hit->size, bytes) ||
            !ptx__aligned(addresses, bytes))
            return PTX__NOWHERE;
        PTX__EACH_LANE where->each[l] = hit->host + (addresses[l] - hit->begin);
        return PTX__EACH;
    }
    if (hit->size - (addresses[0] - hit->begin) < span || addresses[0] & (bytes - 1))
        return PTX__NOWHERE;
    where->row = hit->host + (addresses[0] - hit->begin);
    if (hit->watched && !ptx__watch_global(w, op, hit->range, addresses[0], span, use, 0))
        return PTX__NOWHERE;
    return pattern;
}

static inline enum ptx__pattern ptx__locate_shared(struct ptx__warp *w, const struct ptx__op *op,
                                                   unsigned bytes, enum ptx__use use,
                                                   const uint64_t *addresses,
                                                   struct ptx__where *where)
{
    struct ptx__block *block = w->block;
    const enum ptx__pattern pattern = ptx__pattern_of(addresses, bytes);

    if (!ptx__inside(addresses, 0, block->grid->shared_bytes, bytes) ||
        !ptx__aligned(addresses, bytes))
        return PTX__NOWHERE;
    if (block->watch && !ptx__watch_shared(w, op, addresses, bytes, use))
        return PTX__NOWHERE;
    where->row = block->shared + addresses[0];
    if (pattern == PTX__EACH)
        PTX__EACH_LANE where->each[l] = block->shared + addresses[l];
    return pattern;
}

/* Shared memory by addresses of 32 bits, as compilers write it. */
static inline enum ptx__pattern ptx__locate_offsets(struct ptx__warp *w, const struct ptx__op *op,
                                                    unsigned bytes, struct ptx__where *where)
{
    const uint32_t *a = REG(uint32_t, op->a), add = (uint32_t) op->imm, first = a[0] + add;
    const uint32_t size = w->block->grid->shared_bytes;
    uint32_t most = 0, low = 0, row = 0;

    PTX__EACH_LANE
    {
        const uint32_t offset = a[l] + add;

        where->offsets[l] = offset;
        most = offset > most ? offset : most;
        low |= offset;
        row |= offset ^ (first + l * bytes);
    }
    if (size < bytes || most > size - bytes || low & (bytes - 1))
        return PTX__NOWHERE;
    where->row = w->block->shared + (row ? 0 : first);
    return row ? PTX__OFFSETS : PTX__ROW;
}

/* Where the operation's operands are, each of so many bytes. */
static inline enum ptx__pattern ptx__locate(struct ptx__warp *w, const struct ptx__op *op,
                                            enum ptx__where_space space, unsigned bytes,
                                            enum ptx__use use, struct ptx__where *where)
{
    uint64_t addresses[PTX__LANES] __attribute__((aligned(64)));
    enum ptx__pattern pattern = PTX__NOWHERE;

    if (space == PTX__IN_SHARED && w->mask == PTX__ALL && !op->c && !w->block->watch) {
        pattern = ptx__locate_offsets(w, op, bytes, where);
        if (pattern != PTX__NOWHERE)
            return pattern;
    }
    ptx__addresses(w, op, addresses);
    if (w->mask == PTX__ALL) {
        if (space == PTX__IN_GLOBAL || space == PTX__IN_GENERIC)
            pattern = ptx__locate_global(w, op, bytes, use, addresses, where);
        else if (space == PTX__IN_SHARED)
            pattern = ptx__locate_shared(w, op, bytes, use, addresses, where);
    }
    if (pattern == PTX__NOWHERE && ptx__locate_lanes(w, op, space, bytes, use, addresses, where))
        pattern = PTX__EACH;
    return pattern;
}

#endif
