/* SPDX-License-Identifier: MIT */
/* Elements of textures and surfaces: conversion from memory to a kernel's values, and back. */
#include <math.h>
#include <string.h>

#include "mock/ptx/machine/softfloat.h"
#include "mock/ptx/texture/texture.h"

static uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

bool ptx__texel_is_signed(const struct ptx__image *image)
{
    return image->kind == PTX__TEXEL_SIGNED || image->kind == PTX__TEXEL_SNORM;
}

unsigned ptx__texel_fraction(const struct ptx__image *image, const struct ptx__sampler *sampler)
{
    const bool whole = image->kind == PTX__TEXEL_UNSIGNED || image->kind == PTX__TEXEL_SIGNED;

    if (image->kind == PTX__TEXEL_FLOAT || image->bytes == 4 || (whole && sampler->as_integer))
        return 0;
    return (1u << (8 * image->bytes - ptx__texel_is_signed(image))) - 1;
}

bool ptx__texel_is_float(const struct ptx__image *image, const struct ptx__sampler *sampler)
{
    return image->kind == PTX__TEXEL_FLOAT || ptx__texel_fraction(image, sampler);
}

static uint32_t raw(const struct ptx__image *image, const unsigned char *at)
{
    const unsigned unused = 32 - 8 * image->bytes;
    uint32_t value = 0;

    memcpy(&value, at, image->bytes);
    if (ptx__texel_is_signed(image))
        return (uint32_t) ((int32_t) (value << unused) >> unused);
    return value;
}

/* The sRGB curve applies to the three colours, not to the alpha channel. */
static bool is_srgb(const struct ptx__image *image, const struct ptx__sampler *sampler,
                    unsigned channel)
{
    return sampler->srgb && image->bytes == 1 && !ptx__texel_is_signed(image) && channel < 3;
}

enum ptx__precision ptx__texel_precision(const struct ptx__image *image,
                                         const struct ptx__sampler *sampler, unsigned channel)
{
    if (image->kind == PTX__TEXEL_FLOAT)
        return image->bytes == 2 ? PTX__OF_HALF : PTX__OF_FLOAT;
    return is_srgb(image, sampler, channel) ? PTX__OF_SRGB : PTX__OF_INTEGERS;
}

uint32_t ptx__texel_integer(const struct ptx__image *image, const unsigned char *element,
                            unsigned channel)
{
    return channel < image->channels ? raw(image, element + channel * image->bytes) : 0;
}

uint32_t ptx__texel_read(const struct ptx__image *image, const struct ptx__sampler *sampler,
                         const unsigned char *element, unsigned channel)
{
    const unsigned largest = ptx__texel_fraction(image, sampler);
    uint32_t value;
    double fraction;

    if (channel >= image->channels)
        return 0;
    value = raw(image, element + channel * image->bytes);
    if (image->kind == PTX__TEXEL_FLOAT)
        return image->bytes == 2 ? bits_of(ptx__float_of_half((uint16_t) value)) : value;
    if (!largest)
        return value;
    if (is_srgb(image, sampler, channel))
        return bits_of(ptx__linear_light((uint8_t) value));
    fraction = (ptx__texel_is_signed(image) ? (double) (int32_t) value : (double) value) / largest;
    return bits_of(fraction < -1 ? -1 : (float) fraction);
}

uint16_t ptx__texel_half(uint32_t float_bits)
{
    float value;

    memcpy(&value, &float_bits, sizeof(value));
    return ptx__half_of_float(value);
}

/* A NaN keeps its upper bits. */
static uint16_t half_toward_zero(float number)
{
    const uint16_t half = ptx__half_of_float(number);

    if (number != number)
        return (uint16_t) (bits_of(number) >> 16 & 0x8000) | 0x7c00 |
               (bits_of(number) >> 13 & 0x3ff);
    return fabsf(ptx__float_of_half(half)) > fabsf(number) ? half - 1 : half;
}

/* Converts to a fraction of the largest integer; halves are rounded toward zero. */
static uint32_t fraction_of(float number, unsigned largest, bool sign)
{
    const double least = sign ? -1 : 0;
    const double x = number != number ? 0 : number > 1 ? 1 : (double) number;
    const double scaled = (x < least ? least : x) * largest;

    return (uint32_t) (int32_t) copysign(ceil(fabs(scaled) - 0.5), scaled);
}

static uint32_t clamped(uint32_t value, unsigned bits, bool sign)
{
    const int64_t most = (INT64_C(1) << (bits - sign)) - 1, least = sign ? -most - 1 : 0;
    const int64_t whole = sign ? (int64_t) (int32_t) value : (int64_t) value;

    return (uint32_t) (whole > most ? most : whole < least ? least : whole);
}

void ptx__texel_write(const struct ptx__image *image, uint32_t value, unsigned char *channel)
{
    const bool fraction = image->kind == PTX__TEXEL_UNORM || image->kind == PTX__TEXEL_SNORM;
    float number;

    memcpy(&number, &value, sizeof(number));
    if (image->kind == PTX__TEXEL_FLOAT) {
        value = image->bytes == 2 ? half_toward_zero(number) : value;
    } else if (fraction) {
        value = fraction_of(number, (1u << (8 * image->bytes - ptx__texel_is_signed(image))) - 1,
                            ptx__texel_is_signed(image));
    } else if (image->bytes < 4) {
        value = clamped(value, 8 * image->bytes, ptx__texel_is_signed(image));
    }
    memcpy(channel, &value, image->bytes);
}

/*
 * Each channel is limited to the range of its format. If a float becomes an integer, its low bits
 * are taken.
 */
void ptx__texel_border(const struct ptx__image *image, const struct ptx__sampler *sampler,
                       unsigned char *element)
{
    const unsigned largest = ptx__texel_fraction(image, sampler);

    for (unsigned c = 0; c < image->channels; c++) {
        const float colour = sampler->border[c];
        uint32_t value = bits_of(colour);

        if (image->kind == PTX__TEXEL_FLOAT && image->bytes == 2)
            value = half_toward_zero(colour);
        else if (largest)
            value = fraction_of(colour, largest, ptx__texel_is_signed(image));
        memcpy(element + (size_t) c * image->bytes, &value, image->bytes);
    }
}
