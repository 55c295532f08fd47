/* SPDX-License-Identifier: MIT */
/* The blocks of a function, its jumps, and guards. */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/exec/control.h"
#include "mock/ptx/lower/lower_value.h"
#include "mock/ptx/machine/warp.h"

/* --- finding blocks --- */

static bool leaves(const struct ptx__instruction *instruction)
{
    switch (instruction->opcode) {
    case PTX_OP_BRA:
    case PTX_OP_BRX_IDX:
    case PTX_OP_RET:
    case PTX_OP_EXIT:
    case PTX_OP_TRAP:
        return true;
    default:
        return false;
    }
}

/* Returns the instructions that a branch may jump to. */
static const uint32_t *targets_of(const struct ptx__lowering *lower,
                                  const struct ptx__instruction *instruction, uint32_t *ret_n)
{
    const struct ptx__table *table;

    *ret_n = 0;
    if (instruction->opcode == PTX_OP_BRA) {
        *ret_n = 1;
        return &instruction->operands[0].target;
    }
    if (instruction->opcode != PTX_OP_BRX_IDX)
        return NULL;
    table = &lower->function->tables[instruction->operands[1].target];
    *ret_n = table->n_targets;
    return table->targets;
}

/*
 * Sets marks[i] where a block begins at instruction i. The last block, after all instructions, is a
 * return.
 */
static void mark(const struct ptx__lowering *lower, bool *marks)
{
    const struct ptx__function *function = lower->function;

    marks[0] = marks[function->n_instructions] = true;
    for (uint32_t i = 0; i < function->n_instructions; i++) {
        const struct ptx__instruction *instruction = &function->instructions[i];
        uint32_t n;
        const uint32_t *targets = targets_of(lower, instruction, &n);

        for (uint32_t j = 0; j < n; j++)
            marks[targets[j]] = true;
        if (leaves(instruction))
            marks[i + 1] = true;
    }
}

/* Adds a successor. The list has room for it. */
static void add_successor(struct ptx__lowering *lower, struct ptx__block_of_code *block,
                          uint32_t number)
{
    block->successors[block->n_successors++] = number;
    lower->flow->blocks[number].n_predecessors++;
}

static void connect(struct ptx__lowering *lower, struct ptx__block_of_code *block)
{
    const struct ptx__function *function = lower->function;
    const struct ptx__instruction *last;
    const uint32_t *targets;
    uint32_t n;

    if (block->first == function->n_instructions)
        return;
    last = &function->instructions[block->end - 1];
    targets = targets_of(lower, last, &n);
    block->successors = malloc(((size_t) n + 1) * sizeof(*block->successors));
    if (!block->successors)
        ptx__out_of_memory(lower);
    if (!leaves(last) || last->guard != PTX_NONE)
        add_successor(lower, block, lower->flow->block_at[block->end]);
    for (uint32_t i = 0; i < n; i++)
        add_successor(lower, block, lower->flow->block_at[targets[i]]);
}

static void cut(struct ptx__lowering *lower, const bool *marks)
{
    struct ptx__flow *flow = lower->flow;
    const uint32_t n = lower->function->n_instructions;

    for (uint32_t i = 0; i <= n; i++)
        flow->n_blocks += marks[i];
    flow->blocks = calloc(flow->n_blocks, sizeof(*flow->blocks));
    flow->block_at = calloc(n + 1, sizeof(*flow->block_at));
    if (!flow->blocks || !flow->block_at)
        ptx__out_of_memory(lower);
    for (uint32_t i = 0, number = 0; i <= n; i++) {
        number += marks[i];
        flow->block_at[i] = number - 1;
        if (marks[i])
            flow->blocks[number - 1].first = i;
        flow->blocks[number - 1].end = i + 1;
    }
}

void ptx__flow_find(struct ptx__lowering *lower)
{
    bool *marks = ptx__keep(lower, lower->function->n_instructions + 1);

    mark(lower, marks);
    cut(lower, marks);
    for (uint32_t i = 0; i < lower->flow->n_blocks; i++)
        connect(lower, &lower->flow->blocks[i]);
}

/* --- jumps --- */

/* Returns the slot of a guard's predicate. */
static uint32_t guard_slot(struct ptx__lowering *lower, const struct ptx__instruction *at)
{
    return ptx__register_slot(lower, at->guard);
}

static uint64_t flip(bool negated)
{
    return negated ? PTX__ALL : 0;
}

static void lower_branch(struct ptx__lowering *lower, const struct ptx__instruction *at)
{
    const uint32_t block = lower->flow->block_at[at->operands[0].target];
    struct ptx__op *op;

    if (at->guard == PTX_NONE) {
        ptx__jump_to(lower, ptx__emit(lower, ptx__do_jump), block);
        return;
    }
    op = ptx__emit(lower, ptx__do_branch);
    op->a = guard_slot(lower, at);
    op->imm = flip(at->guard_negated);
    ptx__jump_to(lower, op, block);
}

static void lower_branch_index(struct ptx__lowering *lower, const struct ptx__instruction *at)
{
    const struct ptx__table *table = &lower->function->tables[at->operands[1].target];
    const uint32_t index = ptx__source(lower, &at->operands[0], PTX_U32);
    uint32_t *blocks = ptx__keep(lower, table->n_targets * sizeof(*blocks));
    struct ptx__op *op = ptx__emit(lower, ptx__do_branch_index);

    for (uint32_t i = 0; i < table->n_targets; i++)
        blocks[i] = lower->flow->block_at[table->targets[i]];
    op->a = index;
    op->list = blocks;
    op->imm = table->n_targets;
}

/* Results that are registers are stored where the caller expects them. */
static void lower_return(struct ptx__lowering *lower)
{
    const struct ptx__function *function = lower->function;

    for (uint32_t i = 0; i < function->n_results; i++) {
        const struct ptx__parameter *result = &function->results[i];

        if (result->is_register)
            ptx__value_put(lower, ptx__register_slot(lower, result->reg),
                           (enum ptx__type) result->type, result->vector,
                           lower->frame_results + (uint32_t) result->offset);
    }
    ptx__emit(lower, ptx__do_return);
}

bool ptx__lower_flow_instruction(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;

    switch (at->opcode) {
    case PTX_OP_BRA:
        lower_branch(lower, at);
        return true;
    case PTX_OP_BRX_IDX:
        lower_branch_index(lower, at);
        return true;
    case PTX_OP_RET:
        lower_return(lower);
        return true;
    case PTX_OP_EXIT:
        ptx__emit(lower, ptx__do_exit);
        return true;
    case PTX_OP_TRAP:
    case PTX_OP_BRKPT:
        ptx__emit(lower, ptx__do_trap);
        return true;
    default:
        return false;
    }
}

/* --- guards --- */

static void lower_one(struct ptx__lowering *lower)
{
    const char *refused = ptx__opcodes[lower->at->opcode].refused;

    ptx__lower_tensor_uses(lower);
    ptx__wgmma_watch(lower);
    if (refused)
        ptx__refuse_form(lower, refused);
    else if (!ptx__lower_flow_instruction(lower) && !ptx__lower_memory(lower) &&
             !ptx__lower_warp(lower) && !ptx__lower_matrix(lower) && !ptx__lower_wgmma(lower) &&
             !ptx__lower_async(lower) && !ptx__lower_bulk(lower) && !ptx__lower_tensor(lower) &&
             !ptx__lower_tensormap(lower) && !ptx__lower_multimem(lower) &&
             !ptx__lower_stack(lower) && !ptx__lower_texture(lower) && !ptx__lower_video(lower) &&
             !ptx__lower_data(lower) && !ptx__lower_plain(lower))
        ptx__refuse_form(lower, "nothing does it");
}

/*
 * Lanes may have to wait inside of the instruction and must meet the others again, so the guard
 * becomes a branch around it.
 */
static void lower_around(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    struct ptx__op *op = ptx__emit(lower, ptx__do_branch);
    const size_t branch = lower->n_ops - 1;

    op->a = guard_slot(lower, at);
    op->imm = flip(!at->guard_negated);
    lower_one(lower);
    lower->ops[branch].skip = (uint32_t) (lower->n_ops + 1 - branch);
    ptx__emit(lower, ptx__do_jump)->skip = 1;
}

static void lower_masked(struct ptx__lowering *lower)
{
    const struct ptx__instruction *at = lower->at;
    const uint32_t saved = ptx__new_slot(lower, 1);
    struct ptx__op *op = ptx__emit(lower, ptx__do_guard);
    const size_t guard = lower->n_ops - 1;

    op->a = guard_slot(lower, at);
    op->imm = flip(at->guard_negated);
    op->d = saved;
    lower_one(lower);
    lower->ops[guard].skip = (uint32_t) (lower->n_ops + 1 - guard);
    ptx__emit(lower, ptx__do_unguard)->d = saved;
}

void ptx__lower_instruction(struct ptx__lowering *lower, const struct ptx__instruction *at)
{
    lower->at = at;
    if (at->guard == PTX_NONE || at->opcode == PTX_OP_BRA)
        lower_one(lower);
    else if (ptx__may_wait(at))
        lower_around(lower);
    else
        lower_masked(lower);
}

/* --- blocks --- */

/* Loads parameters that are registers from the frame. */
static void lower_entry(struct ptx__lowering *lower)
{
    const struct ptx__function *function = lower->function;

    for (uint32_t i = 0; !function->is_kernel && i < function->n_parameters; i++) {
        const struct ptx__parameter *parameter = &function->parameters[i];

        if (parameter->is_register)
            ptx__value_take(lower, ptx__register_slot(lower, parameter->reg),
                            (enum ptx__type) parameter->type, parameter->vector,
                            lower->frame_parameters + (uint32_t) parameter->offset);
    }
}

static void lower_block(struct ptx__lowering *lower, uint32_t position)
{
    struct ptx__flow *flow = lower->flow;
    const uint32_t number = flow->order[position];
    struct ptx__block_of_code *block = &flow->blocks[number];
    const struct ptx__function *function = lower->function;
    uint32_t next;

    ptx__lower_tensor_loaded(lower);
    block->op = (uint32_t) lower->n_ops;
    for (uint32_t i = block->first; i < block->end && i < function->n_instructions; i++)
        ptx__lower_instruction(lower, &function->instructions[i]);
    if (block->first == function->n_instructions) {
        lower->at = NULL;
        lower_return(lower);
        return;
    }
    if (leaves(&function->instructions[block->end - 1]) &&
        function->instructions[block->end - 1].guard == PTX_NONE)
        return;
    /*
     * If other blocks also lead to the next block, going on there must be a jump, so that lanes can
     * converge.
     */
    next = flow->block_at[block->end];
    if (position + 1 < flow->n_order && flow->order[position + 1] == next &&
        flow->blocks[next].n_predecessors == 1)
        return;
    ptx__jump_to(lower, ptx__emit(lower, ptx__do_jump), next);
}

/*
 * Sets the targets of jumps inside of an instruction and of brx.idx, which are not in the list of
 * fixups.
 */
static void finish_skips(struct ptx__lowering *lower)
{
    for (size_t i = 0; i < lower->n_ops; i++) {
        struct ptx__op *op = &lower->ops[i];

        if (op->run == ptx__do_branch_index) {
            uint32_t *blocks = (uint32_t *) (uintptr_t) op->list;

            for (uint64_t j = 0; j < op->imm; j++)
                blocks[j] = lower->flow->blocks[blocks[j]].op;
        }
    }
}

/*
 * Sets the costs of jumps. A loop that reads memory which others may change costs more, so that it
 * yields sooner.
 */
static void set_costs(struct ptx__lowering *lower)
{
    uint32_t *waiting = malloc((lower->n_ops + 1) * sizeof(*waiting)), n = 0;

    if (!waiting)
        ptx__out_of_memory(lower);
    for (size_t i = 0; i < lower->n_ops; i++) {
        waiting[i] = n;
        n += lower->ops[i].waits;
    }
    for (size_t i = 0; i < lower->n_fixups; i++) {
        const struct ptx__fixup *fixup = &lower->fixups[i];
        const uint32_t target = lower->flow->blocks[fixup->block].op;

        lower->code->loops |= target <= fixup->op;
        if (target < fixup->op && waiting[fixup->op] > waiting[target])
            lower->ops[fixup->op].cost = PTX__COST_WAITING;
    }
    free(waiting);
}

void ptx__flow_lower(struct ptx__lowering *lower)
{
    lower_entry(lower);
    ptx__stack_begin(lower);
    ptx__begin_registers(lower);
    for (uint32_t i = 0; i < lower->flow->n_order; i++)
        lower_block(lower, i);
    finish_skips(lower);
    set_costs(lower);
}
