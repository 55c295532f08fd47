/* SPDX-License-Identifier: MIT */
/*
 * Checks the rules of the driver's compiler for calls. Functions that are called by its convention
 * pass registers of 32 bits or more. If one function has several results, the compiler does not use
 * the convention for any function. Then functions that it does not see, and recursion, are not
 * allowed.
 */
#include <stdlib.h>

#include "mock/ptx/link/link.h"

static const struct ptx__place nowhere = {0, 0};

struct convention {
    struct ptx__parser *parser;
    bool given_up;
    bool *returned; /* for each variable of the function: is it the result of a call? */
};

static bool has_several_results(const struct ptx__module *module)
{
    for (uint32_t i = 0; i < module->n_functions; i++)
        if (module->functions[i].has_body && module->functions[i].n_results > 1)
            return true;
    return false;
}

static bool any_is_narrow(const struct ptx__parameter *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i].is_register && !list[i].vector &&
            ptx__type_bits((enum ptx__type) list[i].type) < 32)
            return true;
    return false;
}

static void check_by_convention(struct ptx__log *log, const struct ptx__prototype *callee)
{
    const bool returns = any_is_narrow(callee->results, callee->n_results);

    if (returns)
        ptx__report(log, PTX_FATAL, nowhere,
                    "In ABI compilation, returning predicate, 8-bit and 16-bit values from device "
                    "functions is not supported");
    if (!returns && any_is_narrow(callee->parameters, callee->n_parameters))
        ptx__report(log, PTX_FATAL, nowhere,
                    "In ABI compilation, passing predicate, 8-bit and 16-bit parameters to device "
                    "functions is not supported");
}

static void check_call(const struct convention *convention, const struct ptx__function *function,
                       const struct ptx__operand *operands)
{
    const struct ptx__function *callee =
        operands[1].kind == PTX_ADDRESS
            ? &convention->parser->module->functions[operands[1].symbol.number]
            : NULL;

    /* The compiler reports this only once. */
    if (convention->parser->log->n_errors)
        return;
    if (convention->given_up && (!callee || !callee->has_body))
        ptx__report(convention->parser->log, PTX_FATAL, nowhere,
                    "'Indirect Functions or Extern Functions' requires ABI");
    if (!convention->given_up && callee)
        check_by_convention(convention->parser->log,
                            &(struct ptx__prototype){.results = callee->results,
                                                     .parameters = callee->parameters,
                                                     .n_results = callee->n_results,
                                                     .n_parameters = callee->n_parameters});
    if (!convention->given_up && !callee && operands[3].kind == PTX_PROTOTYPE)
        check_by_convention(convention->parser->log, &function->prototypes[operands[3].target]);
}

/* --- variables of .param space --- */

static bool is_param_variable(const struct ptx__function *function, struct ptx__symbol symbol)
{
    return symbol.kind == PTX_FUNCTION_VARIABLE &&
           function->variables[symbol.number].space == PTX_PARAM;
}

static void note_results(const struct convention *convention, const struct ptx__function *function,
                         const struct ptx__operand *results)
{
    for (uint32_t i = 0; results->kind == PTX_LIST && i < results->count; i++)
        if (results->elements[i].kind == PTX_ADDRESS &&
            is_param_variable(function, results->elements[i].symbol))
            convention->returned[results->elements[i].symbol.number] = true;
}

/* Loads from other variables have no memory on a device; the driver's compiler crashes on them. */
static void check_load(const struct convention *convention, const struct ptx__function *function,
                       const struct ptx__instruction *at)
{
    const struct ptx__operand *memory = &at->operands[1];

    if (memory->kind == PTX_MEMORY && memory->reg == PTX_NONE &&
        is_param_variable(function, memory->symbol) && !convention->returned[memory->symbol.number])
        ptx__error(convention->parser, at->place,
                   "'%s' of .param space is read, and no call returns it: the driver's compiler "
                   "crashes on this",
                   function->variables[memory->symbol.number].name);
}

static void check_function(struct convention *convention, const struct ptx__function *function)
{
    for (uint32_t i = 0; i < function->n_variables; i++)
        convention->returned[i] = false;
    for (uint32_t i = 0; i < function->n_instructions; i++) {
        const struct ptx__instruction *at = &function->instructions[i];

        if (at->opcode != PTX_OP_CALL)
            continue;
        check_call(convention, function, at->operands);
        note_results(convention, function, &at->operands[0]);
    }
    for (uint32_t i = 0; i < function->n_instructions; i++)
        if (function->instructions[i].opcode == PTX_OP_LD)
            check_load(convention, function, &function->instructions[i]);
    if (convention->given_up && !function->is_kernel && function->usage.recursive)
        ptx__report(convention->parser->log, PTX_FATAL, nowhere, "Function '%s' is recursive",
                    function->name);
}

bool ptx__check_calls(struct ptx__parser *parser)
{
    const struct ptx__module *module = parser->module;
    struct convention convention = {.parser = parser, .given_up = has_several_results(module)};
    uint32_t most = 0;

    for (uint32_t i = 0; i < module->n_functions; i++)
        most = module->functions[i].n_variables > most ? module->functions[i].n_variables : most;
    convention.returned = calloc(most + 1, sizeof(bool));
    if (!convention.returned)
        return ptx__no_memory(parser);
    for (uint32_t i = 0; i < module->n_functions; i++)
        if (module->functions[i].has_body && !module->functions[i].replaced)
            check_function(&convention, &module->functions[i]);
    free(convention.returned);
    return true;
}
