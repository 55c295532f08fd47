/* SPDX-License-Identifier: MIT */
#include "texture.h"

#include <math.h>

#include "number.h"
#include "texture_srgb.h"

enum { AS_INTEGER = 1, NORMALISED = 2, SRGB = 0x10, LAYERED = 1, CUBEMAP = 4 };
enum { WRAP, CLAMP, MIRROR, BORDER };
enum { OUTSIDE = -1 };

struct texture texture_of(const struct corpus_run *run, unsigned b)
{
    return (struct texture){&run->test->buffers[b], run->in[b]};
}

static long size_of(const struct corpus_image *image, unsigned axis, unsigned level)
{
    long size = image->size[axis] ? (long) image->size[axis] : 1;

    while (level-- && size > 1 && !(axis == 2 && image->flags & (LAYERED | CUBEMAP)))
        size /= 2;
    return size;
}

static unsigned channels_of(const struct corpus_image *image)
{
    return image->channels ? image->channels : 1;
}

/* --- elements --- */

/* The largest of the integers that are read as fractions; 0: they are read as they are. */
static double largest_of(const struct corpus_buffer *buffer)
{
    const bool whole = buffer->type == U8 || buffer->type == U16;

    if (!whole || buffer->image->reading & AS_INTEGER)
        return 0;
    return exp2(8 * (double) corpus_size_of(buffer->type) - buffer->image->sign) - 1;
}

static int64_t integer_at(const struct texture *texture, size_t i)
{
    const size_t bytes = corpus_size_of(texture->buffer->type);
    uint64_t bits = 0;

    memcpy(&bits, (const char *) texture->data + i * bytes, bytes);
    if (texture->buffer->image->sign && bits >> (8 * bytes - 1))
        return (int64_t) bits - ((int64_t) 1 << 8 * bytes);
    return (int64_t) bits;
}

static bool is_srgb(const struct texture *texture, unsigned channel)
{
    return texture->buffer->image->reading & SRGB && texture->buffer->type == U8 && channel < 3;
}

static double fraction(const struct texture *texture, int64_t integer, unsigned channel)
{
    const double x = (double) integer / largest_of(texture->buffer);

    if (is_srgb(texture, channel))
        return texture_srgb[integer] / 16384.0;
    return x < -1 ? -1 : x;
}

/* What is no number keeps its bits. */
static uint32_t half_bits(uint16_t half)
{
    if ((half & 0x7c00) == 0x7c00 && half & 0x3ff)
        return (uint32_t) (half & 0x8000) << 16 | 0x7f800000 | (uint32_t) (half & 0x3ff) << 13;
    return bits_of((float) half_value(half));
}

/* Where a place on a level is among all elements of the buffer. */
static size_t number_of(const struct texture *texture, const long *at, unsigned level)
{
    const struct corpus_image *image = texture->buffer->image;
    size_t before = 0;

    for (unsigned i = 0; i < level; i++)
        before += (size_t) (size_of(image, 0, i) * size_of(image, 1, i) * size_of(image, 2, i));
    return before +
           (size_t) ((at[2] * size_of(image, 1, level) + at[1]) * size_of(image, 0, level) + at[0]);
}

static uint32_t channel_at(const struct texture *texture, const long *at, unsigned level,
                           unsigned channel)
{
    const unsigned channels = channels_of(texture->buffer->image);
    int64_t integer;

    if (channel >= channels)
        return 0;
    if (at[0] == OUTSIDE || at[1] == OUTSIDE || at[2] == OUTSIDE)
        return bits_of(texture->buffer->image->border[channel]);
    integer = integer_at(texture, number_of(texture, at, level) * channels + channel);
    if (texture->buffer->type == F16)
        return half_bits((uint16_t) integer);
    if (largest_of(texture->buffer) > 0)
        return bits_of((float) fraction(texture, integer, channel));
    return (uint32_t) integer;
}

/* --- places --- */

static long inside(long i, long n, unsigned mode)
{
    if (mode == WRAP)
        return (i % n + n) % n;
    if (mode == MIRROR && ((i / n + (i < 0 && i % n)) & 1))
        return n - 1 - (i % n + n) % n;
    if (mode == MIRROR)
        return (i % n + n) % n;
    if (mode == BORDER)
        return i < 0 || i >= n ? OUTSIDE : i;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

struct axis {
    long low, high;
    unsigned part;
};

static struct axis axis_of(const struct texture *texture, double x, unsigned number, unsigned level,
                           bool linear)
{
    const struct corpus_image *image = texture->buffer->image;
    const bool normalised = image->reading & NORMALISED || image->flags & CUBEMAP;
    const long n = size_of(image, number, level);
    unsigned mode = image->modes[number];
    double place;
    struct axis axis = {0, 0, 0};
    long steps;

    if (!normalised && mode != BORDER)
        mode = CLAMP;
    /* 21 bits behind the point are looked at. */
    place = floor(x * 0x1p21) / 0x1p21 * (normalised ? (double) n : 1);
    axis.low = inside((long) floor(place), n, mode);
    if (!linear)
        return axis;
    steps = (long) floor((place - 0.5) * 256 + 0.5);
    axis.low = inside(steps >> 8, n, mode);
    axis.high = inside((steps >> 8) + 1, n, mode);
    axis.part = mode == CLAMP && axis.low == axis.high ? 0 : steps & 255;
    return axis;
}

/* --- sums --- */

/* What is added up: in up to four planes, each of up to four corners. */
struct terms {
    double values[16];
    unsigned weights[16];
};

static double rounded(double x, int bits, int least)
{
    int exponent;

    frexp(x, &exponent);
    exponent = exponent - bits < least ? least : exponent - bits;
    return ldexp(round(ldexp(x, -exponent)), exponent);
}

/* Elements are cut to so many bits below the top of the largest of their plane. A sum of
 * planes ends two bits below the last one of the larger plane. */
static float sum_of(const struct terms *terms, int cut, int bits, int least)
{
    double total = 0;
    int last = -1000;

    for (unsigned plane = 0; plane < 16; plane += 4) {
        const double *values = terms->values + plane;
        const unsigned *weights = terms->weights + plane;
        int largest = -1000, exponent;
        double sum = 0;

        for (unsigned i = 0; i < 4; i++) {
            frexp(values[i], &exponent);
            if (weights[i] && values[i] != 0 && exponent > largest)
                largest = exponent;
        }
        for (unsigned i = 0; i < 4 && largest > -1000; i++)
            sum += weights[i] * ldexp(trunc(ldexp(values[i], cut - largest)), -8);
        if (sum == 0)
            continue;
        largest -= cut;
        if (total == 0) {
            total = ldexp(sum, largest);
            last = largest - 8;
            continue;
        }
        last = (largest - 8 > last ? largest - 8 : last) - 2;
        total = ldexp(floor(ldexp(total, -last)) + floor(ldexp(sum, largest - last)), last);
    }
    return (float) rounded(total, bits, least);
}

/* Sums of integers have 16 bits, with the sign. */
static float sum_of_fractions(const struct terms *terms, double largest)
{
    double sum = 0;

    for (unsigned i = 0; i < 16; i++)
        sum += terms->weights[i] * terms->values[i];
    if (largest == 127)
        sum += floor((floor(sum / 16) * 257 + 1024) / 2048);
    else
        sum = floor(sum * (largest == 255 ? 257 : 1) / 256 + 0.5);
    if (largest == 255 || largest == 65535)
        return (float) (sum / 65535);
    return sum < -32767 ? -1 : (float) (sum / 32767);
}

static uint32_t mixed(const struct texture *texture, const struct terms *terms, unsigned channel)
{
    const bool colour = is_srgb(texture, channel);

    if (largest_of(texture->buffer) > 0 && !colour)
        return bits_of(sum_of_fractions(terms, largest_of(texture->buffer)));
    if (colour || texture->buffer->type == F16)
        return bits_of(sum_of(terms, colour ? 8 : 15, 11, -24));
    return bits_of(sum_of(terms, 28, 24, -400));
}

/* z first, whose halves are the nearer plane's; then x, whose halves are the further one's; and y
 * follows x. */
static void corners(const struct axis *axes, unsigned n, unsigned total, unsigned *weights)
{
    static const unsigned order[] = {2, 0, 1};

    weights[0] = total;
    for (unsigned step = 0; step < 3; step++)
        for (unsigned i = 0; i < 8 && order[step] < n; i++) {
            const unsigned axis = order[step];
            const double share = weights[i] * axes[axis].part / 256.0;
            const bool up = axis != 2 && (axis == 0 || i & 1);

            if (i >> axis & 1)
                continue;
            weights[i | 1 << axis] = (unsigned) (up ? floor(share + 0.5) : ceil(share - 0.5));
            weights[i] -= weights[i | 1 << axis];
        }
}

struct where {
    const double *at;
    unsigned n, slice;
};

/* What a channel's integer or number is where it is filtered. */
static double value_at(const struct texture *texture, const long *place, unsigned level,
                       unsigned channel)
{
    const unsigned channels = channels_of(texture->buffer->image);

    if (channel >= channels)
        return 0;
    if (largest_of(texture->buffer) > 0 && !is_srgb(texture, channel))
        return (double) integer_at(texture, number_of(texture, place, level) * channels + channel);
    return (double) float_of(channel_at(texture, place, level, channel));
}

static void add_level(const struct texture *texture, const struct where *where, unsigned level,
                      unsigned channel, unsigned total, unsigned first, struct terms *terms)
{
    const bool linear = texture->buffer->image->linear;
    unsigned *weights = terms->weights + first;
    struct axis axes[3] = {{0}};

    for (unsigned i = 0; i < where->n; i++)
        axes[i] = axis_of(texture, where->at[i], i, level, linear);
    corners(axes, linear ? where->n : 0, total, weights);
    for (unsigned i = 0; i < 8; i++) {
        long place[3] = {0, 0, (long) where->slice};

        for (unsigned a = 0; a < where->n; a++)
            place[a] = i >> a & 1 ? axes[a].high : axes[a].low;
        terms->values[first + i] = weights[i] ? value_at(texture, place, level, channel) : 0;
    }
}

static void point(const struct texture *texture, const struct where *where, unsigned level,
                  uint32_t out[4])
{
    long place[3] = {0, 0, (long) where->slice};

    for (unsigned i = 0; i < where->n; i++)
        place[i] = axis_of(texture, where->at[i], i, level, false).low;
    for (unsigned c = 0; c < 4; c++)
        out[c] = channel_at(texture, place, level, c);
}

static void sample(const struct texture *texture, const struct where *where, unsigned steps,
                   uint32_t out[4])
{
    if (!texture->buffer->image->linear && !(steps & 255)) {
        point(texture, where, steps >> 8, out);
        return;
    }
    for (unsigned c = 0; c < 4; c++) {
        struct terms terms = {{0}, {0}};

        add_level(texture, where, steps >> 8, c, 256 - (steps & 255), 0, &terms);
        if (steps & 255)
            add_level(texture, where, (steps >> 8) + 1, c, steps & 255, 8, &terms);
        out[c] = c < channels_of(texture->buffer->image) ? mixed(texture, &terms, c) : 0;
    }
}

void texture_sample(const struct texture *texture, const double *at, unsigned n, unsigned slice,
                    unsigned level, uint32_t out[4])
{
    sample(texture, &(struct where){at, n, slice}, level << 8, out);
}

void texture_sample_level(const struct texture *texture, const double *at, unsigned n,
                          unsigned slice, float level, uint32_t out[4])
{
    const struct corpus_image *image = texture->buffer->image;
    double steps = trunc((double) level * 256) + trunc((double) image->bias * 256);

    steps = fmin(steps, floor((double) image->most_level * 256));
    steps = fmax(steps, floor((double) image->least_level * 256));
    steps = fmax(0, fmin(steps, 256.0 * (image->levels - 1)));
    if (!image->linear_levels)
        steps = 256 * floor(steps / 256 + 0.5);
    sample(texture, &(struct where){at, n, slice}, (unsigned) steps, out);
}

void texture_element(const struct texture *texture, const int *at, unsigned n, uint32_t out[4])
{
    const struct corpus_image *image = texture->buffer->image;
    long place[3] = {0, 0, 0};
    bool there = true;

    for (unsigned i = 0; i < n; i++) {
        place[i] = at[i];
        there = there && at[i] >= 0 && at[i] < size_of(image, i, 0);
    }
    for (unsigned c = 0; c < 4; c++)
        out[c] = there ? channel_at(texture, place, 0, c) : 0;
}

void texture_gather(const struct texture *texture, const double *at, unsigned channel,
                    uint32_t out[4])
{
    const struct axis x = axis_of(texture, at[0], 0, 0, true);
    const struct axis y = axis_of(texture, at[1], 1, 0, true);
    const long places[4][3] = {
        {x.low, y.high, 0}, {x.high, y.high, 0}, {x.high, y.low, 0}, {x.low, y.low, 0}};

    for (unsigned i = 0; i < 4; i++)
        out[i] = channel_at(texture, places[i], 0, channel);
}

unsigned texture_face(const float *d, double at[2])
{
    const double x = (double) d[0], y = (double) d[1], z = (double) d[2];
    const double length = fmax(fabs(x), fmax(fabs(y), fabs(z)));
    double s, t;
    unsigned face;

    if (fabs(z) == length)
        face = z < 0 ? 5 : 4, s = z < 0 ? -x : x, t = -y;
    else if (fabs(y) == length)
        face = y < 0 ? 3 : 2, s = x, t = y < 0 ? -z : z;
    else
        face = x < 0 ? 1 : 0, s = x < 0 ? z : -z, t = -y;
    at[0] = ((double) ((float) s * (1 / (float) length)) + 1) / 2;
    at[1] = ((double) ((float) t * (1 / (float) length)) + 1) / 2;
    return face;
}
