/* SPDX-License-Identifier: MIT */
/*
 * What an H100 does (tests/ptx/tensors). Without an interleaved layout the innermost dimension is
 * that of a row, and a row of the box is contiguous in shared memory; under a swizzle it has the
 * whole span. An interleaved tensor has slices of 16 or 32 bytes for elements, whatever the map's
 * type: its dimensions are those of pixels, then the slices of a pixel, of which a box has one, and
 * then images.
 *
 * A column takes pixel after pixel of the box that the corners of the map make, from where the
 * coordinates say, then those of the next image.
 *
 * Of Blackwell no device was asked: rows that are gathered, atoms of a swizzle, and packed numbers
 * with bytes behind them are as NVIDIA documents them.
 */
#include "mock/ptx/tensormap/box.h"

enum { ROWS = 4, UNIT = 16 };

struct walk {
    const struct ptx__tmap_box *box;
    ptx__tmap_visit visit;
    void *user;
    uint64_t near;   /* where the row is in the box */
    uint32_t within; /* and how far in it */
};

static int64_t bytes_of(const struct ptx__tmap *map, int64_t elements)
{
    if (map->interleave)
        return elements * (map->interleave == PTX__INTERLEAVE_32 ? 32 : 16);
    return elements * ptx__tmap_bits((enum ptx__tmap_type) map->type) / 8;
}

/* Returns the first dimension that has no row of its own. */
static unsigned first_outer(const struct ptx__tmap *map)
{
    return map->interleave ? 0 : 1;
}

/* Tells whether the outer coordinates are in the tensor. */
static bool is_inside(const struct ptx__tmap *map, const int64_t *at)
{
    for (unsigned i = first_outer(map); i < map->rank; i++) {
        if (at[i] < 0 || (uint64_t) at[i] >= map->dims[i])
            return false;
    }
    return true;
}

static uint64_t address_of(const struct ptx__tmap *map, const int64_t *at)
{
    uint64_t address = map->address;

    if (map->interleave)
        address += (uint64_t) bytes_of(map, at[0]);
    for (unsigned i = 1; i < map->rank; i++)
        address += (uint64_t) at[i] * map->strides[i - 1];
    return address;
}

/* --- rows --- */

/* 16 packed numbers, and the bytes behind them, have 16 bytes. */
static bool is_spread(const struct ptx__tmap *map)
{
    return map->type == PTX__TMAP_U4_OF_16 || map->type == PTX__TMAP_U6_OF_16;
}

/* Returns the bytes of a row, or of a slice, that a copy moves to shared memory. */
static uint32_t moved_bytes(const struct ptx__tmap *map)
{
    return is_spread(map) ? map->box[0]
                          : (uint32_t) bytes_of(map, map->interleave ? 1 : map->box[0]);
}

/* Returns the bytes that it has there. */
static uint32_t row_bytes(const struct ptx__tmap *map)
{
    static const uint8_t spans[] = {0, 32, 64, 128, 128, 128, 128};
    const uint32_t bytes = moved_bytes(map);

    return map->interleave || bytes > spans[map->swizzle] ? bytes : spans[map->swizzle];
}

/* Each 16 numbers by themselves. */
static bool visit_groups(struct walk *walk, uint64_t row, int64_t from, int64_t to, bool inside)
{
    const int64_t group = bytes_of(&walk->box->map, 16);

    for (int64_t i = from; i < to; i += group) {
        const struct ptx__tmap_run run = {row + (uint64_t) i, walk->near + walk->within,
                                          (uint32_t) group, inside};

        walk->within += 16;
        if (!walk->visit(walk->user, &run))
            return false;
    }
    return true;
}

/* Bytes `from` to `to` of a row, if any. */
static bool visit_part(struct walk *walk, uint64_t row, int64_t from, int64_t to, bool inside)
{
    const struct ptx__tmap_run run = {row + (uint64_t) from, walk->near + walk->within,
                                      (uint32_t) (to - from), inside};

    if (to <= from)
        return true;
    if (is_spread(&walk->box->map))
        return visit_groups(walk, row, from, to, inside);
    walk->within += run.bytes;
    return walk->visit(walk->user, &run);
}

static int64_t between(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/*
 * A row of the box, by its number: what is before the tensor's row, in it, and behind it. Or one
 * slice. A store writes all of the 16 bytes in which the tensor's row ends.
 */
static bool visit_row(struct walk *walk, const int64_t *at, uint64_t number)
{
    const struct ptx__tmap *map = &walk->box->map;
    const int64_t begin = map->interleave ? 0 : bytes_of(map, walk->box->at[0]);
    const int64_t end = begin + bytes_of(map, map->interleave ? 1 : map->box[0]);
    const int64_t all = map->interleave ? end : bytes_of(map, (int64_t) map->dims[0]);
    const int64_t written = walk->box->stores ? (all + UNIT - 1) / UNIT * UNIT : all;
    const int64_t size = is_inside(map, at) ? written : 0;
    const uint64_t row = address_of(map, at);

    walk->near = number * row_bytes(map);
    walk->within = 0;
    return visit_part(walk, row, begin, between(0, begin, end), false) &&
           visit_part(walk, row, between(begin, 0, size), between(end, 0, size), true) &&
           visit_part(walk, row, between(size, between(begin, 0, end), end), end, false);
}

/* Tells whether a store begins behind the tensor in some dimension: then it writes nothing. */
static bool writes_nothing(const struct ptx__tmap_box *box)
{
    for (unsigned i = 0; box->stores && i < box->map.rank; i++) {
        if (box->at[i] >= 0 && (uint64_t) box->at[i] >= box->map.dims[i])
            return true;
    }
    return false;
}

/* --- tiles --- */

/* How far a box goes in a dimension. */
static unsigned extent(const struct ptx__tmap *map, unsigned i)
{
    return map->interleave && i == map->rank - 2u ? 1 : map->box[i];
}

static unsigned count(const struct ptx__tmap *map, unsigned i)
{
    return (extent(map, i) + map->steps[i] - 1u) / map->steps[i];
}

/* A store, which begins in the tensor, goes no farther than that. */
static int64_t limit(const struct ptx__tmap_box *box, unsigned i)
{
    const int64_t left = (int64_t) box->map.dims[i] - box->at[i], all = extent(&box->map, i);

    return box->stores && left < all ? left : all;
}

/* Which row of the box begins at these coordinates in it. */
static uint64_t number_of_row(const struct ptx__tmap *map, const uint32_t *within)
{
    uint64_t number = 0, each = 1;

    for (unsigned i = first_outer(map); i < map->rank; i++) {
        number += within[i] / map->steps[i] * each;
        each *= count(map, i);
    }
    return number;
}

static bool walk_tile(struct walk *walk)
{
    const struct ptx__tmap_box *box = walk->box;
    const struct ptx__tmap *map = &box->map;
    uint32_t within[PTX__TMAP_DIMENSIONS] = {0};
    int64_t at[PTX__TMAP_DIMENSIONS] = {0};
    unsigned i;

    do {
        for (i = 0; i < map->rank; i++)
            at[i] = (int64_t) box->at[i] + within[i];
        if (!visit_row(walk, at, number_of_row(map, within)))
            return false;
        for (i = first_outer(map); i < map->rank; i++) {
            within[i] += map->steps[i];
            if (within[i] < limit(box, i))
                break;
            within[i] = 0;
        }
    } while (i < map->rank);
    return true;
}

/* Four rows, whose coordinates follow that of the column. */
static bool walk_rows(struct walk *walk)
{
    for (unsigned i = 0; i < ROWS; i++) {
        const int64_t at[PTX__TMAP_DIMENSIONS] = {walk->box->at[0], walk->box->at[1 + i]};

        if (!visit_row(walk, at, i))
            return false;
    }
    return true;
}

/* --- columns --- */

/* The next pixel: along the box that the corners make, then to the next image. */
static void next_pixel(const struct ptx__tmap *map, int64_t *pixel)
{
    const unsigned first = first_outer(map), last = map->rank - 1u;

    for (unsigned i = 0; i < map->rank - 2u; i++) {
        pixel[first + i] += map->steps[first + i];
        if (pixel[first + i] <= (int64_t) map->dims[first + i] - 1 + map->upper[i])
            return;
        pixel[first + i] = map->lower[i];
    }
    pixel[last] += map->steps[last];
}

/*
 * A device has one register for all offsets: of 16 bits, of 8, or of 5, and then they are added up
 * in it.
 */
static void read_offsets(const struct ptx__tmap_box *box, uint32_t *ret_offsets)
{
    const uint32_t all = box->offsets[0] + (box->offsets[1] << 5) + (box->offsets[2] << 10);

    for (unsigned i = 0; i < 3; i++) {
        ret_offsets[i] = box->offsets[i] & (box->map.rank == 3 ? 0xffff : 0xff);
        if (box->map.rank == PTX__TMAP_DIMENSIONS)
            ret_offsets[i] = all >> 5 * i & 31;
    }
}

static bool walk_column(struct walk *walk)
{
    const struct ptx__tmap_box *box = walk->box;
    const struct ptx__tmap *map = &box->map;
    const unsigned first = first_outer(map), last = map->rank - 1u;
    uint32_t offsets[3];
    int64_t pixel[PTX__TMAP_DIMENSIONS], at[PTX__TMAP_DIMENSIONS] = {0};

    for (unsigned i = 0; i < PTX__TMAP_DIMENSIONS; i++)
        pixel[i] = box->at[i];
    read_offsets(box, offsets);
    for (uint64_t n = 0; n < map->pixels; n++) {
        if (box->stores && pixel[last] >= (int64_t) map->dims[last])
            return true;
        for (unsigned i = 0; i < map->rank; i++)
            at[i] = pixel[i];
        for (unsigned i = 0; i < map->rank - 2u; i++)
            at[first + i] += offsets[i];
        if (!visit_row(walk, at, n))
            return false;
        next_pixel(map, pixel);
    }
    return true;
}

/* --- all --- */

bool ptx__tmap_walk(const struct ptx__tmap_box *box, ptx__tmap_visit visit, void *user)
{
    struct walk walk = {.box = box, .visit = visit, .user = user};

    if (box->mode != PTX__TMAP_ROWS && writes_nothing(box))
        return true;
    switch (box->mode) {
    case PTX__TMAP_TILE:
        return walk_tile(&walk);
    case PTX__TMAP_ROWS:
        return walk_rows(&walk);
    default:
        return walk_column(&walk);
    }
}

static uint64_t count_rows(const struct ptx__tmap_box *box)
{
    const struct ptx__tmap *map = &box->map;
    uint64_t n = 1;

    if (box->mode != PTX__TMAP_TILE)
        return box->mode == PTX__TMAP_ROWS ? ROWS : map->pixels;
    for (unsigned i = first_outer(map); i < map->rank; i++)
        n *= count(map, i);
    return n;
}

uint64_t ptx__tmap_bytes(const struct ptx__tmap_box *box)
{
    return count_rows(box) * moved_bytes(&box->map);
}

uint64_t ptx__tmap_swizzled(enum ptx__tmap_swizzle swizzle, uint64_t address)
{
    static const struct {
        uint8_t mask, atom; /* which bits of the row are added, and to which bit on */
    } all[] = {{0, 4}, {1, 4}, {3, 4}, {7, 4}, {3, 5}, {3, 5}, {1, 6}};
    const uint64_t row = address >> 7;

    address ^= (row & all[swizzle].mask) << all[swizzle].atom;
    return swizzle == PTX__TMAP_SWIZZLE_128_ATOM_32_FLIP_8 ? address ^ (row & 1) << 3 : address;
}
