/* SPDX-License-Identifier: MIT */
/* cp.async, mbarrier, clusters, and hints that have no effect on the mock. */
#include "mock/ptx/exec/control.h"
#include "mock/ptx/lower/lower_memory.h"
#include "mock/ptx/machine/memory_space.h"

static uint8_t space_of(enum ptx__space space)
{
    switch (space) {
    case PTX_SHARED:
    case PTX_SHARED_CTA:
    case PTX_SHARED_CLUSTER:
        return PTX__IN_SHARED;
    case PTX_GLOBAL:
        return PTX__IN_GLOBAL;
    default:
        return PTX__IN_GENERIC;
    }
}

struct ptx__place_in ptx__place_of(struct ptx__lowering *lower, const struct ptx__operand *memory,
                                   enum ptx__space space)
{
    struct ptx__place_in place = {.offset = memory->offset, .space = space_of(space)};

    if (memory->reg != PTX_NONE) {
        place.slot = ptx__register_slot(lower, memory->reg);
        place.wide = ptx__type_bits(lower->function->registers[memory->reg].type) == 64;
    } else {
        place.slot = ptx__symbol_slot(lower, memory->symbol, 0, 64);
        place.wide = true;
    }
    return place;
}

static const struct ptx__operand *operand(const struct ptx__instruction *at, uint32_t number)
{
    if (number >= at->n_operands || at->operands[number].kind == PTX_NO_OPERAND)
        return NULL;
    return &at->operands[number];
}

static void lower_copy(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const struct ptx__operand *size = operand(at, 3);
    struct ptx__copy *copy = ptx__keep(lower, sizeof(*copy));

    copy->to = ptx__place_of(lower, &at->operands[0], PTX_SHARED);
    copy->from = ptx__place_of(lower, &at->operands[1], PTX_GLOBAL);
    copy->bytes = (uint32_t) at->operands[2].integer;
    if (size && size->kind == PTX_REGISTER && size->type == PTX_PRED)
        copy->ignore = ptx__source(lower, size, PTX_PRED);
    else if (size && !(size->kind == PTX_REGISTER && ptx__type_bits(size->type) == 64))
        copy->size = ptx__source(lower, size, PTX_U32);
    ptx__emit(lower, ptx__do_copy)->imm = (uintptr_t) copy;
}

static void lower_mbarrier(struct ptx__lowering *lower, enum ptx__mbarrier_kind kind, bool result)
{
    const struct ptx__instruction *at = lower->at;
    const struct ptx__operand *memory = &at->operands[result ? 1 : 0];
    const struct ptx__operand *value = operand(at, result ? 2 : 1);
    struct ptx__mbarrier *what = ptx__keep(lower, sizeof(*what));
    const bool token = kind == PTX__MBARRIER_TEST;
    uint32_t target = PTX__SINK_SLOT;
    struct ptx__op *op;

    what->kind = (uint8_t) kind;
    what->at = ptx__place_of(lower, memory, ptx__space_of(at));
    what->drops = at->opcode == PTX_OP_MBARRIER_ARRIVE_DROP;
    what->expects = ptx__has(at, PTX_MOD_EXPECT_TX);
    what->has_result = result && at->operands[0].kind == PTX_REGISTER;
    if (value)
        what->operand = ptx__source(lower, value, token ? PTX_B64 : PTX_U32);
    if (what->has_result)
        target = ptx__target(lower, &at->operands[0]);
    op = ptx__emit(lower, ptx__do_mbarrier);
    op->imm = (uintptr_t) what;
    op->d = target;
    op->waits = true;
}

static void lower_pending(struct ptx__lowering *lower)
{
    struct ptx__mbarrier *what = ptx__keep(lower, sizeof(*what));
    const uint32_t target = ptx__target(lower, &lower->at->operands[0]);
    struct ptx__op *op;

    what->kind = PTX__MBARRIER_PENDING;
    what->operand = ptx__source(lower, &lower->at->operands[1], PTX_B64);
    op = ptx__emit(lower, ptx__do_mbarrier);
    op->imm = (uintptr_t) what;
    op->d = target;
}

static bool lower_mbarriers(struct ptx__lowering *lower)
{
    const bool parity = ptx__has(lower->at, PTX_MOD_PARITY);

    switch (lower->at->opcode) {
    case PTX_OP_MBARRIER_INIT:
        lower_mbarrier(lower, PTX__MBARRIER_INIT, false);
        return true;
    case PTX_OP_MBARRIER_INVAL:
        lower_mbarrier(lower, PTX__MBARRIER_INVAL, false);
        return true;
    case PTX_OP_MBARRIER_EXPECT_TX:
        lower_mbarrier(lower, PTX__MBARRIER_EXPECT, false);
        return true;
    case PTX_OP_MBARRIER_COMPLETE_TX:
        lower_mbarrier(lower, PTX__MBARRIER_COMPLETE, false);
        return true;
    case PTX_OP_MBARRIER_ARRIVE:
    case PTX_OP_MBARRIER_ARRIVE_DROP:
        lower_mbarrier(lower, PTX__MBARRIER_ARRIVE, true);
        return true;
    case PTX_OP_MBARRIER_TEST_WAIT:
    case PTX_OP_MBARRIER_TRY_WAIT:
        lower_mbarrier(lower, parity ? PTX__MBARRIER_TEST_PARITY : PTX__MBARRIER_TEST, true);
        return true;
    case PTX_OP_MBARRIER_PENDING_COUNT:
        lower_pending(lower);
        return true;
    case PTX_OP_CP_ASYNC_MBARRIER_ARRIVE:
        /*
         * All copies are done already. Without .noinc the instruction adds an expected arrival,
         * which arrives at once.
         */
        if (ptx__has(lower->at, PTX_MOD_NOINC))
            lower_mbarrier(lower, PTX__MBARRIER_ARRIVE, false);
        return true;
    default:
        return false;
    }
}

static void lower_elect(struct ptx__lowering *lower)
{
    const struct ptx__operand *d = &lower->at->operands[0];
    const uint32_t members = ptx__source(lower, &lower->at->operands[1], PTX_B32);
    const uint32_t target = ptx__target(lower, d);
    const uint32_t chosen = d->kind == PTX_PAIR && d->elements[1].kind == PTX_REGISTER
                                ? ptx__target(lower, &d->elements[1])
                                : ptx__new_slot(lower, 1);
    struct ptx__op *op = ptx__emit(lower, ptx__do_elect);

    op->d = target;
    op->a = members;
    op->b = chosen;
}

static void lower_map(struct ptx__lowering *lower, ptx__handler run, bool has_rank)
{
    const struct ptx__operand *o = lower->at->operands;
    const enum ptx__type type = ptx__type_of(lower->at, 0);
    const uint32_t a = ptx__source(lower, &o[1], type);
    const uint32_t b = has_rank ? ptx__source(lower, &o[2], PTX_U32) : 0;
    const uint32_t target = ptx__target(lower, &o[0]);
    struct ptx__op *op = ptx__emit(lower, run);

    op->d = target;
    op->a = a;
    op->b = b;
    op->c = ptx__type_bits(type) == 64;
}

/* A cache policy. It has no effect, so any number is right. */
static void lower_policy(struct ptx__lowering *lower)
{
    const uint32_t zero = ptx__constant_slot(lower, 64, PTX__FILL_VALUE, 0, 0);

    ptx__emit_slots(lower, "mov.u64", ptx__target(lower, &lower->at->operands[0]), zero, zero, 0);
}

bool ptx__lower_async(struct ptx__lowering *lower)
{
    switch (lower->at->opcode) {
    case PTX_OP_CP_ASYNC:
        lower_copy(lower);
        return true;
    case PTX_OP_ELECT:
        lower_elect(lower);
        return true;
    case PTX_OP_BARRIER_CLUSTER_ARRIVE:
        ptx__emit(lower, ptx__do_cluster_arrive);
        return true;
    case PTX_OP_BARRIER_CLUSTER_WAIT:
        ptx__emit(lower, ptx__do_cluster_wait);
        return true;
    case PTX_OP_MAPA:
        lower_map(lower, ptx__do_map_address, true);
        return true;
    case PTX_OP_GETCTARANK:
        lower_map(lower, ptx__do_rank_of, false);
        return true;
    case PTX_OP_CREATEPOLICY:
        lower_policy(lower);
        return true;
    case PTX_OP_CP_ASYNC_COMMIT_GROUP:
    case PTX_OP_CP_ASYNC_WAIT_GROUP:
    case PTX_OP_CP_ASYNC_WAIT_ALL:
    case PTX_OP_GRIDDEPCONTROL:
    case PTX_OP_APPLYPRIORITY:
    case PTX_OP_DISCARD:
        return true;
    default:
        return lower_mbarriers(lower);
    }
}
