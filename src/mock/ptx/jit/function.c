/* SPDX-License-Identifier: MIT */
/*
 * Writing a function of a kernel as one of LLVM. It is called as a handler is, with the number of
 * the operation where it begins, and with the address of the first operation. It takes the slots
 * that are needed there from the register file, does operations until one comes that it leaves to
 * the interpreter, puts what is needed later back, has that one's handler do it, and returns the
 * operation that comes next. So there is one way out, whatever the reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/ptx/jit/block.h"
#include "mock/ptx/jit/emit.h"
#include "mock/ptx/jit/note.h"
#include "mock/ptx/jit/sweep.h"

/* --- labels --- */

void ptx__jit_label(struct ptx__jit_emit *emit, const char *word, size_t number)
{
    ptx__jit_say(&emit->text, "%s%zu:\n", word, number);
    emit->label = word;
    emit->label_number = number;
}

void ptx__jit_goto(struct ptx__jit_emit *emit, const char *word, size_t number)
{
    ptx__jit_say(&emit->text, "  br label %%%s%zu\n", word, number);
}

void ptx__jit_branch(struct ptx__jit_emit *emit, struct ptx__jit_value which, const char *yes,
                     size_t yes_number, const char *no, size_t no_number)
{
    ptx__jit_say(&emit->text, "  br ");
    ptx__jit_say_typed(&emit->text, which);
    ptx__jit_say(&emit->text, ", label %%%s%zu, label %%%s%zu\n", yes, yes_number, no, no_number);
}

/* --- the whole --- */

/* Writes an operation that ends a piece of code. */
static void emit_last(struct ptx__jit_emit *emit, size_t number)
{
    switch (emit->flow->ops[number].kind) {
    case PTX__JIT_JUMP:
        ptx__jit_flush(emit, number);
        ptx__jit_jump(emit, number, ptx__jit_target(emit->flow, number));
        break;
    case PTX__JIT_BRANCH:
        ptx__jit_divide(emit, number);
        break;
    default:
        ptx__jit_goto(emit, "leave", number);
    }
    ptx__jit_leave(emit, number);
}

/* Writes an operation. False if it ends a piece of code. */
bool ptx__jit_write_op(struct ptx__jit_emit *emit, size_t number)
{
    switch (emit->flow->ops[number].kind) {
    case PTX__JIT_CALLED:
        ptx__jit_called(emit, number);
        return true;
    case PTX__JIT_PLAIN:
        ptx__jit_plain(emit, number);
        return true;
    case PTX__JIT_WRITTEN:
        emit->flow->ops[number].write(emit, number);
        return true;
    case PTX__JIT_ATOMIC:
    case PTX__JIT_LOAD:
    case PTX__JIT_STORE:
        ptx__jit_write_access(emit, number);
        return true;
    case PTX__JIT_NOTHING:
        return true;
    case PTX__JIT_GUARD:
        ptx__jit_guard(emit, number);
        return true;
    case PTX__JIT_UNGUARD:
        ptx__jit_unguard(emit);
        return true;
    default:
        emit_last(emit, number);
        return false;
    }
}

/* Begins an operation to which several ways lead. */
static void begin(struct ptx__jit_emit *emit, size_t number)
{
    ptx__jit_label(emit, "op", number);
    ptx__jit_know_nothing(emit);
    ptx__jit_begin_place(emit, number);
}

static void emit_ops(struct ptx__jit_emit *emit)
{
    bool open = false;

    for (size_t i = 0; i < emit->flow->n_ops; i++) {
        const bool label = emit->flow->ops[i].label;

        if (label && open) {
            ptx__jit_flush(emit, i);
            ptx__jit_go(emit, i - 1, i);
        }
        if (label && ptx__jit_passes(emit, i))
            ptx__jit_pass(emit, i);
        else if (label)
            begin(emit, i);
        emit->apart = emit->flow->ops[i].apart;
        emit->at = i;
        if (label || open)
            open = ptx__jit_write_op(emit, i);
    }
    if (open)
        ptx__jit_say(&emit->text, "  unreachable\n");
}

/* What all of the function needs, and is the same for all warps of a block. */
static void emit_block(struct ptx__jit_emit *emit)
{
    struct ptx__jit_value grid;

    emit->registers = FIELD(emit, emit->warp, I64, ptx__warp, regs);
    emit->worker = FIELD(emit, emit->warp, I64, ptx__warp, worker);
    emit->hits = FIELD(emit, emit->worker, I64, ptx__worker, hits);
    emit->block = FIELD(emit, emit->warp, I64, ptx__warp, block);
    emit->shared = FIELD(emit, emit->block, I64, ptx__block, shared);
    grid = FIELD(emit, emit->block, I64, ptx__block, grid);
    emit->shared_bytes = FIELD(emit, grid, I32, ptx__grid, shared_bytes);
    emit->mask_word = ptx__jit_number(PTX__JIT_I32, PTX__ALL);
    emit->mask = ptx__jit_splat(&emit->text, ptx__jit_number(PTX__JIT_I1, 1), PTX__LANES);
    emit->everyone = emit->mask_word;
    ptx__jit_load_constants(emit, true);
}

/* What belongs to the warp. */
static void emit_warp(struct ptx__jit_emit *emit)
{
    const struct ptx__jit_value frame = FIELD(emit, emit->warp, I64, ptx__warp, frame);

    emit->area = FIELD(emit, frame, I64, ptx__frame, area);
    emit->registers = FIELD(emit, emit->warp, I64, ptx__warp, regs);
    if (!emit->full)
        emit->everyone = FIELD(emit, frame, I32, ptx__frame, lanes);
    ptx__jit_begin_notes(emit);
    ptx__jit_load_constants(emit, false);
}

/* Where a value may come from: the label of a piece of code. */
struct edge {
    struct ptx__jit_value value;
    const char *word;
};

/* Writes a value whose number may have been used before. */
static struct ptx__jit_value say_phi(struct ptx__jit_emit *emit, uint64_t number, unsigned n,
                                     const struct edge *edges)
{
    const struct ptx__jit_value value = {.type = PTX__JIT_I64, .number = number};

    ptx__jit_say(&emit->text, "  %%v%llu = phi i64 ", (unsigned long long) number);
    for (unsigned i = 0; i < n; i++) {
        ptx__jit_say(&emit->text, i ? ", [ " : "[ ");
        ptx__jit_say_value(&emit->text, edges[i].value);
        ptx__jit_say(&emit->text, ", %%%s0 ]", edges[i].word);
    }
    ptx__jit_say(&emit->text, "\n");
    return value;
}

/* Where a block begins: the first one, or one that follows it in the same function. */
static void emit_begin(struct ptx__jit_emit *emit)
{
    emit->again = (struct ptx__jit_value){.type = PTX__JIT_I64, .number = emit->text.next++};
    ptx__jit_goto(emit, "block", 0);
    ptx__jit_label(emit, "block", 0);
    emit->warp = say_phi(emit, emit->text.next++, 2,
                         (const struct edge[]){{emit->warp, "first"}, {emit->again, "again"}});
    emit->entry =
        say_phi(emit, emit->text.next++, 2,
                (const struct edge[]){{emit->entry, "first"}, {ptx__jit_i64(0), "again"}});
}

/* Where the engine's function has found no warp of the block that goes on. */
static void emit_rest(struct ptx__jit_emit *emit, struct ptx__jit_value entry)
{
    struct ptx__jit_value running;

    ptx__jit_label(emit, "rest", 0);
    ptx__jit_branch(
        emit, ptx__jit_compare(&emit->text, "icmp eq", entry, ptx__jit_i64(PTX__JIT_NEXT_BLOCK)),
        "again", 0, "end", 0);
    ptx__jit_label(emit, "again", 0);
    running = FIELD(emit, emit->block, I64, ptx__block, running);
    ptx__jit_say(&emit->text, "  %%v%llu = add i64 0, ", (unsigned long long) emit->again.number);
    ptx__jit_say_value(&emit->text, running);
    ptx__jit_say(&emit->text, "\n");
    ptx__jit_goto(emit, "block", 0);
    ptx__jit_label(emit, "end", 0);
    ptx__jit_say(&emit->text, "  ret i64 0\n");
}

/*
 * Where a warp comes next: the first one of a block, or the one behind a warp that has stopped.
 * Most often that one follows without further ado ("hop", see handler.c). Else the engine's
 * function says which one of the block is next, and where it goes on.
 */
static void emit_next_warp(struct ptx__jit_emit *emit)
{
    struct ptx__jit_value stop[4] = {emit->warp}, next[2], entry[2];
    const char *begin = emit->label;

    stop[0].number = emit->text.next++;
    stop[3] = ptx__jit_i64(emit->kept);
    ptx__jit_goto(emit, "warp", 0);
    ptx__jit_label(emit, "hop", 0);
    next[0] = ptx__jit_at(emit, stop[0], sizeof(struct ptx__warp));
    entry[0] = FIELD(emit, emit->block, I64, ptx__block, step.entry);
    ptx__jit_goto(emit, "warp", 0);
    ptx__jit_label(emit, "stop", 0);
    for (unsigned i = 1; i <= 2; i++)
        stop[i] = ptx__jit_load(&emit->text, "", ptx__jit_at(emit, emit->room, 8 * i - 8),
                                PTX__JIT_I64, 0, 8);
    entry[1] = ptx__jit_begin(&emit->text, PTX__JIT_I64, 0);
    ptx__jit_call_engine(emit, (uintptr_t) ptx__jit_stop, "i64", 4, stop);
    ptx__jit_branch(
        emit,
        ptx__jit_compare(&emit->text, "icmp uge", entry[1], ptx__jit_i64(PTX__JIT_NEXT_BLOCK)),
        "rest", 0, "onward", 0);
    emit_rest(emit, entry[1]);
    ptx__jit_label(emit, "onward", 0);
    next[1] = FIELD(emit, emit->block, I64, ptx__block, running);
    ptx__jit_goto(emit, "warp", 0);
    ptx__jit_label(emit, "warp", 0);
    emit->warp =
        say_phi(emit, stop[0].number, 3,
                (const struct edge[]){{emit->warp, begin}, {next[0], "hop"}, {next[1], "onward"}});
    emit->entry = say_phi(
        emit, emit->text.next++, 3,
        (const struct edge[]){{emit->entry, begin}, {entry[0], "hop"}, {entry[1], "onward"}});
}

/* Where the function begins: the registers are as the interpreter has them, or are kept. */
static void emit_switch(struct ptx__jit_emit *emit)
{
    const size_t n = emit->flow->n_ops;

    ptx__jit_say(&emit->text, "  switch ");
    ptx__jit_say_typed(&emit->text, emit->entry);
    ptx__jit_say(&emit->text, ", label %%nowhere [");
    for (size_t i = 0; i < n; i++) {
        if (emit->flow->ops[i].entry)
            ptx__jit_say(&emit->text, " i64 %zu, label %%enter%zu", i, i);
        if (i && ptx__jit_keeps(emit->flow, i - 1))
            ptx__jit_say(&emit->text, " i64 %zu, label %%op%zu", n + i, i);
    }
    ptx__jit_say(&emit->text, " ]\nnowhere:\n  unreachable\n");
}

static void emit_function(struct ptx__jit_emit *emit)
{
    const size_t n = emit->flow->n_ops;

    ptx__jit_say(&emit->text,
                 "define i64 @kernel(i64 %%v0, i64 %%v1, i64 %%v2, i64 %%v3) #0 {\n"
                 "first0:\n  %%room = alloca [%d x i8], align 64\n",
                 PTX__JIT_ROOM);
    emit->room = ptx__jit_begin(&emit->text, PTX__JIT_I64, 0);
    if (emit->text.typed)
        ptx__jit_say(&emit->text, "ptrtoint [%d x i8]* %%room to i64\n", PTX__JIT_ROOM);
    else
        ptx__jit_say(&emit->text, "ptrtoint ptr %%room to i64\n");
    if (!emit->full)
        ptx__jit_begin_waits(emit);
    if (emit->goes_on)
        emit_begin(emit);
    emit_block(emit);
    if (emit->goes_on) {
        ptx__jit_write_sweep(emit);
        emit_next_warp(emit);
    }
    emit_warp(emit);
    emit_switch(emit);
    for (size_t i = 0; i < n; i++) {
        if (emit->flow->ops[i].entry)
            ptx__jit_enter(emit, i);
    }
    emit_ops(emit);
    ptx__jit_meetings(emit);
    ptx__jit_say(&emit->text, "}\n");
}

static struct ptx__jit_value argument(uint64_t number)
{
    return (struct ptx__jit_value){.type = PTX__JIT_I64, .number = number};
}

bool ptx__jit_write_function(struct ptx__jit_text *text, const struct ptx__jit_flow *flow,
                             unsigned kept, struct cushim__arena *arena,
                             struct ptx__jit_addresses *ret_addresses)
{
    struct ptx__jit_emit emit = {.text = *text,
                                 .flow = flow,
                                 .kept = kept,
                                 .full = flow->full,
                                 .arena = arena,
                                 .addresses = ret_addresses};
    const size_t n = (size_t) flow->n_slots + 1;

    emit.goes_on = flow->full && flow->code->is_kernel;
    emit.gathers = ptx__jit_gathers(flow);
    emit.warp = argument(0);
    emit.op = argument(1);
    emit.entry = argument(2);
    emit.ops = argument(3);
    emit.text.next = 4;
    emit.constants = calloc(2 * n, sizeof(*emit.constants));
    emit.known = calloc(4 * n, sizeof(*emit.known));
    if (emit.constants && emit.known) {
        emit.row_steps = emit.constants + n;
        emit.unguarded = emit.known + n;
        emit.together = emit.known + 2 * n;
        emit.passed = emit.known + 3 * n;
        emit_function(&emit);
    }
    free(emit.constants);
    free(emit.known);
    *text = emit.text;
    return emit.constants && emit.known && !text->text.failed && !arena->failed &&
           !ret_addresses->failed;
}

/* --- what comes behind the functions --- */

static void declare(struct ptx__jit_text *text, const char *name, unsigned n, unsigned type,
                    unsigned lanes)
{
    const char letter = type >= PTX__JIT_FLOAT ? 'f' : 'i';

    ptx__jit_say(text, "declare ");
    ptx__jit_say_type(text, type, lanes);
    if (lanes)
        ptx__jit_say(text, " @llvm.%s.v%u%c%u(", name, lanes, letter, ptx__jit_bits(type));
    else
        ptx__jit_say(text, " @llvm.%s.%c%u(", name, letter, ptx__jit_bits(type));
    for (unsigned i = 0; i < n; i++) {
        ptx__jit_say(text, i ? ", " : "");
        ptx__jit_say_type(text, type, lanes);
    }
    ptx__jit_say(text, strcmp(name, "ctlz") ? ")\n" : ", i1)\n");
}

static void declare_masked_store(struct ptx__jit_text *text, unsigned type)
{
    ptx__jit_say(text, "declare void ");
    ptx__jit_say_masked_store(text, type, PTX__LANES);
    ptx__jit_say(text, "(");
    ptx__jit_say_type(text, type, PTX__LANES);
    ptx__jit_say(text, ", ");
    ptx__jit_say_pointer(text, type, PTX__LANES);
    ptx__jit_say(text, ", i32, <%u x i1>)\n", PTX__LANES);
}

static const char *const reductions[] = {"add", "umin", "umax", "smin", "smax", "and", "or", "xor"};

void ptx__jit_write_end(struct ptx__jit_text *text, const struct ptx__jit_addresses *addresses)
{
    for (size_t i = 0; i < addresses->n; i++)
        ptx__jit_say(text, "@a%zu = external global i8\n", i);
    for (unsigned lanes = 0; lanes <= PTX__LANES; lanes += PTX__LANES) {
        for (unsigned type = PTX__JIT_FLOAT; type <= PTX__JIT_DOUBLE; type++) {
            declare(text, "fma", 3, type, lanes);
            declare(text, "sqrt", 1, type, lanes);
            declare(text, "rint", 1, type, lanes);
            declare(text, "trunc", 1, type, lanes);
            declare(text, "floor", 1, type, lanes);
            declare(text, "ceil", 1, type, lanes);
        }
        for (unsigned type = PTX__JIT_I32; type <= PTX__JIT_I64; type++) {
            declare(text, "ctpop", 1, type, lanes);
            declare(text, "ctlz", 1, type, lanes);
            declare(text, "bitreverse", 1, type, lanes);
        }
        declare(text, "fshl", 3, PTX__JIT_I32, lanes);
        declare(text, "fshr", 3, PTX__JIT_I32, lanes);
    }
    ptx__jit_say(text, "declare i32 @llvm.cttz.i32(i32, i1)\n");
    for (unsigned type = PTX__JIT_I32; type <= PTX__JIT_I64; type++)
        declare_masked_store(text, type);
    for (size_t i = 0; i < ARRAY_SIZE(reductions); i++)
        ptx__jit_say(text, "declare i32 @llvm.vector.reduce.%s.v32i32(<32 x i32>)\n",
                     reductions[i]);
}

void ptx__jit_write_attributes(struct ptx__jit_text *text, const char *attributes)
{
    cushim__str_append(&text->text,
                       "attributes #0 = { nounwind \"min-legal-vector-width\"=\"512\" %s }\n",
                       attributes);
}
