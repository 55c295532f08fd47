/* SPDX-License-Identifier: MIT */
/*
 * Shared memory, watched: reads of what nothing has written, and accesses of two warps that no
 * barrier orders. What lies before what is kept in clocks, one a warp: a barrier joins those of
 * the warps that come to it. An atomic or volatile access may be part of a lock or a flag, which
 * nobody can tell; it is taken to order all of the block that came before it.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/block.h"
#include "mock/ptx/memory.h"

/* What happened to four bytes last. */
struct word {
    uint32_t writer, reader;              /* clock of the warp << 10 | thread; 0: nobody */
    uint8_t written_by, read_by, written; /* which of the bytes: by those, and ever */
};

struct ptx__shared_watch {
    uint32_t n_words;
    uint32_t clocks[PTX__MAX_WARPS][PTX__MAX_WARPS]; /* of each warp, what it knows of each */
    uint32_t strong[PTX__MAX_WARPS];
    struct word words[];
};

enum { THREAD_BITS = 10 };

struct ptx__shared_watch *ptx__shared_watch_new(uint32_t shared_bytes)
{
    const uint32_t n_words = (shared_bytes + 3) / 4;
    struct ptx__shared_watch *watch = calloc(1, sizeof(*watch) + n_words * sizeof(struct word));

    if (watch)
        watch->n_words = n_words;
    return watch;
}

void ptx__shared_watch_start(struct ptx__block *block)
{
    struct ptx__shared_watch *watch = block->watch;

    memset(watch->clocks, 0, sizeof(watch->clocks));
    memset(watch->strong, 0, sizeof(watch->strong));
    memset(watch->words, 0, watch->n_words * sizeof(struct word));
    for (unsigned i = 0; i < PTX__MAX_WARPS; i++)
        watch->clocks[i][i] = 1;
}

static void join(uint32_t *to, const uint32_t *from)
{
    for (unsigned i = 0; i < PTX__MAX_WARPS; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

void ptx__shared_watch_arrive(struct ptx__warp *warp, struct ptx__barrier *barrier)
{
    struct ptx__shared_watch *watch = warp->block->watch;

    if (!watch)
        return;
    join(barrier->clock, watch->clocks[warp->number]);
    watch->clocks[warp->number][warp->number]++;
}

void ptx__shared_watch_leave(struct ptx__warp *warp, const struct ptx__barrier *barrier)
{
    struct ptx__shared_watch *watch = warp->block->watch;

    if (watch)
        join(watch->clocks[warp->number], barrier->clock);
}

/* An access that may order others comes after all such before it, and before all later ones. */
static void pass_on(struct ptx__shared_watch *watch, unsigned warp)
{
    join(watch->clocks[warp], watch->strong);
    join(watch->strong, watch->clocks[warp]);
    watch->clocks[warp][warp]++;
}

/* Was the last one another warp, and does this one not know of it? */
static bool unordered(const struct ptx__shared_watch *watch, const struct ptx__warp *warp,
                      uint32_t who)
{
    const unsigned other = (who & ((1u << THREAD_BITS) - 1)) / PTX__LANES;

    return who && other != warp->number && who >> THREAD_BITS > watch->clocks[warp->number][other];
}

static void report_race(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                        uint64_t offset, bool write, uint32_t who, bool other_wrote)
{
    ptx__note(warp, op, PTX__RACE, lane,
              "it %s shared memory at offset %llu, which thread %u %s; no barrier is between them",
              write ? "writes" : "reads", (unsigned long long) offset,
              who & ((1u << THREAD_BITS) - 1), other_wrote ? "wrote" : "read");
}

/* Bytes of one word. */
static void touch(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane, uint64_t offset,
                  uint8_t bytes, enum ptx__use use)
{
    struct ptx__shared_watch *watch = warp->block->watch;
    struct word *word = &watch->words[offset / 4];
    const uint32_t who = watch->clocks[warp->number][warp->number] << THREAD_BITS |
                         (warp->number * PTX__LANES + lane);
    const bool strong = use & PTX__STRONG;

    if (use & PTX__LOADS && bytes & ~word->written)
        ptx__note(warp, op, PTX__UNINITIALISED, lane,
                  "it reads shared memory at offset %llu, which nothing has written",
                  (unsigned long long) offset);
    if (!strong && word->written_by & bytes && unordered(watch, warp, word->writer))
        report_race(warp, op, lane, offset, use & PTX__STORES, word->writer, true);
    if (!strong && use & PTX__STORES && word->read_by & bytes &&
        unordered(watch, warp, word->reader))
        report_race(warp, op, lane, offset, true, word->reader, false);
    if (use & PTX__STORES) {
        word->written |= bytes;
        word->written_by = strong ? 0 : bytes;
        word->writer = who;
    }
    if (use & PTX__LOADS) {
        word->read_by = strong ? 0 : bytes;
        word->reader = who;
    }
}

static void touch_all(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane,
                      uint64_t offset, unsigned bytes, enum ptx__use use)
{
    if (bytes < 4) {
        touch(warp, op, lane, offset, (uint8_t) (((1u << bytes) - 1) << offset % 4), use);
        return;
    }
    for (unsigned i = 0; i < bytes; i += 4)
        touch(warp, op, lane, offset + i, 15, use);
}

bool ptx__watch_shared(struct ptx__warp *warp, const struct ptx__op *op, const uint64_t *addresses,
                       unsigned bytes, enum ptx__use use)
{
    if (use & PTX__STRONG)
        pass_on(warp->block->watch, warp->number);
    for (uint32_t m = warp->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);

        touch_all(warp, op, lane, addresses[lane], bytes, use);
    }
    return true;
}
