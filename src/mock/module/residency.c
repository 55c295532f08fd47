/* SPDX-License-Identifier: MIT */
#include "mock/module/residency.h"

#include <stdint.h>

#include "base/util.h"

#define PARTS               4   /* of a multiprocessor, which share its registers */
#define REGISTERS_AT_A_TIME 256 /* that a warp takes */
#define MOST_WITHOUT_ASKING 49152

static size_t up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t shared_unit(const struct mock__residency_room *room)
{
    return room->capability < 80 ? 256 : 128;
}

/*
 * The shared memory of a multiprocessor has one of several sizes, the rest of that memory being
 * cache. Returns the first size for so many bytes, 0 if there is none.
 */
static size_t size_for(const struct mock__residency_room *room, size_t bytes)
{
    static const size_t sizes[] = {0, 8, 16, 32, 64, 100, 132, 164, 196}; /* KiB */

    for (size_t i = room->capability == 75 ? 3 : 0; i < ARRAY_SIZE(sizes); i++) {
        if (sizes[i] * 1024 >= room->shared)
            break;
        if (bytes <= sizes[i] * 1024)
            return sizes[i] * 1024;
    }
    return bytes <= room->shared ? room->shared : 0;
}

/* In percent; -1 if nothing is preferred. */
static int preferred(const struct mock__residency_use *use)
{
    static const int by_cache[] = {-1, 100, 0, 50}; /* none, shared, L1, equal */

    if (use->carveout >= 0)
        return use->carveout;
    return by_cache[(unsigned) use->cache % ARRAY_SIZE(by_cache)];
}

/* The size that a multiprocessor has for blocks that take so much: the preferred one if one fits.
 */
static size_t shared_size(const struct mock__residency_room *room,
                          const struct mock__residency_use *use, size_t of_block)
{
    const int percent = preferred(use);
    const size_t wanted =
        percent < 0 ? room->shared : size_for(room, room->shared * (size_t) percent / 100);

    return wanted >= of_block ? wanted : size_for(room, of_block);
}

static size_t shared_of_block(const struct mock__residency_room *room,
                              const struct mock__residency_use *use, size_t dynamic_shared)
{
    return up(use->static_shared + dynamic_shared + room->reserved_shared, shared_unit(room));
}

static size_t by_shared(const struct mock__residency_room *room,
                        const struct mock__residency_use *use, size_t dynamic_shared)
{
    const size_t bytes = shared_of_block(room, use, dynamic_shared);

    return bytes ? shared_size(room, use, bytes) / bytes : SIZE_MAX;
}

/* Each part of the multiprocessor has its warps and its registers. */
static size_t by_registers(const struct mock__residency_room *room,
                           const struct mock__residency_use *use, size_t warps)
{
    const size_t of_warp = up(use->registers * room->warp, REGISTERS_AT_A_TIME);

    if (!of_warp)
        return SIZE_MAX;
    return room->registers / PARTS / of_warp * PARTS / warps;
}

/* Devices have two barriers for each block that they have room for, or only one. */
static size_t by_barriers(const struct mock__residency_room *room,
                          const struct mock__residency_use *use)
{
    const int capability = room->capability;
    const bool one = (capability > 80 && capability < 90) || capability == 101 || capability >= 110;

    return use->barriers ? room->blocks * (one ? 1 : 2) / use->barriers : SIZE_MAX;
}

size_t mock__residency_blocks(const struct mock__residency_room *room,
                              const struct mock__residency_use *use, size_t threads,
                              size_t dynamic_shared)
{
    const size_t warps = up(threads, room->warp) / room->warp;
    const size_t unasked =
        MOST_WITHOUT_ASKING > use->static_shared ? MOST_WITHOUT_ASKING - use->static_shared : 0;
    size_t blocks = room->blocks;

    if (!warps || (dynamic_shared > use->most_dynamic && dynamic_shared > unasked))
        return 0;
    /* A block has its registers in all parts alike. */
    if (!by_registers(room, use, up(warps, PARTS)))
        return 0;
    blocks = least(blocks, room->threads / room->warp / warps);
    blocks = least(blocks, by_registers(room, use, warps));
    blocks = least(blocks, by_shared(room, use, dynamic_shared));
    return least(blocks, by_barriers(room, use));
}

bool mock__residency_dynamic(const struct mock__residency_room *room,
                             const struct mock__residency_use *use, size_t threads, size_t blocks,
                             size_t *ret_bytes)
{
    const size_t unit = shared_unit(room);
    size_t size, share;

    if (!blocks || blocks > mock__residency_blocks(room, use, threads, 0))
        return false;
    /* A block that is alone can have all. What the system takes of a block is not counted. */
    size = blocks == 1 ? room->shared : shared_size(room, use, shared_of_block(room, use, 0));
    share = size / blocks / unit * unit;
    share = share > use->static_shared ? share - use->static_shared : 0;
    *ret_bytes = least(share, use->most_dynamic);
    return true;
}
