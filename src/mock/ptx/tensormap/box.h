/* SPDX-License-Identifier: MIT */
/* Which bytes of a tensor a copy moves, and where they are in the box of shared memory. */
#ifndef CUSHIM_MOCK_PTX_TENSORMAP_BOX_H
#define CUSHIM_MOCK_PTX_TENSORMAP_BOX_H

#include "mock/ptx/tensormap/map.h"

enum ptx__tmap_mode {
    PTX__TMAP_TILE,
    PTX__TMAP_ROWS,   /* tile::gather4, tile::scatter4: four rows of a plane */
    PTX__TMAP_COLUMN, /* im2col, im2col_no_offs */
};

/* A box, with the operands of an instruction. */
struct ptx__tmap_box {
    struct ptx__tmap map;
    enum ptx__tmap_mode mode;
    bool stores;
    int32_t at[PTX__TMAP_DIMENSIONS];
    uint16_t offsets[3];
};

/* Bytes that are contiguous in the tensor and in the box. */
struct ptx__tmap_run {
    uint64_t address;
    uint64_t near; /* where they are in the box, before the swizzle */
    uint32_t bytes;
    bool inside; /* of the tensor; else there is nothing at the address */
};

/* Returns false to stop. */
typedef bool (*ptx__tmap_visit)(void *user, const struct ptx__tmap_run *run);

/*
 * Calls a function for each run, in the order of the box. A store has nothing to do outside of the
 * tensor: most of what is there is left out. False: it was stopped.
 */
bool ptx__tmap_walk(const struct ptx__tmap_box *box, ptx__tmap_visit visit, void *user);

/* Returns the bytes of a whole box, which the barrier is told. */
uint64_t ptx__tmap_bytes(const struct ptx__tmap_box *box);

/* Returns an address in shared memory after the swizzle, which exchanges bits of the address. */
uint64_t ptx__tmap_swizzled(enum ptx__tmap_swizzle swizzle, uint64_t address);

#endif
