/* SPDX-License-Identifier: MIT */
/*
 * The race check of shared memory. It finds reads of bytes that nothing has written, and accesses
 * of two warps that no barrier orders. Each warp has a vector clock of what it comes after, and a
 * barrier joins the clocks of its warps. An atomic or volatile access may be part of a lock or a
 * flag, which the mock cannot know. So it counts as ordered after all earlier ones of the block.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/racecheck/racecheck.h"

static bool allocate(struct ptx__shared_racecheck *shadow)
{
    const size_t n = shadow->n_granules = ((shadow->bytes - 1) >> shadow->shift) + 1;

    /* Compiled code reads eight bytes from any byte on. */
    shadow->written = calloc(n / 64 + 2, sizeof(*shadow->written));
    shadow->writers = calloc(n, sizeof(*shadow->writers));
    shadow->readers = calloc(n * shadow->n_warps, sizeof(*shadow->readers));
    return shadow->written && shadow->writers && shadow->readers;
}

static void release(struct ptx__shared_racecheck *shadow)
{
    free(shadow->written);
    free(shadow->writers);
    free(shadow->readers);
}

void ptx__shared_racecheck_free(struct ptx__shared_racecheck *shadow)
{
    if (shadow)
        release(shadow);
    free(shadow);
}

struct ptx__shared_racecheck *ptx__shared_racecheck_new(uint32_t shared_bytes, unsigned n_warps)
{
    struct ptx__shared_racecheck *shadow = calloc(1, sizeof(*shadow));

    if (!shadow)
        return NULL;
    shadow->bytes = shared_bytes;
    shadow->n_warps = n_warps;
    shadow->shift = PTX__GRANULE_SHIFT;
    if (allocate(shadow))
        return shadow;
    ptx__shared_racecheck_free(shadow);
    return NULL;
}

/* --- clocks --- */

/* Sets all clocks so that every warp has seen everything up to now. */
static void set_clocks(struct ptx__shared_racecheck *shadow, uint32_t now)
{
    for (unsigned i = 0; i < shadow->n_warps; i++) {
        for (unsigned j = 0; j < shadow->n_warps; j++)
            shadow->clocks[i][j] = now;
        shadow->clocks[i][i] = now + 1;
    }
    memset(shadow->strong, 0, sizeof(shadow->strong));
    memset(shadow->last_write, 0, sizeof(shadow->last_write));
    memset(shadow->last_read, 0, sizeof(shadow->last_read));
    memset(shadow->unseen_writes, 0, sizeof(shadow->unseen_writes));
    memset(shadow->unseen_reads, 0, sizeof(shadow->unseen_reads));
    ptx__stop_reads(shadow, PTX__MAX_WARPS);
}

static void note_written(struct ptx__shared_racecheck *shadow, uint64_t offset, unsigned bytes)
{
    for (uint64_t at = offset >> shadow->shift; at <= (offset + bytes - 1) >> shadow->shift; at++) {
        shadow->written[at / 64] |= UINT64_C(1) << at % 64;
        shadow->writers[at] = 0;
    }
}

/*
 * Memory that the system reserves has its values from the system, so it counts as written. So does
 * what is behind all of it: to use that is a finding of another kind.
 */
static void note_reserved(struct ptx__block *block)
{
    const struct ptx__grid *grid = block->grid;
    const uint32_t granule = 1u << block->shadow->shift;
    const uint32_t behind = (grid->shared_bytes + granule - 1) / granule * granule;

    if (behind < grid->shared_room)
        note_written(block->shadow, behind, grid->shared_room - behind);
    if (grid->shared_bytes > grid->own_shared)
        note_written(block->shadow, grid->reserved_base, PTX__RESERVED_SHARED);
}

void ptx__shared_racecheck_start(struct ptx__block *block)
{
    struct ptx__shared_racecheck *shadow = block->shadow;
    uint32_t now = 1;

    for (unsigned i = 0; i < PTX__MAX_WARPS; i++)
        now = shadow->clocks[i][i] > now ? shadow->clocks[i][i] : now;
    if (now > PTX__MOST_CLOCK / 2) {
        now = 1;
        memset(shadow->writers, 0, shadow->n_granules * sizeof(*shadow->writers));
        memset(shadow->readers, 0,
               (size_t) shadow->n_granules * shadow->n_warps * sizeof(*shadow->readers));
    }
    memset(shadow->written, 0, (shadow->n_granules / 64 + 1) * sizeof(*shadow->written));
    note_reserved(block);
    set_clocks(shadow, now);
}

typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));

/*
 * Joins two clocks, four numbers at a time. The arrays have room for the largest number of warps.
 */
static void join(const struct ptx__shared_racecheck *shadow, uint32_t *to, const uint32_t *from)
{
    for (unsigned i = 0; i < shadow->n_warps; i += 4) {
        four *later = (four *) (to + i);
        const four other = *(const four *) (from + i), mine = (four) (*later > other);

        *later = (*later & mine) | (other & ~mine);
    }
}

/* Returns which of the warps with unseen accesses are still unseen. */
static uint32_t still_unseen(uint32_t unseen, const uint32_t *last, const uint32_t *known)
{
    uint32_t still = 0;

    for (uint32_t m = unseen; m; m &= m - 1)
        still |= last[__builtin_ctz(m)] > known[__builtin_ctz(m)] ? m & -m : 0;
    return still;
}

/* Joins the clocks of a warp with others, and updates what it has not seen. */
static void learn(struct ptx__shared_racecheck *shadow, unsigned warp, const uint32_t *from)
{
    uint32_t *known = shadow->clocks[warp];

    join(shadow, known, from);
    shadow->unseen_writes[warp] =
        still_unseen(shadow->unseen_writes[warp], shadow->last_write, known);
    shadow->unseen_reads[warp] = still_unseen(shadow->unseen_reads[warp], shadow->last_read, known);
}

/* --- when clocks reach their maximum: all are set back by what every living warp has seen --- */

static uint32_t set_back(uint32_t clock, uint32_t by)
{
    return clock > by ? clock - by : clock ? 1 : 0;
}

static void set_back_all(uint32_t *records, size_t n, const uint32_t *by)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t clock =
            set_back(records[i] >> PTX__THREAD_BITS, by[records[i] / PTX__LANES % PTX__MAX_WARPS]);

        records[i] = clock << PTX__THREAD_BITS | (records[i] & ((1u << PTX__THREAD_BITS) - 1));
    }
}

static uint32_t known_by_all(const struct ptx__block *block, unsigned warp)
{
    const struct ptx__shared_racecheck *shadow = block->shadow;
    const uint32_t now = shadow->clocks[warp][warp];
    uint32_t least = now - 1;

    for (unsigned i = 0; i < block->n_warps; i++) {
        if (block->warps[i].alive && shadow->clocks[i][warp] < least)
            least = shadow->clocks[i][warp];
    }
    /*
     * If a warp was not seen by others for millions of its steps, all of these steps count as seen.
     * This may miss a race, but reports no false one.
     */
    return now - least > PTX__MOST_CLOCK / 2 ? now - 1 : least;
}

static void renew_clocks(struct ptx__block *block)
{
    struct ptx__shared_racecheck *shadow = block->shadow;
    uint32_t by[PTX__MAX_WARPS];

    ptx__stop_reads(shadow, PTX__MAX_WARPS);
    for (unsigned i = 0; i < PTX__MAX_WARPS; i++)
        by[i] = i < block->n_warps ? known_by_all(block, i) - 1 : 0;
    set_back_all(shadow->writers, shadow->n_granules, by);
    set_back_all(shadow->readers, (size_t) shadow->n_granules * shadow->n_warps, by);
    for (unsigned i = 0; i < PTX__MAX_WARPS; i++) {
        for (unsigned j = 0; j < PTX__MAX_WARPS; j++)
            shadow->clocks[i][j] = set_back(shadow->clocks[i][j], by[j]);
        for (unsigned j = 0; j < PTX__BARRIERS; j++)
            block->barriers[j].clock[i] = set_back(block->barriers[j].clock[i], by[i]);
        shadow->strong[i] = set_back(shadow->strong[i], by[i]);
        shadow->last_write[i] = set_back(shadow->last_write[i], by[i]);
        shadow->last_read[i] = set_back(shadow->last_read[i], by[i]);
    }
    for (unsigned i = 0; i < block->n_warps; i++) {
        shadow->unseen_writes[i] =
            still_unseen(shadow->unseen_writes[i], shadow->last_write, shadow->clocks[i]);
        shadow->unseen_reads[i] =
            still_unseen(shadow->unseen_reads[i], shadow->last_read, shadow->clocks[i]);
    }
}

static void step(struct ptx__warp *warp)
{
    struct ptx__shared_racecheck *shadow = warp->block->shadow;

    shadow->reads[warp->number].readers = NULL;
    if (++shadow->clocks[warp->number][warp->number] >= PTX__MOST_CLOCK)
        renew_clocks(warp->block);
}

void ptx__shared_racecheck_arrive(struct ptx__warp *warp, struct ptx__barrier *barrier)
{
    struct ptx__shared_racecheck *shadow = warp->block->shadow;

    if (!shadow)
        return;
    join(shadow, barrier->clock, shadow->clocks[warp->number]);
    step(warp);
}

void ptx__shared_racecheck_leave(struct ptx__warp *warp, const struct ptx__barrier *barrier)
{
    if (warp->block->shadow)
        learn(warp->block->shadow, warp->number, barrier->clock);
}

void ptx__shared_racecheck_meet(struct ptx__block *block)
{
    struct ptx__shared_racecheck *shadow = block->shadow;
    uint32_t now = 0;

    if (!shadow)
        return;
    for (unsigned i = 0; i < shadow->n_warps; i++)
        now = shadow->clocks[i][i] > now ? shadow->clocks[i][i] : now;
    for (unsigned i = 0; i < shadow->n_warps; i++) {
        for (unsigned j = 0; j < shadow->n_warps; j++)
            shadow->clocks[i][j] = now;
        shadow->clocks[i][i] = now + 1;
        shadow->unseen_writes[i] = shadow->unseen_reads[i] = 0;
    }
    ptx__stop_reads(shadow, PTX__MAX_WARPS);
    if (now + 1 >= PTX__MOST_CLOCK)
        renew_clocks(block);
}

void ptx__shared_racecheck_pass_on(struct ptx__warp *warp)
{
    struct ptx__shared_racecheck *shadow = warp->block->shadow;

    learn(shadow, warp->number, shadow->strong);
    join(shadow, shadow->strong, shadow->clocks[warp->number]);
    step(warp);
}

/* --- granules --- */

static void spread(uint32_t *to, const uint32_t *from, uint32_t n, unsigned shift)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = from[i >> shift];
}

/* When granules become smaller, each part gets the records of the old granule. */
static void spread_all(struct ptx__shared_racecheck *to, const struct ptx__shared_racecheck *from)
{
    const unsigned shift = from->shift - to->shift;

    for (uint32_t i = 0; i < to->n_granules; i++)
        to->written[i / 64] |= (from->written[(i >> shift) / 64] >> (i >> shift) % 64 & 1)
                               << i % 64;
    spread(to->writers, from->writers, to->n_granules, shift);
    for (unsigned i = 0; i < to->n_warps; i++)
        spread(to->readers + (size_t) i * to->n_granules,
               from->readers + (size_t) i * from->n_granules, to->n_granules, shift);
}

bool ptx__shared_racecheck_refine(struct ptx__block *block, uint32_t bits)
{
    struct ptx__shared_racecheck *shadow = block->shadow, before;

    if (!(bits & ((1u << shadow->shift) - 1)))
        return true;
    before = *shadow;
    ptx__stop_reads(shadow, PTX__MAX_WARPS);
    shadow->shift = (unsigned) __builtin_ctz(bits);
    if (allocate(shadow)) {
        spread_all(shadow, &before);
        release(&before);
        return true;
    }
    release(&before);
    ptx__shared_racecheck_free(shadow);
    block->shadow = NULL;
    return false;
}

/* --- findings --- */

static void tell_race(struct ptx__lane_op at, uint32_t offset, bool write, uint32_t record,
                      bool other_wrote)
{
    ptx__note(at, PTX__RACE,
              "it %s shared memory at offset %u, which thread %u %s; no barrier is between them",
              write ? "writes" : "reads", offset, record & ((1u << PTX__THREAD_BITS) - 1),
              other_wrote ? "wrote" : "read");
}

static void tell_readers(struct ptx__lane_op at, uint32_t offset)
{
    const struct ptx__shared_racecheck *shadow = at.warp->block->shadow;
    const uint32_t *known = shadow->clocks[at.warp->number];

    for (uint32_t m = shadow->unseen_reads[at.warp->number]; m; m &= m - 1) {
        const size_t reader = (unsigned) __builtin_ctz(m);
        const uint32_t *record =
            &shadow->readers[reader * shadow->n_granules + (offset >> shadow->shift)];

        if (ptx__unordered(record, 1, known))
            tell_race(at, offset, true, *record, false);
    }
}

void ptx__shared_racecheck_tell(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                                uint32_t offset, unsigned bytes, enum ptx__use use)
{
    const struct ptx__shared_racecheck *shadow = warp->block->shadow;
    const struct ptx__lane_op at = ptx__lane_op(warp, op, lane);

    for (uint32_t byte = offset; byte < offset + bytes; byte += 1u << shadow->shift) {
        const uint32_t granule = byte >> shadow->shift;
        const uint32_t *writer = &shadow->writers[granule];

        if (use & PTX__LOADS && !(shadow->written[granule / 64] >> granule % 64 & 1))
            ptx__note(at, PTX__UNINITIALISED,
                      "it reads shared memory at offset %u, which nothing has written", byte);
        if (use & PTX__STRONG)
            continue;
        if (ptx__unordered(writer, 1, shadow->clocks[warp->number]))
            tell_race(at, byte, use & PTX__STORES, *writer, true);
        if (use & PTX__STORES)
            tell_readers(at, byte);
    }
}

void ptx__racecheck_shared_lane(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                                uint32_t offset, unsigned bytes, enum ptx__use use)
{
    const uint32_t mask = warp->mask;
    uint32_t offsets[PTX__LANES] __attribute__((aligned(64))) = {0};

    if (!ptx__shared_racecheck_refine(warp->block, offset | bytes))
        return;
    offsets[lane] = offset;
    warp->mask = 1u << lane;
    ptx__racecheck_shared(warp, op, offsets, bytes, use);
    warp->mask = mask;
}

void ptx__racecheck_shared_from(struct ptx__block *block, uint64_t offset, unsigned bytes)
{
    if (block->shadow && bytes)
        note_written(block->shadow, offset, bytes);
}
