/* SPDX-License-Identifier: MIT */
#include "mock/ptx/link/calls.h"

#include <stdlib.h>
#include <string.h>

/* Pairs of numbers, from which lists are made. */
struct pairs {
    struct pair {
        uint32_t from, to;
    } * rows;
    size_t n, capacity;
    bool failed;
};

/* Calls and uses that are collected from the operands of functions. */
struct notes {
    const struct ptx__module *module;
    struct pairs calls, users;
    bool *pointed; /* whether the function's address is taken */
    uint32_t function;
};

static void add(struct pairs *pairs, uint32_t from, uint32_t to)
{
    if (pairs->n == pairs->capacity) {
        const size_t capacity = pairs->capacity ? 2 * pairs->capacity : 64;
        struct pair *larger = realloc(pairs->rows, capacity * sizeof(*larger));

        pairs->failed = pairs->failed || !larger;
        if (!larger)
            return;
        pairs->rows = larger;
        pairs->capacity = capacity;
    }
    pairs->rows[pairs->n++] = (struct pair){from, to};
}

static void finish_lists(struct ptx__lists *lists)
{
    free(lists->begins);
    free(lists->targets);
}

/* Sorts by the first number, or by the second one if reversed. */
static bool make_lists(const struct pairs *pairs, uint32_t n, bool reversed,
                       struct ptx__lists *lists)
{
    uint32_t *at = calloc(n + 1, sizeof(*at));

    lists->n = n;
    lists->begins = calloc(n + 2, sizeof(*lists->begins));
    lists->targets = calloc(pairs->n + 1, sizeof(*lists->targets));
    if (!at || !lists->begins || !lists->targets || pairs->failed) {
        free(at);
        return false;
    }
    for (size_t i = 0; i < pairs->n; i++)
        lists->begins[(reversed ? pairs->rows[i].to : pairs->rows[i].from) + 1]++;
    for (uint32_t i = 0; i < n; i++) {
        lists->begins[i + 1] += lists->begins[i];
        at[i] = lists->begins[i];
    }
    for (size_t i = 0; i < pairs->n; i++) {
        const struct pair *pair = &pairs->rows[i];

        lists->targets[at[reversed ? pair->to : pair->from]++] = reversed ? pair->from : pair->to;
    }
    free(at);
    return true;
}

static void note_operand(void *context, struct ptx__operand *operand)
{
    struct notes *notes = context;

    if (operand->kind != PTX_ADDRESS && operand->kind != PTX_MEMORY)
        return;
    if (operand->symbol.kind == PTX_MODULE_VARIABLE)
        add(&notes->users, operand->symbol.number, notes->function);
    if (operand->symbol.kind == PTX_FUNCTION)
        notes->pointed[operand->symbol.number] = true;
}

static void note_function(struct notes *notes, struct ptx__function *function)
{
    for (uint32_t i = 0; i < function->n_instructions; i++) {
        const struct ptx__instruction *instruction = &function->instructions[i];
        const struct ptx__operand *operands = instruction->operands;

        if (instruction->opcode != PTX_OP_CALL) {
            ptx__each_operand(instruction, note_operand, notes);
        } else if (operands[1].kind == PTX_ADDRESS) {
            add(&notes->calls, notes->function, operands[1].symbol.number);
        } else {
            function->usage.calls_indirectly = true;
            add(&notes->calls, notes->function, notes->module->n_functions);
        }
    }
}

static void note_module(struct notes *notes)
{
    const struct ptx__module *module = notes->module;

    for (uint32_t i = 0; i < module->n_functions; i++) {
        notes->function = i;
        note_function(notes, &module->functions[i]);
    }
    for (uint32_t i = 0; i < module->n_variables; i++) {
        for (size_t j = 0; j < module->variables[i].n_addresses; j++) {
            const struct ptx__symbol symbol = module->variables[i].addresses[j].symbol;

            if (symbol.kind == PTX_FUNCTION)
                notes->pointed[symbol.number] = true;
        }
    }
    for (uint32_t i = 0; i < module->n_functions; i++) {
        if (notes->pointed[i])
            add(&notes->calls, module->n_functions, i);
    }
}

/* Puts functions into the order whose callees are all in it, until there is no such function. */
static bool sort(struct ptx__calls *calls)
{
    const struct ptx__lists *callees = &calls->callees, *callers = &calls->callers;
    uint32_t *open = calloc(callees->n + 1, sizeof(*open));

    calls->order = calloc(callees->n + 1, sizeof(*calls->order));
    if (!open || !calls->order) {
        free(open);
        return false;
    }
    for (uint32_t i = 0; i < callees->n; i++) {
        open[i] = callees->begins[i + 1] - callees->begins[i];
        if (!open[i])
            calls->order[calls->n_order++] = i;
    }
    for (uint32_t i = 0; i < calls->n_order; i++) {
        const uint32_t taken = calls->order[i];

        for (uint32_t j = callers->begins[taken]; j < callers->begins[taken + 1]; j++) {
            if (!--open[callers->targets[j]])
                calls->order[calls->n_order++] = callers->targets[j];
        }
    }
    free(open);
    return true;
}

bool ptx__calls_init(struct ptx__calls *calls, struct ptx__module *module)
{
    struct notes notes = {.module = module, .pointed = calloc(module->n_functions + 1, 1)};
    const uint32_t n = module->n_functions + 1;
    bool made = false;

    *calls = (struct ptx__calls){.module = module};
    if (notes.pointed) {
        note_module(&notes);
        made = make_lists(&notes.calls, n, false, &calls->callees) &&
               make_lists(&notes.calls, n, true, &calls->callers) &&
               make_lists(&notes.users, module->n_variables, false, &calls->users) && sort(calls);
    }
    free(notes.pointed);
    free(notes.calls.rows);
    free(notes.users.rows);
    return made;
}

void ptx__calls_finish(struct ptx__calls *calls)
{
    finish_lists(&calls->callees);
    finish_lists(&calls->callers);
    finish_lists(&calls->users);
    free(calls->order);
}

uint32_t ptx__mark_callers(const struct ptx__calls *calls, uint32_t function, bool *marks,
                           uint32_t *marked, uint32_t n_marked)
{
    const struct ptx__lists *callers = &calls->callers;
    uint32_t next = n_marked;

    if (marks[function])
        return n_marked;
    marks[function] = true;
    marked[n_marked++] = function;
    for (; next < n_marked; next++) {
        const uint32_t at = marked[next];

        for (uint32_t i = callers->begins[at]; i < callers->begins[at + 1]; i++) {
            const uint32_t caller = callers->targets[i];

            if (!marks[caller]) {
                marks[caller] = true;
                marked[n_marked++] = caller;
            }
        }
    }
    return n_marked;
}
