/* SPDX-License-Identifier: MIT */
/*
 * Copies of boxes of tensors: cp.async.bulk.tensor, its reductions and prefetches; and what changes
 * tensor maps. Like other bulk copies they are made at once.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_TENSORMAP_H
#define CUSHIM_MOCK_PTX_EXEC_TENSORMAP_H

#include "mock/ptx/exec/place.h"
#include "mock/ptx/machine/reduction.h"
#include "mock/ptx/tensormap/box.h"

enum ptx__tmap_what { PTX__TMAP_LOADS, PTX__TMAP_STORES, PTX__TMAP_PREFETCHES };

struct ptx__tmap_copy {
    uint8_t what, mode, dimensions;
    uint8_t reduction; /* enum ptx__reduction, of a store */
    bool pairs;        /* .cta_group::2: the barrier may be that of the other block of a pair */
    struct ptx__place_in map, near, barrier;
    uint32_t coordinates[PTX__TMAP_DIMENSIONS]; /* slots */
    uint32_t offsets[3];                        /* slots; 0: there is none */
    uint32_t blocks; /* the slot of the mask of blocks that get the data; 0: the block of the
                        address */
};

/* tensormap.replace; and tensormap.cp_fenceproxy, which copies all of a map. */
struct ptx__tmap_edit {
    struct ptx__place_in map, from;
    uint32_t value; /* a slot */
    uint8_t field, dimension;
    bool wide;
};

#define H(name) const struct ptx__op *name(struct ptx__warp *warp, const struct ptx__op *op)
H(ptx__do_tmap_copy);
H(ptx__do_tmap_edit);
H(ptx__do_tmap_publish);
#undef H

#endif
