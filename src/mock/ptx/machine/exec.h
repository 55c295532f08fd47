/* SPDX-License-Identifier: MIT */
/*
 * How handlers are written. The files exec_*.c are compiled once for each instruction set of the
 * host, each time with another PTX__CLONE. A handler is placed in a section together with its key,
 * so that no list of handlers is needed.
 *
 * Lanes that do not take part keep their values. If no other lane of the frame is alive
 * (warp->converged), all 32 lanes may be written, which is what the fast loops do.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_EXEC_H
#define CUSHIM_MOCK_PTX_MACHINE_EXEC_H

#include <string.h>

#include "mock/ptx/machine/code.h"
#include "mock/ptx/machine/warp.h"

#ifndef PTX__CLONE
#define PTX__CLONE base
#endif

/*
 * A handler and its key. For one that computes slot d of slots a, b and c, and does nothing else,
 * there are the bits of a lane of each, which the compiled tier reads; else they are 0.
 */
struct ptx__keyed {
    const char *key;
    ptx__handler run;
    uint8_t d, a, b, c;
} __attribute__((aligned(32))); /* so that nothing is between two of them in their section */

#define PTX__GLUE_(a, b) a##b
#define PTX__GLUE(a, b)  PTX__GLUE_(a, b)
#define PTX__TEXT_(a)    #a
#define PTX__TEXT(a)     PTX__TEXT_(a)
/* The name of a function that is compiled once for each instruction set, and called directly. */
#define PTX__CLONED(name) PTX__GLUE(PTX__GLUE(name, _), PTX__CLONE)
#define PTX__KEYED        __attribute__((used, section("ptx_" PTX__TEXT(PTX__CLONE))))

#ifdef __clang__
#define PTX__EACH_OF(n)                                                                            \
    _Pragma("clang loop vectorize(assume_safety)") for (unsigned l = 0; l < (n); l++)
#else
#define PTX__EACH_OF(n) _Pragma("GCC ivdep") for (unsigned l = 0; l < (n); l++)
#endif
#define PTX__EACH_LANE PTX__EACH_OF(PTX__LANES)

#define PTX__UNIQUE(name) PTX__GLUE(name, __COUNTER__)

/* Defines a handler and its key; the body follows. The numbers are those of struct ptx__keyed. */
#define COMPUTES(id, key_text, d, a, b, c)                                                         \
    static const struct ptx__op *id(struct ptx__warp *w, const struct ptx__op *op);                \
    PTX__KEYED static const struct ptx__keyed named_##id = {key_text, id, d, a, b, c};             \
    static const struct ptx__op *id(struct ptx__warp *w, const struct ptx__op *op)
#define HANDLER(id, key_text) COMPUTES(id, key_text, 0, 0, 0, 0)

/* A second key for a handler. */
#define ALSO(id, n, key_text)                                                                      \
    PTX__KEYED static const struct ptx__keyed named_##id##_##n = {key_text, id, 0, 0, 0, 0};

/* How values of a type are stored in a slot (S), used in expressions (V), and stored again (W). */
#define S_u8  uint32_t
#define V_u8  uint8_t
#define W_u8  uint8_t
#define S_s8  uint32_t
#define V_s8  int8_t
#define W_s8  uint8_t
#define S_u16 uint32_t
#define V_u16 uint16_t
#define W_u16 uint16_t
#define S_s16 uint32_t
#define V_s16 int16_t
#define W_s16 uint16_t
#define S_u32 uint32_t
#define V_u32 uint32_t
#define W_u32 uint32_t
#define S_s32 int32_t
#define V_s32 int32_t
#define W_s32 int32_t
#define S_u64 uint64_t
#define V_u64 uint64_t
#define W_u64 uint64_t
#define S_s64 int64_t
#define V_s64 int64_t
#define W_s64 int64_t
#define S_f32 float
#define V_f32 float
#define W_f32 float
#define S_f64 double
#define V_f64 double
#define W_f64 double

#define REG(type, slot) ((type *) __builtin_assume_aligned(w->regs + (slot), 64))
#define PRED(slot)      (*(uint32_t *) (w->regs + (slot)))
#define ACTIVE(l)       (w->mask >> (l) &1)

/* d = expression of A, B and C, for each lane. */
#define LANEWISE(id, key_text, TD, TA, TB, TC, expression)                                         \
    COMPUTES(id, key_text, 8 * sizeof(S_##TD), 8 * sizeof(S_##TA), 8 * sizeof(S_##TB),             \
             8 * sizeof(S_##TC))                                                                   \
    {                                                                                              \
        S_##TD *d = REG(S_##TD, op->d);                                                            \
        const S_##TA *pa = REG(S_##TA, op->a);                                                     \
        const S_##TB *pb = REG(S_##TB, op->b);                                                     \
        const S_##TC *pc = REG(S_##TC, op->c);                                                     \
        const uint32_t mask = w->mask;                                                             \
                                                                                                   \
        (void) pb;                                                                                 \
        (void) pc;                                                                                 \
        if (w->converged) {                                                                        \
            PTX__EACH_LANE                                                                         \
            {                                                                                      \
                const V_##TA A = (V_##TA) pa[l];                                                   \
                const V_##TB B = (V_##TB) pb[l];                                                   \
                const V_##TC C = (V_##TC) pc[l];                                                   \
                (void) A, (void) B, (void) C;                                                      \
                d[l] = (S_##TD)(W_##TD)(expression);                                               \
            }                                                                                      \
        } else {                                                                                   \
            PTX__EACH_LANE                                                                         \
            {                                                                                      \
                const V_##TA A = (V_##TA) pa[l];                                                   \
                const V_##TB B = (V_##TB) pb[l];                                                   \
                const V_##TC C = (V_##TC) pc[l];                                                   \
                (void) A, (void) B, (void) C;                                                      \
                const S_##TD r = (S_##TD)(W_##TD)(expression);                                     \
                d[l] = mask >> l & 1 ? r : d[l];                                                   \
            }                                                                                      \
        }                                                                                          \
        return op + 1;                                                                             \
    }

#define UNARY(name, T, expression)   LANEWISE(name##_##T, #name "." #T, T, T, u32, u32, expression)
#define BINARY(name, T, expression)  LANEWISE(name##_##T, #name "." #T, T, T, T, u32, expression)
#define TERNARY(name, T, expression) LANEWISE(name##_##T, #name "." #T, T, T, T, T, expression)

/*
 * For functions that get the sizes and types of an instruction as constants: each handler that
 * calls one is compiled for its own.
 */
#define PTX__INLINE static inline __attribute__((always_inline))

/* The value of a lane. bits is 64, or less for a slot of 32 bits. */
PTX__INLINE uint64_t ptx__of_lane(const void *slot, unsigned bits, unsigned lane)
{
    return bits == 64 ? ((const uint64_t *) slot)[lane] : ((const uint32_t *) slot)[lane];
}

PTX__INLINE void ptx__set_lane(void *slot, unsigned bits, unsigned lane, uint64_t value)
{
    if (bits == 64)
        ((uint64_t *) slot)[lane] = value;
    else
        ((uint32_t *) slot)[lane] = (uint32_t) value;
}

static inline void ptx__set_pred(struct ptx__warp *w, uint32_t slot, uint32_t bits)
{
    uint32_t *pred = &PRED(slot);

    *pred = (*pred & ~w->mask) | (bits & w->mask);
}

/*
 * Defines a comparison: for each lane, d becomes the truth of an expression of the operands A and
 * B.
 */
#define COMPARE(id, key_text, T, expression)                                                       \
    COMPUTES(id, key_text, 1, 8 * sizeof(S_##T), 8 * sizeof(S_##T), 0)                             \
    {                                                                                              \
        const S_##T *pa = REG(S_##T, op->a);                                                       \
        const S_##T *pb = REG(S_##T, op->b);                                                       \
        uint32_t bits = 0;                                                                         \
                                                                                                   \
        PTX__EACH_LANE                                                                             \
        {                                                                                          \
            const V_##T A = (V_##T) pa[l];                                                         \
            const V_##T B = (V_##T) pb[l];                                                         \
            bits |= (uint32_t) !!(expression) << l;                                                \
        }                                                                                          \
        ptx__set_pred(w, op->d, bits);                                                             \
        return op + 1;                                                                             \
    }

static inline uint32_t ptx__bits32(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline float ptx__f32(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

static inline uint64_t ptx__bits64(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline double ptx__f64(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Returns x, or the NaN that operations on .f32 yield. */
static inline float ptx__nan32(float x)
{
    return x == x ? x : ptx__f32(0x7fffffff);
}

static inline double ptx__quiet64(double x)
{
    return x == x ? x : ptx__f64(ptx__bits64(x) | UINT64_C(0x0008000000000000));
}

/*
 * Returns the NaN of an operation on .f64: the first operand that is a NaN, made quiet, or else a
 * new NaN.
 */
static inline double ptx__nan64(double r, double first, double second, double third)
{
    double nan = ptx__f64(UINT64_C(0xfff8000000000000));

    nan = third == third ? nan : third;
    nan = second == second ? nan : second;
    nan = first == first ? nan : first;
    return r == r ? r : ptx__quiet64(nan);
}

/* .ftz: a subnormal number becomes a zero with its sign. */
static inline float ptx__ftz(float x)
{
    const uint32_t bits = ptx__bits32(x);

    return ptx__f32(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

#endif
