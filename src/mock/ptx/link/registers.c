/* SPDX-License-Identifier: MIT */
/*
 * How many registers does a function need? PTX has as many as it likes, and the driver's
 * compiler shares them out. Here a register is taken to be in use from the first to the last
 * instruction that names it, and all through a loop at whose begin it is in use and whose body
 * names it. What the compiler saves by computing things anew, and what it spends on addresses
 * and unrolling, is not known.
 */
#include <stdlib.h>

#include "mock/ptx/link/read.h"
#include "mock/ptx/link/link.h"

#define LEAST 16
#define MOST  255

/* What a limit can be at least, and what the threads of a multiprocessor share. */
#define LEAST_LIMIT 24
#define OF_ALL      65536u

/* Where a register is in use; first is greater than last if nowhere. */
struct span {
    uint32_t first, last;
};

struct spans {
    struct span *spans;
    uint32_t at;
};

static void note(void *context, struct ptx__operand *operand)
{
    struct spans *spans = context;
    struct span *span;

    if ((operand->kind != PTX_REGISTER && operand->kind != PTX_MEMORY) || operand->reg == PTX_NONE)
        return;
    span = &spans->spans[operand->reg];
    span->first = spans->at < span->first ? spans->at : span->first;
    span->last = spans->at > span->last ? spans->at : span->last;
}

/* A loop from one instruction to another. */
static void stretch(const struct ptx__function *function, struct span *spans, uint32_t begin,
                    uint32_t end)
{
    for (uint32_t i = 0; i < function->n_registers; i++) {
        if (spans[i].first < begin && spans[i].last >= begin && spans[i].last < end)
            spans[i].last = end;
    }
}

/* Inner loops end before the ones around them. */
static void stretch_loops(const struct ptx__function *function, struct span *spans)
{
    for (uint32_t i = 0; i < function->n_instructions; i++) {
        const struct ptx__instruction *instruction = &function->instructions[i];

        if (instruction->opcode == PTX_OP_BRA && instruction->operands[0].target <= i)
            stretch(function, spans, instruction->operands[0].target, i);
    }
}

/* Words of 32 bits. Predicates have registers of their own. */
static int words_of(const struct ptx__register *reg)
{
    const unsigned bits = ptx__type_bits((enum ptx__type) reg->type);

    if (reg->type == PTX_PRED)
        return 0;
    return (int) ((bits + 31) / 32 * (reg->vector ? reg->vector : 1));
}

static unsigned most_at_once(const struct ptx__function *function, const struct span *spans,
                             int *changes)
{
    int used = 0, most = 0;

    for (uint32_t i = 0; i < function->n_registers; i++) {
        if (spans[i].first > spans[i].last)
            continue;
        changes[spans[i].first] += words_of(&function->registers[i]);
        changes[spans[i].last + 1] -= words_of(&function->registers[i]);
    }
    for (uint32_t i = 0; i < function->n_instructions; i++) {
        used += changes[i];
        most = used > most ? used : most;
    }
    return (unsigned) most;
}

unsigned ptx__count_registers(const struct ptx__function *function)
{
    struct spans spans = {malloc((function->n_registers + 1) * sizeof(struct span)), 0};
    int *changes = calloc(function->n_instructions + 2, sizeof(*changes));
    unsigned registers = LEAST;

    if (spans.spans && changes) {
        for (uint32_t i = 0; i < function->n_registers; i++)
            spans.spans[i] = (struct span){UINT32_MAX, 0};
        for (; spans.at < function->n_instructions; spans.at++)
            ptx__each_operand(&function->instructions[spans.at], note, &spans);
        stretch_loops(function, spans.spans);
        registers = most_at_once(function, spans.spans, changes) + 2;
    }
    free(spans.spans);
    free(changes);
    return registers < LEAST ? LEAST : registers > MOST ? MOST : registers;
}

/* They have to do for so many threads; the device gives out eight at a time. */
static unsigned for_threads(unsigned threads, unsigned blocks)
{
    const unsigned all = threads * (blocks ? blocks : 1);

    return all && all <= OF_ALL ? OF_ALL / all / 8 * 8 : MOST;
}

unsigned ptx__limit_registers(const struct ptx__function *function, unsigned registers,
                              unsigned threads)
{
    unsigned limit = for_threads(threads, 0);

    /* What the kernel itself says counts for more than what its compilation is asked for. */
    limit = registers && registers < limit ? registers : limit;
    if (function->usage.max_threads)
        limit = for_threads(function->usage.max_threads, function->min_ctas);
    if (function->max_registers)
        limit = function->max_registers;
    limit = limit < LEAST_LIMIT ? LEAST_LIMIT : limit;
    return function->usage.registers < limit ? function->usage.registers : limit;
}
