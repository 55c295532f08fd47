/* SPDX-License-Identifier: MIT */
/* Having handlers do operations, and where compiled code begins and ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/jit/block.h"
#include "mock/ptx/jit/emit.h"
#include "mock/ptx/warps/step.h"

/* --- fields of the warp --- */

struct ptx__jit_value ptx__jit_field(struct ptx__jit_emit *emit, struct ptx__jit_value base,
                                     size_t offset, unsigned type)
{
    return ptx__jit_load(&emit->text, "", ptx__jit_at(emit, base, offset), type, 0,
                         ptx__jit_bits(type) / 8);
}

static struct ptx__jit_value warp_field(struct ptx__jit_emit *emit, size_t offset)
{
    return ptx__jit_at(emit, emit->warp, offset);
}

struct ptx__jit_value ptx__jit_op_address(struct ptx__jit_emit *emit, size_t number)
{
    return ptx__jit_at(emit, emit->ops,
                       ptx__jit_original(emit->flow, number) * sizeof(struct ptx__op));
}

/* --- what is outside of the text --- */

static bool make_room(struct ptx__jit_addresses *addresses)
{
    const size_t capacity = addresses->capacity ? 2 * addresses->capacity : 64;
    uint64_t *list;

    if (addresses->n < addresses->capacity)
        return true;
    list = realloc(addresses->list, capacity * sizeof(*list));
    if (!list) {
        addresses->failed = true;
        return false;
    }
    addresses->list = list;
    addresses->capacity = capacity;
    return true;
}

static struct ptx__jit_value number_address(struct ptx__jit_emit *emit, uint64_t address)
{
    struct ptx__jit_addresses *addresses = emit->addresses;

    for (size_t i = addresses->n; i > 0; i--) {
        if (addresses->list[i - 1] == address)
            return ptx__jit_outside(i - 1);
    }
    if (!make_room(addresses))
        return ptx__jit_i64(0);
    addresses->list[addresses->n] = address;
    return ptx__jit_outside(addresses->n++);
}

struct ptx__jit_value ptx__jit_address(struct ptx__jit_emit *emit, const void *data)
{
    return data ? number_address(emit, (uintptr_t) data) : ptx__jit_i64(0);
}

/* --- calls of handlers --- */

void ptx__jit_call_engine(struct ptx__jit_emit *emit, uint64_t function, const char *result,
                          unsigned n, const struct ptx__jit_value *operands)
{
    const struct ptx__jit_value address = number_address(emit, function);
    char pointer[64] = "ptr";

    if (emit->text.typed)
        snprintf(pointer, sizeof(pointer), "%s (i64%s)*", result,
                 &", i64, i64, i64"[15 - 5 * (n - 1)]);
    ptx__jit_say(&emit->text, "call %s inttoptr (", result);
    ptx__jit_say_typed(&emit->text, address);
    ptx__jit_say(&emit->text, " to %s)(", pointer);
    for (unsigned i = 0; i < n; i++) {
        ptx__jit_say(&emit->text, i ? ", " : "");
        ptx__jit_say_typed(&emit->text, operands[i]);
    }
    ptx__jit_say(&emit->text, ")\n");
}

/* The engine goes on with the warp, whose block must not be in step then. */
static void end_step(struct ptx__jit_emit *emit)
{
    if (emit->goes_on)
        ptx__jit_call_engine(emit, (uintptr_t) ptx__step_end, "void", 1, &emit->warp);
}

static struct ptx__jit_value run_handler(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_value at = ptx__jit_op_address(emit, number);
    struct ptx__jit_value next;

    ptx__jit_add_gathered(emit);
    end_step(emit);
    next = ptx__jit_begin(&emit->text, PTX__JIT_I64, 0);
    ptx__jit_call_engine(emit, (uintptr_t) emit->flow->runs[number], "i64", 2,
                         (const struct ptx__jit_value[]){emit->warp, at});
    return next;
}

static void give_back(struct ptx__jit_emit *emit, struct ptx__jit_value next)
{
    ptx__jit_say(&emit->text, "  ret ");
    ptx__jit_say_typed(&emit->text, next);
    ptx__jit_say(&emit->text, "\n");
}

/* The handler sees only the lanes that the guard lets through. */
static void narrow(struct ptx__jit_emit *emit)
{
    ptx__jit_store(&emit->text, "", warp_field(emit, offsetof(struct ptx__warp, mask)),
                   emit->guard_word, 4);
    ptx__jit_store(&emit->text, "", warp_field(emit, offsetof(struct ptx__warp, converged)),
                   ptx__jit_number(PTX__JIT_I8, 0), 1);
}

static void widen(struct ptx__jit_emit *emit, struct ptx__jit_value converged)
{
    ptx__jit_store(&emit->text, "", warp_field(emit, offsetof(struct ptx__warp, mask)),
                   emit->mask_word, 4);
    ptx__jit_store(&emit->text, "", warp_field(emit, offsetof(struct ptx__warp, converged)),
                   converged, 1);
}

/* --- values with steps --- */

static bool is_stepped(const struct ptx__jit_emit *emit, unsigned number)
{
    const struct ptx__jit_slot *slot = &emit->flow->slots[number];

    return slot->written && !slot->form.vector;
}

static struct ptx__jit_stepped stepped_of(const struct ptx__jit_emit *emit, unsigned number)
{
    const struct ptx__jit_slot *slot = &emit->flow->slots[number];

    return (struct ptx__jit_stepped){
        .offset = slot->offset,
        .number = (uint16_t) number,
        .bits = slot->bits,
        .row = (uint8_t) (slot->form.rows || slot->form.step ? emit->flow->row : PTX__LANES),
        .rows = slot->form.rows,
        .step = slot->form.step};
}

/* Makes a list of those slots of a set that have steps. NULL if there are none. */
static const struct ptx__jit_list *list_of(struct ptx__jit_emit *emit, size_t live,
                                           const uint16_t *slots, unsigned n)
{
    const unsigned most = slots ? n : emit->flow->n_slots;
    struct ptx__jit_list *list =
        cushim__arena_alloc(emit->arena, sizeof(*list) + most * sizeof(list->values[0]));

    for (unsigned i = 0; list && i < most; i++) {
        const unsigned number = slots ? slots[i] : i;

        if (number != PTX__JIT_NONE && is_stepped(emit, number) &&
            (slots || ptx__jit_is_live(emit->flow, live, number)))
            list->values[list->n++] = stepped_of(emit, number);
    }
    return list && list->n ? list : NULL;
}

/* A call of a function with the warp and what it reads. */
static void call_with(struct ptx__jit_emit *emit, uint64_t function, const char *result,
                      const void *data)
{
    const struct ptx__jit_value operands[] = {emit->warp, ptx__jit_address(emit, data)};

    ptx__jit_call_engine(emit, function, result, 2, operands);
}

static void spread(struct ptx__jit_emit *emit, const struct ptx__jit_list *list)
{
    if (list)
        call_with(emit, (uintptr_t) ptx__jit_spread, "void", list);
}

const struct ptx__jit_list *ptx__jit_list_live(struct ptx__jit_emit *emit, size_t number)
{
    return list_of(emit, number, NULL, 0);
}

/*
 * A value of the block, which warps that go in step do not have in their frames. PTX lets only
 * moves and conversions of integers read it, which no handler does here. If one did, the function
 * would be the interpreter's.
 */
static bool is_of_block(const struct ptx__jit_slot *slot)
{
    return slot->constant && slot->constant->fill >= PTX__FILL_OF_BLOCK;
}

/* Puts the operands of an operation into the register file. */
static void spread_operands(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_op *op = &emit->flow->ops[number];

    for (unsigned i = 0; i < op->n_reads; i++) {
        if (op->reads[i] == PTX__JIT_NONE)
            continue;
        ptx__jit_flush_slot(emit, op->reads[i]);
        emit->text.text.failed |= emit->goes_on && is_of_block(&emit->flow->slots[op->reads[i]]);
    }
    spread(emit, list_of(emit, number, op->reads, op->n_reads));
}

struct ptx__jit_value ptx__jit_ask(struct ptx__jit_emit *emit, ptx__handler handler, size_t number)
{
    const struct ptx__jit_value op = ptx__jit_op_address(emit, number);
    struct ptx__jit_value next, converged = {0};

    ptx__jit_tell_mask(emit);
    if (emit->guarded) {
        converged = FIELD(emit, emit->warp, I8, ptx__warp, converged);
        narrow(emit);
    }
    next = ptx__jit_begin(&emit->text, PTX__JIT_I64, 0);
    ptx__jit_call_engine(emit, (uintptr_t) handler, "i64", 2,
                         (const struct ptx__jit_value[]){emit->warp, op});
    if (emit->guarded)
        widen(emit, converged);
    return next;
}

void ptx__jit_run_handler(struct ptx__jit_emit *emit, size_t number)
{
    const size_t label = emit->n_labels++;
    struct ptx__jit_value next;

    ptx__jit_tell_mask(emit);
    spread_operands(emit, number);
    ptx__jit_add_gathered(emit);
    next = ptx__jit_ask(emit, emit->flow->runs[number], number);
    ptx__jit_branch(emit, ptx__jit_compare(&emit->text, "icmp eq", next, ptx__jit_i64(0)), "fault",
                    label, "done", label);
    ptx__jit_label(emit, "fault", label);
    give_back(emit, ptx__jit_i64(0));
    ptx__jit_label(emit, "done", label);
}

/*
 * Members of a warp whose 32 lanes are here wait for nobody, if all name the same ones. Else the
 * handler has parted them, and the interpreter goes on with what all of them need behind it: the
 * operands are in the register file, and so are the results of those that have done it.
 */
static void run_together(struct ptx__jit_emit *emit, size_t number)
{
    const size_t label = emit->n_labels++;
    const struct ptx__jit_value frame = FIELD(emit, emit->warp, I64, ptx__warp, frame);
    const struct ptx__jit_list *list = list_of(emit, number + 1, NULL, 0);
    struct ptx__jit_value next;

    ptx__jit_flush(emit, number);
    spread_operands(emit, number);
    ptx__jit_add_gathered(emit);
    next = ptx__jit_ask(emit, emit->flow->runs[number], number);
    ptx__jit_branch(
        emit, ptx__jit_compare(&emit->text, "icmp eq", next, ptx__jit_op_address(emit, number + 1)),
        "together", label, "parted", label);
    ptx__jit_label(emit, "parted", label);
    if (list)
        ptx__jit_call_engine(emit, (uintptr_t) ptx__jit_spread_lanes, "void", 3,
                             (const struct ptx__jit_value[]){frame, ptx__jit_i64(PTX__ALL),
                                                             ptx__jit_address(emit, list)});
    end_step(emit);
    give_back(emit, next);
    ptx__jit_label(emit, "together", label);
}

/* Where the result is, other lanes than those of the handler keep what they have. */
static void take_result(struct ptx__jit_emit *emit, uint16_t slot)
{
    const struct ptx__jit_operand result = ptx__jit_written(emit, slot);

    if (emit->guarded || emit->copying)
        ptx__jit_write_slot(emit, slot, &result);
    else
        emit->known[slot] = (struct ptx__jit_known){.valid = true, .value = result};
}

void ptx__jit_called(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_op *op = &emit->flow->ops[number];

    if (op->together)
        run_together(emit, number);
    else
        ptx__jit_run_handler(emit, number);
    for (unsigned i = 0; i < op->n_writes; i++) {
        if (op->writes[i] != PTX__JIT_NONE)
            take_result(emit, op->writes[i]);
    }
}

static enum ptx__jit_stop stop_of(const struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__op *op = &flow->code->ops[number];
    const uint16_t slot = flow->ops[number].reads[0];
    const struct ptx__constant *constant;

    if (!ptx__jit_keeps(flow, number))
        return PTX__JIT_EXIT;
    constant = slot == PTX__JIT_NONE || op->b ? NULL : flow->slots[slot].constant;
    return constant && constant->fill == PTX__FILL_VALUE && constant->value < PTX__BARRIERS
               ? PTX__JIT_PLAIN_BARRIER
               : PTX__JIT_BARRIER;
}

/* A field of the block, which the engine's functions change. */
static struct ptx__jit_value block_field(struct ptx__jit_emit *emit, size_t offset)
{
    return ptx__jit_field(emit, emit->block, offset, PTX__JIT_I64);
}

/*
 * Has the warp stop here, and goes on with another one of its block: see emit_next_warp(). Most
 * often the block is in step, the warp does what the one before it did, and the next one follows
 * without further ado.
 */
static void stop(struct ptx__jit_emit *emit, size_t number)
{
    struct ptx__jit_text *text = &emit->text;
    const struct ptx__jit_value op = ptx__jit_op_address(emit, number);
    const struct ptx__jit_value quick = ptx__jit_compare(
        text, "icmp eq", op, block_field(emit, offsetof(struct ptx__block, step.quick)));
    const struct ptx__jit_value follows = ptx__jit_compare(
        text, "icmp ne", emit->warp, block_field(emit, offsetof(struct ptx__block, step.until)));

    ptx__jit_branch(emit, ptx__jit_binary(text, "and", quick, follows), "hop", 0, "halt", number);
    ptx__jit_label(emit, "halt", number);
    ptx__jit_store(text, "", emit->room, op, 8);
    ptx__jit_store(text, "", ptx__jit_at(emit, emit->room, 8),
                   ptx__jit_i64(stop_of(emit->flow, number)), 8);
    ptx__jit_goto(emit, "stop", 0);
}

/*
 * Before a barrier: values stay in the area, because nothing else than this function goes on behind
 * it. If 32 lanes stay together, the function that expects that may go on.
 */
static void leave_and_keep(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_op *op = &emit->flow->ops[number];
    struct ptx__jit_value frame;

    if (!emit->full) {
        ptx__jit_branch(emit, ptx__jit_whole(emit), "whole", number, "keep", number);
        ptx__jit_label(emit, "keep", number);
    }
    spread(emit, list_of(emit, number, op->reads, op->n_reads));
    if (emit->goes_on) {
        stop(emit, number);
        return;
    }
    frame = FIELD(emit, emit->warp, I64, ptx__warp, frame);
    ptx__jit_store(&emit->text, "", ptx__jit_at(emit, frame, offsetof(struct ptx__frame, kept)),
                   ptx__jit_number(PTX__JIT_I8, emit->kept), 1);
    give_back(emit, run_handler(emit, number));
}

/* Ends compiled code before an operation, which its handler does. */
void ptx__jit_leave(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_value groups[] = {emit->warp, ptx__jit_address(emit, emit->places),
                                            ptx__jit_i64(number), emit->waits};

    ptx__jit_label(emit, "leave", number);
    ptx__jit_tell_mask(emit);
    ptx__jit_flush(emit, number);
    if (ptx__jit_keeps(emit->flow, number)) {
        leave_and_keep(emit, number);
        if (emit->full)
            return;
        ptx__jit_label(emit, "whole", number);
    }
    if (emit->goes_on && ptx__jit_exits(emit->flow, number)) {
        stop(emit, number);
        return;
    }
    spread(emit, list_of(emit, number, NULL, 0));
    if (emit->apart)
        ptx__jit_call_engine(emit, (uintptr_t) ptx__jit_give_groups, "void", 4, groups);
    give_back(emit, run_handler(emit, number));
}

void ptx__jit_change(struct ptx__jit_emit *emit, size_t number)
{
    spread(emit, list_of(emit, number, NULL, 0));
    ptx__jit_add_gathered(emit);
    give_back(emit, ptx__jit_op_address(emit, number));
}

/* Leaves unless the condition holds. What is known holds behind it as before. */
void ptx__jit_leave_unless(struct ptx__jit_emit *emit, size_t number, struct ptx__jit_value stay)
{
    const size_t bytes = emit->flow->n_slots * sizeof(*emit->known), label = emit->n_labels++;

    memcpy(emit->unguarded, emit->known, bytes);
    ptx__jit_branch(emit, stay, "fits", label, "leave", number);
    ptx__jit_leave(emit, number);
    memcpy(emit->known, emit->unguarded, bytes);
    ptx__jit_label(emit, "fits", label);
}

/* Where compiled code begins: slots that do not have their forms are the interpreter's. */
void ptx__jit_enter(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_list *list = emit->full ? list_of(emit, number, NULL, 0) : NULL;
    const struct ptx__jit_value operands[] = {emit->warp, ptx__jit_address(emit, emit->places),
                                              ptx__jit_i64(number), emit->waits};
    struct ptx__jit_value fits;

    ptx__jit_label(emit, "enter", number);
    if (emit->full && !list) {
        ptx__jit_arrive(emit, number);
        return;
    }
    fits = ptx__jit_begin(&emit->text, PTX__JIT_I64, 0);
    if (emit->full)
        call_with(emit, (uintptr_t) ptx__jit_collect, "i64", list);
    else
        ptx__jit_call_engine(emit, (uintptr_t) ptx__jit_take_groups, "i64", 4, operands);
    ptx__jit_branch(emit, ptx__jit_compare(&emit->text, "icmp ne", fits, ptx__jit_i64(0)), "arrive",
                    number, "direct", number);
    ptx__jit_label(emit, "direct", number);
    give_back(emit, run_handler(emit, number));
    ptx__jit_label(emit, "arrive", number);
    ptx__jit_arrive(emit, number);
}
