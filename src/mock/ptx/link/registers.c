/* SPDX-License-Identifier: MIT */
/*
 * Estimates how many registers a function needs. PTX has as many as it likes, and the driver's
 * compiler shares them out. Here a register is taken to be in use from the first to the last
 * instruction that names it, and all through a loop at whose begin it is in use and whose body
 * names it. The registers that a compiler saves by computing values anew, and those that it
 * spends on addresses and unrolling, are not known.
 */
#include "mock/ptx/link/registers.h"

#include <stdlib.h>
#include <string.h>

#include "mock/ptx/link/link.h"

#define LEAST 16
#define MOST  255

/* The least limit, and the registers that the threads of a multiprocessor share. */
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

/*
 * Loops, stretches of instructions that may overlap. A register that is in use at the begin of one
 * is in use to its end, which may lie in another one that began meanwhile; and so on. So what
 * counts is where a chain of overlapping loops ends, of those that begin behind the register's own
 * begin. They are put together from the last one to begin to the first, on a stack on which what
 * begins first is on top.
 */
struct stretches {
    struct span *chains; /* the last one begins first */
    uint32_t n;
};

/* One that begins no later than those that are there. */
static void add_loop(struct stretches *stretches, uint32_t begin, uint32_t end)
{
    while (stretches->n && stretches->chains[stretches->n - 1].first <= end) {
        const uint32_t other = stretches->chains[--stretches->n].last;

        end = other > end ? other : end;
    }
    stretches->chains[stretches->n++] = (struct span){begin, end};
}

/* Where something that is in use to here is in use to, as chains have it. */
static uint32_t end_of(const struct stretches *stretches, uint32_t last)
{
    uint32_t low = 0, high = stretches->n;

    /* The first in the list, that is the last to begin, which begins at or before it. */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (stretches->chains[middle].first > last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < stretches->n && stretches->chains[low].last > last ? stretches->chains[low].last
                                                                    : last;
}

/* Lists of numbers by a place in the text, linked: heads has one for each place. */
struct lists {
    uint32_t *heads, *nexts;
};

static bool make_lists(struct lists *lists, uint32_t n_places, uint32_t n)
{
    lists->heads = malloc((n_places + 1) * sizeof(*lists->heads));
    lists->nexts = malloc((n + 1) * sizeof(*lists->nexts));
    if (!lists->heads || !lists->nexts)
        return false;
    memset(lists->heads, 0xff, (n_places + 1) * sizeof(*lists->heads));
    return true;
}

static void add_to_list(const struct lists *lists, uint32_t place, uint32_t number)
{
    lists->nexts[number] = lists->heads[place];
    lists->heads[place] = number;
}

static void finish_lists(const struct lists *lists)
{
    free(lists->heads);
    free(lists->nexts);
}

/* Jumps backwards, by where they go to. */
static void list_loops(const struct ptx__function *function, const struct lists *loops)
{
    for (uint32_t i = 0; i < function->n_instructions; i++) {
        const struct ptx__instruction *instruction = &function->instructions[i];

        if (instruction->opcode == PTX_OP_BRA && instruction->operands[0].target <= i)
            add_to_list(loops, instruction->operands[0].target, i);
    }
}

/* From the last instruction to the first: a register sees the loops that begin behind it. */
static void stretch(const struct ptx__function *function, struct span *spans,
                    struct stretches *stretches, const struct lists *loops,
                    const struct lists *registers)
{
    for (uint32_t at = function->n_instructions; at-- > 0;) {
        for (uint32_t r = registers->heads[at]; r != PTX_NONE; r = registers->nexts[r])
            spans[r].last = end_of(stretches, spans[r].last);
        for (uint32_t i = loops->heads[at]; i != PTX_NONE; i = loops->nexts[i])
            add_loop(stretches, at, i);
    }
}

static bool stretch_loops(const struct ptx__function *function, struct span *spans)
{
    const uint32_t n = function->n_instructions;
    struct stretches stretches = {.chains = malloc((n + 1) * sizeof(*stretches.chains))};
    struct lists loops = {.heads = NULL}, registers = {.heads = NULL};
    const bool made = stretches.chains && make_lists(&loops, n, n) &&
                      make_lists(&registers, n, function->n_registers);

    if (made) {
        list_loops(function, &loops);
        for (uint32_t i = 0; i < function->n_registers; i++) {
            if (spans[i].first <= spans[i].last)
                add_to_list(&registers, spans[i].first, i);
        }
        stretch(function, spans, &stretches, &loops, &registers);
    }
    free(stretches.chains);
    finish_lists(&loops);
    finish_lists(&registers);
    return made;
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

bool ptx__count_registers(struct ptx__function *function)
{
    struct spans spans = {malloc((function->n_registers + 1) * sizeof(struct span)), 0};
    int *changes = calloc(function->n_instructions + 2, sizeof(*changes));
    bool made = spans.spans && changes;
    unsigned registers;

    if (made) {
        for (uint32_t i = 0; i < function->n_registers; i++)
            spans.spans[i] = (struct span){UINT32_MAX, 0};
        for (; spans.at < function->n_instructions; spans.at++)
            ptx__each_operand(&function->instructions[spans.at], note, &spans);
        made = stretch_loops(function, spans.spans);
    }
    if (made) {
        registers = most_at_once(function, spans.spans, changes) + 2;
        function->usage.registers = registers < LEAST ? LEAST : registers > MOST ? MOST : registers;
    }
    free(spans.spans);
    free(changes);
    return made;
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

    /* The kernel's own directives count for more than the options of its compilation. */
    limit = registers && registers < limit ? registers : limit;
    if (function->usage.max_threads)
        limit = for_threads(function->usage.max_threads, function->min_ctas);
    if (function->max_registers)
        limit = function->max_registers;
    limit = limit < LEAST_LIMIT ? LEAST_LIMIT : limit;
    return function->usage.registers < limit ? function->usage.registers : limit;
}
