/* SPDX-License-Identifier: MIT */
/* Having handlers do operations, and where compiled code begins and ends. */
#include <stdio.h>
#include <string.h>

#include "mock/ptx/jit/emit.h"

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
    return ptx__jit_at(emit, emit->ops, number * sizeof(struct ptx__op));
}

/* --- calls of handlers --- */

/* A call of a function with the warp and an operation; result: its type in LLVM's language. */
void ptx__jit_call(struct ptx__jit_emit *emit, uint64_t function, const char *result,
                   struct ptx__jit_value op)
{
    char pointer[32] = "ptr";

    if (emit->text.typed)
        snprintf(pointer, sizeof(pointer), "%s (i64, i64)*", result);
    ptx__jit_say(&emit->text, "call %s inttoptr (i64 %llu to %s)(", result,
                 (unsigned long long) function, pointer);
    ptx__jit_say_typed(&emit->text, emit->warp);
    ptx__jit_say(&emit->text, ", ");
    ptx__jit_say_typed(&emit->text, op);
    ptx__jit_say(&emit->text, ")\n");
}

static struct ptx__jit_value run_handler(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_value at = ptx__jit_op_address(emit, number);
    const struct ptx__jit_value next = ptx__jit_begin(&emit->text, PTX__JIT_I64, 0);

    ptx__jit_call(emit, (uintptr_t) emit->flow->runs[number], "i64", at);
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

static void say_list_call(struct ptx__jit_emit *emit, uint64_t function, const char *result,
                          const struct ptx__jit_list *list)
{
    char pointer[48] = "ptr";

    if (emit->text.typed)
        snprintf(pointer, sizeof(pointer), "%s (i64, i64, i64)*", result);
    ptx__jit_say(&emit->text, "call %s inttoptr (i64 %llu to %s)(i64 %%v0, ", result,
                 (unsigned long long) function, pointer);
    ptx__jit_say_typed(&emit->text, emit->area);
    ptx__jit_say(&emit->text, ", i64 %llu)\n", (unsigned long long) (uintptr_t) list);
}

static void spread(struct ptx__jit_emit *emit, const struct ptx__jit_list *list)
{
    if (list)
        say_list_call(emit, (uintptr_t) ptx__jit_spread, "void", list);
}

/* Puts the operands of an operation into the register file. */
static void spread_operands(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_op *op = &emit->flow->ops[number];

    for (unsigned i = 0; i < op->n_reads; i++) {
        if (op->reads[i] != PTX__JIT_NONE)
            ptx__jit_flush_slot(emit, op->reads[i]);
    }
    spread(emit, list_of(emit, number, op->reads, op->n_reads));
}

void ptx__jit_run_handler(struct ptx__jit_emit *emit, size_t number)
{
    const size_t label = emit->n_labels++;
    struct ptx__jit_value next, converged = {0};

    spread_operands(emit, number);
    if (emit->guarded) {
        converged = FIELD(emit, emit->warp, I8, ptx__warp, converged);
        narrow(emit);
    }
    next = run_handler(emit, number);
    if (emit->guarded)
        widen(emit, converged);
    ptx__jit_branch(emit, ptx__jit_compare(&emit->text, "icmp eq", next, ptx__jit_i64(0)), "fault",
                    label, "done", label);
    ptx__jit_label(emit, "fault", label);
    give_back(emit, ptx__jit_i64(0));
    ptx__jit_label(emit, "done", label);
}

/* Where the result is, other lanes than those of the handler keep what they have. */
void ptx__jit_called(struct ptx__jit_emit *emit, size_t number)
{
    const struct ptx__jit_op *op = &emit->flow->ops[number];

    for (unsigned i = 0; emit->guarded && i < op->n_writes; i++) {
        if (op->writes[i] != PTX__JIT_NONE)
            ptx__jit_flush_slot(emit, op->writes[i]);
    }
    ptx__jit_run_handler(emit, number);
    for (unsigned i = 0; i < op->n_writes; i++) {
        if (op->writes[i] != PTX__JIT_NONE)
            emit->known[op->writes[i]] = (struct ptx__jit_known){
                .valid = true, .value = ptx__jit_written(emit, op->writes[i])};
    }
}

/* Ends compiled code before an operation, which its handler does. */
void ptx__jit_leave(struct ptx__jit_emit *emit, size_t number)
{
    ptx__jit_label(emit, "leave", number);
    ptx__jit_flush(emit, number);
    spread(emit, list_of(emit, number, NULL, 0));
    give_back(emit, run_handler(emit, number));
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
    const struct ptx__jit_list *list = list_of(emit, number, NULL, 0);
    struct ptx__jit_value fits;

    ptx__jit_label(emit, "enter", number);
    if (!list) {
        ptx__jit_goto(emit, "op", number);
        return;
    }
    fits = ptx__jit_begin(&emit->text, PTX__JIT_I64, 0);
    say_list_call(emit, (uintptr_t) ptx__jit_collect, "i64", list);
    ptx__jit_branch(emit, ptx__jit_compare(&emit->text, "icmp ne", fits, ptx__jit_i64(0)), "op",
                    number, "direct", number);
    ptx__jit_label(emit, "direct", number);
    give_back(emit, run_handler(emit, number));
}
