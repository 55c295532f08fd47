/* SPDX-License-Identifier: MIT */
/*
 * The layout of a tensor map. Words of 32 bits:
 *
 *   0, 1     the address, of 57 bits
 *   2        from bit 0: columns of pixels; 4: rank - 1; 7: type; 11: interleave; 13: swizzle;
 *            15: NaN where nothing is; 16: rounds to tf32; 17: promotion; 20, 21: see below
 *   3 to 6   strides in 16 bytes; 7: four more bits of each
 *   8 to 12  dimensions - 1
 *   13       from bit 0: steps - 1, of three bits; 24: the box's innermost dimension - 1
 *   14       the other dimensions of the box - 1, of eight bits; or of a column, the corners of its
 *            box: all lower ones, then all upper ones, of 16, 8 or 5 bits as there are 1, 2 or 3
 *   15       of a column: pixels - 1
 *   16       bytes of the box in shared memory, as the driver counts them, 18: their alignment;
 *            no copy reads these
 *
 * No device of Blackwell has been asked. What an H100 has no room for is put where its bits are
 * zero, as the mock's own choice: the atoms of a swizzle (word 2, from bit 20), columns along one
 * dimension only (bit 22), and packed types as numbers from 11 on.
 */
#include "mock/ptx/tensormap/map.h"

#include <string.h>

enum {
    COLUMNS = 0,
    RANK = 4,
    TYPE = 7,
    INTERLEAVE = 11,
    SWIZZLE = 13,
    FILL = 15,
    ROUNDS = 16,
    PROMOTION = 17,
    ATOM = 20,
    WIDE = 22,
};

/* The numbers of types in a map, and whether their copies round to tf32. */
static const struct {
    uint8_t code, rounds, bits, floating;
} types[PTX__TMAP_TYPES] = {
    [PTX__TMAP_U8] = {0, 0, 8, 0},        [PTX__TMAP_U16] = {1, 0, 16, 0},
    [PTX__TMAP_U32] = {2, 0, 32, 0},      [PTX__TMAP_S32] = {3, 0, 32, 0},
    [PTX__TMAP_U64] = {4, 0, 64, 0},      [PTX__TMAP_S64] = {5, 0, 64, 0},
    [PTX__TMAP_F16] = {6, 0, 16, 1},      [PTX__TMAP_F32] = {7, 0, 32, 1},
    [PTX__TMAP_F64] = {9, 0, 64, 1},      [PTX__TMAP_BF16] = {10, 0, 16, 1},
    [PTX__TMAP_F32_FTZ] = {8, 0, 32, 1},  [PTX__TMAP_TF32] = {7, 1, 32, 1},
    [PTX__TMAP_TF32_FTZ] = {8, 1, 32, 1}, [PTX__TMAP_U4_OF_8] = {11, 0, 4, 0},
    [PTX__TMAP_U4_OF_16] = {12, 0, 4, 0}, [PTX__TMAP_U6_OF_16] = {13, 0, 6, 0},
};

unsigned ptx__tmap_bits(enum ptx__tmap_type type)
{
    return types[type].bits;
}

bool ptx__tmap_is_float(enum ptx__tmap_type type)
{
    return types[type].floating;
}

static void put(uint32_t *word, unsigned at, unsigned bits, uint64_t value)
{
    const uint32_t mask = (uint32_t) ((UINT64_C(1) << bits) - 1) << at;

    *word = (*word & ~mask) | ((uint32_t) value << at & mask);
}

static uint32_t get(uint32_t word, unsigned at, unsigned bits)
{
    return word >> at & (uint32_t) ((UINT64_C(1) << bits) - 1);
}

static int16_t get_signed(uint32_t word, unsigned at, unsigned bits)
{
    return (int16_t) ((int32_t) (word << (32 - at - bits)) >> (32 - bits));
}

/* --- making one --- */

static void put_type(uint32_t *words, uint64_t type)
{
    put(&words[2], TYPE, 4, types[type].code);
    put(&words[2], ROUNDS, 1, types[type].rounds);
}

static void put_stride(uint32_t *words, unsigned i, uint64_t stride)
{
    words[3 + i] = (uint32_t) (stride >> 4);
    put(&words[7], 4 * i, 4, stride >> 36);
}

/* The span of a swizzle, and its atoms. */
static void put_swizzle(uint32_t *words, unsigned swizzle)
{
    put(&words[2], SWIZZLE, 2, swizzle < PTX__TMAP_SWIZZLE_128 ? swizzle : PTX__TMAP_SWIZZLE_128);
    put(&words[2], ATOM, 2, swizzle < PTX__TMAP_SWIZZLE_128 ? 0 : swizzle - PTX__TMAP_SWIZZLE_128);
}

/* PTX numbers the types as a map does, and the driver does not. */
static enum ptx__tmap_type replaced_type(uint64_t number)
{
    static const uint8_t all[] = {
        PTX__TMAP_U8,       PTX__TMAP_U16,     PTX__TMAP_U32,      PTX__TMAP_S32,
        PTX__TMAP_U64,      PTX__TMAP_S64,     PTX__TMAP_F16,      PTX__TMAP_F32,
        PTX__TMAP_F32_FTZ,  PTX__TMAP_F64,     PTX__TMAP_BF16,     PTX__TMAP_TF32,
        PTX__TMAP_TF32_FTZ, PTX__TMAP_U4_OF_8, PTX__TMAP_U4_OF_16, PTX__TMAP_U6_OF_16};

    return (enum ptx__tmap_type) all[number % (sizeof(all) / sizeof(all[0]))];
}

void ptx__tmap_set(uint32_t *words, enum ptx__tmap_field field, unsigned dimension, uint64_t value)
{
    switch (field) {
    case PTX__TMAP_ADDRESS:
        words[0] = (uint32_t) value;
        words[1] = (uint32_t) (value >> 32);
        break;
    case PTX__TMAP_RANK:
        put(&words[2], RANK, 3, value);
        break;
    case PTX__TMAP_BOX:
        put(dimension ? &words[14] : &words[13], dimension ? 8 * (dimension - 1) : 24, 8,
            value - 1);
        break;
    case PTX__TMAP_DIM:
        words[8 + dimension] = (uint32_t) (value - 1);
        break;
    case PTX__TMAP_STRIDE:
        if (dimension < PTX__TMAP_DIMENSIONS - 1)
            put_stride(words, dimension, value);
        break;
    case PTX__TMAP_STEP:
        put(&words[13], 3 * dimension, 3, value - 1);
        break;
    case PTX__TMAP_TYPE:
        put_type(words, replaced_type(value));
        break;
    case PTX__TMAP_INTERLEAVE:
        put(&words[2], INTERLEAVE, 2, value);
        break;
    case PTX__TMAP_SWIZZLE:
        put(&words[2], SWIZZLE, 2, value);
        break;
    case PTX__TMAP_ATOMICITY:
        put(&words[2], ATOM, 2, value);
        break;
    case PTX__TMAP_FILL:
        put(&words[2], FILL, 1, value);
        break;
    }
}

unsigned ptx__tmap_corners(const struct ptx__tmap *map)
{
    return map->wide ? 1 : map->rank - 2u;
}

unsigned ptx__tmap_corner_bits(const struct ptx__tmap *map)
{
    return map->rank == 3 || map->wide ? 16 : map->rank == 4 ? 8 : 5;
}

static void put_corners(const struct ptx__tmap *map, uint32_t *words)
{
    const unsigned bits = ptx__tmap_corner_bits(map);

    for (unsigned i = 0; i < ptx__tmap_corners(map); i++) {
        put(&words[14], bits * i, bits, (uint16_t) map->lower[i]);
        put(&words[14], 16 + bits * i, bits, (uint16_t) map->upper[i]);
    }
    words[15] = (uint32_t) (map->pixels - 1);
}

uint64_t ptx__tmap_counted_bytes(const struct ptx__tmap *map)
{
    uint64_t n = map->columns ? map->box[0] * map->pixels : 1;

    for (unsigned i = 0; i < map->rank && !map->columns; i++)
        n *= map->box[i] / map->steps[i];
    return n * ptx__tmap_bits((enum ptx__tmap_type) map->type) / 8;
}

void ptx__tmap_pack(const struct ptx__tmap *map, uint32_t *words)
{
    memset(words, 0, PTX__TMAP_BYTES);
    ptx__tmap_set(words, PTX__TMAP_ADDRESS, 0, map->address);
    put(&words[2], COLUMNS, 1, map->columns);
    put(&words[2], WIDE, 1, map->wide);
    put(&words[2], RANK, 3, map->rank - 1u);
    put_type(words, map->type);
    put(&words[2], INTERLEAVE, 2, map->interleave);
    put_swizzle(words, map->swizzle);
    put(&words[2], FILL, 1, map->fills_nan);
    put(&words[2], PROMOTION, 2, map->promotion);
    for (unsigned i = 0; i < map->rank; i++) {
        words[8 + i] = (uint32_t) (map->dims[i] - 1);
        put(&words[13], 3 * i, 3, map->steps[i] - 1u);
        if (i)
            put_stride(words, i - 1, map->strides[i - 1]);
        if (!i || !map->columns)
            ptx__tmap_set(words, PTX__TMAP_BOX, i, map->box[i]);
    }
    if (map->columns)
        put_corners(map, words);
    words[16] = (uint32_t) ptx__tmap_counted_bytes(map);
    words[18] = map->swizzle ? 128u << (map->swizzle < 3 ? map->swizzle : 3) : 16;
}

/* --- reading one --- */

static bool get_type(uint32_t word, uint8_t *ret_type)
{
    for (unsigned i = 0; i < PTX__TMAP_TYPES; i++) {
        if (types[i].code == get(word, TYPE, 4) && types[i].rounds == get(word, ROUNDS, 1)) {
            *ret_type = (uint8_t) i;
            return true;
        }
    }
    return false;
}

static void get_columns(const uint32_t *words, struct ptx__tmap *map)
{
    const unsigned bits = ptx__tmap_corner_bits(map);

    for (unsigned i = 0; i < ptx__tmap_corners(map); i++) {
        map->lower[i] = get_signed(words[14], bits * i, bits);
        map->upper[i] = get_signed(words[14], 16 + bits * i, bits);
    }
    map->pixels = (uint64_t) words[15] + 1;
}

static void get_dimensions(const uint32_t *words, struct ptx__tmap *map)
{
    for (unsigned i = 0; i < map->rank; i++) {
        map->dims[i] = (uint64_t) words[8 + i] + 1;
        map->steps[i] = (uint8_t) (get(words[13], 3 * i, 3) + 1);
        map->box[i] = (uint16_t) ((i ? get(words[14], 8 * (i - 1), 8) : words[13] >> 24) + 1);
        if (i)
            map->strides[i - 1] =
                ((uint64_t) words[2 + i] | (uint64_t) get(words[7], 4 * (i - 1), 4) << 32) << 4;
    }
}

const char *ptx__tmap_unpack(const uint32_t *words, struct ptx__tmap *ret_map)
{
    const uint32_t word = words[2];
    struct ptx__tmap map = {.address = words[0] | (uint64_t) words[1] << 32,
                            .rank = (uint8_t) (get(word, RANK, 3) + 1),
                            .interleave = (uint8_t) get(word, INTERLEAVE, 2),
                            .swizzle = (uint8_t) get(word, SWIZZLE, 2),
                            .promotion = (uint8_t) get(word, PROMOTION, 2),
                            .columns = get(word, COLUMNS, 1),
                            .wide = get(word, WIDE, 1),
                            .fills_nan = get(word, FILL, 1)};

    if (map.rank > PTX__TMAP_DIMENSIONS)
        return "has more than 5 dimensions";
    if (!get_type(word, &map.type))
        return "has a type that there is not";
    if (map.interleave > PTX__INTERLEAVE_32)
        return "has an interleaved layout that there is not";
    if (map.columns && map.rank < 3)
        return "has columns of pixels, but less than 3 dimensions";
    if (map.swizzle == PTX__TMAP_SWIZZLE_128)
        map.swizzle = (uint8_t) (map.swizzle + get(word, ATOM, 2));
    get_dimensions(words, &map);
    if (map.type > PTX__TMAP_U4_OF_8 && map.box[0] % 16)
        return "has packed numbers with room behind them, and a box that is no multiple of 16 of "
               "them";
    if (map.columns)
        get_columns(words, &map);
    *ret_map = map;
    return NULL;
}
