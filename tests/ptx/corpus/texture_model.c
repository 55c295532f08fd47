/* SPDX-License-Identifier: MIT */
#include "texture.h"

#include <math.h>

#include "number.h"

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

static double fraction(const struct texture *texture, int64_t integer, unsigned channel)
{
    const double x = (double) integer / largest_of(texture->buffer);

    if (texture->buffer->image->reading & SRGB && texture->buffer->type == U8 && channel < 3)
        return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
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
    unsigned mode = image->flags & CUBEMAP ? CLAMP : image->modes[number];
    double place;
    long steps;

    if (!normalised && mode != BORDER)
        mode = CLAMP;
    if (mode == WRAP)
        x -= floor(x);
    place = normalised ? x * (double) n : x;
    if (!linear)
        return (struct axis){inside((long) floor(place), n, mode), 0, 0};
    steps = (long) floor((place - 0.5) * 256 + 0.5);
    return (struct axis){inside(steps >> 8, n, mode), inside((steps >> 8) + 1, n, mode),
                         steps & 255};
}

/* --- sums --- */

/* Elements are cut to 28 bits of the largest one; the sum is exact, then rounded. */
static float sum_of(const double *values, const unsigned *weights, unsigned n)
{
    int largest = -300, exponent;
    double sum = 0;

    for (unsigned i = 0; i < n; i++) {
        frexp(values[i], &exponent);
        if (weights[i] && values[i] != 0 && exponent > largest)
            largest = exponent;
    }
    for (unsigned i = 0; i < n; i++)
        sum += weights[i] * trunc(ldexp(values[i], 28 - largest));
    frexp(sum, &exponent);
    return (float) ldexp(round(ldexp(sum, 24 - exponent)), exponent - 24 + largest - 28 - 8);
}

static float sum_of_fractions(const struct texture *texture, const double *values,
                              const unsigned *weights, unsigned n)
{
    const double largest = largest_of(texture->buffer);
    double sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += weights[i] * rint(values[i] * largest);
    return (float) (largest > 255 ? floor(sum / 256 + 0.5) / largest : sum / 256 / largest);
}

static uint32_t mixed(const struct texture *texture, const double *values, const unsigned *weights,
                      unsigned n)
{
    if (largest_of(texture->buffer) > 0 && !(texture->buffer->image->reading & SRGB))
        return bits_of(sum_of_fractions(texture, values, weights, n));
    return bits_of(sum_of(values, weights, n));
}

/* What is far along all axes is rounded up, what is left for the others down. */
static unsigned corners(const struct axis *axes, unsigned n, unsigned *weights)
{
    unsigned count = 1;

    weights[0] = 256;
    for (unsigned axis = 0; axis < n; axis++, count *= 2)
        for (unsigned i = 0; i < count; i++) {
            const double share = weights[i] * axes[axis].part / 256.0;
            const unsigned high =
                (unsigned) (i == count - 1 ? floor(share + 0.5) : ceil(share - 0.5));

            weights[count + i] = high;
            weights[i] -= high;
        }
    return count;
}

void texture_sample(const struct texture *texture, const double *at, unsigned n, unsigned slice,
                    unsigned level, uint32_t out[4])
{
    const bool linear = texture->buffer->image->linear;
    struct axis axes[3] = {{0}};
    unsigned weights[8] = {256}, count = 1;

    for (unsigned i = 0; i < n; i++)
        axes[i] = axis_of(texture, at[i], i, level, linear);
    if (linear)
        count = corners(axes, n, weights);
    for (unsigned c = 0; c < 4; c++) {
        double values[8] = {0};
        uint32_t bits = 0;

        for (unsigned i = 0; i < count; i++) {
            long place[3] = {0, 0, (long) slice};

            for (unsigned a = 0; a < n; a++)
                place[a] = i >> a & 1 ? axes[a].high : axes[a].low;
            bits = channel_at(texture, place, level, c);
            values[i] = weights[i] ? (double) float_of(bits) : 0;
        }
        out[c] = linear ? mixed(texture, values, weights, count) : bits;
    }
}

void texture_sample_level(const struct texture *texture, const double *at, unsigned n,
                          unsigned slice, float level, uint32_t out[4])
{
    const struct corpus_image *image = texture->buffer->image;
    double wanted = (double) level + (double) image->bias;
    uint32_t next[4];
    unsigned steps;

    wanted = fmax(fmin(wanted, (double) image->most_level), (double) image->least_level);
    steps = (unsigned) rint(fmax(0, fmin(wanted, image->levels - 1)) * 256);
    if (!image->linear_levels || !(steps & 255)) {
        texture_sample(texture, at, n, slice, (steps + 128) >> 8, out);
        return;
    }
    texture_sample(texture, at, n, slice, steps >> 8, out);
    texture_sample(texture, at, n, slice, (steps >> 8) + 1, next);
    for (unsigned c = 0; c < 4; c++) {
        const double values[2] = {(double) float_of(out[c]), (double) float_of(next[c])};
        const unsigned weights[2] = {256 - (steps & 255), steps & 255};

        out[c] = bits_of(sum_of(values, weights, 2));
    }
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
    at[0] = (s / length + 1) / 2;
    at[1] = (t / length + 1) / 2;
    return face;
}
