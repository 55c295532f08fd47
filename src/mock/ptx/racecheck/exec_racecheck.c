/* SPDX-License-Identifier: MIT */
/*
 * Records an access of a warp to memory for all lanes at once. In most accesses the lanes form a
 * few runs, either contiguous or all at one address, and each run is one step. Otherwise each lane
 * is a step. Only what seems to be wrong is examined more closely.
 */
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "mock/ptx/racecheck/racecheck.h"

/* With more runs than this, each lane is recorded alone. */
enum { MOST_RUNS = 8 };

struct run {
    unsigned first, last; /* lanes */
    bool one;             /* all lanes at the same address */
};

/*
 * The lanes that follow directly behind the lane before them, and those at the same address as that
 * lane.
 */
struct steps {
    uint32_t mask, behind, same;
};

/*
 * Returns the lanes whose offset is that of the lane before them plus this many bytes. Lane 0 is
 * never among them.
 */
static inline uint32_t following(const uint32_t *offsets, uint32_t bytes)
{
#if defined(__AVX512F__)
    const __m512i low = _mm512_load_si512(offsets), high = _mm512_load_si512(offsets + 16);
    const __m512i step = _mm512_set1_epi32((int) bytes);
    const __m512i before_low = _mm512_alignr_epi32(low, low, 15);
    const __m512i before_high = _mm512_alignr_epi32(high, low, 15);

    return (uint32_t) _mm512_cmpeq_epi32_mask(low, _mm512_add_epi32(before_low, step)) |
           (uint32_t) _mm512_cmpeq_epi32_mask(high, _mm512_add_epi32(before_high, step)) << 16;
#elif defined(__AVX2__)
    const __m256i *rows = (const __m256i *) offsets, step = _mm256_set1_epi32((int) bytes);
    __m256i last = _mm256_load_si256(rows);
    uint32_t lanes = 0;

    for (unsigned i = 0; i < 4; i++) {
        const __m256i row = _mm256_load_si256(rows + i);
        const __m256i across = _mm256_permute2x128_si256(last, row, 0x21);
        const __m256i before = _mm256_alignr_epi8(row, across, 12);
        const __m256i equal = _mm256_cmpeq_epi32(row, _mm256_add_epi32(before, step));

        lanes |= (uint32_t) _mm256_movemask_ps(_mm256_castsi256_ps(equal)) << 8 * i;
        last = row;
    }
    return lanes;
#else
    uint32_t lanes = 0;

    for (unsigned l = 1; l < PTX__LANES; l++)
        lanes |= (uint32_t) (offsets[l] == offsets[l - 1] + bytes) << l;
    return lanes;
#endif
}

/* The array of offsets is aligned to 64 bytes, as the vector loads require. */
static inline struct steps steps_of(uint32_t mask, const uint32_t *offsets, uint32_t bytes)
{
    const uint32_t both = mask & mask << 1;

    return (struct steps){mask, following(offsets, bytes) & both, following(offsets, 0) & both};
}

static bool few_runs(const struct steps *steps)
{
    return __builtin_popcount(steps->mask & ~(steps->behind | steps->same)) <= MOST_RUNS;
}

static inline unsigned length(uint32_t lanes, unsigned first)
{
    return (unsigned) __builtin_ctzll(~((uint64_t) lanes >> (first + 1)));
}

/* Returns the first run and removes its lanes from the mask. */
static inline struct run next_run(struct steps *steps)
{
    const unsigned first = (unsigned) __builtin_ctz(steps->mask);
    const unsigned behind = length(steps->behind, first);
    const unsigned n = behind ? behind : length(steps->same, first);

    steps->mask &= (uint32_t) - (UINT64_C(2) << (first + n));
    return (struct run){first, first + n, !behind};
}

/* --- shared memory --- */

/* An access of a warp: everything that is the same for all lanes. */
struct shared {
    struct ptx__shared_racecheck *shadow;
    const struct ptx__warp *warp;
    const uint32_t *offsets;
    unsigned bytes, n; /* n: granules of one lane */
    uint32_t record;   /* the record of lane 0 */
    uint32_t *readers;
};

/* Returns a mask of n bits, from 1 to 64. */
static inline uint64_t bits_from(uint32_t n, uint32_t begin)
{
    return ~UINT64_C(0) >> (64 - n) << begin % 64;
}

static inline bool all_set(const uint64_t *words, uint32_t begin, uint32_t n)
{
    if (begin % 64 + n <= 64)
        return !(~words[begin / 64] & bits_from(n, begin));
    for (uint32_t part; n; begin += part, n -= part) {
        const uint32_t left = 64 - begin % 64;
        const uint64_t bits = bits_from(part = n < left ? n : left, begin);

        if ((words[begin / 64] & bits) != bits)
            return false;
    }
    return true;
}

static void set(uint64_t *words, uint32_t begin, uint32_t n)
{
    for (uint32_t part; n; begin += part, n -= part) {
        const uint32_t left = 64 - begin % 64;

        words[begin / 64] |= bits_from(part = n < left ? n : left, begin);
    }
}

/*
 * Tells whether all of these records are of accesses that the warp has seen for sure: they are as
 * old as what it has seen of the warp of which it has seen least.
 */
static inline bool all_seen(const struct ptx__shared_racecheck *shadow, const uint32_t *records,
                            uint32_t n, const uint32_t *known)
{
    uint32_t least = UINT32_MAX >> PTX__THREAD_BITS, later = 0;

    for (unsigned i = 0; i < shadow->n_warps; i++)
        least = known[i] < least ? known[i] : least;
    for (uint32_t i = 0; i < n; i++)
        later |= records[i] >> PTX__THREAD_BITS > least;
    return !later;
}

/* Tells whether an access to these granules is correct. */
static inline bool in_order(const struct shared *shared, uint32_t begin, uint32_t n,
                            enum ptx__use use)
{
    const struct ptx__shared_racecheck *shadow = shared->shadow;
    const unsigned number = shared->warp->number;
    const uint32_t *known = shadow->clocks[number];

    if (use & PTX__LOADS && !all_set(shadow->written, begin, n))
        return false;
    if (use & PTX__STRONG)
        return true;
    if (shadow->unseen_writes[number] && !all_seen(shadow, shadow->writers + begin, n, known) &&
        ptx__unordered(shadow->writers + begin, n, known))
        return false;
    for (uint32_t m = use & PTX__STORES ? shadow->unseen_reads[number] : 0; m; m &= m - 1) {
        const size_t other = (unsigned) __builtin_ctz(m);
        const uint32_t limit = (known[other] + 1) << PTX__THREAD_BITS;
        const uint32_t *records = shadow->readers + other * shadow->n_granules + begin;
        uint32_t unordered = 0;

        for (uint32_t i = 0; i < n; i++)
            unordered |= records[i] >= limit;
        if (unordered)
            return false;
    }
    return true;
}

/* Eight records in one vector, at any alignment of 4 bytes. */
typedef uint32_t eight __attribute__((vector_size(32), aligned(4), may_alias));

static inline void fill(uint32_t *records, uint32_t n, uint32_t first, unsigned shift)
{
    uint32_t i = 0;

    if (n == 1) {
        *records = first;
        return;
    }
    for (eight next = first + (eight){0, 1, 2, 3, 4, 5, 6, 7}; !shift && i + 8 <= n; i += 8) {
        *(eight *) (records + i) = next;
        next += 8;
    }
    for (; i < n; i++)
        records[i] = first + (i >> shift);
}

/* Checks and records a run of lanes. Exactly the granules that it covers are changed. */
static inline void note_run(struct ptx__warp *warp, const struct ptx__op *op,
                            const struct shared *shared, const struct run *run, enum ptx__use use)
{
    struct ptx__shared_racecheck *shadow = shared->shadow;
    const uint32_t begin = shared->offsets[run->first] >> shadow->shift;
    const uint32_t n = shared->n * (run->one ? 1 : run->last - run->first + 1);
    const unsigned shift = run->one ? 31 : (unsigned) __builtin_ctz(shared->n);
    const uint32_t record = shared->record + (run->one ? run->last : run->first);

    if (!in_order(shared, begin, n, use)) {
        for (unsigned l = run->first; l <= run->last; l++)
            ptx__shared_racecheck_tell(warp, op, l, shared->offsets[l], shared->bytes, use);
    }
    if (use & PTX__STORES)
        set(shadow->written, begin, n);
    if (use & PTX__STRONG || shadow->n_warps == 1)
        return;
    if (use & PTX__STORES)
        fill(shadow->writers + begin, n, record, shift);
    if (use & PTX__LOADS)
        fill(shared->readers + begin, n, record, shift);
}

#define EACH_ACTIVE(l)                                                                             \
    for (uint32_t m = shared->warp->mask, l; m && (l = (uint32_t) __builtin_ctz(m), true);         \
         m &= m - 1)

/*
 * Checks and records lanes at any addresses, with one granule each. If something may be wrong, it
 * returns false and records nothing: then each lane must be examined.
 */
static inline bool note_lanes(const struct shared *shared, enum ptx__use use)
{
    struct ptx__shared_racecheck *shadow = shared->shadow;
    const unsigned number = shared->warp->number;
    const bool plain = !(use & PTX__STRONG), compare = plain && shadow->n_warps > 1;
    uint32_t granules[PTX__LANES] __attribute__((aligned(64)));
    uint64_t written = 1;
    uint32_t unordered = plain && use & PTX__STORES ? shadow->unseen_reads[number] : 0;

    PTX__EACH_LANE granules[l] = shared->offsets[l] >> shadow->shift;
    if (use & PTX__LOADS && shared->warp->mask == PTX__ALL) {
        PTX__EACH_LANE written &= shadow->written[granules[l] / 64] >> granules[l] % 64;
    } else if (use & PTX__LOADS) {
        EACH_ACTIVE(l)
        {
            written &= shadow->written[granules[l] / 64] >> granules[l] % 64;
        }
    }
    if (compare && shadow->unseen_writes[number]) {
        EACH_ACTIVE(l)
        {
            unordered |= ptx__unordered(&shadow->writers[granules[l]], 1, shadow->clocks[number]);
        }
    }
    if (!written || unordered)
        return false;
    if (use & PTX__LOADS && !compare)
        return true;
    EACH_ACTIVE(l)
    {
        if (use & PTX__STORES && !(use & PTX__LOADS))
            shadow->written[granules[l] / 64] |= UINT64_C(1) << granules[l] % 64;
        if (use & PTX__STORES && compare)
            shadow->writers[granules[l]] = shared->record + l;
        if (use & PTX__LOADS && compare)
            shared->readers[granules[l]] = shared->record + l;
    }
    return true;
}

/*
 * The first write, and read, since the warp's clock advanced. Compiled code of other warps may then
 * not note reads itself; that of this warp may.
 */
static inline void note_first(const struct shared *shared, enum ptx__use use)
{
    struct ptx__shared_racecheck *shadow = shared->shadow;
    const unsigned number = shared->warp->number;
    const uint32_t clock = shadow->clocks[number][number];

    if (use & PTX__STRONG)
        return;
    if (use & PTX__STORES && shadow->last_write[number] != clock) {
        ptx__note_unseen(shadow->last_write, shadow->unseen_writes, clock, number);
        ptx__stop_reads(shadow, number);
    }
    if (use & PTX__LOADS && shadow->last_read[number] != clock)
        ptx__note_unseen(shadow->last_read, shadow->unseen_reads, clock, number);
    if (use & PTX__LOADS && !shadow->unseen_writes[number] && shadow->shift == PTX__GRANULE_SHIFT)
        shadow->reads[number] = (struct ptx__shared_reads){shared->readers, shared->record};
}

/* use is constant in every call, so the compiler makes a copy of this function for each use. */
static inline __attribute__((always_inline)) void
check_and_record(struct ptx__warp *warp, const struct ptx__op *op, const uint32_t *offsets,
                 unsigned bytes, enum ptx__use use)
{
    struct ptx__shared_racecheck *const shadow = warp->block->shadow;
    const unsigned number = warp->number;
    const struct shared shared = {.shadow = shadow,
                                  .warp = warp,
                                  .offsets = offsets,
                                  .bytes = bytes,
                                  .n = bytes >> shadow->shift,
                                  .record = ptx__shared_record(shadow, warp, 0),
                                  .readers =
                                      shadow->readers + (size_t) number * shadow->n_granules};
    struct steps steps = steps_of(warp->mask, offsets, bytes);

    note_first(&shared, use);
    if (!few_runs(&steps)) {
        if (shared.n == 1 && note_lanes(&shared, use))
            return;
        steps.behind = steps.same = 0;
    }
    while (steps.mask) {
        const struct run run = next_run(&steps);

        note_run(warp, op, &shared, &run, use);
    }
}

void ptx__racecheck_shared(struct ptx__warp *warp, const struct ptx__op *op,
                           const uint32_t *offsets, unsigned bytes, enum ptx__use use)
{
    if (bytes & ((1u << warp->block->shadow->shift) - 1) &&
        !ptx__shared_racecheck_refine(warp->block, bytes))
        return;
    if (use & PTX__STRONG)
        ptx__shared_racecheck_pass_on(warp);
    if (use == PTX__LOADS)
        check_and_record(warp, op, offsets, bytes, PTX__LOADS);
    else if (use == PTX__STORES)
        check_and_record(warp, op, offsets, bytes, PTX__STORES);
    else
        check_and_record(warp, op, offsets, bytes, use);
}

/* --- global memory --- */

/* In a range of 4 GiB or more, offsets do not fit into 32 bits, so each lane is a run. */
static struct steps steps_in(const struct ptx__range *range, uint32_t mask,
                             const uint64_t *addresses, unsigned bytes)
{
    uint32_t offsets[PTX__LANES] __attribute__((aligned(64)));

    if (range->size > UINT32_MAX)
        return (struct steps){mask, 0, 0};
    PTX__EACH_LANE offsets[l] = (uint32_t) (addresses[l] - range->begin);
    return steps_of(mask, offsets, bytes);
}

/* In a smaller range than this, lines have their words close together. */
enum { FAR = 1 << 16 };

/* Scattered lanes come to lines that are far apart: their words are fetched all at once. */
static void fetch_words(const struct ptx__range *range, uint32_t mask, const uint64_t *addresses,
                        enum ptx__use use)
{
    const uint64_t *bits = use & PTX__STORES ? range->writes : range->reads;

    if (range->size < FAR)
        return;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint64_t number = (addresses[__builtin_ctz(m)] - range->begin) / PTX__LINE_BYTES;

        __builtin_prefetch(&range->lines[number], 1);
        __builtin_prefetch(&bits[number], 1);
    }
}

void ptx__racecheck_lanes(struct ptx__warp *warp, const struct ptx__op *op,
                          const struct ptx__range *range, const uint64_t *addresses, unsigned bytes,
                          enum ptx__use use)
{
    struct steps steps = steps_in(range, warp->mask, addresses, bytes);

    if (!few_runs(&steps)) {
        fetch_words(range, warp->mask, addresses, use);
        ptx__racecheck_each(&(struct ptx__touch){warp, op, range, use, 0, 0}, addresses, bytes);
        return;
    }
    while (steps.mask) {
        const struct run run = next_run(&steps);
        const struct ptx__touch touch = {warp, op, range, use, run.first, run.one ? 0 : bytes};

        ptx__racecheck_span(&touch, addresses[run.first] - range->begin,
                            (uint64_t) bytes * (run.one ? 1 : run.last - run.first + 1));
    }
}

/* --- for compiled code, which has checked the addresses --- */

static void note_lanes_of(struct ptx__warp *w, const struct ptx__op *op, enum ptx__use use)
{
    const struct ptx__noting *noting = &w->worker->noting;

    ptx__racecheck_lanes(w, op, w->worker->hits[op->site].range, noting->addresses, noting->bytes,
                         use);
}

static void note_span(struct ptx__warp *w, const struct ptx__op *op, enum ptx__use use)
{
    const struct ptx__noting *noting = &w->worker->noting;
    const struct ptx__range *range = w->worker->hits[op->site].range;
    const struct ptx__touch touch = {w, op, range, use, 0, noting->step};

    ptx__racecheck_span(&touch, noting->addresses[0] - range->begin,
                        noting->step ? (uint64_t) PTX__LANES * noting->bytes : noting->bytes);
}

/*
 * Each row is a run, as ptx__racecheck_lanes() would find them, but for rows that are contiguous
 * themselves: these are one.
 */
static void note_rows(struct ptx__warp *w, const struct ptx__op *op, enum ptx__use use)
{
    const struct ptx__noting *noting = &w->worker->noting;
    const struct ptx__range *range = w->worker->hits[op->site].range;
    const bool together = noting->step && noting->rows == (int64_t) noting->lanes * noting->step;
    const unsigned lanes = together ? PTX__LANES : noting->lanes;
    uint64_t offset = noting->addresses[0] - range->begin;

    for (unsigned lane = 0; lane < PTX__LANES; lane += lanes, offset += (uint64_t) noting->rows) {
        const struct ptx__touch touch = {w, op, range, use, lane, noting->step};

        ptx__racecheck_span(&touch, offset,
                            noting->step ? (uint64_t) lanes * noting->bytes : noting->bytes);
    }
}

static void note_offsets(struct ptx__warp *w, const struct ptx__op *op, enum ptx__use use)
{
    const struct ptx__noting *noting = &w->worker->noting;
    uint32_t offsets[PTX__LANES] __attribute__((aligned(64)));

    memcpy(offsets, noting->offsets, sizeof(offsets));
    ptx__racecheck_shared(w, op, offsets, noting->bytes, use);
}

#define NOTE(how, function, verb, use)                                                             \
    HANDLER(note_##how##_##verb, "note." #how "." #verb)                                           \
    {                                                                                              \
        function(w, op, use);                                                                      \
        return op;                                                                                 \
    }

NOTE(global, note_lanes_of, ld, PTX__LOADS)
NOTE(global, note_lanes_of, st, PTX__STORES)
NOTE(global, note_lanes_of, atom, PTX__UPDATES)
NOTE(span, note_span, ld, PTX__LOADS)
NOTE(span, note_span, st, PTX__STORES)
NOTE(span, note_span, atom, PTX__UPDATES)
NOTE(rows, note_rows, ld, PTX__LOADS)
NOTE(rows, note_rows, st, PTX__STORES)
NOTE(rows, note_rows, atom, PTX__UPDATES)
NOTE(shared, note_offsets, ld, PTX__LOADS)
NOTE(shared, note_offsets, st, PTX__STORES)
NOTE(shared, note_offsets, atom, PTX__UPDATES)
