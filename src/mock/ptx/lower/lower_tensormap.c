/* SPDX-License-Identifier: MIT */
/* Copies of tensors, and what changes tensor maps. */
#include "mock/ptx/exec/tensormap.h"
#include "mock/ptx/lower/lower_memory.h"
#include "mock/ptx/tensormap/map.h"

/* --- copies --- */

static uint8_t mode_of(const struct ptx__instruction *at)
{
    if (ptx__has(at, PTX_MOD_TILE_GATHER4) || ptx__has(at, PTX_MOD_TILE_SCATTER4))
        return PTX__TMAP_ROWS;
    if (ptx__has(at, PTX_MOD_IM2COL) || ptx__has(at, PTX_MOD_IM2COL_NO_OFFS))
        return PTX__TMAP_COLUMN;
    return PTX__TMAP_TILE;
}

static uint8_t dimensions_of(const struct ptx__instruction *at)
{
    static const enum ptx__modifier all[] = {PTX_MOD_1D, PTX_MOD_2D, PTX_MOD_3D, PTX_MOD_4D,
                                             PTX_MOD_5D};
    uint8_t n = 1;

    while (n < sizeof(all) / sizeof(all[0]) && !ptx__has(at, all[n - 1]))
        n++;
    return n;
}

/* "[map, {x, y}]", or "[map, x]" */
static void lower_brackets(struct ptx__lowering *lower, const struct ptx__operand *brackets,
                           struct ptx__tmap_copy *tensor)
{
    const struct ptx__operand *address = &brackets->elements[0], *last = &brackets->elements[1];
    const uint32_t n = last->kind == PTX_VECTOR ? last->count : 1;
    struct ptx__operand memory = *address;

    memory.kind = PTX_MEMORY;
    if (address->kind != PTX_REGISTER)
        memory.reg = PTX_NONE;
    tensor->map = ptx__place_of(lower, &memory, PTX_NO_SPACE);
    for (uint32_t i = 0; i < n && i < PTX__TMAP_DIMENSIONS; i++)
        tensor->coordinates[i] =
            ptx__source(lower, last->kind == PTX_VECTOR ? &last->elements[i] : last, PTX_B32);
}

static void lower_offsets(struct ptx__lowering *lower, const struct ptx__operand *offsets,
                          struct ptx__tmap_copy *tensor)
{
    for (uint32_t i = 0; i < offsets->count && i < 3; i++)
        tensor->offsets[i] = ptx__source(lower, &offsets->elements[i], PTX_B16);
}

/*
 * Operands: to, the map, the barrier, offsets, and the mask of blocks; or the map, and from where.
 * A prefetch has no memory and no barrier. A cache policy has no effect.
 */
static void lower_copy(struct ptx__lowering *lower, enum ptx__tmap_what what)
{
    const struct ptx__instruction *at = lower->at;
    const struct ptx__operand *operands = at->operands;
    struct ptx__tmap_copy *tensor = ptx__keep(lower, sizeof(*tensor));
    uint32_t next = 0;
    struct ptx__op *op;

    if (ptx__has(at, PTX_MOD_IM2COL_W) || ptx__has(at, PTX_MOD_IM2COL_W_128)) {
        ptx__refuse_form(lower,
                         "columns along one dimension, whose halo no device was asked about");
        return;
    }
    tensor->what = (uint8_t) what;
    tensor->mode = mode_of(at);
    tensor->dimensions = dimensions_of(at);
    tensor->reduction = (uint8_t) ptx__reduction_of(at);
    if (what == PTX__TMAP_LOADS)
        tensor->near = ptx__place_of(lower, &operands[next++], PTX_SHARED);
    lower_brackets(lower, &operands[next++], tensor);
    if (what == PTX__TMAP_STORES)
        tensor->near = ptx__place_of(lower, &operands[next++], PTX_SHARED);
    if (what == PTX__TMAP_LOADS)
        tensor->barrier = ptx__place_of(lower, &operands[next++], PTX_SHARED);
    if (next < at->n_operands && operands[next].kind == PTX_VECTOR)
        lower_offsets(lower, &operands[next++], tensor);
    if (ptx__has(at, PTX_MOD_MULTICAST_CLUSTER))
        tensor->blocks = ptx__source(lower, &operands[next], PTX_B16);
    tensor->pairs = ptx__has(at, PTX_MOD_CTA_GROUP_2);
    op = ptx__emit(lower, ptx__do_tmap_copy);
    op->imm = (uintptr_t) tensor;
    op->waits = true;
}

/* --- maps --- */

static uint8_t field_of(const struct ptx__instruction *at)
{
    static const struct {
        enum ptx__modifier modifier;
        enum ptx__tmap_field field;
    } all[] = {
        {PTX_MOD_GLOBAL_ADDRESS, PTX__TMAP_ADDRESS},
        {PTX_MOD_RANK, PTX__TMAP_RANK},
        {PTX_MOD_BOX_DIM, PTX__TMAP_BOX},
        {PTX_MOD_GLOBAL_DIM, PTX__TMAP_DIM},
        {PTX_MOD_GLOBAL_STRIDE, PTX__TMAP_STRIDE},
        {PTX_MOD_ELEMENT_STRIDE, PTX__TMAP_STEP},
        {PTX_MOD_ELEMTYPE, PTX__TMAP_TYPE},
        {PTX_MOD_INTERLEAVE_LAYOUT, PTX__TMAP_INTERLEAVE},
        {PTX_MOD_SWIZZLE_MODE, PTX__TMAP_SWIZZLE},
        {PTX_MOD_SWIZZLE_ATOMICITY, PTX__TMAP_ATOMICITY},
        {PTX_MOD_FILL_MODE, PTX__TMAP_FILL},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (ptx__has(at, all[i].modifier))
            return (uint8_t) all[i].field;
    }
    return PTX__TMAP_ADDRESS;
}

/* Operands: the map, the number of the dimension, the value. */
static void lower_replace(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const enum ptx__type type = ptx__type_of(at, 0);
    struct ptx__tmap_edit *edit = ptx__keep(lower, sizeof(*edit));

    if (ptx__has(at, PTX_MOD_SWIZZLE_MODE) && at->operands[1].integer > 3) {
        ptx__refuse_form(lower, "a swizzle of 96 bytes");
        return;
    }
    edit->map = ptx__place_of(lower, &at->operands[0], ptx__space_of(at));
    edit->field = field_of(at);
    edit->dimension = at->n_operands > 2 ? (uint8_t) at->operands[1].integer : 0;
    edit->wide = ptx__type_bits(type) == 64;
    edit->value = ptx__source(lower, &at->operands[at->n_operands - 1], type);
    ptx__emit(lower, ptx__do_tmap_edit)->imm = (uintptr_t) edit;
}

static void lower_publish(struct ptx__lowering *lower)
{
    const struct ptx__operand *operands = lower->at->operands;
    struct ptx__tmap_edit *edit = ptx__keep(lower, sizeof(*edit));

    edit->map = ptx__place_of(lower, &operands[0], PTX_GLOBAL);
    edit->from = ptx__place_of(lower, &operands[1], PTX_SHARED);
    ptx__emit(lower, ptx__do_tmap_publish)->imm = (uintptr_t) edit;
    ptx__emit_key(lower, "fence")->waits = true;
}

/* No map is of the class for large allocations: cuTensorMapSetAllocationClass() makes none. */
static void lower_query(struct ptx__lowering *lower)
{
    const uint32_t zero = ptx__constant_slot(lower, 1, PTX__FILL_VALUE, 0, 0);

    ptx__emit_slots(lower, "mov.pred", ptx__target(lower, &lower->at->operands[0]), zero, zero, 0);
}

bool ptx__lower_tensormap(struct ptx__lowering *lower)
{
    switch (lower->at->opcode) {
    case PTX_OP_CP_ASYNC_BULK_TENSOR:
        lower_copy(lower,
                   ptx__has(lower->at, PTX_MOD_BULK_GROUP) ? PTX__TMAP_STORES : PTX__TMAP_LOADS);
        return true;
    case PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
        lower_copy(lower, PTX__TMAP_STORES);
        return true;
    case PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR:
    case PTX_OP_APPLYPRIORITY_ASYNC_BULK_TENSOR:
        lower_copy(lower, PTX__TMAP_PREFETCHES);
        return true;
    case PTX_OP_TENSORMAP_REPLACE:
        lower_replace(lower);
        return true;
    case PTX_OP_TENSORMAP_CP_FENCEPROXY:
        lower_publish(lower);
        return true;
    case PTX_OP_TENSORMAP_QUERY_ALLOC_CLASS_LARGE:
        lower_query(lower);
        return true;
    default:
        return false;
    }
}
