/* SPDX-License-Identifier: MIT */
/* Lowering: it makes the engine's code of a module's functions. */
#include "mock/ptx/lower/lower.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/exec/builtin.h"
#include "mock/ptx/jit/tier.h"
#include "mock/ptx/lower/program.h"

/*
 * The largest frame of a function in local memory, with the room for its calls. Launches have lower
 * limits of their own.
 */
#define LARGEST_FRAME 0x10000000

void ptx__refuse(struct ptx__lowering *lower, const char *format, ...)
{
    char text[256];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    ptx__report(lower->log, PTX_ERROR, lower->at ? lower->at->place : lower->function->place, "%s",
                text);
    lower->refused = true;
}

void ptx__refuse_form(struct ptx__lowering *lower, const char *why)
{
    const struct ptx__opcode_row *row = &ptx__opcodes[lower->at->opcode];

    ptx__refuse(lower, "Instruction '%s' (tier %u) is not executed by this device: %.150s",
                row->name, row->tier, why);
}

void ptx__out_of_memory(struct ptx__lowering *lower)
{
    longjmp(lower->out_of_memory, 1);
}

void *ptx__grow(struct ptx__lowering *lower, void *list_pointer, size_t *n, size_t *capacity,
                size_t size)
{
    char **list = list_pointer;

    if (*n == *capacity) {
        const size_t wanted = *capacity ? 2 * *capacity : 64;
        char *larger = realloc(*list, wanted * size);

        if (!larger)
            ptx__out_of_memory(lower);
        *list = larger;
        *capacity = wanted;
    }
    memset(*list + *n * size, 0, size);
    return *list + (*n)++ * size;
}

void *ptx__keep(struct ptx__lowering *lower, size_t size)
{
    void *memory = cushim__arena_alloc(&lower->program->arena, size ? size : 1);

    if (!memory)
        ptx__out_of_memory(lower);
    return memory;
}

static uint32_t rounded(size_t bytes, size_t to)
{
    return (uint32_t) ((bytes + to - 1) / to * to);
}

static size_t list_bytes(const struct ptx__parameter *list, uint32_t n)
{
    return n ? list[n - 1].offset + list[n - 1].bytes : 0;
}

/*
 * No thread has more local memory than this. A larger frame would not fit into the operands of
 * operations.
 */
static void check_frame(struct ptx__lowering *lower)
{
    const struct ptx__function *function = lower->function;
    const uint64_t bytes = function->usage.frame_bytes + (uint64_t) function->usage.param_bytes +
                           list_bytes(function->parameters, function->n_parameters) +
                           list_bytes(function->results, function->n_results);

    if (bytes > LARGEST_FRAME)
        ptx__refuse(lower,
                    "Function '%.100s' has 0x%llx bytes of local variables and parameters, and a "
                    "thread has 0x%x at most",
                    function->name, (unsigned long long) bytes, LARGEST_FRAME);
}

/*
 * Places the parts of the frame in local memory: variables, parameters of calls, parameters,
 * results.
 */
static void lay_out_frame(struct ptx__lowering *lower)
{
    const struct ptx__function *function = lower->function;

    check_frame(lower);
    lower->frame_params = rounded(function->usage.frame_bytes, 16);
    lower->frame_parameters = lower->frame_params + rounded(function->usage.param_bytes, 16);
    lower->frame_results =
        lower->frame_parameters +
        (function->is_kernel
             ? 0
             : rounded(list_bytes(function->parameters, function->n_parameters), 16));
    lower->frame_end =
        lower->frame_results + rounded(list_bytes(function->results, function->n_results), 16);
}

static struct ptx__argument place(uint32_t base, const struct ptx__parameter *parameter)
{
    return (struct ptx__argument){base + (uint32_t) parameter->offset, (uint32_t) parameter->bytes};
}

static void describe(struct ptx__lowering *lower)
{
    const struct ptx__function *function = lower->function;
    struct ptx__code *code = lower->code;

    code->name = cushim__arena_printf(&lower->program->arena, "%s", function->name);
    code->program = lower->program;
    code->is_kernel = function->is_kernel;
    code->recursive = function->usage.recursive;
    code->address = function->address;
    code->shared_bytes = (uint32_t) function->usage.shared_bytes;
    code->max_threads = function->usage.max_threads;
    memcpy(code->required, function->req_ntid, sizeof(code->required));
    memcpy(code->cluster, function->req_cluster, sizeof(code->cluster));
    lay_out_frame(lower);
    code->n_parameters = function->is_kernel ? 0 : function->n_parameters;
    code->parameters = ptx__keep(lower, code->n_parameters * sizeof(*code->parameters));
    for (uint32_t i = 0; i < code->n_parameters; i++)
        code->parameters[i] = place(lower->frame_parameters, &function->parameters[i]);
    /* All results together; they begin with the first one. */
    code->result.offset = lower->frame_results;
    code->result.bytes = (uint32_t) list_bytes(function->results, function->n_results);
}

/* Copies the lists that grew during lowering into the program, and sets the targets of jumps. */
static void finish(struct ptx__lowering *lower)
{
    struct ptx__code *code = lower->code;

    code->ops = ptx__keep(lower, lower->n_ops * sizeof(*code->ops));
    memcpy(code->ops, lower->ops, lower->n_ops * sizeof(*code->ops));
    code->n_ops = lower->n_ops;
    for (size_t i = 0; i < lower->n_fixups; i++) {
        const struct ptx__fixup *fixup = &lower->fixups[i];

        code->ops[fixup->op].target = &code->ops[lower->flow->blocks[fixup->block].op];
    }
    for (size_t i = 0; i < lower->n_ops; i++) {
        if (code->ops[i].skip)
            code->ops[i].target = &code->ops[i] + code->ops[i].skip;
    }
    code->register_bytes = lower->next_slot;
    code->frame_bytes = rounded(lower->frame_end, 16);
    code->variable_bytes = lower->frame_params;
}

static void release(struct ptx__lowering *lower)
{
    for (uint32_t i = 0; lower->flow->blocks && i < lower->flow->n_blocks; i++)
        free(lower->flow->blocks[i].successors);
    free(lower->flow->blocks);
    free(lower->flow->block_at);
    free(lower->flow->order);
    free(lower->ops);
    free(lower->fixups);
    free(lower->slots);
    free(lower->loading);
    free(lower->constants);
    free(lower->of_products);
    free(lower->open);
}

static void lower_body(struct ptx__lowering *lower)
{
    lower->slots = malloc((lower->function->n_registers + 1) * sizeof(*lower->slots));
    if (!lower->slots)
        ptx__out_of_memory(lower);
    memset(lower->slots, 0xff, (lower->function->n_registers + 1) * sizeof(*lower->slots));
    lower->next_slot = PTX__FIRST_SLOT;
    ptx__wgmma_find(lower);
    ptx__flow_find(lower);
    ptx__flow_order(lower);
    ptx__flow_lower(lower);
    ptx__constants_finish(lower);
    finish(lower);
}

/*
 * Nearly every function of lower_*.c emits operations, and so allocates memory, often several times
 * and in the middle of an expression. Without memory only one thing can be done: to give up the
 * whole program. A status at each of these some hundred calls would hide the lowering itself. So
 * ptx__out_of_memory() jumps back to this function.
 *
 * The jump is safe because the functions in between own nothing. Results are in the arena of
 * the program. Lists for the time of lowering are in *lower and *lower->flow, which belong to the
 * caller; a jump may lose the values of variables of this function. The caller releases them in any
 * case. The few functions with memory of their own (set_costs(), ptx__flow_order()) call nothing
 * that jumps while they have it, and free it before they jump themselves. No lock is taken, no file
 * is opened, and no function of the user's program is called in between: all of it is C of this
 * folder.
 */
static enum ptx__status lower_function(struct ptx__lowering *lower)
{
    if (setjmp(lower->out_of_memory))
        return PTX_OUT_OF_MEMORY;
    describe(lower);
    /* A function that is not defined may be one of the device's runtime. */
    if (lower->function->has_body)
        lower_body(lower);
    else if (!lower->refused)
        lower->code->builtin = ptx__builtin_find(lower->function->name);
    if (lower->program->arena.failed) /* a text, of which an empty one came */
        return PTX_OUT_OF_MEMORY;
    return lower->refused ? PTX_REFUSED : PTX_OK;
}

static enum ptx__status lower_all(struct ptx__lowering *begin)
{
    const struct ptx__module *module = begin->module;
    enum ptx__status worst = PTX_OK;

    for (uint32_t i = 0; i < module->n_functions && worst != PTX_OUT_OF_MEMORY; i++) {
        struct ptx__flow flow = {.blocks = NULL};
        struct ptx__lowering lower = {.module = module,
                                      .flow = &flow,
                                      .program = begin->program,
                                      .log = begin->log,
                                      .function = &module->functions[i],
                                      .code = &begin->program->codes[i],
                                      .paths = begin->paths,
                                      .sites_capacity = begin->sites_capacity};
        const enum ptx__status status = lower_function(&lower);

        release(&lower);
        begin->sites_capacity = lower.sites_capacity;
        worst = status > worst ? status : worst;
    }
    return worst;
}

static void find_alignment(struct ptx__program *program, const struct ptx__variable *variables,
                           uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (variables[i].dynamic && variables[i].alignment > program->dynamic_alignment)
            program->dynamic_alignment = (uint32_t) variables[i].alignment;
    }
}

enum ptx__status ptx__lower(const struct ptx__module *module, struct ptx__log *log,
                            struct ptx__program **ret_program)
{
    struct ptx__program *program = calloc(1, sizeof(*program));
    struct ptx__lowering begin = {.module = module, .program = program, .log = log};
    enum ptx__status status;

    if (!program)
        return PTX_OUT_OF_MEMORY;
    program->codes =
        cushim__arena_alloc(&program->arena, (module->n_functions + 1) * sizeof(*program->codes));
    begin.paths =
        cushim__arena_alloc(&program->arena, (module->n_files + 1) * sizeof(*begin.paths));
    if (!program->codes || !begin.paths) {
        ptx__program_free(program);
        return PTX_OUT_OF_MEMORY;
    }
    program->n_codes = module->n_functions;
    program->debug = module->debug;
    program->dynamic_alignment = 16;
    find_alignment(program, module->variables, module->n_variables);
    for (uint32_t i = 0; i < module->n_functions; i++)
        find_alignment(program, module->functions[i].variables, module->functions[i].n_variables);
    status = lower_all(&begin);
    if (status != PTX_OK) {
        ptx__program_free(program);
        return status;
    }
    *ret_program = program;
    return PTX_OK;
}

void ptx__program_free(struct ptx__program *program)
{
    if (!program)
        return;
    ptx__jit_forget(program);
    free(program->sites);
    cushim__arena_finish(&program->arena);
    free(program);
}

const struct ptx__code *ptx__program_find(const struct ptx__program *program, const char *name)
{
    for (size_t i = 0; i < program->n_codes; i++) {
        if (program->codes[i].name && !strcmp(program->codes[i].name, name))
            return &program->codes[i];
    }
    return NULL;
}
