/* SPDX-License-Identifier: MIT */
/* Connects declarations with the definitions of their names. */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/link/link.h"
#include "mock/ptx/syntax/name_index.h"

/* For each function and variable, the number of the one that replaces it. */
struct link {
    struct ptx__parser *parser;
    uint32_t *functions, *variables;
    bool *function_used;
    /* The definition of each name that was chosen so far. */
    struct ptx__name_index defined_functions, defined_variables;
    /* The first alias of each global name, and the first one of each name in a text. */
    struct ptx__name_index aliases, own_aliases;
};

bool ptx__is_provided(const char *name)
{
    static const char *const names[] = {"vprintf",
                                        "__assertfail",
                                        "malloc",
                                        "free",
                                        "cudaGraphSetConditional",
                                        "cushim_child_room",
                                        "cushim_child_launch",
                                        "cushim_child_handle",
                                        "cushim_child_ask",
                                        "cushim_last_error"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (!strcmp(names[i], name))
            return true;
    }
    return false;
}

static void each_operand(struct ptx__operand *operand,
                         void (*visit)(void *context, struct ptx__operand *operand), void *context)
{
    const bool has_elements = operand->kind == PTX_VECTOR || operand->kind == PTX_LIST ||
                              operand->kind == PTX_PAIR || operand->kind == PTX_BRACKETS;

    visit(context, operand);
    for (uint32_t i = 0; has_elements && i < operand->count; i++)
        each_operand(&operand->elements[i], visit, context);
}

void ptx__each_operand(const struct ptx__instruction *instruction,
                       void (*visit)(void *context, struct ptx__operand *operand), void *context)
{
    for (uint32_t i = 0; i < instruction->n_operands; i++)
        each_operand(&instruction->operands[i], visit, context);
}

/* Tells whether other definitions take precedence over this one. */
static bool is_weak(uint8_t linkage)
{
    return linkage == PTX_WEAK || linkage == PTX_COMMON;
}

static bool multiple(struct ptx__parser *parser, const char *name)
{
    return ptx__error(parser, (struct ptx__place){0, 0}, "Multiple definition of '%.100s'", name);
}

static bool defines_function(const struct ptx__function *function)
{
    return function->has_body && (function->linkage != PTX_STATIC || function->is_kernel);
}

/* Chooses the strongest of the definitions so far of a global name. */
static bool choose_function(struct link *link, uint32_t number)
{
    struct ptx__function *functions = link->parser->module->functions;
    uint32_t *chosen;

    if (!defines_function(&functions[number]))
        return true;
    chosen = ptx__name_at(&link->defined_functions, 0, functions[number].name);
    if (!chosen)
        return ptx__no_memory(link->parser);
    if (*chosen == PTX_NONE) {
        *chosen = number;
    } else if (is_weak(functions[number].linkage)) {
        functions[number].replaced = true;
        link->functions[number] = *chosen;
    } else if (is_weak(functions[*chosen].linkage)) {
        functions[*chosen].replaced = true;
        link->functions[*chosen] = number;
        *chosen = number;
    } else {
        return multiple(link->parser, functions[number].name);
    }
    return true;
}

/* An alias defines its name like a function: for its own text, or globally. */
static bool note_alias(struct link *link, uint32_t number)
{
    const struct ptx__module *module = link->parser->module;
    const struct ptx__alias *alias = &module->aliases[number];
    const struct ptx__function *declaration = &module->functions[alias->declaration];
    uint32_t *own = ptx__name_at(&link->own_aliases, declaration->unit, alias->name);
    uint32_t *all =
        declaration->linkage == PTX_STATIC ? own : ptx__name_at(&link->aliases, 0, alias->name);

    if (!own || !all)
        return ptx__no_memory(link->parser);
    *own = *own == PTX_NONE ? number : *own;
    *all = *all == PTX_NONE ? number : *all;
    return true;
}

/*
 * Finds what a function without a body stands for. An alias comes before a function, and the first
 * one of each counts.
 */
static void bind_function(struct link *link, uint32_t number)
{
    struct ptx__module *module = link->parser->module;
    struct ptx__function *function = &module->functions[number];
    const uint32_t own = ptx__name_find(&link->own_aliases, function->unit, function->name);
    const uint32_t all = ptx__name_find(&link->aliases, 0, function->name);
    const uint32_t alias = own < all ? own : all;
    const uint32_t meant = alias != PTX_NONE
                               ? module->aliases[alias].function
                               : ptx__name_find(&link->defined_functions, 0, function->name);

    if (function->has_body || meant == PTX_NONE)
        return;
    link->functions[number] = meant;
    function->replaced = true;
}

static bool defines_variable(const struct ptx__variable *variable)
{
    return variable->linkage != PTX_EXTERN && variable->linkage != PTX_STATIC;
}

static bool choose_variable(struct link *link, uint32_t number)
{
    struct ptx__variable *variables = link->parser->module->variables;
    uint32_t *chosen;

    if (!defines_variable(&variables[number]))
        return true;
    chosen = ptx__name_at(&link->defined_variables, 0, variables[number].name);
    if (!chosen)
        return ptx__no_memory(link->parser);
    if (*chosen == PTX_NONE) {
        *chosen = number;
    } else if (is_weak(variables[number].linkage)) {
        variables[number].replaced = true;
        link->variables[number] = *chosen;
    } else if (is_weak(variables[*chosen].linkage)) {
        variables[*chosen].replaced = true;
        link->variables[*chosen] = number;
        *chosen = number;
    } else {
        return multiple(link->parser, variables[number].name);
    }
    return true;
}

/* An extern variable without a definition becomes a definition, as with the driver's compiler. */
static bool bind_variable(struct link *link, uint32_t number)
{
    struct ptx__variable *variable = &link->parser->module->variables[number];
    uint32_t *meant;

    if (variable->linkage != PTX_EXTERN || variable->dynamic)
        return true;
    meant = ptx__name_at(&link->defined_variables, 0, variable->name);
    if (!meant)
        return ptx__no_memory(link->parser);
    if (*meant != PTX_NONE) {
        link->variables[number] = *meant;
        variable->replaced = true;
        return true;
    }
    if (!variable->bytes)
        return ptx__error(link->parser, variable->place, "Unresolved extern variable '%s'",
                          variable->name);
    ptx__report(link->parser->log, PTX_WARNING, variable->place,
                "Unresolved extern variable '%s' in whole program compilation, ignoring extern "
                "qualifier",
                variable->name);
    variable->linkage = PTX_VISIBLE;
    *meant = number;
    return true;
}

enum { UNSEEN, ON_THE_WAY, SEEN };

/*
 * Follows replacements from the first one on. All of them become the one at the end, unless they go
 * in a circle.
 */
static void shorten_from(uint32_t *map, uint8_t *state, uint32_t first)
{
    uint32_t at = first, end, next;

    for (; state[at] == UNSEEN; at = map[at])
        state[at] = ON_THE_WAY;
    end = map[at];
    for (at = first; state[at] == ON_THE_WAY; at = next) {
        next = map[at];
        state[at] = SEEN;
        if (map[end] == end)
            map[at] = end;
    }
}

/* A replacement may be replaced itself, many times over: each gets its last one. */
static bool shorten(uint32_t *map, uint32_t n)
{
    uint8_t *state = calloc(n + 1, sizeof(*state));

    for (uint32_t i = 0; state && i < n; i++)
        shorten_from(map, state, i);
    free(state);
    return state;
}

/* Follows replacements. After shorten() this takes one step, except in a circle. */
static uint32_t follow(const uint32_t *map, uint32_t number)
{
    for (unsigned steps = 0; map[number] != number && steps < 1000; steps++)
        number = map[number];
    return number;
}

static void rewrite_symbol(const struct link *link, struct ptx__symbol *symbol)
{
    if (symbol->kind == PTX_FUNCTION) {
        symbol->number = follow(link->functions, symbol->number);
        link->function_used[symbol->number] = true;
    }
    if (symbol->kind == PTX_MODULE_VARIABLE)
        symbol->number = follow(link->variables, symbol->number);
}

static void rewrite_operand(void *context, struct ptx__operand *operand)
{
    if (operand->kind == PTX_ADDRESS || operand->kind == PTX_MEMORY)
        rewrite_symbol(context, &operand->symbol);
}

static void rewrite_function(const struct link *link, struct ptx__function *function)
{
    for (uint32_t i = 0; i < function->n_instructions; i++)
        ptx__each_operand(&function->instructions[i], rewrite_operand, (void *) (uintptr_t) link);
    for (uint32_t i = 0; i < function->n_tables; i++) {
        struct ptx__table *table = &function->tables[i];

        for (uint32_t j = 0; table->calls && j < table->n_targets; j++)
            table->targets[j] = follow(link->functions, table->targets[j]);
    }
}

static void rewrite(const struct link *link)
{
    struct ptx__module *module = link->parser->module;

    for (uint32_t i = 0; i < module->n_functions; i++)
        rewrite_function(link, &module->functions[i]);
    for (uint32_t i = 0; i < module->n_variables; i++) {
        for (size_t j = 0; j < module->variables[i].n_addresses; j++)
            rewrite_symbol(link, &module->variables[i].addresses[j].symbol);
    }
    for (uint32_t i = 0; i < module->n_aliases; i++)
        module->aliases[i].function = follow(link->functions, module->aliases[i].function);
}

static bool check_functions(const struct link *link)
{
    const struct ptx__module *module = link->parser->module;

    for (uint32_t i = 0; i < module->n_functions; i++) {
        const struct ptx__function *function = &module->functions[i];

        const bool wanted = link->function_used[i] || function->linkage == PTX_WEAK;

        if (!function->has_body && !function->replaced && wanted &&
            !ptx__is_provided(function->name))
            ptx__fatal(link->parser, (struct ptx__place){0, 0}, "Unresolved extern function '%s'",
                       function->name);
    }
    return true;
}

static bool bind_functions(struct link *link)
{
    const struct ptx__module *module = link->parser->module;
    bool known = true;

    for (uint32_t i = 0; i < module->n_functions; i++)
        link->functions[i] = i;
    for (uint32_t i = 0; known && i < module->n_functions; i++)
        known = choose_function(link, i);
    for (uint32_t i = 0; known && i < module->n_aliases; i++)
        known = note_alias(link, i);
    for (uint32_t i = 0; known && i < module->n_functions; i++)
        bind_function(link, i);
    return known;
}

static bool bind_variables(struct link *link)
{
    const struct ptx__module *module = link->parser->module;
    bool known = true;

    for (uint32_t i = 0; i < module->n_variables; i++)
        link->variables[i] = i;
    for (uint32_t i = 0; known && i < module->n_variables; i++)
        known = choose_variable(link, i);
    for (uint32_t i = 0; known && i < module->n_variables; i++)
        known = bind_variable(link, i);
    return known;
}

static bool bind(struct link *link)
{
    const struct ptx__module *module = link->parser->module;

    if (!bind_functions(link) || !bind_variables(link))
        return false;
    if (!shorten(link->functions, module->n_functions) ||
        !shorten(link->variables, module->n_variables))
        return ptx__no_memory(link->parser);
    rewrite(link);
    return check_functions(link);
}

bool ptx__link(struct ptx__parser *parser)
{
    const struct ptx__module *module = parser->module;
    struct link link = {
        .parser = parser,
        .functions = calloc(module->n_functions + 1, sizeof(uint32_t)),
        .variables = calloc(module->n_variables + 1, sizeof(uint32_t)),
        .function_used = calloc(module->n_functions + 1, sizeof(bool)),
    };
    const bool linked = link.functions && link.variables && link.function_used
                            ? bind(&link)
                            : ptx__no_memory(parser);

    ptx__name_index_finish(&link.defined_functions);
    ptx__name_index_finish(&link.defined_variables);
    ptx__name_index_finish(&link.aliases);
    ptx__name_index_finish(&link.own_aliases);
    free(link.functions);
    free(link.variables);
    free(link.function_used);
    return linked;
}
