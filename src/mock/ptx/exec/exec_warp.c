/* SPDX-License-Identifier: MIT */
/* Operations of several lanes of a warp; clocks, fences, sleep. */
#include <time.h>

#include "mock/ptx/machine/exec.h"
#include "mock/ptx/machine/grid.h"
#include "mock/ptx/warps/warp.h"

/* Returns the members that an operation names. They are the same for all of its lanes. */
static inline uint32_t members_of(const struct ptx__warp *w, uint32_t slot)
{
    return ((const uint32_t *) (w->regs + slot))[__builtin_ctz(w->mask)];
}

/* Waits for the members. Operations of the old kind name none (imm), and do not wait. */
#define TOGETHER(slot)                                                                             \
    do {                                                                                           \
        const struct ptx__op *next_ = NULL;                                                        \
                                                                                                   \
        if (!op->imm && !ptx__warp_together(w, op, slot, &next_))                                  \
            return next_;                                                                          \
    } while (0)

/*
 * c has the segment mask in bits 8 to 12 and the clamp in bits 0 to 4. If a lane's source is
 * outside of its segment, the lane keeps its own value, and its predicate is false. PTX leaves open
 * what comes from a lane that does not take part: it is the lane's own value, too. A lane that the
 * block does not have has what an earlier block left there, and one that is elsewhere has what it
 * may never read again, which compiled code does not keep.
 */
#define SHUFFLE(mode, source_expression, valid_expression)                                         \
    HANDLER(shfl_##mode, "shfl." #mode)                                                            \
    {                                                                                              \
        uint32_t from[PTX__LANES], result[PTX__LANES], bits = 0;                                   \
        const uint32_t *a = REG(uint32_t, op->a), *pb = REG(uint32_t, op->b);                      \
        const uint32_t *pc = REG(uint32_t, op->c);                                                 \
        uint32_t *d = REG(uint32_t, op->d);                                                        \
                                                                                                   \
        TOGETHER(op->list[0]);                                                                     \
        for (unsigned l = 0; l < PTX__LANES; l++) {                                                \
            const int segment = (int) (pc[l] >> 8 & 31), clamp = (int) (pc[l] & 31);               \
            const int b = (int) (pb[l] & 31), lane = (int) l;                                      \
            const int last = (lane & segment) | (clamp & ~segment);                                \
            const int first = lane & segment;                                                      \
            const int j = (source_expression);                                                     \
            const bool valid = (valid_expression);                                                 \
                                                                                                   \
            (void) first, (void) last, (void) b;                                                   \
            from[l] = valid && (w->mask >> (j & 31) & 1) ? (unsigned) j & 31 : l;                 \
            bits |= (uint32_t) valid << l;                                                         \
        }                                                                                          \
        PTX__EACH_LANE result[l] = a[from[l]];                                                     \
        for (uint32_t m = w->mask; m; m &= m - 1)                                                  \
            d[__builtin_ctz(m)] = result[__builtin_ctz(m)];                                        \
        ptx__set_pred(w, op->list[1], bits);                                                       \
        return ptx__warp_after(w, op);                                                             \
    }

SHUFFLE(up, lane - b, j >= last)
SHUFFLE(down, lane + b, j <= last)
SHUFFLE(bfly, lane ^ b, j <= last)
SHUFFLE(idx, first | (b & ~segment), j <= last)

/* Votes of the members that are active. */
#define VOTE(mode, expression)                                                                     \
    HANDLER(vote_##mode, "vote." #mode)                                                            \
    {                                                                                              \
        const uint32_t members = members_of(w, op->b);                                             \
        uint32_t voters, yes;                                                                      \
                                                                                                   \
        TOGETHER(op->b);                                                                           \
        voters = w->mask & members;                                                                \
        yes = PRED(op->a) & voters;                                                                \
        (void) voters, (void) yes;                                                                 \
        expression;                                                                                \
        return ptx__warp_after(w, op);                                                             \
    }

VOTE(all, ptx__set_pred(w, op->d, yes == voters ? PTX__ALL : 0))
VOTE(any, ptx__set_pred(w, op->d, yes ? PTX__ALL : 0))
VOTE(uni, ptx__set_pred(w, op->d, yes == voters || !yes ? PTX__ALL : 0))

static inline void put_all(struct ptx__warp *w, uint32_t slot, uint32_t value)
{
    uint32_t *d = REG(uint32_t, slot);
    const uint32_t mask = w->mask;

    PTX__EACH_LANE d[l] = mask >> l & 1 ? value : d[l];
}

VOTE(ballot, put_all(w, op->d, yes))

HANDLER(activemask, "activemask")
{
    put_all(w, op->d, w->mask);
    return op + 1;
}

#define MATCH(T, bits)                                                                             \
    HANDLER(match_any_##bits, "match.any." #bits)                                                  \
    {                                                                                              \
        const uint32_t members = members_of(w, op->b);                                             \
        const T *a = REG(T, op->a);                                                                \
        uint32_t *d = REG(uint32_t, op->d), result[PTX__LANES] = {0};                              \
                                                                                                   \
        TOGETHER(op->b);                                                                           \
        for (uint32_t m = w->mask & members; m; m &= m - 1) {                                      \
            const unsigned i = (unsigned) __builtin_ctz(m);                                        \
                                                                                                   \
            for (uint32_t n = w->mask & members; n; n &= n - 1)                                    \
                result[i] |= (uint32_t) (a[i] == a[__builtin_ctz(n)]) << __builtin_ctz(n);         \
        }                                                                                          \
        for (uint32_t m = w->mask; m; m &= m - 1)                                                  \
            d[__builtin_ctz(m)] = result[__builtin_ctz(m)];                                        \
        return ptx__warp_after(w, op);                                                             \
    }                                                                                              \
    HANDLER(match_all_##bits, "match.all." #bits)                                                  \
    {                                                                                              \
        const uint32_t members = members_of(w, op->b);                                             \
        const T *a = REG(T, op->a);                                                                \
        uint32_t here;                                                                             \
        bool same = true;                                                                          \
                                                                                                   \
        TOGETHER(op->b);                                                                           \
        here = w->mask & members;                                                                  \
        for (uint32_t m = here; m; m &= m - 1)                                                     \
            same = same && a[__builtin_ctz(m)] == a[__builtin_ctz(here)];                          \
        put_all(w, op->d, same ? here : 0);                                                        \
        ptx__set_pred(w, op->c, same ? PTX__ALL : 0);                                              \
        return ptx__warp_after(w, op);                                                             \
    }

MATCH(uint32_t, 32)
MATCH(uint64_t, 64)

#define REDUX(name, T, begin, expression)                                                          \
    HANDLER(redux_##name##_##T, "redux." #name "." #T)                                             \
    {                                                                                              \
        const uint32_t members = members_of(w, op->b);                                             \
        const V_##T *a = (const V_##T *) REG(S_##T, op->a);                                        \
        V_##T r = begin;                                                                           \
                                                                                                   \
        TOGETHER(op->b);                                                                           \
        for (uint32_t m = w->mask & members; m; m &= m - 1) {                                      \
            const V_##T x = a[__builtin_ctz(m)];                                                   \
            r = (V_##T)(expression);                                                               \
        }                                                                                          \
        put_all(w, op->d, (uint32_t) r);                                                           \
        return ptx__warp_after(w, op);                                                             \
    }

REDUX(add, u32, 0, r + x)
REDUX(add, s32, 0, (uint32_t) r + (uint32_t) x)
REDUX(min, u32, UINT32_MAX, x < r ? x : r)
REDUX(max, u32, 0, x > r ? x : r)
REDUX(min, s32, INT32_MAX, x < r ? x : r)
REDUX(max, s32, INT32_MIN, x > r ? x : r)
REDUX(and, u32, UINT32_MAX, r &x)
REDUX(or, u32, 0, r | x)
REDUX(xor, u32, 0, r ^ x)

/* Of a NaN and a number the number is the result, unless nan_wins. -0 is less than +0. */
static inline uint32_t lesser(uint32_t a, uint32_t b, bool nan_wins)
{
    const float x = ptx__f32(a), y = ptx__f32(b);

    if (x != x || y != y)
        return nan_wins || (x != x && y != y) ? 0x7fffffff : x != x ? b : a;
    return x < y || (x == y && a >> 31) ? a : b;
}

static inline uint32_t greater(uint32_t a, uint32_t b, bool nan_wins)
{
    const uint32_t less = lesser(a, b, nan_wins);

    return ptx__f32(a) != ptx__f32(a) || ptx__f32(b) != ptx__f32(b) ? less : less == a ? b : a;
}

#define REDUX_FLOAT(name, key, of, nan_wins)                                                       \
    HANDLER(redux_##name##_f32, "redux." key ".f32")                                               \
    {                                                                                              \
        const uint32_t members = members_of(w, op->b);                                             \
        const uint32_t *a = REG(uint32_t, op->a);                                                  \
        uint32_t m, r;                                                                             \
                                                                                                   \
        TOGETHER(op->b);                                                                           \
        m = w->mask & members;                                                                     \
        r = m ? a[__builtin_ctz(m)] : 0;                                                           \
        for (; m; m &= m - 1)                                                                      \
            r = of(r, a[__builtin_ctz(m)], nan_wins);                                              \
        put_all(w, op->d, r);                                                                      \
        return ptx__warp_after(w, op);                                                             \
    }

REDUX_FLOAT(min, "min", lesser, false)
REDUX_FLOAT(max, "max", greater, false)
REDUX_FLOAT(min_nan, "min.NaN", lesser, true)
REDUX_FLOAT(max_nan, "max.NaN", greater, true)

/* The thread sanitizer does not support fences. For it, all fences access one atomic variable. */
static inline void full_fence(void)
{
#ifdef __SANITIZE_THREAD__
    static uint32_t meeting;

    __atomic_fetch_add(&meeting, 0, __ATOMIC_SEQ_CST);
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

HANDLER(fence, "fence")
{
    full_fence();
    w->block->strong = true;
    return op + 1;
}

HANDLER(do_nanosleep, "nanosleep")
{
    (void) w;
    return op + 1;
}

/* --- clocks: the host's, in nanoseconds --- */

static uint64_t now(clockid_t clock)
{
    struct timespec t = {0};

    clock_gettime(clock, &t);
    return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

#define CLOCK(id, key, T, expression)                                                              \
    HANDLER(id, key)                                                                               \
    {                                                                                              \
        const T value = (T) (expression);                                                          \
                                                                                                   \
        for (uint32_t m = w->mask; m; m &= m - 1)                                                  \
            REG(T, op->d)[__builtin_ctz(m)] = value;                                               \
        return op + 1;                                                                             \
    }

CLOCK(sreg_clock, "sreg.clock", uint32_t, now(CLOCK_MONOTONIC))
CLOCK(sreg_clock_hi, "sreg.clock_hi", uint32_t, now(CLOCK_MONOTONIC) >> 32)
CLOCK(sreg_clock64, "sreg.clock64", uint64_t, now(CLOCK_MONOTONIC))
CLOCK(sreg_timer, "sreg.globaltimer", uint64_t, now(CLOCK_REALTIME))
CLOCK(sreg_timer_lo, "sreg.globaltimer_lo", uint32_t, now(CLOCK_REALTIME))
CLOCK(sreg_timer_hi, "sreg.globaltimer_hi", uint32_t, now(CLOCK_REALTIME) >> 32)
