/* SPDX-License-Identifier: MIT */
/* cp.async.bulk, cp.reduce.async.bulk, st.async, red.async, st.bulk, clusterlaunchcontrol. */
#include "mock/ptx/exec/bulk.h"
#include "mock/ptx/lower/lower_memory.h"

enum ptx__reduction ptx__reduction_of(const struct ptx__instruction *at)
{
    static const struct {
        enum ptx__modifier modifier;
        enum ptx__reduction reduction;
    } all[] = {
        {PTX_MOD_ADD, PTX__REDUCE_ADD}, {PTX_MOD_MIN, PTX__REDUCE_MIN},
        {PTX_MOD_MAX, PTX__REDUCE_MAX}, {PTX_MOD_INC, PTX__REDUCE_INC},
        {PTX_MOD_DEC, PTX__REDUCE_DEC}, {PTX_MOD_AND, PTX__REDUCE_AND},
        {PTX_MOD_OR, PTX__REDUCE_OR},   {PTX_MOD_XOR, PTX__REDUCE_XOR},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (ptx__has(at, all[i].modifier))
            return all[i].reduction;
    }
    return PTX__REDUCE_NOTHING;
}

static struct ptx__bulk *begin(struct ptx__lowering *lower)
{
    struct ptx__bulk *bulk = ptx__keep(lower, sizeof(*bulk));
    const enum ptx__type type = ptx__type_of(lower->at, 0);

    *bulk = (struct ptx__bulk){.reduction = {.kind = (uint8_t) ptx__reduction_of(lower->at),
                                             .type = (uint8_t) type,
                                             .bytes = (uint8_t) ptx__type_bytes(type)}};
    return bulk;
}

static struct ptx__op *emit(struct ptx__lowering *lower, ptx__handler run,
                            const struct ptx__bulk *bulk)
{
    struct ptx__op *op = ptx__emit(lower, run);

    op->imm = (uintptr_t) bulk;
    op->waits = true;
    return op;
}

/*
 * Operands: to, from, size, then the barrier and the mask of blocks, or the mask of bytes. A cache
 * policy has no effect.
 */
static void lower_copy(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const bool counted = ptx__has(at, PTX_MOD_MBARRIER_COMPLETE_TX_BYTES);
    struct ptx__bulk *bulk = begin(lower);

    bulk->to = ptx__place_of(lower, &at->operands[0], at->spaces[0]);
    bulk->from = ptx__place_of(lower, &at->operands[1], at->spaces[1]);
    bulk->size = ptx__source(lower, &at->operands[2], PTX_U32);
    if (counted) {
        bulk->has_barrier = true;
        bulk->barrier = ptx__place_of(lower, &at->operands[3], PTX_SHARED);
    }
    if (ptx__has(at, PTX_MOD_MULTICAST_CLUSTER))
        bulk->blocks = ptx__source(lower, &at->operands[4], PTX_B16);
    if (ptx__has(at, PTX_MOD_CP_MASK))
        bulk->bytes_of = ptx__source(lower, &at->operands[at->n_operands - 1], PTX_B16);
    emit(lower, ptx__do_bulk_copy, bulk);
}

static void lower_fill(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    struct ptx__bulk *bulk = begin(lower);

    bulk->to = ptx__place_of(lower, &at->operands[0], ptx__space_of(at));
    bulk->wide_size = ptx__slot_bits(lower, &at->operands[1]) == 64;
    bulk->size = ptx__source(lower, &at->operands[1], bulk->wide_size ? PTX_U64 : PTX_U32);
    emit(lower, ptx__do_bulk_fill, bulk);
}

/* Operands: to, the value, the barrier. */
static void lower_store(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const struct ptx__operand *value = &at->operands[1];
    const unsigned n = value->kind == PTX_VECTOR ? value->count : 1;
    const enum ptx__type type = ptx__type_of(at, 0);
    struct ptx__bulk *bulk = begin(lower);
    uint32_t slots[4] = {0};

    bulk->to = ptx__place_of(lower, &at->operands[0], ptx__space_of(at));
    bulk->has_barrier = true;
    bulk->barrier = ptx__place_of(lower, &at->operands[2], ptx__space_of(at));
    bulk->wide_values = ptx__type_bits(type) == 64;
    bulk->n_values = (uint8_t) n;
    for (unsigned i = 0; i < n && i < 4; i++)
        slots[i] =
            ptx__source(lower, value->kind == PTX_VECTOR ? &value->elements[i] : value, type);
    ptx__emit_list(lower, emit(lower, ptx__do_async_store, bulk), slots, n);
}

static void lower_cancel(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    struct ptx__bulk *bulk = begin(lower);

    bulk->to = ptx__place_of(lower, &at->operands[0], PTX_SHARED);
    bulk->has_barrier = true;
    bulk->barrier = ptx__place_of(lower, &at->operands[1], PTX_SHARED);
    bulk->every_block = ptx__has(at, PTX_MOD_MULTICAST_CLUSTER_ALL);
    emit(lower, ptx__do_cancel, bulk);
}

/* Queries of a cancellation, which never succeeds here: the answers are false, and block 0. */
static void lower_query(struct ptx__lowering *lower)
{
    const struct ptx__operand *d = &lower->at->operands[0];
    const unsigned n = d->kind == PTX_VECTOR ? d->count : 1;

    for (unsigned i = 0; i < n; i++) {
        const struct ptx__operand *element = d->kind == PTX_VECTOR ? &d->elements[i] : d;
        const bool one_bit = ptx__type_of(lower->at, 0) == PTX_PRED;
        const uint32_t zero = ptx__constant_slot(lower, one_bit ? 1 : 32, PTX__FILL_VALUE, 0, 0);

        ptx__emit_slots(lower, one_bit ? "mov.pred" : "mov.u32", ptx__target(lower, element), zero,
                        zero, 0);
    }
}

bool ptx__lower_bulk(struct ptx__lowering *lower)
{
    switch (lower->at->opcode) {
    case PTX_OP_CP_ASYNC_BULK:
    case PTX_OP_CP_REDUCE_ASYNC_BULK:
        lower_copy(lower);
        return true;
    case PTX_OP_ST_BULK:
        lower_fill(lower);
        return true;
    case PTX_OP_ST_ASYNC:
    case PTX_OP_RED_ASYNC:
        lower_store(lower);
        return true;
    case PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL:
        lower_cancel(lower);
        return true;
    case PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL_IS_CANCELED:
    case PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL_GET_FIRST_CTAID:
    case PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL_GET_FIRST_CTAID_X:
    case PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL_GET_FIRST_CTAID_Y:
    case PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL_GET_FIRST_CTAID_Z:
        lower_query(lower);
        return true;
    /* Copies are already done. A prefetch and the number of registers are only hints. */
    case PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP:
    case PTX_OP_CP_ASYNC_BULK_WAIT_GROUP:
    case PTX_OP_CP_ASYNC_BULK_PREFETCH:
    case PTX_OP_APPLYPRIORITY_ASYNC_BULK:
    case PTX_OP_SETMAXNREG:
        return true;
    default:
        return false;
    }
}
