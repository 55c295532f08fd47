/* SPDX-License-Identifier: MIT */
/*
 * Sweeps: all warps of a block in one loop. Many kernels have a thread for each element, and only
 * compute, load and store between their begin and their end. In a block of one dimension, what such
 * a kernel computes from tid.x and from what all threads have in common, as most addresses are, has
 * one step in all of the block. So it is enough to look at the first thread and the last one,
 * before the loop: whether all addresses are right, no value wraps around, and no thread jumps to
 * the end. If that is so, the loop does what the warps do, one after the other, without any further
 * look. Else nothing has been done, and each warp goes its own way.
 *
 * What is wanted by the race check is noted before the loop, too, if the order of the warps makes
 * no difference: see racecheck/racecheck_block.h.
 */
#include "mock/ptx/jit/sweep.h"

#include "mock/ptx/jit/block.h"
#include "mock/ptx/racecheck/racecheck_block.h"

static_assert(PTX__JIT_SWEPT_ACCESSES * sizeof(struct ptx__block_access) <= PTX__JIT_ROOM, "");

/* --- before the loop --- */

static struct ptx__jit_value both(struct ptx__jit_emit *emit, struct ptx__jit_value a,
                                  struct ptx__jit_value b)
{
    return ptx__jit_binary(&emit->text, "and", a, b);
}

/* All constants of threads are of the first thread, or are what tid.x is now. */
static void set_constants(struct ptx__jit_emit *emit, struct ptx__jit_value tid)
{
    for (unsigned i = 0; i < emit->flow->n_slots; i++) {
        const struct ptx__jit_slot *slot = &emit->flow->slots[i];
        const uint8_t fill = slot->constant ? slot->constant->fill : PTX__FILL_VALUE;

        if (fill < PTX__FILL_TID_X || fill > PTX__FILL_TID_Z || slot->form.vector)
            continue;
        emit->constants[i] = ptx__jit_cast(
            &emit->text, "zext", fill == PTX__FILL_TID_X ? tid : ptx__jit_number(PTX__JIT_I32, 0),
            ptx__jit_type_of_bits(slot->bits));
    }
}

/* The ends of a predicate. What all threads have in common has the same at both. */
static struct ptx__jit_comparison ends_of(struct ptx__jit_sweep_code *sweep, uint16_t slot)
{
    struct ptx__jit_emit *emit = sweep->emit;

    if (ptx__jit_sweep_known(sweep, slot) == PTX__JIT_ENDS)
        return sweep->ends[slot];
    return (struct ptx__jit_comparison){.same = ptx__jit_number(PTX__JIT_I1, 1),
                                        .first = slot == PTX__JIT_NONE
                                                     ? ptx__jit_number(PTX__JIT_I1, 0)
                                                     : ptx__jit_read_slot(emit, slot).base};
}

/* A predicate that is computed from others: from their ends. */
static struct ptx__jit_comparison ends_of_result(struct ptx__jit_sweep_code *sweep, size_t number)
{
    struct ptx__jit_emit *emit = sweep->emit;
    const struct ptx__jit_op *op = &emit->flow->ops[number];
    const struct ptx__op *code = &emit->flow->code->ops[number];
    const uint32_t offsets[] = {code->a, code->b, code->c};
    const unsigned n = ptx__plain_operands(op->plain);
    struct ptx__jit_comparison all = {.same = ptx__jit_number(PTX__JIT_I1, 1)};
    struct ptx__jit_operands values = {.imm = code->imm};

    for (unsigned i = 0; i < n && i < 3; i++) {
        const struct ptx__jit_comparison one =
            ends_of(sweep, ptx__jit_read_at(emit->flow, number, offsets[i]));

        all.same = both(emit, all.same, one.same);
        values.slots[i] = one.first;
    }
    all.first = ptx__plain_write(&emit->text, op->plain, &values);
    return all;
}

static bool reads_predicates(const struct ptx__jit_sweep_code *sweep, size_t number)
{
    const struct ptx__jit_op *op = &sweep->emit->flow->ops[number];

    for (unsigned i = 0; i < op->n_reads; i++) {
        if (op->reads[i] != PTX__JIT_NONE && sweep->emit->flow->slots[op->reads[i]].bits != 1)
            return false;
    }
    return op->n_reads && ptx__plain_operands(op->plain) <= 3;
}

static void look_at_predicate(struct ptx__jit_sweep_code *sweep, size_t number)
{
    struct ptx__jit_emit *emit = sweep->emit;
    struct ptx__jit_comparison *ends = &sweep->ends[emit->flow->ops[number].writes[0]];

    if (reads_predicates(sweep, number)) {
        *ends = ends_of_result(sweep, number);
        return;
    }
    emit->compared = (struct ptx__jit_comparison){.same = ptx__jit_number(PTX__JIT_I1, 0)};
    ptx__jit_plain(emit, number);
    *ends = emit->compared;
    if (!ends->lanes.lanes)
        ends->first = ptx__jit_number(PTX__JIT_I1, 0);
}

/* No thread jumps. */
static void look_at_branch(struct ptx__jit_sweep_code *sweep, size_t number)
{
    struct ptx__jit_emit *emit = sweep->emit;
    const struct ptx__op *code = &emit->flow->code->ops[number];
    const struct ptx__jit_comparison ends =
        ends_of(sweep, ptx__jit_read_at(emit->flow, number, code->a));
    const struct ptx__jit_value passes = ptx__jit_compare(
        &emit->text, "icmp eq", ends.first, ptx__jit_number(PTX__JIT_I1, code->imm ? 1 : 0));

    emit->fits = both(emit, emit->fits, both(emit, ends.same, passes));
}

static void look_at_access(struct ptx__jit_sweep_code *sweep, size_t number,
                           struct ptx__jit_value last)
{
    struct ptx__jit_emit *emit = sweep->emit;
    struct ptx__jit_access *access = &sweep->accesses[sweep->n_accesses++];

    ptx__jit_begin_access(access, emit, number);
    emit->fits = both(emit, emit->fits, ptx__jit_fit_ends(access, last));
    access->address = ptx__jit_binary(&emit->text, "sub", access->host, access->begin);
}

static void look_at(struct ptx__jit_sweep_code *sweep, size_t number, uint8_t result,
                    struct ptx__jit_value last)
{
    switch (sweep->emit->flow->ops[number].kind) {
    case PTX__JIT_BRANCH:
        look_at_branch(sweep, number);
        break;
    case PTX__JIT_LOAD:
    case PTX__JIT_STORE:
        look_at_access(sweep, number, last);
        break;
    default:
        if (result == PTX__JIT_ENDS)
            look_at_predicate(sweep, number);
        else if (result == PTX__JIT_COMMON)
            ptx__jit_plain(sweep->emit, number);
    }
}

/* Looks whether the loop can be done, and goes there. */
static void write_look(struct ptx__jit_sweep_code *sweep)
{
    struct ptx__jit_emit *emit = sweep->emit;
    const struct ptx__jit_value grid = FIELD(emit, emit->block, I64, ptx__block, grid);
    const struct ptx__jit_value n = FIELD(emit, grid, I32, ptx__grid, n_threads);
    const struct ptx__jit_value launch = FIELD(emit, grid, I64, ptx__grid, launch);
    struct ptx__jit_value last;

    emit->sweep = PTX__JIT_LOOKS;
    emit->early = true;
    emit->last_thread = ptx__jit_binary(&emit->text, "sub", n, ptx__jit_number(PTX__JIT_ANY, 1));
    emit->fits =
        ptx__jit_compare(&emit->text, "icmp eq", n, FIELD(emit, launch, I32, ptx__launch, block));
    last = ptx__jit_cast(
        &emit->text, "zext",
        ptx__jit_binary(&emit->text, "sub", n, ptx__jit_number(PTX__JIT_ANY, PTX__LANES)),
        PTX__JIT_I64);
    ptx__jit_know_nothing(emit);
    set_constants(emit, ptx__jit_number(PTX__JIT_I32, 0));
    sweep->n_accesses = 0;
    for (size_t i = 0; i < sweep->n_ops; i++) {
        emit->at = sweep->ops[i];
        look_at(sweep, emit->at, sweep->results[i], last);
        ptx__jit_sweep_define(sweep, emit->at, sweep->results[i]);
    }
    emit->early = false;
    ptx__jit_branch(emit, emit->fits, "known", 0, "single", 0);
}

/* --- what is noted --- */

/* Puts a word of an access where the engine's function finds it. */
static void put(struct ptx__jit_emit *emit, unsigned access, size_t offset,
                struct ptx__jit_value word)
{
    ptx__jit_store(
        &emit->text, "",
        ptx__jit_at(emit, emit->room, access * sizeof(struct ptx__block_access) + offset), word, 8);
}

static void put_access(struct ptx__jit_emit *emit, unsigned i, const struct ptx__jit_access *access)
{
    const size_t number = (size_t) (access->code - emit->flow->code->ops);

    put(emit, i, offsetof(struct ptx__block_access, memory), ptx__jit_hit(access));
    put(emit, i, offsetof(struct ptx__block_access, op), ptx__jit_op_address(emit, number));
    put(emit, i, offsetof(struct ptx__block_access, offset), access->offset);
    put(emit, i, offsetof(struct ptx__block_access, bytes), ptx__jit_i64(access->all));
    put(emit, i, offsetof(struct ptx__block_access, step),
        ptx__jit_i64((uint64_t) access->device.form.step));
    put(emit, i, offsetof(struct ptx__block_access, use),
        ptx__jit_i64(access->load ? PTX__LOADS : PTX__STORES));
}

static uint64_t note_block(struct ptx__block *block, const struct ptx__block_access *accesses,
                           uint64_t n)
{
    return ptx__racecheck_block(block, accesses, n);
}

/* Has all accesses noted that are to be. */
static void write_notes(struct ptx__jit_sweep_code *sweep)
{
    struct ptx__jit_emit *emit = sweep->emit;
    const struct ptx__jit_value operands[] = {emit->block, emit->room,
                                              ptx__jit_i64(sweep->n_accesses)};
    struct ptx__jit_value noted = ptx__jit_i64(0);

    ptx__jit_label(emit, "known", 0);
    for (unsigned i = 0; i < sweep->n_accesses; i++)
        noted = ptx__jit_binary(&emit->text, "or", noted, sweep->accesses[i].shadow);
    noted = ptx__jit_compare(&emit->text, "icmp eq", noted, ptx__jit_i64(0));
    ptx__jit_branch(emit, noted, "begin", 0, "tell", 0);
    ptx__jit_label(emit, "tell", 0);
    for (unsigned i = 0; i < sweep->n_accesses; i++)
        put_access(emit, i, &sweep->accesses[i]);
    noted = ptx__jit_begin(&emit->text, PTX__JIT_I64, 0);
    ptx__jit_call_engine(emit, (uintptr_t) note_block, "i64", 3, operands);
    noted = ptx__jit_compare(&emit->text, "icmp ne", noted, ptx__jit_i64(0));
    ptx__jit_branch(emit, noted, "begin", 0, "single", 0);
    ptx__jit_label(emit, "begin", 0);
    ptx__jit_goto(emit, "sweep", 0);
}

/* --- the loop --- */

static void do_access(struct ptx__jit_sweep_code *sweep, size_t number)
{
    const struct ptx__jit_access *looked = &sweep->accesses[sweep->n_accesses++];
    struct ptx__jit_operand elements[16] = {{.any_nan = false}};
    struct ptx__jit_access access;

    ptx__jit_begin_access(&access, sweep->emit, number);
    access.begin = looked->begin;
    access.host = looked->host;
    access.address = ptx__jit_binary(access.text, "add", access.device.base, looked->address);
    access.noted = ptx__jit_number(PTX__JIT_I1, 0);
    ptx__jit_make_access(&access, elements);
    ptx__jit_write_elements(&access, elements);
}

static void do_op(struct ptx__jit_sweep_code *sweep, size_t number)
{
    const uint8_t kind = sweep->emit->flow->ops[number].kind;

    sweep->emit->at = number;
    if (kind == PTX__JIT_LOAD || kind == PTX__JIT_STORE)
        do_access(sweep, number);
    else if (kind != PTX__JIT_BRANCH)
        ptx__jit_write_op(sweep->emit, number);
}

/* Each turn is a warp, whose first thread has this number. */
static void write_loop(struct ptx__jit_sweep_code *sweep)
{
    struct ptx__jit_emit *emit = sweep->emit;
    struct ptx__jit_text *text = &emit->text;
    const struct ptx__jit_value next = {.type = PTX__JIT_I32, .number = text->next++};
    struct ptx__jit_value tid, more;

    ptx__jit_label(emit, "sweep", 0);
    tid = ptx__jit_phi(emit, ptx__jit_number(PTX__JIT_I32, 0), "begin", 0, next, "turn", 0);
    emit->sweep = PTX__JIT_SWEEPS;
    ptx__jit_know_nothing(emit);
    set_constants(emit, tid);
    sweep->n_accesses = 0;
    for (size_t i = 0; i < sweep->n_ops; i++)
        do_op(sweep, sweep->ops[i]);
    emit->sweep = PTX__JIT_NO_SWEEP;
    ptx__jit_goto(emit, "turn", 0);
    ptx__jit_label(emit, "turn", 0);
    ptx__jit_say(text, "  %%v%llu = add i32 %d, ", (unsigned long long) next.number, PTX__LANES);
    ptx__jit_say_value(text, tid);
    ptx__jit_say(text, "\n");
    more = ptx__jit_compare(text, "icmp ult", next, emit->last_thread);
    ptx__jit_branch(emit, more, "sweep", 0, "swept", 0);
}

static void write_end(struct ptx__jit_emit *emit)
{
    struct ptx__jit_value next;

    ptx__jit_label(emit, "swept", 0);
    next = ptx__jit_begin(&emit->text, PTX__JIT_I64, 0);
    ptx__jit_call_engine(emit, (uintptr_t) ptx__jit_end_block, "i64", 1, &emit->block);
    next = ptx__jit_compare(&emit->text, "icmp eq", next, ptx__jit_i64(PTX__JIT_NEXT_BLOCK));
    ptx__jit_branch(emit, next, "again", 0, "end", 0);
}

/* All warps of the block are at the begin, and the first one is going to run. */
static struct ptx__jit_value begins(struct ptx__jit_emit *emit)
{
    struct ptx__jit_text *text = &emit->text;
    const struct ptx__jit_value first = FIELD(emit, emit->block, I64, ptx__block, step.first);
    const struct ptx__jit_value warps = FIELD(emit, emit->block, I64, ptx__block, warps);
    struct ptx__jit_value all =
        ptx__jit_compare(text, "icmp ne", FIELD(emit, emit->block, I8, ptx__block, step.on),
                         ptx__jit_number(PTX__JIT_ANY, 0));

    all = both(emit, all, ptx__jit_compare(text, "icmp eq", emit->entry, ptx__jit_i64(0)));
    all = both(emit, all, ptx__jit_compare(text, "icmp eq", emit->warp, first));
    return both(emit, all, ptx__jit_compare(text, "icmp eq", first, warps));
}

static void write_sweep(struct ptx__jit_sweep_code *sweep)
{
    struct ptx__jit_emit *emit = sweep->emit;

    ptx__jit_branch(emit, begins(emit), "first_thread", 0, "single", 0);
    ptx__jit_label(emit, "first_thread", 0);
    write_look(sweep);
    write_notes(sweep);
    write_loop(sweep);
    write_end(emit);
    ptx__jit_label(emit, "single", 0);
    ptx__jit_know_nothing(emit);
}

void ptx__jit_write_sweep(struct ptx__jit_emit *emit)
{
    const size_t n = (size_t) emit->flow->n_slots + 1;
    struct ptx__jit_sweep_code *sweep;

    if (emit->gathers || emit->flow->row != PTX__LANES)
        return;
    sweep = cushim__arena_alloc(emit->arena, sizeof(*sweep));
    if (!sweep)
        return;
    *sweep = (struct ptx__jit_sweep_code){
        .emit = emit,
        .known = cushim__arena_alloc(emit->arena, n),
        .defined = cushim__arena_alloc(emit->arena, n),
        .ends = cushim__arena_alloc(emit->arena, n * sizeof(*sweep->ends))};
    if (sweep->known && sweep->defined && sweep->ends && ptx__jit_list_swept(sweep))
        write_sweep(sweep);
}
