/* SPDX-License-Identifier: MIT */
/* Sampling for one lane: it finds the elements and combines them. */
#include <math.h>
#include <string.h>

#include "mock/ptx/memory/memory.h"
#include "mock/ptx/texture/texture.h"

#define FACES 6

/* An element in memory: its position on a level, and the layer or face. */
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

    return ptx__reach_in(ptx__lane_op(sample->warp, sample->op, sample->lane), PTX__IN_GLOBAL,
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

static const unsigned char *find_element(const struct ptx__sample *sample,
                                         const struct ptx__image_level *level,
                                         const struct element *element, unsigned char border[16])
{
    if (!is_border(element))
        return reach(sample, level, element);
    ptx__texel_border(sample->image, sample->sampler, border);
    return border;
}

static bool read_element(const struct ptx__sample *sample, const struct ptx__image_level *level,
                         const struct element *element, struct ptx__texel *ret_texel)
{
    unsigned char border[16];
    const unsigned char *at = find_element(sample, level, element, border);

    for (unsigned c = 0; at && c < 4; c++)
        ret_texel->channels[c] = ptx__texel_read(sample->image, sample->sampler, at, c);
    return at;
}

/* --- positions --- */

struct spot {
    const struct ptx__image_level *level;
    struct ptx__axis axes[3];
    unsigned n_axes;
    int64_t slice; /* the layer or face, if z is not an axis */
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
    /* A line counts as a plane of one row, so beyond its edge there is the border. */
    if (n_axes == 1 && linear && !sample->tex->layered &&
        sample->sampler->modes[1] == PTX__BORDER) {
        ptx__texel_position(
            &(struct ptx__addressing){.size = 1, .mode = PTX__BORDER, .linear = true}, 0, 0,
            &spot->axes[1]);
        spot->n_axes = 2;
    }
    for (unsigned i = 0; i < n_axes; i++) {
        const struct ptx__addressing within = {
            .size = sizes[i],
            .mode = (enum ptx__address_mode) sample->sampler->modes[i],
            .normalised = spot->on_cube || sample->sampler->normalised,
            .linear = linear,
        };
        /* Elements beyond the edge count too; they are found on the next face. */
        const struct ptx__addressing beyond = {
            .size = sizes[i] + 2, .mode = PTX__CLAMP, .linear = true};

        ptx__texel_position(spot->seamless ? &beyond : &within,
                            spot->seamless ? at[i] * sizes[i] + 1 : at[i], sample->offset[i],
                            &spot->axes[i]);
    }
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

/* Finds an element beyond the edge of a face, by its direction. */
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

/*
 * Returns an element of the filter. Bit a of its number is set if it is the further one along axis
 * a.
 */
static struct element corner_of(const struct spot *spot, unsigned corner)
{
    int64_t at[3] = {0, 0, spot->slice};

    for (unsigned i = 0; i < spot->n_axes; i++)
        at[i] = spot->axes[i].index[corner >> i & 1];
    return spot->seamless ? across(spot, at) : (struct element){at[0], at[1], at[2]};
}

/* --- the level --- */

/* Converts a change of coordinates to elements of the first level. */
static void step_of(const struct ptx__sample *sample, const double *change, double ret_step[3])
{
    const struct ptx__image_level *level = &sample->image->levels[0];
    const double sizes[3] = {level->width, level->height, level->depth};

    for (unsigned i = 0; i < 3; i++)
        ret_step[i] = i >= sample->tex->dimensions  ? 0
                      : sample->sampler->normalised ? change[i] * sizes[i]
                                                    : change[i];
}

/* For a cube: the change of the position on the face when the direction changes. */
static void cube_step(const struct ptx__sample *sample, const double *change, double ret_step[3])
{
    double place[2];
    const unsigned face = ptx__cube_face(sample->at, place), major = face / 2;
    const double length = fabs(sample->at[major]);

    memset(ret_step, 0, 3 * sizeof(*ret_step));
    for (unsigned i = 0; i < 3 && length > 0; i++)
        if (i != major)
            ret_step[i] = (change[i] - sample->at[i] * change[major] / sample->at[major]) / length /
                          2 * sample->image->levels[0].width;
}

static double product(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/*
 * Returns the longer axis of the ellipse that both steps span. For a line it is a value that fits
 * the results of hardware.
 */
static double longest(const struct ptx__sample *sample, const double *x, const double *y)
{
    const double xx = product(x, x), yy = product(y, y), xy = product(x, y);
    const double sum = 0.6875 * (sqrt(xx) + sqrt(yy));

    if (sample->tex->dimensions == 1 && !sample->tex->cube)
        return fmax(sum, sqrt(fmax(xx, yy)));
    return sqrt((xx + yy) / 2 + sqrt((xx - yy) * (xx - yy) / 4 + xy * xy));
}

static double detail_of_gradients(const struct ptx__sample *sample)
{
    double x[3], y[3];

    (sample->tex->cube ? cube_step : step_of)(sample, sample->dx, x);
    (sample->tex->cube ? cube_step : step_of)(sample, sample->dy, y);
    return log2(longest(sample, x, y));
}

/* Returns the level in 1/256; lower bits are cut off. */
static unsigned detail_of(const struct ptx__sample *sample)
{
    const struct ptx__sampler *sampler = sample->sampler;
    const double most = floor((double) sampler->max_level * 256);
    const double least = floor((double) sampler->min_level * 256);
    const double last = (sample->image->n_levels - 1) * 256;
    double level = sample->tex->level_mode == PTX__LEVEL_GIVEN      ? sample->level
                   : sample->tex->level_mode == PTX__LEVEL_GRADIENT ? detail_of_gradients(sample)
                                                                    : 0;

    level = isnan(level) ? 0 : trunc(level * 256) + trunc((double) sampler->bias * 256);
    level = level < most ? level : most;
    level = level > least ? level : least;
    level = level < last ? level : last;
    return level > 0 ? (unsigned) level : 0;
}

/* --- filtering --- */

/* The elements and weights of a result: the corners on one level, or on two. */
struct corners {
    struct ptx__texel texels[2 * PTX__CORNERS];
    unsigned weights[2 * PTX__CORNERS];
    unsigned n;
};

static enum ptx__precision precision_of(const struct ptx__sample *sample, unsigned channel)
{
    return ptx__texel_precision(sample->image, sample->sampler, channel);
}

static bool read_corner(const struct ptx__sample *sample, const struct spot *spot, unsigned corner,
                        struct ptx__texel *ret_texel)
{
    const struct element element = corner_of(spot, corner);
    unsigned char border[16];
    const unsigned char *at = find_element(sample, spot->level, &element, border);

    for (unsigned c = 0; at && c < sample->image->channels; c++)
        ret_texel->channels[c] = precision_of(sample, c) == PTX__OF_INTEGERS
                                     ? ptx__texel_integer(sample->image, at, c)
                                     : ptx__texel_read(sample->image, sample->sampler, at, c);
    return at;
}

static bool add_level(const struct ptx__sample *sample, unsigned level, unsigned total,
                      struct corners *corners)
{
    const bool linear = sample->sampler->linear;
    const struct spot spot = find_spot(sample, level, linear);
    unsigned *weights = corners->weights + corners->n;

    ptx__weights(spot.axes, linear ? spot.n_axes : 1, total, weights);
    for (unsigned i = 0; i < PTX__CORNERS; i++)
        if (weights[i] && !read_corner(sample, &spot, i, &corners->texels[corners->n + i]))
            return false;
    corners->n += PTX__CORNERS;
    return true;
}

static uint32_t mix_fractions(const struct corners *corners, unsigned channel, unsigned largest)
{
    int64_t values[2 * PTX__CORNERS] = {0};

    for (unsigned i = 0; i < corners->n; i++)
        if (corners->weights[i])
            values[i] = (int32_t) corners->texels[i].channels[channel];
    return float_bits(ptx__blend_fractions(values, corners->weights, corners->n, largest));
}

static uint32_t mix_floats(const struct corners *corners, unsigned channel,
                           enum ptx__precision precision)
{
    float values[2 * PTX__CORNERS] = {0};

    for (unsigned i = 0; i < corners->n; i++)
        if (corners->weights[i])
            values[i] = float_of(corners->texels[i].channels[channel]);
    return float_bits(ptx__blend(values, corners->weights, corners->n, precision));
}

static const struct ptx__texel nothing;

static void mix(const struct ptx__sample *sample, const struct corners *corners,
                struct ptx__texel *ret_texel)
{
    const struct ptx__image *image = sample->image;

    *ret_texel = nothing;
    for (unsigned c = 0; c < image->channels; c++)
        ret_texel->channels[c] =
            precision_of(sample, c) == PTX__OF_INTEGERS
                ? mix_fractions(corners, c, ptx__texel_fraction(image, sample->sampler))
                : mix_floats(corners, c, precision_of(sample, c));
}

/* Samples with the sampler's filters, within a level and between two levels. */
bool ptx__sample_place(const struct ptx__sample *sample, struct ptx__texel *ret_texel)
{
    const struct ptx__sampler *sampler = sample->sampler;
    const bool is_float = ptx__texel_is_float(sample->image, sampler);
    struct corners corners = {.n = 0};
    unsigned detail;

    /* Linear memory can only be read by element numbers. */
    *ret_texel = nothing;
    if (sample->image->is_buffer)
        return true;
    detail = detail_of(sample);
    if (!sampler->linear_levels || !is_float)
        detail = (detail + 128) & ~255u;
    if (!is_float || (!sampler->linear && !(detail & 255))) {
        const struct spot spot = find_spot(sample, detail >> 8, false);
        const struct element element = corner_of(&spot, 0);

        return read_element(sample, spot.level, &element, ret_texel);
    }
    if (!add_level(sample, detail >> 8, 256 - (detail & 255), &corners))
        return false;
    if (detail & 255 && !add_level(sample, (detail >> 8) + 1, detail & 255, &corners))
        return false;
    mix(sample, &corners, ret_texel);
    return true;
}

static bool is_inside(const struct ptx__sample *sample, const struct ptx__image_level *level,
                      const struct element *element)
{
    const int64_t depth = sample->image->dimensions > 2 || sample->tex->layered ? level->depth : 1;

    return element->x >= 0 && element->x < level->width && element->y >= 0 &&
           element->y < level->height && element->z >= 0 && element->z < depth;
}

/* Moves an element inside of the level. Layers are unsigned numbers. */
static void move_inside(const struct ptx__sample *sample, const struct ptx__image_level *level,
                        struct element *element)
{
    const bool layered = sample->tex->layered;

    element->x = element->x < 0 ? 0 : at_most(element->x, level->width);
    element->y = element->y < 0 ? 0 : at_most(element->y, level->height);
    if (sample->image->dimensions > 2 || layered)
        element->z = element->z < 0 ? 0 : at_most(element->z, level->depth);
}

/*
 * Reads an element by its number. On a line this is for linear memory only. Outside of the texture
 * the result is zero, but an instruction that names a level reads the nearest element.
 */
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
    if (tex->level_mode == PTX__LEVEL_GIVEN && !sample->image->is_buffer)
        move_inside(sample, level, &element);
    return !is_inside(sample, level, &element) || read_element(sample, level, &element, ret_texel);
}

/*
 * Returns one channel of the four elements that filtering would combine, counter-clockwise from the
 * lower left.
 */
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
