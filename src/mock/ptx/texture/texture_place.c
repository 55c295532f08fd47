/* SPDX-License-Identifier: MIT */
/* From texture coordinates to elements. */
#include <math.h>

#include "mock/ptx/texture/texture.h"

/* A coordinate has this many bits behind the point; lower bits are cut off. */
enum { FRACTION_BITS = 21, PART_BITS = 8 };

/* Larger coordinates make no difference, because every texture is smaller. */
#define FAR            1073741824.0
#define FAR_NORMALISED 65536.0

static int64_t bounded(double x, double far)
{
    const double most = ldexp(far, FRACTION_BITS);

    if (x != x)
        return 0;
    return (int64_t) (x > most ? most : x < -most ? -most : x);
}

/*
 * Converts a coordinate to 2^-21 of an element. A coordinate that repeats has a period of two
 * textures, because PTX__MIRROR does.
 */
static int64_t fixed(double x, uint32_t size, enum ptx__address_mode mode, bool normalised)
{
    const double period = ldexp(2, FRACTION_BITS);
    double at = floor(ldexp(x, FRACTION_BITS));

    if (!normalised)
        return bounded(at, FAR);
    if (mode == PTX__WRAP || mode == PTX__MIRROR)
        at = isfinite(at) ? fmod(at, period) : 0;
    return bounded(at, FAR_NORMALISED) * size;
}

static int64_t element(int64_t i, int64_t size, enum ptx__address_mode mode)
{
    if (i >= 0 && i < size)
        return i;
    switch (mode) {
    case PTX__WRAP:
        return (i % size + size) % size;
    case PTX__MIRROR:
        i = (i % (2 * size) + 2 * size) % (2 * size);
        return i < size ? i : 2 * size - 1 - i;
    case PTX__BORDER:
        return -1;
    default:
        return i < 0 ? 0 : size - 1;
    }
}

void ptx__texel_position(const struct ptx__addressing *addressing, double coordinate,
                         int32_t offset, struct ptx__axis *ret_axis)
{
    const uint32_t size = addressing->size;
    enum ptx__address_mode mode = addressing->mode;
    int64_t at, first;

    /* Coordinates that count elements do not wrap around. */
    if (!addressing->normalised && mode != PTX__BORDER)
        mode = PTX__CLAMP;
    at = fixed(coordinate, size, mode, addressing->normalised);
    ret_axis->part = 0;
    first = at >> FRACTION_BITS;
    if (addressing->linear) {
        const int unused = FRACTION_BITS - PART_BITS;
        const int64_t place = ((at + (1 << (unused - 1))) >> unused) - (1 << (PART_BITS - 1));

        first = place >> PART_BITS;
        ret_axis->part = (unsigned) (place & ((1 << PART_BITS) - 1));
    }
    ret_axis->index[0] = element(first + offset, size, mode);
    ret_axis->index[1] = element(first + offset + 1, size, mode);
    if (mode == PTX__CLAMP && ret_axis->index[0] == ret_axis->index[1])
        ret_axis->part = 0;
}

/*
 * The faces are +x, -x, +y, -y, +z, -z. For each: the axes along which its columns and rows run,
 * and their directions.
 */
static const struct {
    uint8_t axis[2];
    int8_t sign[2];
} faces[6] = {
    {{2, 1}, {-1, -1}}, {{2, 1}, {1, -1}}, {{0, 2}, {1, 1}},
    {{0, 2}, {1, -1}},  {{0, 1}, {1, -1}}, {{0, 1}, {-1, -1}},
};

unsigned ptx__cube_face(const double direction[3], double ret_place[2])
{
    const double x = fabs(direction[0]), y = fabs(direction[1]), z = fabs(direction[2]);
    const unsigned major = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    const unsigned face = 2 * major + (direction[major] < 0);
    const float length = (float) fabs(direction[major]), scale = 1 / length;

    /* The hardware rounds this product to a float. */
    for (unsigned i = 0; i < 2; i++) {
        const float s = faces[face].sign[i] * (float) direction[faces[face].axis[i]];

        ret_place[i] = length > 0 ? ((double) (s * scale) + 1) / 2 : 0;
    }
    return face;
}

void ptx__cube_direction(unsigned face, const double place[2], double ret_direction[3])
{
    ret_direction[face / 2] = face % 2 ? -1 : 1;
    for (unsigned i = 0; i < 2; i++)
        ret_direction[faces[face].axis[i]] = faces[face].sign[i] * (2 * place[i] - 1);
}
