/* SPDX-License-Identifier: MIT */
/*
 * Short pieces of code that are there once more, for lanes of a full warp that part at the branch
 * before them. A piece goes on to where all of the lanes are together again, and has only jumps
 * forward and operations that a guard may have. masked.c writes it: each operation is done for the
 * lanes that are there, in the order in which the interpreter does them, as it runs the lanes that
 * are furthest behind.
 *
 * The copies stand behind the operations of the function. They are operations like others: for
 * each lane, what is written and needed where follows from its own way. But while some lanes
 * write a slot, others wait ahead, and may need what they have there.
 *
 * What is computed from values that were there before, such as an address, may be computed before
 * the lanes part. Then it is one for all lanes, and if it wraps around, compiled code can still
 * end.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/exec/control.h"
#include "mock/ptx/jit/flow.h"

/* The code with the copies. */
struct ptx__jit_longer {
    struct ptx__code code;
    struct ptx__op *ops;
    ptx__handler *runs;
};

/* --- which pieces --- */

static bool jumps(const struct ptx__jit_op *op)
{
    return op->kind == PTX__JIT_JUMP || op->kind == PTX__JIT_BRANCH;
}

static bool may_be_copied(const struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__jit_op *op = &flow->ops[number];

    if (jumps(op))
        return ptx__jit_target(flow, number) > number;
    return op->kind != PTX__JIT_OUTSIDE && !op->together && !op->any;
}

/* Returns where lanes that part at a branch are together again; 0: no short piece leads there. */
static size_t end_of_piece(const struct ptx__jit_flow *flow, size_t branch)
{
    size_t end = ptx__jit_target(flow, branch);

    for (size_t i = branch + 1; i < end; i++) {
        if (i - branch > PTX__JIT_MOST_COPIED || !may_be_copied(flow, i))
            return 0;
        if (jumps(&flow->ops[i]) && ptx__jit_target(flow, i) > end)
            end = ptx__jit_target(flow, i);
    }
    return end > branch + 1 && end < flow->n_ops ? end : 0;
}

static unsigned work_of_piece(const struct ptx__jit_flow *flow, size_t first, size_t end)
{
    unsigned work = 0;

    for (size_t i = first; i < end; i++)
        work += ptx__jit_work_of(&flow->ops[i]);
    return work;
}

/* Gives pieces their places behind the operations. Returns how many operations there are then. */
static size_t place_copies(struct ptx__jit_flow *flow, size_t most_ops, unsigned most_work)
{
    size_t n = flow->n_ops;

    for (size_t i = 0; i < flow->n_ops; i++) {
        struct ptx__jit_op *op = &flow->ops[i];
        const size_t end = op->kind == PTX__JIT_BRANCH ? end_of_piece(flow, i) : 0;
        const unsigned work = work_of_piece(flow, i + 1, end);

        if (!end || end - i > most_ops || work > most_work)
            continue;
        op->copy = (uint32_t) n;
        op->end_of_copy = (uint32_t) (n + end - i - 1);
        n += end - i;
        most_ops -= end - i;
        most_work -= work;
    }
    return n;
}

/* --- making them --- */

static bool make_room(struct ptx__jit_flow *flow, size_t n)
{
    struct ptx__jit_longer *longer = flow->longer = calloc(1, sizeof(*longer));
    struct ptx__jit_op *ops = longer ? calloc(n + 1, sizeof(*ops)) : NULL;

    if (!ops)
        return false;
    memcpy(ops, flow->ops, flow->n_ops * sizeof(*ops));
    free(flow->ops);
    flow->ops = ops;
    longer->ops = calloc(n, sizeof(*longer->ops));
    longer->runs = calloc(n, sizeof(*longer->runs));
    return longer->ops && longer->runs;
}

/* Copies an operation, which may lead to one of its copy, or of the function. */
static void copy_op(struct ptx__jit_flow *flow, size_t from, size_t to, size_t first, size_t copy)
{
    struct ptx__op *ops = flow->longer->ops;

    ops[to] = flow->code->ops[from];
    flow->longer->runs[to] = flow->runs[from];
    if (jumps(&flow->ops[from]))
        ops[to].target = ops + copy + (ptx__jit_target(flow, from) - first);
}

static void copy_piece(struct ptx__jit_flow *flow, size_t branch)
{
    const size_t copy = flow->ops[branch].copy, end = flow->ops[branch].end_of_copy;
    const size_t first = branch + 1;
    struct ptx__jit_op *last = &flow->ops[end];

    for (size_t to = copy; to < end; to++) {
        const size_t from = first + (to - copy);
        struct ptx__jit_op *op = &flow->ops[to];

        copy_op(flow, from, to, first, copy);
        *op = flow->ops[from];
        op->copied = true;
        op->entry = false;
        op->copy = op->end_of_copy = 0;
        op->of = (uint32_t) from;
    }
    *last = (struct ptx__jit_op){
        .kind = PTX__JIT_JUMP, .label = true, .copied = true, .of = (uint32_t) branch};
    flow->longer->ops[end].target = flow->longer->ops + first + (end - copy);
    flow->longer->runs[end] = ptx__do_jump;
}

bool ptx__jit_add_copies(struct ptx__jit_flow *flow, size_t most_ops, unsigned most_work)
{
    const size_t n = place_copies(flow, most_ops, most_work);

    if (n == flow->n_ops)
        return true;
    if (!make_room(flow, n))
        return false;
    for (size_t i = 0; i < flow->n_ops; i++)
        copy_op(flow, i, i, 0, 0);
    for (size_t i = 0; i < flow->n_ops; i++) {
        if (flow->ops[i].copy)
            copy_piece(flow, i);
    }
    flow->longer->code = *flow->code;
    flow->longer->code.ops = flow->longer->ops;
    flow->longer->code.n_ops = (uint32_t) n;
    flow->code = &flow->longer->code;
    flow->runs = flow->longer->runs;
    return true;
}

void ptx__jit_free_copies(struct ptx__jit_flow *flow)
{
    if (!flow->longer)
        return;
    free(flow->longer->ops);
    free(flow->longer->runs);
    free(flow->longer);
}

/* --- what lanes need that wait --- */

size_t ptx__jit_in_copy(const struct ptx__jit_flow *flow, size_t branch)
{
    return flow->ops[branch].copy + (ptx__jit_target(flow, branch) - (branch + 1));
}

static bool writes_live(const struct ptx__jit_flow *flow, const struct ptx__jit_op *op,
                        size_t place)
{
    for (unsigned i = 0; i < op->n_writes; i++) {
        if (op->writes[i] != PTX__JIT_NONE && ptx__jit_is_live(flow, place, op->writes[i]))
            return true;
    }
    return false;
}

/* The operations between a jump and where it leads to, which other lanes do. */
static void keep_for(struct ptx__jit_flow *flow, size_t begin, size_t place)
{
    for (size_t i = begin; i < place; i++)
        flow->ops[i].kept |= writes_live(flow, &flow->ops[i], place);
}

static void find_kept(struct ptx__jit_flow *flow)
{
    for (size_t i = 0; i < flow->n_ops; i++) {
        if (flow->ops[i].copy)
            keep_for(flow, flow->ops[i].copy, ptx__jit_in_copy(flow, i));
    }
    for (size_t i = flow->n_ops; i < flow->code->n_ops; i++) {
        if (jumps(&flow->ops[i]) && ptx__jit_target(flow, i) > i)
            keep_for(flow, i + 1, ptx__jit_target(flow, i));
    }
}

/* --- what may be done before --- */

static bool writes(const struct ptx__jit_op *op, uint16_t slot)
{
    for (unsigned i = 0; i < op->n_writes; i++) {
        if (op->writes[i] == slot)
            return true;
    }
    return false;
}

/* Tells whether all that a copy writes to a slot may be done before. */
static bool is_early_slot(const struct ptx__jit_flow *flow, size_t branch, uint16_t slot)
{
    for (size_t i = flow->ops[branch].copy; i < flow->ops[branch].end_of_copy; i++) {
        if (writes(&flow->ops[i], slot) && !flow->ops[i].early)
            return false;
    }
    return true;
}

/* Nothing else in the copy writes the result, and no lane needs what was there before. */
static bool is_alone(const struct ptx__jit_flow *flow, size_t branch, size_t number)
{
    const struct ptx__jit_op *op = &flow->ops[number];
    const size_t copy = flow->ops[branch].copy;

    if (op->n_writes != 1 || op->writes[0] == PTX__JIT_NONE || op->kept || op->inside ||
        ptx__jit_is_live(flow, copy, op->writes[0]) ||
        ptx__jit_is_live(flow, ptx__jit_in_copy(flow, branch), op->writes[0]))
        return false;
    for (size_t i = copy; i < flow->ops[branch].end_of_copy; i++) {
        if (i != number && writes(&flow->ops[i], op->writes[0]))
            return false;
    }
    return true;
}

static bool may_be_early(const struct ptx__jit_flow *flow, size_t branch, size_t number)
{
    const struct ptx__jit_op *op = &flow->ops[number];
    bool may = op->kind == PTX__JIT_PLAIN && is_alone(flow, branch, number);

    for (unsigned i = 0; may && i < op->n_reads; i++)
        may = op->reads[i] == PTX__JIT_NONE || is_early_slot(flow, branch, op->reads[i]);
    return may;
}

bool ptx__jit_is_early(const struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__jit_op *op = &flow->ops[number];

    return op->early && !flow->slots[op->writes[0]].form.vector;
}

void ptx__jit_settle_copies(struct ptx__jit_flow *flow)
{
    find_kept(flow);
    for (size_t i = 0; i < flow->n_ops; i++) {
        for (size_t j = flow->ops[i].copy; j < flow->ops[i].end_of_copy; j++)
            flow->ops[j].early = may_be_early(flow, i, j);
    }
}

bool ptx__jit_uses_copy(const struct ptx__jit_flow *flow, size_t number)
{
    const struct ptx__jit_op *op = &flow->ops[number];

    return op->copy && op->reads[0] != PTX__JIT_NONE && flow->slots[op->reads[0]].form.vector;
}
