/* SPDX-License-Identifier: MIT */
/*
 * Arenas of device memory, of which blocks are allocated while a stream records (block.h).
 *
 * An arena is one buffer: a range of addresses that is reserved once, with memory mapped from its
 * beginning as far as it was needed (arena_map.c). So addresses stay, and growth moves nothing. The
 * work on the blocks is ordered by the points of the buffer, so a part that was freed is given to
 * the next block at once.
 *
 * A block is the first free part that is long enough (arena.c). So the same calls get the same
 * addresses, and what was needed of one arena is enough in another.
 */
#ifndef CUSHIM_CORE_ORDER_ARENA_H
#define CUSHIM_CORE_ORDER_ARENA_H

#include <pthread.h>

#include "core/order/block.h"
#include "core/order/buffer.h"

/* The memory behind the addresses of an arena. */
struct cushim__device_arena_map {
    CUdeviceptr address;
    size_t limit;  /* how many bytes there are addresses for: a multiple of step */
    size_t step;   /* memory is mapped in multiples of so many bytes; 0: it is one allocation */
    size_t mapped; /* bytes from the address on */
    size_t *ends;  /* of the mappings, in their order */
    size_t n_ends, max_ends;
    bool dry;                  /* all mappings are of the same memory, of one step */
    unsigned long long shared; /* that memory, or 0 */
};

struct cushim__device_arena {
    struct cushim__object object;  /* holds a reference on its context */
    struct cushim__buffer *buffer; /* all bytes that it may come to have; the arena is its owner */
    bool own; /* of a recording alone, which makes another one when this is full */
    pthread_mutex_t lock;
    /* Under the lock. */
    struct cushim__device_arena_map map;
    struct cushim__tree free; /* the blocks that are not in use, by their first bytes */
    size_t used, peak;        /* bytes of all blocks in use; the end of the last one so far */
};

/* What a program wants of an arena. */
struct cushim__device_arena_wish {
    size_t bytes, limit; /* limit 0: as much as there is */
    bool dry, own;
};

/* Makes an arena, with a reference for the caller. */
cushim_status cushim__device_arena_new(const struct cushim__scope *scope,
                                       const struct cushim__device_arena_wish *wish,
                                       struct cushim__device_arena **ret_arena);

/*
 * Allocates a block, which holds the arena. Where an arena of a recording alone is full, *ret_block
 * stays as it is. Called without locks: the arena may have to grow, which takes driver calls.
 */
cushim_status cushim__device_arena_take(struct cushim__scope *scope,
                                        struct cushim__device_arena *arena, size_t bytes,
                                        struct cushim__block **ret_block);

/* Takes back a block without references, and drops its reference on the arena. */
void cushim__device_arena_give_back(struct cushim__block *block);

/* Fails because the device cannot map memory: what there is not, "an arena without .bytes". */
cushim_status cushim__device_arena_fail_unmapped(const struct cushim__scope *scope,
                                                 const char *what);

/*
 * Reserves addresses, and maps memory up to an end; both may fail. A map that was not begun, or
 * only in part, can be ended. Under the lock of the arena, or before another thread knows it.
 */
cushim_status cushim__device_arena_map_begin(const struct cushim__scope *scope,
                                             const struct cushim__device_arena_wish *wish,
                                             struct cushim__device_arena_map *map);
cushim_status cushim__device_arena_map_grow(const struct cushim__scope *scope,
                                            struct cushim__device_arena_map *map, size_t end);
void cushim__device_arena_map_end(const struct cushim__scope *scope,
                                  struct cushim__device_arena_map *map);

#endif
