/* SPDX-License-Identifier: MIT */
/*
 * Where variables lie, and what kernels need.
 *
 * A function that several kernels call has its .shared variables at one place, whichever of
 * them runs: so those of functions and of the module are placed first (shared.c), and those of the
 * kernels themselves behind them.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/link/calls.h"
#include "mock/ptx/link/read.h"
#include "mock/ptx/link/registers.h"
#include "mock/ptx/link/shared.h"

#define MOST_CONSTANTS 0x10000
#define MOST_SHARED    0xc000 /* static; a launch may have more */

struct layout {
    struct ptx__calls calls;
    struct ptx__module *module;
    bool *marks;      /* which functions were come to */
    uint32_t *marked; /* those */
};

static size_t aligned(size_t used, size_t alignment)
{
    return (used + alignment - 1) & ~(alignment - 1);
}

/* Of the kernels themselves, each of which is called by nobody. */
static void place_kernels_shared(const struct ptx__module *module)
{
    for (uint32_t i = 0; i < module->n_functions; i++) {
        struct ptx__function *function = &module->functions[i];

        for (uint32_t j = 0; j < function->n_variables && function->is_kernel; j++) {
            struct ptx__variable *variable = &function->variables[j];

            if (variable->space != PTX_SHARED)
                continue;
            variable->offset = aligned(function->usage.shared_bytes, variable->alignment);
            function->usage.shared_bytes = variable->offset + variable->bytes;
        }
    }
}

static void place_frame(struct ptx__function *function)
{
    for (uint32_t i = 0; i < function->n_variables; i++) {
        struct ptx__variable *variable = &function->variables[i];
        size_t *used = variable->space == PTX_LOCAL   ? &function->usage.frame_bytes
                       : variable->space == PTX_PARAM ? &function->usage.param_bytes
                                                      : NULL;

        if (!used)
            continue;
        variable->offset = aligned(*used, variable->alignment);
        *used = variable->offset + variable->bytes;
    }
}

static void place_constants(struct ptx__module *module)
{
    for (uint32_t i = 0; i < module->n_variables; i++) {
        struct ptx__variable *variable = &module->variables[i];

        if (variable->space != PTX_CONST || variable->replaced)
            continue;
        variable->offset = aligned(module->constant_bytes, variable->alignment);
        module->constant_bytes = variable->offset + variable->bytes;
    }
}

/* One more usage than there are functions: that of all indirect calls. */
static struct ptx__resource_usage *usage_of(const struct layout *layout, uint32_t function,
                                            struct ptx__resource_usage *indirect)
{
    return function < layout->module->n_functions ? &layout->module->functions[function].usage
                                                  : indirect;
}

/* Adds the resources of the functions that a function calls, whose usage is known. */
static void add_callees(const struct layout *layout, uint32_t function,
                        struct ptx__resource_usage *indirect)
{
    const struct ptx__lists *callees = &layout->calls.callees;
    struct ptx__resource_usage *usage = usage_of(layout, function, indirect);
    size_t deepest = 0;

    usage->recursive = usage->recursive || usage->calls_indirectly;
    for (uint32_t i = callees->begins[function]; i < callees->begins[function + 1]; i++) {
        const struct ptx__resource_usage *callee = usage_of(layout, callees->targets[i], indirect);

        deepest = callee->local_bytes > deepest ? callee->local_bytes : deepest;
        usage->recursive = usage->recursive || callee->recursive;
        if (callee->registers > usage->registers)
            usage->registers = callee->registers;
        if (callee->barriers > usage->barriers)
            usage->barriers = callee->barriers;
    }
    usage->local_bytes = usage->frame_bytes + deepest;
}

/* Functions in circles, and those that get to them, are looked at in the order of the text. */
static void sum_up(const struct layout *layout)
{
    struct ptx__resource_usage indirect = {.registers = 0};
    const uint32_t n = layout->module->n_functions + 1;

    for (uint32_t i = 0; i < layout->calls.n_order; i++) {
        add_callees(layout, layout->calls.order[i], &indirect);
        layout->marks[layout->calls.order[i]] = true;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (layout->marks[i])
            continue;
        usage_of(layout, i, &indirect)->recursive = true;
        add_callees(layout, i, &indirect);
    }
}

static unsigned max_threads(const struct ptx__function *function)
{
    const uint32_t *n = function->req_ntid[0] ? function->req_ntid : function->max_ntid;
    const uint64_t threads = (uint64_t) n[0] * n[1];

    return threads > UINT32_MAX || threads * n[2] > UINT32_MAX ? UINT32_MAX
                                                               : (unsigned) (threads * n[2]);
}

/* The limit that a kernel sets itself holds for what it calls, too. */
static void limit_registers(struct ptx__function *function)
{
    function->usage.registers = ptx__limit_registers(function, 0, 0);
}

/* All 16 if a register says which one. */
static unsigned count_barriers(const struct ptx__function *function)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < function->n_instructions; i++) {
        const struct ptx__instruction *at = &function->instructions[i];
        const struct ptx__operand *which;
        unsigned number;

        if (at->opcode != PTX_OP_BAR && at->opcode != PTX_OP_BARRIER)
            continue;
        which = &at->operands[ptx__has(at, PTX_MOD_RED)]; /* a vote has a result before it */
        number = which->kind == PTX_INTEGER ? (unsigned) which->integer : 15;
        count = number >= count ? number + 1 : count;
    }
    return count;
}

static bool lay_out(struct layout *layout)
{
    struct ptx__module *module = layout->module;

    for (uint32_t i = 0; i < module->n_functions; i++) {
        struct ptx__function *function = &module->functions[i];

        place_frame(function);
        function->usage.max_threads = max_threads(function);
        function->usage.barriers = count_barriers(function);
        if (!ptx__count_registers(function))
            return false;
        function->address = PTX_CODE + PTX_CODE_STEP * (uint64_t) i;
    }
    place_constants(module);
    if (!ptx__place_shared(&layout->calls, layout->marks, layout->marked))
        return false;
    place_kernels_shared(module);
    sum_up(layout);
    for (uint32_t i = 0; i < module->n_functions; i++)
        limit_registers(&module->functions[i]);
    return true;
}

static void check_sizes(struct ptx__parser *parser)
{
    const struct ptx__module *module = parser->module;
    const struct ptx__place nowhere = {0, 0};

    if (module->constant_bytes > MOST_CONSTANTS)
        ptx__error(parser, nowhere,
                   "File uses too much global constant data (0x%zx bytes, 0x%x max)",
                   module->constant_bytes, MOST_CONSTANTS);
    for (uint32_t i = 0; i < module->n_functions; i++) {
        const struct ptx__function *function = &module->functions[i];

        if (function->is_kernel && function->usage.shared_bytes > MOST_SHARED)
            ptx__error(parser, nowhere,
                       "Entry function '%s' uses too much shared data (0x%zx bytes, 0x%x max)",
                       function->name, function->usage.shared_bytes, MOST_SHARED);
    }
}

bool ptx__lay_out(struct ptx__parser *parser)
{
    const size_t n = parser->module->n_functions + 1;
    struct layout layout = {.module = parser->module,
                            .marks = calloc(n + 1, sizeof(bool)),
                            .marked = calloc(n + 1, sizeof(uint32_t))};
    const bool made = ptx__calls_init(&layout.calls, parser->module) && layout.marks &&
                      layout.marked && lay_out(&layout);

    if (made)
        check_sizes(parser);
    ptx__calls_finish(&layout.calls);
    free(layout.marks);
    free(layout.marked);
    return made || ptx__no_memory(parser);
}
