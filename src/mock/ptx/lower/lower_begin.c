/* SPDX-License-Identifier: MIT */
/*
 * Registers that a thread may read before it has written them. PTX leaves open what they hold; here
 * it is zero, whatever ran before: moves at the begin of the function say so. A register needs none
 * if it is written on all ways to where it is read. The carry counts as one more register.
 *
 * A block exposes a register that it reads before it writes it. From there on the blocks before it
 * are followed, up to those that write it.
 */
#include <stdlib.h>

#include "mock/ptx/lower/lower.h"

/* A list of blocks for each register, linked. A link's number is one more than its place. */
struct lists {
    uint32_t *heads;
    struct link {
        uint32_t block, next;
    } * links;
    size_t n, capacity;
};

struct search {
    const struct ptx__lowering *lower;
    uint32_t n_registers; /* and the carry */
    uint32_t block;       /* that is looked at */
    struct lists exposed, written;
    uint32_t *seen;         /* for each register: the block that has it as read or written */
    uint32_t *before;       /* for each block: where its list of blocks before it begins */
    uint32_t *predecessors; /* these lists */
    uint32_t *states;       /* for each block: the register for which it was reached or writes */
    uint32_t *open;         /* blocks whose predecessors must be followed */
    uint64_t steps;         /* that are left: what needs more counts as read */
    bool failed;            /* out of memory */
};

static void add(struct search *search, struct lists *lists, uint32_t reg)
{
    if (lists->n == lists->capacity) {
        const size_t capacity = lists->capacity ? 2 * lists->capacity : 256;
        struct link *links = realloc(lists->links, capacity * sizeof(*links));

        search->failed |= !links;
        if (!links)
            return;
        lists->links = links;
        lists->capacity = capacity;
    }
    lists->links[lists->n] = (struct link){search->block, lists->heads[reg]};
    lists->heads[reg] = (uint32_t) ++lists->n;
}

/* --- what instructions read and write --- */

static void read_register(struct search *search, uint32_t reg)
{
    if (reg != PTX_NONE && search->seen[reg] != search->block + 1) {
        search->seen[reg] = search->block + 1;
        add(search, &search->exposed, reg);
    }
}

static void write_register(struct search *search, uint32_t reg)
{
    if (search->seen[reg] != search->block + 1) {
        search->seen[reg] = search->block + 1;
        add(search, &search->written, reg);
    }
}

static bool has_elements(const struct ptx__operand *operand)
{
    return operand->kind == PTX_PAIR || operand->kind == PTX_VECTOR || operand->kind == PTX_LIST ||
           operand->kind == PTX_BRACKETS;
}

static void read_operand(struct search *search, const struct ptx__operand *operand)
{
    if (operand->kind == PTX_REGISTER || operand->kind == PTX_MEMORY)
        read_register(search, operand->reg);
    for (uint32_t i = 0; has_elements(operand) && i < operand->count; i++)
        read_operand(search, &operand->elements[i]);
}

/* What only some lanes write, or a part of it, may still be read. */
static void write_operand(struct search *search, const struct ptx__operand *operand)
{
    if (operand->kind == PTX_MEMORY)
        read_register(search, operand->reg);
    if (operand->kind == PTX_REGISTER && operand->component < 0)
        write_register(search, operand->reg);
    for (uint32_t i = 0; has_elements(operand) && i < operand->count; i++)
        write_operand(search, &operand->elements[i]);
}

/* Tells whether the first operand is written, and not read. */
static bool gives_result(const struct ptx__instruction *at)
{
    const struct ptx__form *form = &ptx__forms[at->form];

    return at->guard == PTX_NONE && at->n_operands && at->opcode != PTX_OP_WGMMA_MMA_ASYNC &&
           at->opcode != PTX_OP_WGMMA_MMA_ASYNC_SP &&
           (at->opcode == PTX_OP_CALL || (form->n_shapes && ptx__shapes[form->first_shape].result));
}

static void look_at_carry(struct search *search, const struct ptx__instruction *at)
{
    const uint32_t carry = search->n_registers - 1;

    if (at->opcode == PTX_OP_ADDC || at->opcode == PTX_OP_SUBC || at->opcode == PTX_OP_MADC)
        read_register(search, carry);
    if (ptx__has(at, PTX_MOD_CC) && at->guard == PTX_NONE)
        write_register(search, carry);
}

static void read_results(struct search *search)
{
    const struct ptx__function *function = search->lower->function;

    for (uint32_t i = 0; i < function->n_results; i++) {
        if (function->results[i].is_register)
            read_register(search, function->results[i].reg);
    }
}

static void look_at(struct search *search, const struct ptx__instruction *at)
{
    const bool writes = gives_result(at);

    read_register(search, at->guard);
    for (uint32_t i = writes; i < at->n_operands; i++)
        read_operand(search, &at->operands[i]);
    look_at_carry(search, at);
    if (at->opcode == PTX_OP_RET)
        read_results(search);
    if (writes)
        write_operand(search, &at->operands[0]);
}

static void look_at_blocks(struct search *search)
{
    const struct ptx__function *function = search->lower->function;
    const struct ptx__flow *flow = search->lower->flow;

    for (uint32_t i = 0; i < flow->n_order; i++) {
        const struct ptx__block_of_code *block = &flow->blocks[flow->order[i]];

        search->block = flow->order[i];
        for (uint32_t j = block->first; j < block->end && j < function->n_instructions; j++)
            look_at(search, &function->instructions[j]);
        if (block->first == function->n_instructions)
            read_results(search);
    }
}

/* --- where values come from --- */

static void list_predecessors(struct search *search)
{
    const struct ptx__flow *flow = search->lower->flow;
    uint32_t n = 0;

    /* Each list is filled from its end on. */
    for (uint32_t i = 0; i < flow->n_blocks; i++)
        search->before[i] = n += flow->blocks[i].n_predecessors;
    search->before[flow->n_blocks] = n;
    for (uint32_t i = 0; i < flow->n_blocks; i++) {
        for (uint32_t j = 0; j < flow->blocks[i].n_successors; j++)
            search->predecessors[--search->before[flow->blocks[i].successors[j]]] = i;
    }
}

/* Adds the blocks before one that were not reached, and do not write the register. */
static uint32_t follow(struct search *search, uint32_t block, uint32_t reg, uint32_t n)
{
    for (uint32_t i = search->before[block]; i < search->before[block + 1]; i++) {
        const uint32_t other = search->predecessors[i];

        if (search->states[other] != reg + 1)
            search->open[n++] = other;
        search->states[other] = reg + 1;
        search->steps -= search->steps > 0;
    }
    return n;
}

/* Tells whether a way leads from the begin of the function to where a register is read. */
static bool is_open(struct search *search, uint32_t reg)
{
    const struct link *written = search->written.links, *exposed = search->exposed.links;
    uint32_t n = 0;

    for (uint32_t i = search->written.heads[reg]; i; i = written[i - 1].next)
        search->states[written[i - 1].block] = reg + 1;
    for (uint32_t i = search->exposed.heads[reg]; i; i = exposed[i - 1].next) {
        search->states[exposed[i - 1].block] = reg + 1;
        search->open[n++] = exposed[i - 1].block;
    }
    while (n) {
        const uint32_t block = search->open[--n];

        if (!block || !search->steps)
            return true;
        n = follow(search, block, reg, n);
    }
    return false;
}

static void find(struct search *search, bool *ret_open)
{
    const struct ptx__function *function = search->lower->function;

    look_at_blocks(search);
    list_predecessors(search);
    for (uint32_t i = 0; i < search->n_registers && !search->failed; i++)
        ret_open[i] = search->exposed.heads[i] && is_open(search, i);
    for (uint32_t i = 0; !function->is_kernel && i < function->n_parameters; i++) {
        if (function->parameters[i].is_register)
            ret_open[function->parameters[i].reg] = false;
    }
}

/* The arrays are one piece of memory. False: there is none. */
static bool search_all(struct search *search, bool *ret_open)
{
    const struct ptx__flow *flow = search->lower->flow;
    size_t n_edges = 0;
    uint32_t *all;

    for (uint32_t i = 0; i < flow->n_blocks; i++)
        n_edges += flow->blocks[i].n_predecessors;
    all = calloc(3 * (size_t) search->n_registers + 3 * (size_t) flow->n_blocks + n_edges + 1,
                 sizeof(*all));
    if (!all)
        return false;
    search->exposed.heads = all;
    search->written.heads = search->exposed.heads + search->n_registers;
    search->seen = search->written.heads + search->n_registers;
    search->before = search->seen + search->n_registers;
    search->states = search->before + flow->n_blocks + 1;
    search->open = search->states + flow->n_blocks;
    search->predecessors = search->open + flow->n_blocks;
    find(search, ret_open);
    free(search->exposed.links);
    free(search->written.links);
    free(all);
    return !search->failed;
}

/* --- the moves --- */

static void clear(struct ptx__lowering *lower, uint32_t slot, unsigned bits)
{
    const uint32_t zero =
        ptx__constant_slot(lower, bits == 1 || bits == 32 ? bits : 64, PTX__FILL_VALUE, 0, 0);

    if (bits == 1)
        ptx__emit_slots(lower, "mov.pred", slot, zero, zero, 0);
    else if (bits == 32)
        ptx__emit_slots(lower, "mov.u32", slot, zero, zero, zero);
    else
        for (unsigned i = 0; i < bits / 64; i++)
            ptx__emit_slots(lower, "mov.u64", slot + i * 2 * PTX__SLOT, zero, zero, zero);
}

static void clear_register(struct ptx__lowering *lower, uint32_t reg)
{
    const struct ptx__register *declared = &lower->function->registers[reg];
    const struct ptx__operand operand = {.kind = PTX_REGISTER, .component = -1, .reg = reg};
    const unsigned bits = ptx__slot_bits(lower, &operand);
    const uint32_t slot = ptx__register_slot(lower, reg);
    const unsigned n = declared->vector ? declared->vector : 1;

    for (unsigned i = 0; i < n; i++)
        clear(lower, slot + i * (bits / 32 * PTX__SLOT), bits);
}

void ptx__begin_registers(struct ptx__lowering *lower)
{
    const uint32_t n = lower->function->n_registers;
    const uint64_t size = (uint64_t) lower->function->n_instructions + n;
    struct search search = {.lower = lower, .n_registers = n + 1, .steps = 256 * size};

    lower->open = calloc(n + 1, sizeof(*lower->open));
    if (!lower->open || !search_all(&search, lower->open))
        ptx__out_of_memory(lower);
    for (uint32_t i = 0; i < n; i++) {
        if (lower->open[i])
            clear_register(lower, i);
    }
    if (lower->open[n])
        clear(lower, PTX__CARRY_SLOT, 1);
}
