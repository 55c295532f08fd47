/* SPDX-License-Identifier: MIT */
#include "mock/ptx/exec/reduce.h"

#include <string.h>

#include "mock/ptx/machine/exec.h"
#include "mock/ptx/machine/softfloat.h"
#include "mock/ptx/syntax/types.h"

static uint64_t sum_flushed(uint64_t a, uint64_t b)
{
    const float x = ptx__ftz(ptx__f32((uint32_t) a)), y = ptx__ftz(ptx__f32((uint32_t) b));

    return ptx__bits32(ptx__nan32(ptx__ftz(x + y)));
}

/* A NaN stays as it is. */
static uint64_t sum_wide(uint64_t a, uint64_t b)
{
    const double x = ptx__f64(a), y = ptx__f64(b);

    return x != x ? a : y != y ? b : ptx__bits64(x + y);
}

static uint64_t sum_of(enum ptx__type type, uint64_t a, uint64_t b)
{
    switch (type) {
    case PTX_F16:
        return ptx__half_of_float(ptx__float_of_half((uint16_t) a) +
                                  ptx__float_of_half((uint16_t) b));
    case PTX_BF16:
        return ptx__bfloat_of_float(ptx__float_of_bfloat((uint16_t) a) +
                                    ptx__float_of_bfloat((uint16_t) b));
    case PTX_F32:
        return ptx__bits32(ptx__nan32(ptx__f32((uint32_t) a) + ptx__f32((uint32_t) b)));
    case PTX_F64:
        return sum_wide(a, b);
    default:
        return a + b;
    }
}

static float float_of(enum ptx__type type, uint64_t bits)
{
    return type == PTX_F16 ? ptx__float_of_half((uint16_t) bits)
                           : ptx__float_of_bfloat((uint16_t) bits);
}

/* Tells whether a is less than b. -0 is less than +0, and a NaN is never the result. */
static bool is_less(enum ptx__type type, uint64_t a, uint64_t b)
{
    const unsigned shift = 64 - ptx__type_bits(type);

    if (type == PTX_F16 || type == PTX_BF16) {
        const float x = float_of(type, a), y = float_of(type, b);

        return x == y ? a >> 15 > b >> 15 : x < y;
    }
    if (ptx__is_signed(type))
        return (int64_t) (a << shift) < (int64_t) (b << shift);
    return a < b;
}

static bool is_nan(enum ptx__type type, uint64_t bits)
{
    return (type == PTX_F16 || type == PTX_BF16) && float_of(type, bits) != float_of(type, bits);
}

static uint64_t limit_of(enum ptx__type type, bool most, uint64_t a, uint64_t b)
{
    if (is_nan(type, a) && is_nan(type, b))
        return 0x7fff;
    if (is_nan(type, a) || is_nan(type, b))
        return is_nan(type, a) ? b : a;
    return is_less(type, a, b) != most ? a : b;
}

uint64_t ptx__reduced(const struct ptx__reducing *how, uint64_t old, uint64_t value)
{
    const enum ptx__type type = (enum ptx__type) how->type;

    switch ((enum ptx__reduction) how->kind) {
    case PTX__REDUCE_ADD:
        return how->flushes ? sum_flushed(old, value) : sum_of(type, old, value);
    case PTX__REDUCE_MIN:
    case PTX__REDUCE_MAX:
        return limit_of(type, how->kind == PTX__REDUCE_MAX, old, value);
    case PTX__REDUCE_INC:
        return old >= value ? 0 : old + 1;
    case PTX__REDUCE_DEC:
        return old == 0 || old > value ? value : old - 1;
    case PTX__REDUCE_AND:
        return old & value;
    case PTX__REDUCE_OR:
        return old | value;
    case PTX__REDUCE_XOR:
        return old ^ value;
    default:
        return value;
    }
}

/* Repeats until no other thread has changed the value in between. */
#define REDUCE(T)                                                                                  \
    do {                                                                                           \
        T *to = (T *) at, old = __atomic_load_n(to, __ATOMIC_RELAXED), given, new;                 \
                                                                                                   \
        memcpy(&given, value, sizeof(given));                                                      \
        do                                                                                         \
            new = (T) ptx__reduced(how, old, given);                                               \
        while (!__atomic_compare_exchange_n(to, &old, new, false, __ATOMIC_SEQ_CST,                \
                                            __ATOMIC_RELAXED));                                    \
    } while (0)

void ptx__reduce(const struct ptx__reducing *how, void *at, const void *value)
{
    switch (how->bytes) {
    case 2:
        REDUCE(uint16_t);
        break;
    case 4:
        REDUCE(uint32_t);
        break;
    default:
        REDUCE(uint64_t);
    }
}
