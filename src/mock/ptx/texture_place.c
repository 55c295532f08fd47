/* SPDX-License-Identifier: MIT */
/* From texture coordinates to elements. */
#include <math.h>

#include "mock/ptx/texture.h"

/* Beyond this a coordinate makes no difference; every texture is smaller. */
#define FAR 1073741824.0

static double bounded(double x)
{
    if (x != x)
        return 0;
    return x > FAR ? FAR : x < -FAR ? -FAR : x;
}

/* A normalised coordinate that wraps or is mirrored, in [0, 1]. */
static double folded(double x, enum ptx__address_mode mode)
{
    const double whole = floor(x), part = x - whole;

    if (mode == PTX__MIRROR && fmod(whole, 2) != 0)
        return 1 - part;
    return mode == PTX__WRAP || mode == PTX__MIRROR ? part : x;
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

void ptx__place(double coordinate, uint32_t size, enum ptx__address_mode mode, bool normalised,
                bool linear, int32_t offset, struct ptx__axis *ret_axis)
{
    double at = bounded(coordinate);
    int64_t first;

    /* What is counted in elements does not wrap around. */
    if (!normalised && mode != PTX__BORDER)
        mode = PTX__CLAMP;
    if (normalised)
        at = bounded(folded(at, mode) * size);
    ret_axis->part = 0;
    if (linear) {
        const int64_t place = (int64_t) rint(at * 256) - 128;

        first = place >> 8;
        ret_axis->part = (unsigned) (place & 255);
    } else {
        first = (int64_t) floor(at);
    }
    ret_axis->index[0] = element(first + offset, size, mode);
    ret_axis->index[1] = element(first + offset + 1, size, mode);
}

/*
 * Faces are +x, -x, +y, -y, +z, -z. Of each: the axis that its columns and its rows run along, and
 * in which direction.
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
    const double length = fabs(direction[major]);

    for (unsigned i = 0; i < 2; i++) {
        const double s = faces[face].sign[i] * direction[faces[face].axis[i]];

        ret_place[i] = length > 0 ? (s / length + 1) / 2 : 0;
    }
    return face;
}

void ptx__cube_direction(unsigned face, const double place[2], double ret_direction[3])
{
    ret_direction[face / 2] = face % 2 ? -1 : 1;
    for (unsigned i = 0; i < 2; i++)
        ret_direction[faces[face].axis[i]] = faces[face].sign[i] * (2 * place[i] - 1);
}
