/* SPDX-License-Identifier: MIT */
/*
 * Where variables lie, and what kernels need.
 *
 * A function that several kernels call has its .shared variables at one place, whichever of
 * them runs: so those of functions and of the module are placed first, each behind all that
 * its kernels have so far, and those of the kernels themselves behind them.
 */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/whole.h"

struct layout {
    struct ptx__parser *parser;
    struct ptx__module *module;
    bool *called;      /* [caller * n + callee] */
    bool *reached;     /* [kernel * n + function], itself too */
    bool *named;       /* [function * n_variables + variable of the module] */
    bool *pointed;     /* is the address of the function taken? */
    uint32_t function; /* the one that is looked at */
};

static size_t aligned(size_t used, size_t alignment)
{
    return (used + alignment - 1) & ~(alignment - 1);
}

static bool *row(bool *table, const struct layout *layout, uint32_t number)
{
    return table + (size_t) number * layout->module->n_functions;
}

static void note_operand(void *context, struct ptx__operand *operand)
{
    struct layout *layout = context;

    if (operand->kind != PTX_ADDRESS && operand->kind != PTX_MEMORY)
        return;
    if (operand->symbol.kind == PTX_MODULE_VARIABLE)
        layout->named[(size_t) layout->function * layout->module->n_variables +
                      operand->symbol.number] = true;
    if (operand->symbol.kind == PTX_FUNCTION)
        layout->pointed[operand->symbol.number] = true;
}

/* What a function names, and which ones it calls by name. */
static void note_function(struct layout *layout, uint32_t number)
{
    struct ptx__function *function = &layout->module->functions[number];

    layout->function = number;
    for (uint32_t i = 0; i < function->n_instructions; i++) {
        const struct ptx__instruction *instruction = &function->instructions[i];
        const struct ptx__operand *operands = instruction->operands;

        if (instruction->opcode != PTX_OP_CALL)
            ptx__each_operand(instruction, note_operand, layout);
        else if (operands[1].kind == PTX_ADDRESS)
            row(layout->called, layout, number)[operands[1].symbol.number] = true;
        else
            function->facts.calls_indirectly = true;
    }
}

/* An indirect call may be one of any function whose address is somewhere. */
static void note_pointers(struct layout *layout)
{
    const struct ptx__module *module = layout->module;

    for (uint32_t i = 0; i < module->n_variables; i++) {
        for (size_t j = 0; j < module->variables[i].n_addresses; j++) {
            const struct ptx__symbol symbol = module->variables[i].addresses[j].symbol;

            if (symbol.kind == PTX_FUNCTION)
                layout->pointed[symbol.number] = true;
        }
    }
    for (uint32_t i = 0; i < module->n_functions; i++) {
        for (uint32_t j = 0; module->functions[i].facts.calls_indirectly && j < module->n_functions;
             j++)
            row(layout->called, layout, i)[j] |= layout->pointed[j];
    }
}

/* All functions that a kernel may get to. */
static bool reach(struct layout *layout, uint32_t kernel)
{
    const uint32_t n = layout->module->n_functions;
    bool *reached = row(layout->reached, layout, kernel);
    uint32_t *left = malloc(n * sizeof(*left)), n_left = 0;

    if (!left)
        return ptx__no_memory(layout->parser);
    reached[kernel] = true;
    left[n_left++] = kernel;
    while (n_left) {
        const bool *called = row(layout->called, layout, left[--n_left]);

        for (uint32_t i = 0; i < n; i++) {
            if (called[i] && !reached[i]) {
                reached[i] = true;
                left[n_left++] = i;
            }
        }
    }
    free(left);
    return true;
}

/* Behind what all kernels that get to it have so far. */
static void place_shared(const struct layout *layout, struct ptx__variable *variable,
                         const bool *users)
{
    struct ptx__module *module = layout->module;
    size_t used = 0;

    for (uint32_t i = 0; i < module->n_functions; i++) {
        if (users[i] && module->functions[i].facts.shared_bytes > used)
            used = module->functions[i].facts.shared_bytes;
    }
    variable->offset = aligned(used, variable->alignment);
    for (uint32_t i = 0; i < module->n_functions; i++) {
        if (users[i])
            module->functions[i].facts.shared_bytes = variable->offset + variable->bytes;
    }
}

/* The kernels that get to a function which answers. */
static void find_users(const struct layout *layout, bool *ret_users,
                       bool (*answers)(const struct layout *layout, uint32_t function,
                                       uint32_t variable),
                       uint32_t variable)
{
    const uint32_t n = layout->module->n_functions;

    for (uint32_t i = 0; i < n; i++) {
        const bool *reached = row(layout->reached, layout, i);

        ret_users[i] = false;
        for (uint32_t j = 0; j < n && !ret_users[i]; j++)
            ret_users[i] = reached[j] && answers(layout, j, variable);
    }
}

static bool names(const struct layout *layout, uint32_t function, uint32_t variable)
{
    return layout->named[(size_t) function * layout->module->n_variables + variable];
}

static bool is_function(const struct layout *layout, uint32_t function, uint32_t wanted)
{
    (void) layout;
    return function == wanted;
}

static void place_module_shared(const struct layout *layout, bool *users)
{
    struct ptx__module *module = layout->module;

    for (uint32_t i = 0; i < module->n_variables; i++) {
        struct ptx__variable *variable = &module->variables[i];

        if (variable->space != PTX_SHARED || variable->replaced)
            continue;
        find_users(layout, users, names, i);
        if (!variable->dynamic)
            place_shared(layout, variable, users);
        for (uint32_t j = 0; j < module->n_functions && variable->dynamic; j++)
            module->functions[j].facts.uses_dynamic_shared |= users[j];
    }
}

static void place_function_shared(const struct layout *layout, bool *users, bool kernels)
{
    struct ptx__module *module = layout->module;

    for (uint32_t i = 0; i < module->n_functions; i++) {
        struct ptx__function *function = &module->functions[i];

        if (function->is_kernel != kernels || !function->n_variables)
            continue;
        find_users(layout, users, is_function, i);
        for (uint32_t j = 0; j < function->n_variables; j++) {
            if (function->variables[j].space == PTX_SHARED)
                place_shared(layout, &function->variables[j], users);
        }
    }
}

static void place_frame(struct ptx__function *function)
{
    for (uint32_t i = 0; i < function->n_variables; i++) {
        struct ptx__variable *variable = &function->variables[i];
        size_t *used = variable->space == PTX_LOCAL   ? &function->facts.frame_bytes
                       : variable->space == PTX_PARAM ? &function->facts.param_bytes
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

/*
 * The frames of the deepest chain of calls, found by making chains longer until none grows. A
 * chain of more calls than there are functions goes in a circle.
 */
static void measure_frames(const struct layout *layout)
{
    struct ptx__module *module = layout->module;
    bool grows = true;

    for (uint32_t i = 0; i < module->n_functions; i++)
        module->functions[i].facts.local_bytes = module->functions[i].facts.frame_bytes;
    for (uint32_t round = 0; grows && round < module->n_functions && round < 64; round++) {
        grows = false;
        for (uint32_t i = 0; i < module->n_functions; i++) {
            struct ptx__facts *facts = &module->functions[i].facts;
            const bool *called = row(layout->called, layout, i);

            for (uint32_t j = 0; j < module->n_functions; j++) {
                const size_t deeper = module->functions[j].facts.local_bytes;

                if (!called[j] || row(layout->reached, layout, j)[i] ||
                    facts->frame_bytes + deeper <= facts->local_bytes)
                    continue;
                facts->local_bytes = facts->frame_bytes + deeper;
                grows = true;
            }
        }
    }
}

static void note_cycles(const struct layout *layout)
{
    const uint32_t n = layout->module->n_functions;

    for (uint32_t i = 0; i < n; i++) {
        struct ptx__facts *facts = &layout->module->functions[i].facts;
        const bool *reached = row(layout->reached, layout, i);

        facts->recursive = facts->calls_indirectly;
        for (uint32_t j = 0; j < n && !facts->recursive; j++) {
            facts->recursive = reached[j] && layout->module->functions[j].facts.calls_indirectly;
            for (uint32_t k = 0; k < n && reached[j] && !facts->recursive; k++)
                facts->recursive =
                    row(layout->called, layout, j)[k] && row(layout->reached, layout, k)[j];
        }
    }
}

static unsigned max_threads(const struct ptx__function *function)
{
    const uint32_t *n = function->req_ntid[0] ? function->req_ntid : function->max_ntid;
    const uint64_t threads = (uint64_t) n[0] * n[1];

    return threads > UINT32_MAX || threads * n[2] > UINT32_MAX ? UINT32_MAX
                                                               : (unsigned) (threads * n[2]);
}

/* The most that any function it gets to needs: calls save what lives across them. */
static void count_registers(const struct layout *layout)
{
    struct ptx__module *module = layout->module;

    for (uint32_t i = 0; i < module->n_functions; i++)
        module->functions[i].facts.registers = ptx__count_registers(&module->functions[i]);
    for (uint32_t i = 0; i < module->n_functions; i++) {
        struct ptx__function *kernel = &module->functions[i];
        const bool *reached = row(layout->reached, layout, i);

        for (uint32_t j = 0; j < module->n_functions && kernel->is_kernel; j++) {
            const unsigned registers = module->functions[j].facts.registers;

            if (reached[j] && registers > kernel->facts.registers)
                kernel->facts.registers = registers;
        }
        if (kernel->max_registers && kernel->max_registers < kernel->facts.registers)
            kernel->facts.registers = kernel->max_registers;
    }
}

static bool lay_out(struct layout *layout, bool *users)
{
    struct ptx__module *module = layout->module;

    for (uint32_t i = 0; i < module->n_functions; i++)
        note_function(layout, i);
    note_pointers(layout);
    for (uint32_t i = 0; i < module->n_functions; i++) {
        struct ptx__function *function = &module->functions[i];

        if (!reach(layout, i))
            return false;
        place_frame(function);
        function->facts.max_threads = max_threads(function);
        function->address = PTX_CODE + 16 * (uint64_t) i;
    }
    place_constants(module);
    place_module_shared(layout, users);
    place_function_shared(layout, users, false);
    place_function_shared(layout, users, true);
    measure_frames(layout);
    note_cycles(layout);
    count_registers(layout);
    return true;
}

bool ptx__lay_out(struct ptx__parser *parser)
{
    const size_t n = parser->module->n_functions, n_variables = parser->module->n_variables;
    struct layout layout = {.parser = parser,
                            .module = parser->module,
                            .called = calloc(n * n + 1, 1),
                            .reached = calloc(n * n + 1, 1),
                            .named = calloc(n * n_variables + 1, 1),
                            .pointed = calloc(n + 1, 1)};
    bool *users = calloc(n + 1, 1);
    const bool done = layout.called && layout.reached && layout.named && layout.pointed && users
                          ? lay_out(&layout, users)
                          : ptx__no_memory(parser);

    free(layout.called);
    free(layout.reached);
    free(layout.named);
    free(layout.pointed);
    free(users);
    return done;
}
