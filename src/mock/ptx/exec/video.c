/* SPDX-License-Identifier: MIT */
/*
 * Video instructions. Devices of capability 9.0 do not have them, so ptxas replaces them by other
 * instructions. In some cases the results differ from the PTX manual. This code computes what an
 * H200 computes.
 */
#include "mock/ptx/exec/video.h"

#include "mock/ptx/machine/exec.h"

static int64_t cut(uint64_t value, unsigned bits, bool sign)
{
    const uint64_t kept = bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;

    return sign && kept >> (bits - 1) ? (int64_t) (kept | ~UINT64_C(0) << bits) : (int64_t) kept;
}

static unsigned bits_of(unsigned selector)
{
    return !selector ? 32 : selector < 5 ? 8 : 16;
}

static unsigned shift_of(unsigned selector)
{
    if (!selector)
        return 0;
    return selector < 5 ? 8 * (selector - 1) : 16 * (selector - 5);
}

static int64_t selected(uint32_t value, unsigned selector, bool sign)
{
    return cut(value >> shift_of(selector), bits_of(selector), sign);
}

static int64_t clamped(int64_t value, unsigned bits, bool sign)
{
    const int64_t high = ((int64_t) 1 << (bits - sign)) - 1, low = sign ? -high - 1 : 0;

    return value > high ? high : value < low ? low : value;
}

static int64_t shifted(const struct ptx__video *video, int64_t a, int64_t b)
{
    const unsigned n = video->wraps ? (unsigned) b & 31 : b > 32 ? 32u : (unsigned) b;

    return video->operation == PTX__VIDEO_SHL ? (int64_t) ((uint64_t) a << n) : a >> n;
}

/*
 * Computes a product. No factor has more than 32 bits. For an unsigned d, the sum is shifted as an
 * unsigned number.
 */
static int64_t product(const struct ptx__video *video, int64_t a, int64_t b, int64_t c)
{
    const int64_t ab = video->negative_a == video->negative_b ? a * b : -(a * b);
    const int64_t sum = ab + (video->negative_c ? -c : c) + video->plus_one;
    const int64_t value =
        video->sign_d ? sum >> video->shift : (int64_t) ((uint64_t) sum >> video->shift);

    return video->saturates ? clamped(value, 32, video->sign_d) : value;
}

static int64_t compute(const struct ptx__video *video, int64_t a, int64_t b)
{
    switch (video->operation) {
    case PTX__VIDEO_ADD:
        return a + b;
    case PTX__VIDEO_SUB:
        return a - b;
    case PTX__VIDEO_ABSDIFF:
        return a > b ? a - b : b - a;
    case PTX__VIDEO_MIN:
        return a < b ? a : b;
    case PTX__VIDEO_MAX:
        return a > b ? a : b;
    case PTX__VIDEO_AVERAGE: /* rounded away from zero */
        return a + b >= 0 ? (a + b + 1) >> 1 : -((-(a + b) + 1) >> 1);
    case PTX__VIDEO_EQ:
        return a == b;
    case PTX__VIDEO_NE:
        return a != b;
    case PTX__VIDEO_LT:
        return a < b;
    case PTX__VIDEO_LE:
        return a <= b;
    case PTX__VIDEO_GT:
        return a > b;
    case PTX__VIDEO_GE:
        return a >= b;
    default:
        return shifted(video, a, b);
    }
}

static bool is_sum(const struct ptx__video *video)
{
    return video->operation == PTX__VIDEO_ADD || video->operation == PTX__VIDEO_SUB;
}

static bool is_shift(const struct ptx__video *video)
{
    return video->operation == PTX__VIDEO_SHL || video->operation == PTX__VIDEO_SHR;
}

/*
 * Saturates a value. Shifts are first cut to 34 bits, and then limited to 32 bits, whatever part of
 * d they go to. For other operations, a part of d has no lower limit, so a negative value counts as
 * a large one; and all of an unsigned d has no upper limit.
 */
static int64_t saturated(const struct ptx__video *video, int64_t value)
{
    const unsigned bits = bits_of(video->select_d);

    if (is_shift(video))
        return clamped(cut((uint64_t) value, 34, true), 32, video->sign_d);
    if (bits < 32) {
        const int64_t high = ((int64_t) 1 << (bits - video->sign_d)) - 1;

        return (uint64_t) value > (uint64_t) high ? high : value;
    }
    if (!video->sign_d)
        return value < 0 ? 0 : value;
    return clamped(value, 32, true);
}

/*
 * The second operation, which compares 64 bits. Sums and saturated shifts are extended from 32 bits
 * with a sign; c is extended with the sign of d.
 */
static uint32_t second(const struct ptx__video *video, int64_t value, uint32_t c)
{
    const bool narrow = is_sum(video) || (is_shift(video) && video->saturates);
    const int64_t x = narrow ? (int32_t) value : value, y = cut(c, 32, video->sign_d);
    const bool below = video->sign_d ? x < y : (uint64_t) x < (uint64_t) y;

    if (video->second == PTX__SECOND_ADD)
        return (uint32_t) value + c;
    return below == (video->second == PTX__SECOND_MIN) ? (uint32_t) value : c;
}

/*
 * Puts a value into its part of c. If that is the upper half of c, it gets the value's upper half.
 */
static uint32_t merged(const struct ptx__video *video, uint32_t value, uint32_t c)
{
    const unsigned bits = bits_of(video->select_d), shift = shift_of(video->select_d);
    const uint32_t field = bits == 32 ? 0xffffffff : ((1u << bits) - 1) << shift;

    return (c & ~field) | ((bits == 16 ? value : value << shift) & field);
}

/* Computes one value, and applies the second operation or puts it into its part of c. */
static uint32_t scalar(const struct ptx__video *video, uint32_t a, uint32_t b, uint32_t c)
{
    /* vmad multiplies whole registers as signed numbers. */
    const bool mad = video->operation == PTX__VIDEO_MAD;
    const int64_t x = selected(a, video->select_a, video->sign_a || (mad && !video->select_a));
    const int64_t y = selected(b, video->select_b, video->sign_b || (mad && !video->select_b));
    int64_t value;

    if (mad)
        return (uint32_t) product(video, x, y, cut(c, 32, true));
    value = compute(video, video->negative_a ? -x : x, video->negative_b ? -y : y);
    if (video->saturates)
        value = saturated(video, value);
    return video->second ? second(video, value, c) : merged(video, (uint32_t) value, c);
}

/*
 * Computes bytes or halves side by side. With .add the result is the sum of the selected ones and
 * c.
 */
static uint32_t packed(const struct ptx__video *video, uint32_t a, uint32_t b, uint32_t c)
{
    const unsigned n = video->n_lanes, bits = 32 / n;
    const uint64_t both = (uint64_t) b << 32 | a;
    uint32_t sum = c, result = c;

    for (unsigned i = 0; i < n; i++) {
        const uint32_t field = ((1u << bits) - 1) << bits * i;
        const int64_t x = cut(both >> bits * video->lanes[0][i], bits, video->sign_a);
        const int64_t y = cut(both >> bits * video->lanes[1][i], bits, video->sign_b);
        int64_t value = compute(video, video->negative_a ? -x : x, video->negative_b ? -y : y);

        if (!(video->mask >> i & 1))
            continue;
        sum += (uint32_t) value;
        if (video->saturates)
            value = clamped(value, bits, video->sign_d);
        result = (result & ~field) | ((uint32_t) value << bits * i & field);
    }
    return video->second ? sum : result;
}

const struct ptx__op *ptx__do_video(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__video *video = (const struct ptx__video *) (uintptr_t) op->imm;
    const uint32_t *a = REG(uint32_t, op->a), *b = REG(uint32_t, op->b), *c = REG(uint32_t, op->c);
    uint32_t *d = REG(uint32_t, op->d);

    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned l = (unsigned) __builtin_ctz(m);
        const uint32_t third = video->has_c ? c[l] : 0;

        d[l] = video->n_lanes == 1 ? scalar(video, a[l], b[l], third)
                                   : packed(video, a[l], b[l], third);
    }
    return op + 1;
}
