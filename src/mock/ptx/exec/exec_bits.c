/* SPDX-License-Identifier: MIT */
/* Bits, bytes, halves, and carry chains. */
#include "mock/ptx/machine/exec.h"

LANEWISE(clz_u32, "clz.u32", u32, u32, u32, u32, A ? __builtin_clz(A) : 32)
LANEWISE(clz_u64, "clz.u64", u32, u64, u64, u32, A ? __builtin_clzll(A) : 64)
LANEWISE(popc_u32, "popc.u32", u32, u32, u32, u32, __builtin_popcount(A))
LANEWISE(popc_u64, "popc.u64", u32, u64, u64, u32, __builtin_popcountll(A))

static inline uint32_t reversed32(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}

static inline uint64_t reversed64(uint64_t x)
{
    return (uint64_t) reversed32((uint32_t) x) << 32 | reversed32((uint32_t) (x >> 32));
}

LANEWISE(brev_u32, "brev.u32", u32, u32, u32, u32, reversed32(A))
LANEWISE(brev_u64, "brev.u64", u64, u64, u64, u32, reversed64(A))

/*
 * Of a position or a length, operations on 32 bits use the low 8 bits, and operations on 64 bits
 * use all of it.
 */
static inline uint32_t operand(uint32_t x, unsigned bits)
{
    return bits == 64 ? x : x & 0xff;
}

/* Returns up to `length` bits from `position` on. Beyond the end there is the sign, or zeros. */
static inline uint64_t extracted(uint64_t a, uint32_t position, uint32_t length, unsigned bits,
                                 bool with_sign)
{
    const uint32_t p = operand(position, bits), n = operand(length, bits);
    const uint64_t end = (uint64_t) p + n - 1;
    const uint32_t last = end < bits ? (uint32_t) end : bits - 1;
    const bool sign = with_sign && n && a >> last & 1;
    uint64_t r = p < bits ? a >> p : 0;

    if (bits == 32)
        r &= 0xffffffff;
    if (n < 64)
        r &= (UINT64_C(1) << n) - 1;
    /* All bits from the last bit of the field on are the sign. */
    if (sign && last >= p)
        r |= last - p < 63 ? ~UINT64_C(0) << (last - p) : UINT64_C(1) << 63;
    else if (sign)
        r = ~UINT64_C(0);
    return r;
}

LANEWISE(bfe_u32, "bfe.u32", u32, u32, u32, u32, extracted(A, B, C, 32, false))
LANEWISE(bfe_s32, "bfe.s32", u32, u32, u32, u32, extracted(A, B, C, 32, true))
LANEWISE(bfe_u64, "bfe.u64", u64, u64, u32, u32, extracted(A, B, C, 64, false))
LANEWISE(bfe_s64, "bfe.s64", u64, u64, u32, u32, extracted(A, B, C, 64, true))

static inline uint64_t inserted(uint64_t a, uint64_t b, uint32_t position, uint32_t length,
                                unsigned bits)
{
    const uint32_t p = operand(position, bits), n = operand(length, bits);
    const uint64_t field = n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;

    return p >= bits ? b : (b & ~(field << p)) | (a & field) << p;
}

/* Operations with four sources; the last one is in the list. */
#define FOUR(id, key, TD, TA, TB, TC, TE, expression)                                              \
    HANDLER(id, key)                                                                               \
    {                                                                                              \
        S_##TD *d = REG(S_##TD, op->d);                                                            \
        const S_##TA *pa = REG(S_##TA, op->a);                                                     \
        const S_##TB *pb = REG(S_##TB, op->b);                                                     \
        const S_##TC *pc = REG(S_##TC, op->c);                                                     \
        const S_##TE *pe = REG(S_##TE, op->list[0]);                                               \
        const uint32_t mask = w->mask;                                                             \
                                                                                                   \
        PTX__EACH_LANE                                                                             \
        {                                                                                          \
            const V_##TA A = pa[l];                                                                \
            const V_##TB B = pb[l];                                                                \
            const V_##TC C = pc[l];                                                                \
            const V_##TE E = pe[l];                                                                \
            const S_##TD r = (S_##TD)(expression);                                                 \
                                                                                                   \
            d[l] = mask >> l & 1 ? r : d[l];                                                       \
        }                                                                                          \
        return op + 1;                                                                             \
    }

FOUR(bfi_u32, "bfi.u32", u32, u32, u32, u32, u32, inserted(A, B, C, E, 32))
FOUR(bfi_u64, "bfi.u64", u64, u64, u64, u32, u32, inserted(A, B, C, E, 64))

/* The index of the highest bit that is not the sign; all ones if there is none. */
#define HIGHEST(x, bits, clz) ((x) ? (bits) -1 - (uint32_t) clz(x) : 0xffffffffu)
#define BFIND(T, U, bits, clz, value)                                                              \
    LANEWISE(bfind_##T, "bfind." #T, u32, U, U, u32, HIGHEST(value, bits, clz))                    \
    LANEWISE(bfind_shift_##T, "bfind.shiftamt." #T, u32, U, U, u32,                                \
             (value) ? (uint32_t) clz(value) : 0xffffffffu)

BFIND(u32, u32, 32, __builtin_clz, A)
BFIND(s32, u32, 32, __builtin_clz, (A >> 31 ? ~A : A))
BFIND(u64, u64, 64, __builtin_clzll, A)
BFIND(s64, u64, 64, __builtin_clzll, (A >> 63 ? ~A : A))

static inline uint32_t field_mask(uint32_t from, uint32_t n)
{
    const uint64_t ones = n >= 32 ? 0xffffffff : (UINT64_C(1) << n) - 1;

    return from >= 32 ? 0 : (uint32_t) (ones << from);
}

LANEWISE(bmsk_clamp, "bmsk.clamp.u32", u32, u32, u32, u32, field_mask(A, B))
LANEWISE(bmsk_wrap, "bmsk.wrap.u32", u32, u32, u32, u32, field_mask(A & 31, B & 31))

/* Returns the low n bits, with zeros or the sign above them. */
static inline uint32_t sized(uint32_t a, uint32_t n, bool with_sign)
{
    if (n >= 32)
        return a;
    if (!n)
        return 0;
    a &= (1u << n) - 1;
    return with_sign && a >> (n - 1) ? a | ~((1u << n) - 1) : a;
}

LANEWISE(szext_clamp_u32, "szext.clamp.u32", u32, u32, u32, u32, sized(A, B, false))
LANEWISE(szext_clamp_s32, "szext.clamp.s32", u32, u32, u32, u32, sized(A, B, true))
LANEWISE(szext_wrap_u32, "szext.wrap.u32", u32, u32, u32, u32, sized(A, B & 31, false))
LANEWISE(szext_wrap_s32, "szext.wrap.s32", u32, u32, u32, u32, sized(A, B & 31, true))

/*
 * fns: the n-th set bit from a base on, upwards or downwards; all ones if there is none. The n that
 * cannot be negated yields 0.
 */
static inline uint32_t nth_set(uint32_t mask, uint32_t base, int32_t n)
{
    uint32_t left = n < 0 ? -(uint32_t) n : (uint32_t) n;
    int32_t at = (int32_t) base;
    const int32_t step = n < 0 ? -1 : 1;

    if (n == INT32_MIN)
        return 0;
    if (n == 0)
        return base < 32 && mask >> base & 1 ? base : 0xffffffff;
    for (; at >= 0 && at < 32; at += step) {
        if (mask >> at & 1 && --left == 0)
            return (uint32_t) at;
    }
    return 0xffffffff;
}

LANEWISE(fns, "fns.u32", u32, u32, u32, s32, nth_set(A, B, C))

/* --- bytes --- */

static inline uint32_t byte_of(uint64_t bytes, uint32_t selector)
{
    const uint32_t byte = (uint32_t) (bytes >> 8 * (selector & 7) & 0xff);

    return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static inline uint32_t permuted(uint32_t a, uint32_t b, uint32_t c)
{
    const uint64_t bytes = (uint64_t) b << 32 | a;

    return byte_of(bytes, c & 15) | byte_of(bytes, c >> 4 & 15) << 8 |
           byte_of(bytes, c >> 8 & 15) << 16 | byte_of(bytes, c >> 12 & 15) << 24;
}

LANEWISE(prmt, "prmt.u32", u32, u32, u32, u32, permuted(A, B, C))

/* The modes of prmt: selectors for each value of the low two bits of c. */
static const uint16_t f4e[4] = {0x3210, 0x4321, 0x5432, 0x6543};
static const uint16_t b4e[4] = {0x5670, 0x6701, 0x7012, 0x0123};
static const uint16_t rc8[4] = {0x0000, 0x1111, 0x2222, 0x3333};
static const uint16_t ecl[4] = {0x3210, 0x3211, 0x3222, 0x3333};
static const uint16_t ecr[4] = {0x0000, 0x1110, 0x2210, 0x3210};
static const uint16_t rc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};

#define PERMUTE(mode)                                                                              \
    LANEWISE(prmt_##mode, "prmt." #mode ".u32", u32, u32, u32, u32, permuted(A, B, mode[C & 3]))

PERMUTE(f4e)
PERMUTE(b4e)
PERMUTE(rc8)
PERMUTE(ecl)
PERMUTE(ecr)
PERMUTE(rc16)

/* --- logic of three --- */

static inline uint32_t lookup(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t r = 0;

    for (unsigned i = 0; i < 8; i++) {
        const uint32_t term = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);

        r |= table >> i & 1 ? term : 0;
    }
    return r;
}

/* lop3: the table is the same for all lanes. */
HANDLER(lop3, "lop3.u32")
{
    uint32_t *d = REG(uint32_t, op->d);
    const uint32_t *a = REG(uint32_t, op->a), *b = REG(uint32_t, op->b), *c = REG(uint32_t, op->c);
    const uint32_t table = REG(uint32_t, op->list[0])[0], mask = w->mask;

    PTX__EACH_LANE
    {
        const uint32_t r = lookup(a[l], b[l], c[l], table);
        d[l] = mask >> l & 1 ? r : d[l];
    }
    return op + 1;
}

static uint32_t nonzero(const uint32_t *d)
{
    uint32_t bits = 0;

    PTX__EACH_LANE bits |= (uint32_t) (d[l] != 0) << l;
    return bits;
}

#define LOP3_BOOL(name, OP)                                                                        \
    HANDLER(lop3_##name, "lop3." #name ".u32")                                                     \
    {                                                                                              \
        uint32_t other = PRED(op->list[1]);                                                        \
                                                                                                   \
        lop3(w, op);                                                                               \
        ptx__set_pred(w, op->list[3], nonzero(REG(uint32_t, op->d)) OP other);                     \
        return op + 1;                                                                             \
    }

LOP3_BOOL(or, |)
LOP3_BOOL(and, &)

/* --- funnel shifts --- */

#define PAIR(a, b) ((uint64_t) (b) << 32 | (a))

LANEWISE(shf_l_wrap, "shf.l.wrap.u32", u32, u32, u32, u32, PAIR(A, B) << (C & 31) >> 32)
LANEWISE(shf_r_wrap, "shf.r.wrap.u32", u32, u32, u32, u32, PAIR(A, B) >> (C & 31))
LANEWISE(shf_l_clamp, "shf.l.clamp.u32", u32, u32, u32, u32, PAIR(A, B) << (C < 32 ? C : 32) >> 32)
LANEWISE(shf_r_clamp, "shf.r.clamp.u32", u32, u32, u32, u32, PAIR(A, B) >> (C < 32 ? C : 32))

/* --- products of bytes --- */

#define BYTE_u32(x, i) ((uint32_t) (uint8_t) ((x) >> 8 * (i)))
#define BYTE_s32(x, i) ((uint32_t) (int32_t) (int8_t) ((x) >> 8 * (i)))
#define HALF_u32(x, i) ((uint32_t) (uint16_t) ((x) >> 16 * (i)))
#define HALF_s32(x, i) ((uint32_t) (int32_t) (int16_t) ((x) >> 16 * (i)))

#define DOT(TA, TB)                                                                                \
    LANEWISE(dp4a_##TA##_##TB, "dp4a." #TA "." #TB, u32, u32, u32, u32,                            \
             C + BYTE_##TA(A, 0) * BYTE_##TB(B, 0) + BYTE_##TA(A, 1) * BYTE_##TB(B, 1) +           \
                 BYTE_##TA(A, 2) * BYTE_##TB(B, 2) + BYTE_##TA(A, 3) * BYTE_##TB(B, 3))            \
    LANEWISE(dp2a_lo_##TA##_##TB, "dp2a.lo." #TA "." #TB, u32, u32, u32, u32,                      \
             C + HALF_##TA(A, 0) * BYTE_##TB(B, 0) + HALF_##TA(A, 1) * BYTE_##TB(B, 1))            \
    LANEWISE(dp2a_hi_##TA##_##TB, "dp2a.hi." #TA "." #TB, u32, u32, u32, u32,                      \
             C + HALF_##TA(A, 0) * BYTE_##TB(B, 2) + HALF_##TA(A, 1) * BYTE_##TB(B, 3))

DOT(u32, u32)
DOT(u32, s32)
DOT(s32, u32)
DOT(s32, s32)

/*
 * --- carries: one bit for each lane, in a special slot ---
 *
 * The bit is always a carry: a difference is the sum with the complement, so a subtraction sets it
 * if it did not borrow. Sums and differences in one chain use the same bit.
 */

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/* Each of these instructions is the sum of two terms and a carry. */
enum terms {
    SUM,        /* a, b */
    DIFFERENCE, /* a, ~b */
    LOW,        /* the low half of a * b, c */
    HIGH_U,     /* the high half of a * b, c */
    HIGH_S,     /* the same of signed numbers */
};

PTX__INLINE uint64_t low_bits(uint64_t x, unsigned bits)
{
    return bits == 64 ? x : (uint32_t) x;
}

PTX__INLINE uint64_t high_half(uint64_t a, uint64_t b, enum terms terms, unsigned bits)
{
    if (bits == 32 && terms == HIGH_U)
        return a * b >> 32;
    if (bits == 32)
        return (uint64_t) ((int64_t) (int32_t) a * (int32_t) b) >> 32;
    return terms == HIGH_U ? (uint64_t) ((u128) a * b >> 64)
                           : (uint64_t) ((s128) (int64_t) a * (int64_t) b >> 64);
}

PTX__INLINE uint64_t first_term(uint64_t a, uint64_t b, enum terms terms, unsigned bits)
{
    if (terms <= DIFFERENCE)
        return a;
    return terms == LOW ? low_bits(a * b, bits) : high_half(a, b, terms, bits);
}

/* The carry comes from the chain, or else it is the 1 that makes ~b a negative number. */
PTX__INLINE const struct ptx__op *chained(struct ptx__warp *w, const struct ptx__op *op,
                                          enum terms terms, unsigned bits, bool takes_carry,
                                          bool gives_carry)
{
    const void *a = REG(void, op->a), *b = REG(void, op->b), *c = REG(void, op->c);
    const uint32_t taken = PRED(PTX__CARRY_SLOT);
    void *d = REG(void, op->d);
    uint32_t carries = 0;

    for (unsigned l = 0; l < PTX__LANES; l++) {
        const uint64_t A = ptx__of_lane(a, bits, l), B = ptx__of_lane(b, bits, l);
        const uint64_t x = first_term(A, B, terms, bits);
        const uint64_t y = terms == SUM          ? B
                           : terms == DIFFERENCE ? low_bits(~B, bits)
                                                 : ptx__of_lane(c, bits, l);
        const uint64_t carry = takes_carry ? taken >> l & 1 : terms == DIFFERENCE;
        const uint64_t sum = x + y + carry;
        const bool more = bits == 32 ? sum >> 32 : sum < x || (carry && sum == x);

        if (ACTIVE(l))
            ptx__set_lane(d, bits, l, sum);
        carries |= (uint32_t) more << l;
    }
    if (gives_carry)
        ptx__set_pred(w, PTX__CARRY_SLOT, carries);
    return op + 1;
}

#define CHAINED(id, key, terms, bits, takes_carry, gives_carry)                                    \
    HANDLER(id, key)                                                                               \
    {                                                                                              \
        return chained(w, op, terms, bits, takes_carry, gives_carry);                              \
    }

/* Instructions that begin a chain, that are in its middle, and that end it. */
#define CHAIN(id, name, part, type, terms, bits)                                                   \
    CHAINED(id##_begin, name part ".cc" type, terms, bits, false, true)                            \
    CHAINED(id##_middle, name "c" part ".cc" type, terms, bits, true, true)                        \
    CHAINED(id##_end, name "c" part type, terms, bits, true, false)

CHAIN(add_u32, "add", "", ".u32", SUM, 32)
CHAIN(add_u64, "add", "", ".u64", SUM, 64)
CHAIN(sub_u32, "sub", "", ".u32", DIFFERENCE, 32)
CHAIN(sub_u64, "sub", "", ".u64", DIFFERENCE, 64)
CHAIN(mad_lo_u32, "mad", ".lo", ".u32", LOW, 32)
CHAIN(mad_lo_u64, "mad", ".lo", ".u64", LOW, 64)
CHAIN(mad_hi_u32, "mad", ".hi", ".u32", HIGH_U, 32)
CHAIN(mad_hi_s32, "mad", ".hi", ".s32", HIGH_S, 32)
CHAIN(mad_hi_u64, "mad", ".hi", ".u64", HIGH_U, 64)
CHAIN(mad_hi_s64, "mad", ".hi", ".s64", HIGH_S, 64)

/* --- parts of registers --- */

/* imm: the number of the first bit << 8 | the number of bits. */
#define UNPACK(T)                                                                                  \
    HANDLER(unpack_##T, "unpack." #T)                                                              \
    {                                                                                              \
        const uint##T##_t *a = REG(uint##T##_t, op->a);                                            \
        const unsigned shift = (unsigned) (op->imm >> 8), bits = op->imm & 0xff;                   \
        const uint32_t mask = w->mask, field = bits < 32 ? (1u << bits) - 1 : 0xffffffff;          \
        uint32_t *d = REG(uint32_t, op->d);                                                        \
                                                                                                   \
        if (bits == 64) {                                                                          \
            for (uint32_t m = mask; m; m &= m - 1)                                                 \
                REG(uint64_t, op->d)[__builtin_ctz(m)] = a[__builtin_ctz(m)];                      \
            return op + 1;                                                                         \
        }                                                                                          \
        PTX__EACH_LANE                                                                             \
        {                                                                                          \
            const uint32_t r = (uint32_t) (a[l] >> shift) & field;                                 \
            d[l] = mask >> l & 1 ? r : d[l];                                                       \
        }                                                                                          \
        return op + 1;                                                                             \
    }                                                                                              \
    HANDLER(pack_##T, "pack." #T)                                                                  \
    {                                                                                              \
        uint##T##_t *d = REG(uint##T##_t, op->d), r[PTX__LANES] = {0};                             \
        const unsigned bits = (unsigned) op->imm;                                                  \
        const uint32_t mask = w->mask, field = bits < 32 ? (1u << bits) - 1 : 0xffffffff;          \
                                                                                                   \
        for (unsigned i = 0; i < op->n_list; i++) {                                                \
            const uint32_t *a = REG(uint32_t, op->list[i]);                                        \
            PTX__EACH_LANE r[l] |= (uint##T##_t)(a[l] & field) << i * bits;                        \
        }                                                                                          \
        PTX__EACH_LANE d[l] = mask >> l & 1 ? r[l] : d[l];                                         \
        return op + 1;                                                                             \
    }

UNPACK(32)
UNPACK(64)

/* --- generic addresses --- */

HANDLER(address_add, "address.add")
{
    uint64_t *d = REG(uint64_t, op->d);
    const uint64_t *a = REG(uint64_t, op->a), add = op->imm;
    const uint32_t mask = w->mask;

    PTX__EACH_LANE d[l] = mask >> l & 1 ? a[l] + add : d[l];
    return op + 1;
}
