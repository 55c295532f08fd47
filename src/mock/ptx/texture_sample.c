/* SPDX-License-Identifier: MIT */
/* Sampling for one lane: which elements, and what they make together. */
#include <math.h>
#include <string.h>

#include "mock/ptx/memory.h"
#include "mock/ptx/texture.h"

#define FACES 6

/* What an element is in memory: its place on a level, and the layer or face. */
struct element {
    int64_t x, y, z; /* -1 is the border */
};

static bool is_border(const struct element *element)
{
    return element->x < 0 || element->y < 0 || element->z < 0;
}

static const unsigned char *reach(const struct ptx__sample *sample,
                                  const struct ptx__image_level *level,
                                  const struct element *element)
{
    const unsigned bytes = (unsigned) sample->image->bytes * sample->image->channels;
    const uint64_t row = (uint64_t) element->z * level->height + (uint64_t) element->y;

    return ptx__reach_in(sample->warp, sample->op, PTX__IN_GLOBAL, sample->lane,
                         level->address + row * level->pitch + (uint64_t) element->x * bytes, bytes,
                         PTX__LOADS);
}

static uint32_t float_bits(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Fractions cannot be outside of what their format holds. */
static uint32_t border_of(const struct ptx__sample *sample, unsigned channel)
{
    const struct ptx__sampler *sampler = sample->sampler;
    const unsigned largest = ptx__texel_fraction(sample->image, sampler);
    float colour = sampler->border[channel];

    if (channel >= sample->image->channels)
        return ptx__texel_read(sample->image, sampler, NULL, channel);
    if (largest) {
        const float least = ptx__texel_is_signed(sample->image) ? -1 : 0;

        colour = colour > 1 ? 1 : colour < least ? least : colour;
    }
    return float_bits(colour);
}

static bool read_element(const struct ptx__sample *sample, const struct ptx__image_level *level,
                         const struct element *element, struct ptx__texel *ret_texel)
{
    const unsigned char *at = NULL;

    if (!is_border(element)) {
        at = reach(sample, level, element);
        if (!at)
            return false;
    }
    for (unsigned c = 0; c < 4; c++)
        ret_texel->channels[c] =
            at ? ptx__texel_read(sample->image, sample->sampler, at, c) : border_of(sample, c);
    return true;
}

/* --- where --- */

struct spot {
    const struct ptx__image_level *level;
    struct ptx__axis axes[3];
    unsigned n_axes;
    int64_t slice; /* where z is no axis */
    bool on_cube, seamless;
    unsigned face;
};

static void place_axes(const struct ptx__sample *sample, const double *at, unsigned n_axes,
                       bool linear, struct spot *spot)
{
    const struct ptx__image_level *level = spot->level;
    const uint32_t sizes[3] = {level->width, level->height,
                               sample->image->dimensions > 2 ? level->depth : 1};

    spot->n_axes = n_axes;
    /* Elements beyond the edge are counted as well; they are found on the next face. */
    for (unsigned i = 0; i < n_axes && spot->seamless; i++)
        ptx__place(at[i] * sizes[i] + 1, sizes[i] + 2, PTX__CLAMP, false, true, sample->offset[i],
                   &spot->axes[i]);
    for (unsigned i = 0; i < n_axes && !spot->seamless; i++)
        ptx__place(at[i], sizes[i],
                   spot->on_cube ? PTX__CLAMP : (enum ptx__address_mode) sample->sampler->modes[i],
                   spot->on_cube || sample->sampler->normalised, linear, sample->offset[i],
                   &spot->axes[i]);
}

static int64_t at_most(int64_t i, int64_t count)
{
    return i < count ? i : count - 1;
}

static struct spot find_spot(const struct ptx__sample *sample, unsigned level, bool linear)
{
    const struct ptx__image *image = sample->image;
    const struct ptx__tex *tex = sample->tex;
    struct spot spot = {.level = &image->levels[level],
                        .on_cube = tex->cube,
                        .seamless = tex->cube && linear && sample->sampler->seamless};
    const int64_t slices = image->dimensions > 2 ? 1 : spot.level->depth;
    const int64_t layer = tex->layered ? (int64_t) sample->layer : 0;
    double place[2];

    if (!tex->cube) {
        spot.slice = at_most(layer, slices);
        place_axes(sample, sample->at, tex->dimensions, linear, &spot);
        return spot;
    }
    spot.face = ptx__cube_face(sample->at, place);
    spot.slice = at_most(at_most(layer, (slices + FACES - 1) / FACES) * FACES + spot.face, slices);
    place_axes(sample, place, 2, linear, &spot);
    return spot;
}

/* An element beyond the edge of a face: where its direction leads. */
static struct element across(const struct spot *spot, const int64_t *at)
{
    const int64_t size = spot->level->width, x = at[0] - 1, y = at[1] - 1;
    const double place[2] = {((double) x + 0.5) / (double) size,
                             ((double) y + 0.5) / (double) size};
    double direction[3], other[2];
    unsigned face;

    if (x >= 0 && x < size && y >= 0 && y < size)
        return (struct element){x, y, spot->slice};
    ptx__cube_direction(spot->face, place, direction);
    face = ptx__cube_face(direction, other);
    return (struct element){at_most((int64_t) (other[0] * (double) size), size),
                            at_most((int64_t) (other[1] * (double) size), size),
                            spot->slice - spot->face + face};
}

/* The corner whose number has bit a set where it is the further one along axis a. */
static struct element corner_of(const struct spot *spot, unsigned corner)
{
    int64_t at[3] = {0, 0, spot->slice};

    for (unsigned i = 0; i < spot->n_axes; i++)
        at[i] = spot->axes[i].index[corner >> i & 1];
    return spot->seamless ? across(spot, at) : (struct element){at[0], at[1], at[2]};
}

/* --- filtering --- */

static uint32_t mix_fractions(const struct ptx__texel *texels, const unsigned *weights, unsigned n,
                              unsigned channel, unsigned largest)
{
    int64_t values[8] = {0};

    for (unsigned i = 0; i < n; i++)
        if (weights[i])
            values[i] = (int64_t) rint((double) float_of(texels[i].channels[channel]) * largest);
    return float_bits(ptx__blend_fractions(values, weights, n, largest));
}

static uint32_t mix_floats(const struct ptx__texel *texels, const unsigned *weights, unsigned n,
                           unsigned channel)
{
    float values[8] = {0};

    for (unsigned i = 0; i < n; i++)
        if (weights[i])
            values[i] = float_of(texels[i].channels[channel]);
    return float_bits(ptx__blend(values, weights, n));
}

static bool filter(const struct ptx__sample *sample, unsigned level, struct ptx__texel *ret_texel)
{
    const struct spot spot = find_spot(sample, level, true);
    struct ptx__texel texels[8];
    unsigned weights[8];
    const unsigned n = ptx__weights(spot.axes, spot.n_axes, weights);
    const unsigned largest =
        sample->sampler->srgb ? 0 : ptx__texel_fraction(sample->image, sample->sampler);

    for (unsigned i = 0; i < n; i++) {
        const struct element element = corner_of(&spot, i);

        if (weights[i] && !read_element(sample, spot.level, &element, &texels[i]))
            return false;
    }
    for (unsigned c = 0; c < 4; c++)
        ret_texel->channels[c] = c >= sample->image->channels
                                     ? ptx__texel_read(sample->image, sample->sampler, NULL, c)
                                 : largest ? mix_fractions(texels, weights, n, c, largest)
                                           : mix_floats(texels, weights, n, c);
    return true;
}

static const struct ptx__texel nothing;

bool ptx__sample_level(const struct ptx__sample *sample, unsigned level,
                       struct ptx__texel *ret_texel)
{
    struct spot spot;
    struct element element;

    /* Linear memory is read by number, and by nothing else. */
    if (sample->image->is_buffer) {
        *ret_texel = nothing;
        return true;
    }
    if (sample->sampler->linear && ptx__texel_is_float(sample->image, sample->sampler))
        return filter(sample, level, ret_texel);
    spot = find_spot(sample, level, false);
    element = corner_of(&spot, 0);
    return read_element(sample, spot.level, &element, ret_texel);
}

static bool is_inside(const struct ptx__sample *sample, const struct ptx__image_level *level,
                      const struct element *element)
{
    const int64_t depth = sample->image->dimensions > 2 || sample->tex->layered ? level->depth : 1;

    return element->x >= 0 && element->x < level->width && element->y >= 0 &&
           element->y < level->height && element->z >= 0 && element->z < depth;
}

/* By numbers: of a line, linear memory alone, and what is outside is zero. */
bool ptx__sample_whole(const struct ptx__sample *sample, struct ptx__texel *ret_texel)
{
    const struct ptx__tex *tex = sample->tex;
    const double wanted = tex->level_mode == PTX__LEVEL_GIVEN ? sample->level : 0;
    const bool is_line = tex->dimensions == 1 && !tex->layered;
    const struct ptx__image_level *level;
    int64_t at[3] = {0, 0, tex->layered ? sample->layer : 0};
    struct element element;

    *ret_texel = nothing;
    if (sample->image->is_buffer != is_line || !(wanted >= 0 && wanted < sample->image->n_levels))
        return true;
    level = &sample->image->levels[(unsigned) wanted];
    for (unsigned i = 0; i < tex->dimensions; i++)
        at[i] = (int64_t) sample->whole[i] + sample->offset[i];
    element = (struct element){at[0], at[1], at[2]};
    return !is_inside(sample, level, &element) || read_element(sample, level, &element, ret_texel);
}

/* One channel of the four that filtering would weigh, against the clock from the lower left. */
bool ptx__sample_gather(const struct ptx__sample *sample, struct ptx__texel *ret_texel)
{
    static const uint8_t order[4] = {2, 3, 1, 0};
    const struct spot spot = find_spot(sample, 0, true);

    *ret_texel = nothing;
    for (unsigned i = 0; i < 4 && !sample->image->is_buffer; i++) {
        const struct element element = corner_of(&spot, order[i]);
        struct ptx__texel texel;

        if (!read_element(sample, spot.level, &element, &texel))
            return false;
        ret_texel->channels[i] = texel.channels[sample->tex->gathered];
    }
    return true;
}

/* --- the level --- */

/* How many elements of the first level a step takes. */
static double step_of(const struct ptx__sample *sample, const double *change)
{
    const struct ptx__image_level *level = &sample->image->levels[0];
    const double sizes[3] = {level->width, level->height, level->depth};
    double sum = 0;

    for (unsigned i = 0; i < sample->tex->dimensions; i++) {
        const double d = sample->sampler->normalised ? change[i] * sizes[i] : change[i];

        sum += d * d;
    }
    return sqrt(sum);
}

/* On a cube: how far the place on the face goes, when the direction does. */
static double cube_step(const struct ptx__sample *sample, const double *change)
{
    double place[2], place_of_next[2], next[3], changed[2];
    const unsigned face = ptx__cube_face(sample->at, place);
    const double major = fabs(sample->at[face / 2]);

    for (unsigned i = 0; i < 3; i++)
        next[i] = sample->at[i] + change[i] * 0x1p-12;
    if (ptx__cube_face(next, place_of_next) != face || !(major > 0))
        return 0;
    for (unsigned i = 0; i < 2; i++)
        changed[i] = (place_of_next[i] - place[i]) * 0x1p12 * sample->image->levels[0].width;
    return sqrt(changed[0] * changed[0] + changed[1] * changed[1]);
}

static double detail_of_gradients(const struct ptx__sample *sample)
{
    const bool cube = sample->tex->cube;
    const double x = cube ? cube_step(sample, sample->dx) : step_of(sample, sample->dx);
    const double y = cube ? cube_step(sample, sample->dy) : step_of(sample, sample->dy);

    return log2(x > y ? x : y);
}

unsigned ptx__sample_detail(const struct ptx__sample *sample)
{
    const struct ptx__sampler *sampler = sample->sampler;
    const double last = sample->image->n_levels - 1;
    double level = sample->tex->level_mode == PTX__LEVEL_GIVEN      ? sample->level
                   : sample->tex->level_mode == PTX__LEVEL_GRADIENT ? detail_of_gradients(sample)
                                                                    : 0;

    level += (double) sampler->bias;
    level = level < (double) sampler->max_level ? level : (double) sampler->max_level;
    level = level > (double) sampler->min_level ? level : (double) sampler->min_level;
    level = level < last ? level : last;
    return level > 0 ? (unsigned) rint(level * 256) : 0;
}
