/* SPDX-License-Identifier: MIT */
#include "mock/ptx/video.h"

#include "mock/ptx/exec.h"

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

static int64_t product(const struct ptx__video *video, int64_t a, int64_t b, int64_t c)
{
    __extension__ __int128 sum = (__int128) a * b;

    if (video->negative_a != video->negative_b)
        sum = -sum;
    sum += (video->negative_c ? -c : c) + video->plus_one;
    sum >>= video->shift;
    if (!video->saturates)
        return (int64_t) sum;
    return sum > INT32_MAX && video->sign_d   ? INT32_MAX
           : sum < INT32_MIN && video->sign_d ? INT32_MIN
           : sum > UINT32_MAX                 ? UINT32_MAX
           : sum < 0 && !video->sign_d        ? 0
                                              : (int64_t) sum;
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

static uint32_t second(const struct ptx__video *video, uint32_t value, uint32_t c)
{
    const int64_t x = cut(value, 32, video->sign_d), y = cut(c, 32, video->sign_d);

    switch (video->second) {
    case PTX__SECOND_ADD:
        return value + c;
    case PTX__SECOND_MIN:
        return x < y ? value : c;
    default:
        return x > y ? value : c;
    }
}

/* One value: with the second operation, or put into its part of c. */
static uint32_t scalar(const struct ptx__video *video, uint32_t a, uint32_t b, uint32_t c)
{
    const int64_t x = selected(a, video->select_a, video->sign_a);
    const int64_t y = selected(b, video->select_b, video->sign_b);
    const unsigned bits = bits_of(video->select_d), shift = shift_of(video->select_d);
    const uint32_t field = bits == 32 ? 0xffffffff : ((1u << bits) - 1) << shift;
    int64_t value;

    if (video->operation == PTX__VIDEO_MAD)
        return (uint32_t) product(video, x, y, cut(c, 32, video->sign_d));
    value = compute(video, video->negative_a ? -x : x, video->negative_b ? -y : y);
    if (video->saturates)
        value = clamped(value, bits, video->sign_d);
    if (video->second)
        return second(video, (uint32_t) value, c);
    return video->select_d ? (c & ~field) | ((uint32_t) value << shift & field) : (uint32_t) value;
}

/* Bytes or halves side by side; with .add the sum of the chosen ones and c. */
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
