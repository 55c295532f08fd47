/* SPDX-License-Identifier: MIT */
/*
 * Atomic operations. They use atomic operations of the host with the strongest order, whatever the
 * scope and the order of the instruction. The lanes of a warp run one after another.
 */
#include "mock/ptx/machine/softfloat.h"
#include "mock/ptx/memory/memory.h"

/* The list has the operand and, for cas, the new value. */
#define ATOMIC(id, key, place, T, TS, expression)                                                  \
    HANDLER(id, key)                                                                               \
    {                                                                                              \
        struct ptx__where where;                                                                   \
        const enum ptx__pattern pattern =                                                          \
            ptx__locate(w, op, place, sizeof(T), PTX__UPDATES, &where);                            \
        const TS *pb = REG(TS, op->list[0]), *pc = REG(TS, op->list[1]);                           \
        TS *d = REG(TS, op->d);                                                                    \
                                                                                                   \
        if (pattern == PTX__FAULT)                                                                 \
            return NULL;                                                                           \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            const unsigned l = (unsigned) __builtin_ctz(m);                                        \
            T *at = (T *) ptx__lane_at(&where, pattern, l, sizeof(T));                             \
            const T B = (T) pb[l], C = (T) pc[l];                                                  \
                                                                                                   \
            (void) C;                                                                              \
            d[l] = (TS) (expression);                                                              \
        }                                                                                          \
        return op + 1;                                                                             \
    }

/*
 * For operations that the host does not have: repeats until no other thread has changed the value
 * in between.
 */
#define RETRIED(name, T, expression)                                                               \
    static inline T name(T *at, T b)                                                               \
    {                                                                                              \
        T old = __atomic_load_n(at, __ATOMIC_RELAXED), new;                                        \
                                                                                                   \
        do                                                                                         \
            new = (expression);                                                                    \
        while (!__atomic_compare_exchange_n(at, &old, new, false, __ATOMIC_SEQ_CST,                \
                                            __ATOMIC_RELAXED));                                    \
        return old;                                                                                \
    }

static inline uint32_t sum32(uint32_t a, uint32_t b)
{
    return ptx__bits32(ptx__nan32(ptx__f32(a) + ptx__f32(b)));
}

/* In global memory subnormal numbers become 0; in shared memory they do not. */
static inline uint32_t flushed_sum32(uint32_t a, uint32_t b)
{
    return ptx__bits32(ptx__ftz(ptx__nan32(ptx__ftz(ptx__f32(a)) + ptx__ftz(ptx__f32(b)))));
}

/*
 * In shared memory a NaN becomes quiet, and of two NaNs the one in memory is the result. In global
 * memory the operand's NaN is the result, and does not change.
 */
static inline uint64_t sum64(uint64_t a, uint64_t b)
{
    const double x = ptx__f64(a), y = ptx__f64(b);

    return ptx__bits64(ptx__nan64(x + y, x, y, y));
}

static inline uint64_t kept_sum64(uint64_t a, uint64_t b)
{
    const double x = ptx__f64(a), y = ptx__f64(b);

    return y != y ? b : x != x ? a : ptx__bits64(ptx__nan64(x + y, x, x, x));
}

RETRIED(add_f32, uint32_t, sum32(old, b))
RETRIED(add_flushed_f32, uint32_t, flushed_sum32(old, b))
RETRIED(add_f64, uint64_t, sum64(old, b))
RETRIED(add_kept_f64, uint64_t, kept_sum64(old, b))
RETRIED(inc_u32, uint32_t, old >= b ? 0 : old + 1)
RETRIED(dec_u32, uint32_t, old == 0 || old > b ? b : old - 1)
RETRIED(min_u32, uint32_t, old < b ? old : b)
RETRIED(max_u32, uint32_t, old > b ? old : b)
RETRIED(min_u64, uint64_t, old < b ? old : b)
RETRIED(max_u64, uint64_t, old > b ? old : b)
RETRIED(min_s32, uint32_t, (int32_t) old < (int32_t) b ? old : b)
RETRIED(max_s32, uint32_t, (int32_t) old > (int32_t) b ? old : b)
RETRIED(min_s64, uint64_t, (int64_t) old < (int64_t) b ? old : b)
RETRIED(max_s64, uint64_t, (int64_t) old > (int64_t) b ? old : b)

static inline uint16_t half_sum(uint16_t a, uint16_t b)
{
    return ptx__half_of_float(ptx__float_of_half(a) + ptx__float_of_half(b));
}

static inline uint16_t bfloat_sum(uint16_t a, uint16_t b)
{
    return ptx__bfloat_of_float(ptx__float_of_bfloat(a) + ptx__float_of_bfloat(b));
}

/* Of a NaN and a number, the number is the result. */
#define HALF_LIMIT(name, widened, before)                                                          \
    static inline uint16_t name(uint16_t a, uint16_t b)                                            \
    {                                                                                              \
        const float x = widened(a), y = widened(b);                                                \
                                                                                                   \
        if (x != x || y != y)                                                                      \
            return x == x ? a : y == y ? b : 0x7fff;                                               \
        return x before y || (x == y && (a >> 15) == (0 before 1)) ? a : b;                        \
    }

HALF_LIMIT(half_min, ptx__float_of_half, <)
HALF_LIMIT(half_max, ptx__float_of_half, >)
HALF_LIMIT(bfloat_min, ptx__float_of_bfloat, <)
HALF_LIMIT(bfloat_max, ptx__float_of_bfloat, >)

#define BOTH(sum, a, b)                                                                            \
    ((uint32_t) sum((uint16_t) ((a) >> 16), (uint16_t) ((b) >> 16)) << 16 |                        \
     sum((uint16_t) (a), (uint16_t) (b)))

RETRIED(add_f16, uint16_t, half_sum(old, b))
RETRIED(add_bf16, uint16_t, bfloat_sum(old, b))
RETRIED(add_f16x2, uint32_t, BOTH(half_sum, old, b))
RETRIED(add_bf16x2, uint32_t, BOTH(bfloat_sum, old, b))
RETRIED(min_f16, uint16_t, half_min(old, b))
RETRIED(max_f16, uint16_t, half_max(old, b))
RETRIED(min_bf16, uint16_t, bfloat_min(old, b))
RETRIED(max_bf16, uint16_t, bfloat_max(old, b))
RETRIED(min_f16x2, uint32_t, BOTH(half_min, old, b))
RETRIED(max_f16x2, uint32_t, BOTH(half_max, old, b))
RETRIED(min_bf16x2, uint32_t, BOTH(bfloat_min, old, b))
RETRIED(max_bf16x2, uint32_t, BOTH(bfloat_max, old, b))

static inline uint64_t swap(void *at, uint64_t compare, uint64_t value, unsigned bytes)
{
    if (bytes == 2) {
        uint16_t old = (uint16_t) compare;

        __atomic_compare_exchange_n((uint16_t *) at, &old, (uint16_t) value, false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        return old;
    }
    if (bytes == 4) {
        uint32_t old = (uint32_t) compare;

        __atomic_compare_exchange_n((uint32_t *) at, &old, (uint32_t) value, false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        return old;
    }
    __atomic_compare_exchange_n((uint64_t *) at, &compare, value, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return compare;
}

#define SIZES(space, place, T, U)                                                                  \
    ATOMIC(space##_add_##T, "atom." #space ".add." #T, place, U, U,                                \
           __atomic_fetch_add(at, B, __ATOMIC_SEQ_CST))                                            \
    ATOMIC(space##_and_##T, "atom." #space ".and." #T, place, U, U,                                \
           __atomic_fetch_and(at, B, __ATOMIC_SEQ_CST))                                            \
    ATOMIC(space##_or_##T, "atom." #space ".or." #T, place, U, U,                                  \
           __atomic_fetch_or(at, B, __ATOMIC_SEQ_CST))                                             \
    ATOMIC(space##_xor_##T, "atom." #space ".xor." #T, place, U, U,                                \
           __atomic_fetch_xor(at, B, __ATOMIC_SEQ_CST))                                            \
    ATOMIC(space##_exch_##T, "atom." #space ".exch." #T, place, U, U,                              \
           __atomic_exchange_n(at, B, __ATOMIC_SEQ_CST))                                           \
    ATOMIC(space##_cas_##T, "atom." #space ".cas." #T, place, U, U, swap(at, B, C, sizeof(U)))     \
    ATOMIC(space##_min_##T, "atom." #space ".min." #T, place, U, U, min_##T(at, B))                \
    ATOMIC(space##_max_##T, "atom." #space ".max." #T, place, U, U, max_##T(at, B))

#define HALVES(space, place, op)                                                                   \
    ATOMIC(space##_##op##_f16, "atom." #space "." #op ".f16", place, uint16_t, uint32_t,           \
           op##_f16(at, B))                                                                        \
    ATOMIC(space##_##op##_bf16, "atom." #space "." #op ".bf16", place, uint16_t, uint32_t,         \
           op##_bf16(at, B))                                                                       \
    ATOMIC(space##_##op##_f16x2, "atom." #space "." #op ".f16x2", place, uint32_t, uint32_t,       \
           op##_f16x2(at, B))                                                                      \
    ATOMIC(space##_##op##_bf16x2, "atom." #space "." #op ".bf16x2", place, uint32_t, uint32_t,     \
           op##_bf16x2(at, B))

#define ATOMICS(space, place)                                                                      \
    SIZES(space, place, u32, uint32_t)                                                             \
    SIZES(space, place, u64, uint64_t)                                                             \
    ATOMIC(space##_min_s32, "atom." #space ".min.s32", place, uint32_t, uint32_t, min_s32(at, B))  \
    ATOMIC(space##_max_s32, "atom." #space ".max.s32", place, uint32_t, uint32_t, max_s32(at, B))  \
    ATOMIC(space##_min_s64, "atom." #space ".min.s64", place, uint64_t, uint64_t, min_s64(at, B))  \
    ATOMIC(space##_max_s64, "atom." #space ".max.s64", place, uint64_t, uint64_t, max_s64(at, B))  \
    ATOMIC(space##_cas_u16, "atom." #space ".cas.u16", place, uint16_t, uint32_t,                  \
           swap(at, B, C, 2))                                                                      \
    HALVES(space, place, add)                                                                      \
    HALVES(space, place, min)                                                                      \
    HALVES(space, place, max)                                                                      \
    ATOMIC(space##_inc_u32, "atom." #space ".inc.u32", place, uint32_t, uint32_t, inc_u32(at, B))  \
    ATOMIC(space##_dec_u32, "atom." #space ".dec.u32", place, uint32_t, uint32_t, dec_u32(at, B))

ATOMICS(global, PTX__IN_GLOBAL)
ATOMICS(shared, PTX__IN_SHARED)
ATOMICS(generic, PTX__IN_GENERIC)

static inline bool is_shared(const struct ptx__warp *w, const void *at)
{
    const struct ptx__block *block = w->block;

    return (uintptr_t) at - (uintptr_t) block->shared < block->grid->shared_room;
}

ATOMIC(global_add_f32, "atom.global.add.f32", PTX__IN_GLOBAL, uint32_t, uint32_t,
       add_flushed_f32(at, B))
ATOMIC(shared_add_f32, "atom.shared.add.f32", PTX__IN_SHARED, uint32_t, uint32_t, add_f32(at, B))
ATOMIC(generic_add_f32, "atom.generic.add.f32", PTX__IN_GENERIC, uint32_t, uint32_t,
       is_shared(w, at) ? add_f32(at, B) : add_flushed_f32(at, B))
/* .noftz keeps subnormal numbers everywhere. */
ATOMIC(global_noftz_f32, "atom.global.add.noftz.f32", PTX__IN_GLOBAL, uint32_t, uint32_t,
       add_f32(at, B))
ATOMIC(shared_noftz_f32, "atom.shared.add.noftz.f32", PTX__IN_SHARED, uint32_t, uint32_t,
       add_f32(at, B))
ATOMIC(generic_noftz_f32, "atom.generic.add.noftz.f32", PTX__IN_GENERIC, uint32_t, uint32_t,
       add_f32(at, B))
ATOMIC(global_add_f64, "atom.global.add.f64", PTX__IN_GLOBAL, uint64_t, uint64_t,
       add_kept_f64(at, B))
ATOMIC(shared_add_f64, "atom.shared.add.f64", PTX__IN_SHARED, uint64_t, uint64_t, add_f64(at, B))
ATOMIC(generic_add_f64, "atom.generic.add.f64", PTX__IN_GENERIC, uint64_t, uint64_t,
       is_shared(w, at) ? add_f64(at, B) : add_kept_f64(at, B))

/* --- 16 bytes --- */

typedef struct {
    uint64_t low, high;
} wide;

#ifdef __x86_64__
/*
 * All x86-64 processors except the first ones have this instruction. Compilers would call a library
 * for it.
 */
static wide swap_wide(void *at, wide compare, wide value)
{
    wide was = compare;

    __asm__ volatile("lock cmpxchg16b %0"
                     : "+m"(*(wide *) at), "+a"(was.low), "+d"(was.high)
                     : "b"(value.low), "c"(value.high)
                     : "cc", "memory");
    return was;
}
#else
/* Atomic only among operations of this size. */
static wide swap_wide(void *at, wide compare, wide value)
{
    static char lock;
    wide was;

    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
    memcpy(&was, at, sizeof(was));
    if (was.low == compare.low && was.high == compare.high)
        memcpy(at, &value, sizeof(value));
    __atomic_clear(&lock, __ATOMIC_RELEASE);
    return was;
}
#endif

static inline wide wide_of(const struct ptx__warp *w, uint32_t slot, unsigned lane)
{
    return (wide){REG(uint64_t, slot)[lane], REG(uint64_t, slot + 2 * PTX__SLOT)[lane]};
}

static inline wide exchange_wide(void *at, wide value)
{
    wide guess = {0, 0}, was;

    for (;; guess = was) {
        was = swap_wide(at, guess, value);
        if (was.low == guess.low && was.high == guess.high)
            return was;
    }
}

#define WIDE_ATOMIC(id, key, place, use, expression)                                               \
    HANDLER(id, key)                                                                               \
    {                                                                                              \
        struct ptx__where where;                                                                   \
        const enum ptx__pattern pattern = ptx__locate(w, op, place, 16, use, &where);              \
                                                                                                   \
        if (pattern == PTX__FAULT)                                                                 \
            return NULL;                                                                           \
        for (uint32_t m = w->mask; m; m &= m - 1) {                                                \
            const unsigned l = (unsigned) __builtin_ctz(m);                                        \
            void *at = ptx__lane_at(&where, pattern, l, 16);                                       \
            const wide B = wide_of(w, op->list[0], l), C = wide_of(w, op->list[1], l);             \
            wide was;                                                                              \
                                                                                                   \
            (void) B, (void) C;                                                                    \
            was = (expression);                                                                    \
            REG(uint64_t, op->d)[l] = was.low;                                                     \
            REG(uint64_t, op->d + 2 * PTX__SLOT)[l] = was.high;                                    \
        }                                                                                          \
        return op + 1;                                                                             \
    }

#define WIDE_ATOMICS(space, place)                                                                 \
    WIDE_ATOMIC(space##_exch_wide, "atom." #space ".exch.b128", place, PTX__UPDATES,               \
                exchange_wide(at, B))                                                              \
    WIDE_ATOMIC(space##_cas_wide, "atom." #space ".cas.b128", place, PTX__UPDATES,                 \
                swap_wide(at, B, C))                                                               \
    WIDE_ATOMIC(space##_load_wide, "lds." #space ".b128", place, PTX__LOADS | PTX__STRONG,         \
                swap_wide(at, B, B))                                                               \
    WIDE_ATOMIC(space##_store_wide, "sts." #space ".b128", place, PTX__STORES | PTX__STRONG,       \
                exchange_wide(at, B))

WIDE_ATOMICS(global, PTX__IN_GLOBAL)
WIDE_ATOMICS(shared, PTX__IN_SHARED)
WIDE_ATOMICS(generic, PTX__IN_GENERIC)
