/* SPDX-License-Identifier: MIT */
#include "mock/ptx/exec/tensormap.h"

#include <string.h>

#include "mock/ptx/exec/reduce.h"
#include "mock/ptx/memory/memory.h"
#include "mock/ptx/syntax/types.h"

#define MOST_DIMENSION (UINT64_C(1) << 31)

enum { UNIT = 16, NEAR_ALIGNMENT = 128, MAP_ALIGNMENT = 64 };

static const void *data_of(const struct ptx__op *op)
{
    return (const void *) (uintptr_t) op->imm;
}

/* --- maps --- */

/* Reads all of a map, in whatever memory it is. */
static bool read_map(struct ptx__lane_op at, enum ptx__access_space space, uint64_t address,
                     uint32_t *words)
{
    for (unsigned i = 0; i < PTX__TMAP_BYTES; i += UNIT) {
        const unsigned char *from = ptx__reach_in(at, space, address + i, UNIT, PTX__LOADS);

        if (!from)
            return false;
        memcpy((unsigned char *) words + i, from, UNIT);
    }
    return true;
}

static bool write_map(struct ptx__lane_op at, enum ptx__access_space space, uint64_t address,
                      const uint32_t *words)
{
    for (unsigned i = 0; i < PTX__TMAP_BYTES; i += UNIT) {
        unsigned char *to = ptx__reach_in(at, space, address + i, UNIT, PTX__STORES);

        if (!to)
            return false;
        memcpy(to, (const unsigned char *) words + i, UNIT);
    }
    return true;
}

const struct ptx__op *ptx__do_tmap_edit(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__tmap_edit *edit = data_of(op);
    uint32_t words[PTX__TMAP_WORDS];

    for (uint32_t m = w->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned) __builtin_ctz(m);
        const struct ptx__lane_op at = ptx__lane_op(w, op, lane);
        const uint64_t address = ptx__place_address(w, &edit->map, lane);
        const uint64_t value =
            edit->wide ? REG(uint64_t, edit->value)[lane] : REG(uint32_t, edit->value)[lane];

        if (!read_map(at, edit->map.space, address, words))
            return NULL;
        ptx__tmap_set(words, (enum ptx__tmap_field) edit->field, edit->dimension, value);
        if (!write_map(at, edit->map.space, address, words))
            return NULL;
    }
    return op + 1;
}

/* All lanes name the same two maps, so it is done once. */
const struct ptx__op *ptx__do_tmap_publish(struct ptx__warp *w, const struct ptx__op *op)
{
    const struct ptx__tmap_edit *edit = data_of(op);
    const struct ptx__lane_op at = ptx__first_lane_op(w, op);
    uint32_t words[PTX__TMAP_WORDS];

    if (!read_map(at, edit->from.space, ptx__place_address(w, &edit->from, at.lane), words) ||
        !write_map(at, edit->map.space, ptx__place_address(w, &edit->map, at.lane), words))
        return NULL;
    return op + 1;
}

/* --- copies --- */

struct copy {
    struct ptx__lane_op at;
    const struct ptx__tmap_copy *tensor;
    struct ptx__tmap_box box;
    struct ptx__reducing reducing;
    uint64_t near; /* where the box is in shared memory */
};

/* What a load writes where the tensor has nothing, whatever its type. */
static uint64_t nothing(const struct ptx__tmap *map)
{
    return map->fills_nan ? UINT64_C(0x7ff77ff77ff77ff7) : 0;
}

/* Rounds to the precision of tf32; halves away from zero. A NaN loses its bits. */
static uint32_t rounded(uint32_t bits)
{
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fffe000;
    return (bits + 0x1000) & ~UINT32_C(0x1fff);
}

/* Copies numbers as their type says: some are rounded on the way. */
static void convert(const struct ptx__tmap *map, unsigned char *to, const unsigned char *from,
                    unsigned bytes)
{
    const bool rounds = map->type == PTX__TMAP_TF32 || map->type == PTX__TMAP_TF32_FTZ;

    memcpy(to, from, bytes);
    for (unsigned i = 0; rounds && i < bytes; i += 4) {
        uint32_t bits;

        memcpy(&bits, from + i, sizeof(bits));
        bits = rounded(bits);
        memcpy(to + i, &bits, sizeof(bits));
    }
}

/* A piece has 16 bytes or less, and a size that its addresses are multiples of. */
static bool load_piece(const struct copy *copy, uint64_t near, uint64_t address, unsigned bytes,
                       bool inside)
{
    const uint64_t fill = nothing(&copy->box.map);
    const unsigned char *from = NULL;
    unsigned char *to;

    if (inside) {
        from = ptx__reach_in(copy->at, PTX__IN_GLOBAL, address, bytes, PTX__LOADS);
        if (!from)
            return false;
    }
    to = ptx__reach_in(copy->at, copy->tensor->near.space, near, bytes, PTX__STORES);
    if (!to)
        return false;
    if (inside)
        convert(&copy->box.map, to, from, bytes);
    else
        for (unsigned i = 0; i < bytes; i += 8)
            memcpy(to + i, &fill, bytes < 8 ? bytes : 8);
    return true;
}

static bool store_piece(const struct copy *copy, uint64_t near, uint64_t address, unsigned bytes)
{
    const struct ptx__reducing *reducing = &copy->reducing;
    const unsigned char *from =
        ptx__reach_in(copy->at, copy->tensor->near.space, near, bytes, PTX__LOADS);
    unsigned char *to;

    if (!from)
        return false;
    to = ptx__reach_in(copy->at, PTX__IN_GLOBAL, address, bytes,
                       reducing->kind ? PTX__UPDATES : PTX__STORES);
    if (!to)
        return false;
    if (!reducing->kind)
        memcpy(to, from, bytes);
    for (unsigned i = 0; reducing->kind && i < bytes; i += reducing->bytes)
        ptx__reduce(reducing, to + i, from + i);
    return true;
}

static bool tell_outside(const struct copy *copy, uint64_t offset, unsigned bytes)
{
    return ptx__fault(copy->at, PTX__ERROR_ILLEGAL_ADDRESS, PTX__OUT_OF_BOUNDS,
                      "a copy of a tensor %s %u bytes at offset %llu of shared memory, which has "
                      "%llu bytes",
                      copy->tensor->what == PTX__TMAP_LOADS ? "writes" : "reads", bytes,
                      (unsigned long long) offset,
                      (unsigned long long) copy->at.warp->block->grid->shared_bytes);
}

static bool in_shared(const struct copy *copy, uint64_t near, unsigned bytes)
{
    const uint64_t offset = near & PTX__RANK_MASK;

    return offset + bytes <= copy->at.warp->block->grid->shared_bytes ||
           tell_outside(copy, offset, bytes);
}

static bool move_piece(const struct copy *copy, uint64_t near, uint64_t address, unsigned bytes,
                       bool inside)
{
    if (!in_shared(copy, near, bytes))
        return false;
    if (copy->tensor->what == PTX__TMAP_LOADS)
        return load_piece(copy, near, address, bytes, inside);
    return store_piece(copy, near, address, bytes);
}

/* Each 16 bytes of shared memory have a place of their own. */
static bool move_run(void *user, const struct ptx__tmap_run *run)
{
    const struct copy *copy = user;
    const enum ptx__tmap_swizzle swizzle = (enum ptx__tmap_swizzle) copy->box.map.swizzle;
    const unsigned unit = swizzle == PTX__TMAP_SWIZZLE_128_ATOM_32_FLIP_8 ? UNIT / 2 : UNIT;

    if (!run->inside && copy->tensor->what != PTX__TMAP_LOADS)
        return true;
    /* The bits above are of the block's number. */
    if (run->near > PTX__RANK_MASK - (copy->near & PTX__RANK_MASK))
        return tell_outside(copy, (copy->near & PTX__RANK_MASK) + run->near, run->bytes);
    for (uint32_t i = 0, bytes; i < run->bytes; i += bytes) {
        const uint64_t near = copy->near + run->near + i;
        const uint64_t alignment = near | (run->inside ? run->address + i : 0) | unit;

        bytes = (uint32_t) (alignment & -alignment);
        while (bytes > run->bytes - i)
            bytes /= 2;
        if (!move_piece(copy, ptx__tmap_swizzled(swizzle, near), run->address + i, bytes,
                        run->inside))
            return false;
    }
    return true;
}

static bool near_fits(const struct copy *copy, uint64_t near)
{
    if (near % NEAR_ALIGNMENT == 0)
        return true;
    return ptx__fault(copy->at, PTX__ERROR_MISALIGNED_ADDRESS, PTX__MISALIGNED,
                      "a copy of a tensor to or from 0x%llx of shared memory, which is no multiple "
                      "of 128",
                      (unsigned long long) near);
}

static bool move_box(struct copy *copy, uint64_t near, uint64_t barrier)
{
    copy->near = near;
    if (!near_fits(copy, near) || !ptx__tmap_walk(&copy->box, move_run, copy))
        return false;
    return copy->tensor->what != PTX__TMAP_LOADS ||
           ptx__tell_barrier(copy->at, &copy->tensor->barrier, barrier,
                             ptx__tmap_bytes(&copy->box));
}

/* Of a pair of blocks the barrier is in that which is first, or second, as the one that was named.
 */
static unsigned barrier_rank(const struct copy *copy, uint64_t barrier, unsigned rank)
{
    const unsigned named = (unsigned) (barrier >> PTX__RANK_SHIFT & 0xff);
    const unsigned of = named ? named - 1 : copy->at.warp->block->rank;

    return copy->tensor->pairs ? (rank & ~1u) | (of & 1) : rank;
}

/* To each block of a mask, at the same place in its memory. */
static bool move_to_blocks(struct copy *copy, uint64_t near, uint64_t barrier)
{
    const struct ptx__warp *w = copy->at.warp;
    const uint32_t blocks = REG(uint32_t, copy->tensor->blocks)[copy->at.lane] & 0xffff;

    for (uint32_t m = blocks; m; m &= m - 1) {
        const unsigned rank = (unsigned) __builtin_ctz(m);

        if (rank >= w->block->cluster->n_blocks)
            return ptx__fault(copy->at, PTX__ERROR_LAUNCH_FAILED, PTX__OTHER,
                              "a copy of a tensor to block %u of a cluster of %u", rank,
                              w->block->cluster->n_blocks);
        if (!move_box(copy, ptx__in_block(near, rank),
                      ptx__in_block(barrier, barrier_rank(copy, barrier, rank))))
            return false;
    }
    return true;
}

/* --- what a device checks before it copies --- */

static bool refuse(const struct copy *copy, const char *why)
{
    return ptx__fault(copy->at, PTX__ERROR_ILLEGAL_INSTRUCTION, PTX__OTHER,
                      "a copy of a tensor: %s", why);
}

/* A map is in memory of the device, of constants or of parameters, at a multiple of 64. */
static bool find_map(const struct copy *copy, uint32_t *words)
{
    const struct ptx__place_in *place = &copy->tensor->map;
    const uint64_t address = ptx__place_address(copy->at.warp, place, copy->at.lane);
    const uint64_t window = address >> PTX__WINDOW_SHIFT << PTX__WINDOW_SHIFT;

    if (window == PTX__SHARED_WINDOW || window == PTX__LOCAL_WINDOW)
        return ptx__fault(copy->at, PTX__ERROR_ILLEGAL_ADDRESS, PTX__OTHER,
                          "a copy by a tensor map in %s memory, where no copy reads one",
                          window == PTX__SHARED_WINDOW ? "shared" : "local");
    if (address % MAP_ALIGNMENT)
        return ptx__fault(copy->at, PTX__ERROR_MISALIGNED_ADDRESS, PTX__MISALIGNED,
                          "a copy by a tensor map at 0x%llx, which is no multiple of 64",
                          (unsigned long long) address);
    return read_map(copy->at, (enum ptx__access_space) place->space, address, words);
}

static bool has_corners(const struct ptx__tmap *map)
{
    for (unsigned i = 0; i < ptx__tmap_corners(map); i++) {
        if (map->lower[i] || map->upper[i])
            return true;
    }
    return false;
}

/* The tensor of a map that the driver made begins at such an address; a program may change it. */
static bool place_fits(const struct copy *copy)
{
    const uint64_t bytes = ptx__tmap_bytes(&copy->box), address = copy->box.map.address;

    if (!bytes || bytes % UNIT)
        return refuse(copy, "its box has no multiple of 16 bytes");
    if (address % UNIT)
        return ptx__fault(copy->at, PTX__ERROR_MISALIGNED_ADDRESS, PTX__MISALIGNED,
                          "a copy of a tensor at 0x%llx, which is no multiple of 16",
                          (unsigned long long) address);
    return true;
}

static bool map_fits(const struct copy *copy)
{
    const struct ptx__tmap *map = &copy->box.map;
    const bool columns = copy->box.mode >= PTX__TMAP_COLUMN;

    if (map->rank != copy->tensor->dimensions)
        return ptx__fault(copy->at, PTX__ERROR_ILLEGAL_INSTRUCTION, PTX__OTHER,
                          "a copy of a tensor of %u dimensions by a tensor map of %u",
                          copy->tensor->dimensions, map->rank);
    if (copy->box.mode == PTX__TMAP_ROWS && map->interleave)
        return refuse(copy, "of rows, by a tensor map of an interleaved layout");
    if (map->columns != columns)
        return refuse(copy, columns ? "of columns of pixels, by a tensor map of tiles"
                                    : "of tiles, by a tensor map of columns of pixels");
    if (columns && copy->tensor->what == PTX__TMAP_STORES && has_corners(map))
        return refuse(copy, "a store of columns of pixels needs a map whose corners are zeros");
    for (unsigned i = 0; i < map->rank; i++) {
        if (map->dims[i] > MOST_DIMENSION)
            return refuse(copy, "a dimension is larger than 2^31");
    }
    return place_fits(copy);
}

static bool coordinates_fit(const struct copy *copy)
{
    const struct ptx__tmap *map = &copy->box.map;
    const unsigned first = map->interleave ? 0 : 1;

    if (!map->interleave &&
        copy->box.at[0] * (int64_t) ptx__tmap_bits((enum ptx__tmap_type) map->type) % (8 * UNIT))
        return ptx__fault(copy->at, PTX__ERROR_ILLEGAL_INSTRUCTION, PTX__MISALIGNED,
                          "a copy of a tensor from coordinate %d on, which is at no multiple of 16 "
                          "bytes",
                          copy->box.at[0]);
    for (unsigned i = 0; copy->tensor->what == PTX__TMAP_STORES && i < PTX__TMAP_DIMENSIONS; i++) {
        if (copy->box.at[i] < 0)
            return refuse(copy, "a store with a coordinate below zero");
    }
    for (unsigned i = 0; map->columns && i < ptx__tmap_corners(map); i++) {
        const int64_t at = copy->box.at[first + i];

        if (at < map->lower[i] || at > (int64_t) map->dims[first + i] - 1 + map->upper[i])
            return refuse(copy, "a pixel outside of the box that the map's corners make");
    }
    return true;
}

/* Which numbers a device adds, compares, counts and joins. */
static bool is_reduced(enum ptx__reduction kind, enum ptx__tmap_type type)
{
    static const uint32_t integers =
        1u << PTX__TMAP_U32 | 1u << PTX__TMAP_S32 | 1u << PTX__TMAP_U64;
    static const uint32_t halves = 1u << PTX__TMAP_F16 | 1u << PTX__TMAP_BF16;
    static const uint32_t floats = 1u << PTX__TMAP_F32 | 1u << PTX__TMAP_F64 |
                                   1u << PTX__TMAP_F32_FTZ | 1u << PTX__TMAP_TF32 |
                                   1u << PTX__TMAP_TF32_FTZ;

    switch (kind) {
    case PTX__REDUCE_NOTHING:
        return true;
    case PTX__REDUCE_ADD:
        return (integers | halves | floats) >> type & 1;
    case PTX__REDUCE_MIN:
    case PTX__REDUCE_MAX:
        return (integers | halves | 1u << PTX__TMAP_S64) >> type & 1;
    case PTX__REDUCE_INC:
    case PTX__REDUCE_DEC:
        return type == PTX__TMAP_U32;
    default:
        return integers >> type & 1;
    }
}

static bool reduction_fits(struct copy *copy)
{
    static const uint8_t types[PTX__TMAP_TYPES] = {
        [PTX__TMAP_U32] = PTX_U32,  [PTX__TMAP_S32] = PTX_S32,     [PTX__TMAP_U64] = PTX_U64,
        [PTX__TMAP_S64] = PTX_S64,  [PTX__TMAP_F16] = PTX_F16,     [PTX__TMAP_F32] = PTX_F32,
        [PTX__TMAP_F64] = PTX_F64,  [PTX__TMAP_BF16] = PTX_BF16,   [PTX__TMAP_F32_FTZ] = PTX_F32,
        [PTX__TMAP_TF32] = PTX_F32, [PTX__TMAP_TF32_FTZ] = PTX_F32};
    const enum ptx__tmap_type of = (enum ptx__tmap_type) copy->box.map.type;
    const enum ptx__type type = (enum ptx__type) types[of];

    copy->reducing = (struct ptx__reducing){copy->tensor->reduction, (uint8_t) type,
                                            (uint8_t) (ptx__type_bits(type) / 8),
                                            of == PTX__TMAP_F32_FTZ || of == PTX__TMAP_TF32_FTZ};
    return is_reduced((enum ptx__reduction) copy->tensor->reduction, of) ||
           refuse(copy, "no device reduces numbers of this type in this way");
}

static void read_operands(struct copy *copy)
{
    const struct ptx__tmap_copy *tensor = copy->tensor;
    const struct ptx__warp *w = copy->at.warp;
    const unsigned lane = copy->at.lane;

    copy->box.mode = (enum ptx__tmap_mode) tensor->mode;
    copy->box.stores = tensor->what == PTX__TMAP_STORES;
    for (unsigned i = 0; i < PTX__TMAP_DIMENSIONS; i++)
        copy->box.at[i] = tensor->coordinates[i] ? REG(int32_t, tensor->coordinates[i])[lane] : 0;
    for (unsigned i = 0; i < 3; i++)
        copy->box.offsets[i] =
            tensor->offsets[i] ? (uint16_t) REG(uint32_t, tensor->offsets[i])[lane] : 0;
}

static bool begin(struct copy *copy)
{
    uint32_t words[PTX__TMAP_WORDS];
    const char *wrong;

    if (!find_map(copy, words))
        return false;
    wrong = ptx__tmap_unpack(words, &copy->box.map);
    if (wrong)
        return ptx__fault(copy->at, PTX__ERROR_ILLEGAL_INSTRUCTION, PTX__OTHER,
                          "a copy by a tensor map that %s", wrong);
    read_operands(copy);
    return map_fits(copy) && coordinates_fit(copy) && reduction_fits(copy);
}

static bool copy_lane(struct ptx__warp *w, const struct ptx__op *op, unsigned lane)
{
    const struct ptx__tmap_copy *tensor = data_of(op);
    struct copy copy = {.at = ptx__lane_op(w, op, lane), .tensor = tensor};
    uint64_t near, barrier = 0;

    if (!begin(&copy))
        return false;
    if (tensor->what == PTX__TMAP_PREFETCHES)
        return true;
    near = ptx__place_address(w, &tensor->near, lane);
    if (tensor->what == PTX__TMAP_LOADS)
        barrier = ptx__place_address(w, &tensor->barrier, lane);
    return tensor->blocks ? move_to_blocks(&copy, near, barrier) : move_box(&copy, near, barrier);
}

const struct ptx__op *ptx__do_tmap_copy(struct ptx__warp *w, const struct ptx__op *op)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        if (!copy_lane(w, op, (unsigned) __builtin_ctz(m)))
            return NULL;
    }
    return op + 1;
}
