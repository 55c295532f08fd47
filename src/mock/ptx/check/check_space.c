/* SPDX-License-Identifier: MIT */
/* Checks state spaces of addresses, and calls. */
#include "mock/ptx/check/check.h"

static const struct ptx__variable *variable_of(const struct ptx__check *check,
                                               struct ptx__symbol symbol)
{
    if (symbol.kind == PTX_MODULE_VARIABLE)
        return &check->parser->module->variables[symbol.number];
    if (symbol.kind == PTX_FUNCTION_VARIABLE)
        return &check->parser->function->variables[symbol.number];
    return NULL;
}

/* Returns the state space of a symbol; PTX_NO_SPACE if it has none. */
static enum ptx__space space_of(const struct ptx__check *check, struct ptx__symbol symbol)
{
    const struct ptx__variable *variable = variable_of(check, symbol);

    if (variable)
        return (enum ptx__space) variable->space;
    return symbol.kind == PTX_PARAMETER || symbol.kind == PTX_RESULT ? PTX_PARAM : PTX_NO_SPACE;
}

/* Returns the space with the same addresses: ".shared::cta" is ".shared". */
static enum ptx__space family(enum ptx__space space)
{
    switch (space) {
    case PTX_PARAM_ENTRY:
    case PTX_PARAM_FUNC:
        return PTX_PARAM;
    case PTX_SHARED_CTA:
    case PTX_SHARED_CLUSTER:
        return PTX_SHARED;
    default:
        return space;
    }
}

/* Tells whether the instruction has one address, whose space it names. */
static bool has_one_space(enum ptx__opcode opcode)
{
    return opcode == PTX_OP_LD || opcode == PTX_OP_ST || opcode == PTX_OP_ATOM ||
           opcode == PTX_OP_RED || opcode == PTX_OP_LDU || opcode == PTX_OP_PREFETCH;
}

/* Parameters and constants have a generic address only after cvta. */
static bool is_space(enum ptx__space named, enum ptx__space space)
{
    return named ? named == space : space != PTX_PARAM && space != PTX_CONST;
}

static bool check_memory(const struct ptx__check *check, const struct ptx__operand *operand)
{
    const struct ptx__instruction *instruction = check->instruction;
    const enum ptx__space named = family(ptx__space_of(instruction));
    const char *name = ptx__opcode_name((enum ptx__opcode) instruction->opcode);
    /* Addresses of a block's and a thread's memory may have 32 bits. */
    const unsigned least =
        has_one_space((enum ptx__opcode) instruction->opcode) && (!named || named == PTX_GLOBAL)
            ? 64
            : 32;

    if (operand->reg != PTX_NONE) {
        const enum ptx__type type =
            (enum ptx__type) check->parser->function->registers[operand->reg].type;

        if (ptx__type_bits(type) < least || ptx__type_bits(type) > 64 || ptx__is_float(type))
            ptx__error(check->parser, instruction->place, "Arguments mismatch for instruction '%s'",
                       name);
    } else if (operand->symbol.kind == PTX_NO_SYMBOL) {
        if (named != PTX_LOCAL && named != PTX_PARAM)
            ptx__error(check->parser, instruction->place,
                       "Immediate addresses allowed only for .local state space");
    } else if (has_one_space((enum ptx__opcode) instruction->opcode) &&
               !is_space(named, space_of(check, operand->symbol))) {
        ptx__error(check->parser, instruction->place,
                   "State space mismatch between instruction and address in instruction '%s'",
                   name);
    }
    return true;
}

/* Checks "cvta.shared.u64 %rd1, room;", and stores to parameters. */
static bool check_other(const struct ptx__check *check)
{
    const struct ptx__instruction *instruction = check->instruction;
    const struct ptx__operand *operands = instruction->operands;

    if (instruction->opcode == PTX_OP_CVTA && operands[1].kind == PTX_ADDRESS &&
        family(ptx__space_of(instruction)) != space_of(check, operands[1].symbol))
        return ptx__error(
            check->parser, instruction->place,
            "State space mismatch between instruction and address in instruction 'cvta'");
    if (instruction->opcode == PTX_OP_ST && operands[0].kind == PTX_MEMORY &&
        operands[0].reg == PTX_NONE && operands[0].symbol.kind == PTX_PARAMETER)
        return ptx__error(check->parser, instruction->place,
                          "Illegal to write to function input parameter '%s'",
                          check->parser->function->parameters[operands[0].symbol.number].name);
    return true;
}

bool ptx__check_spaces(const struct ptx__check *check)
{
    const struct ptx__instruction *instruction = check->instruction;

    for (uint32_t i = 0; i < instruction->n_operands; i++) {
        if (instruction->operands[i].kind == PTX_MEMORY &&
            !check_memory(check, &instruction->operands[i]))
            return false;
    }
    return check_other(check);
}

static size_t register_bytes(const struct ptx__register *reg, int8_t component)
{
    const size_t n = reg->vector && component < 0 ? reg->vector : 1;

    return reg->type == PTX_PRED ? 1 : n * ptx__type_bytes((enum ptx__type) reg->type);
}

/* Returns the size of an argument. A constant has the wanted size. */
static size_t argument_bytes(const struct ptx__check *check, const struct ptx__operand *operand,
                             size_t wanted)
{
    const struct ptx__function *function = check->parser->function;
    const struct ptx__variable *variable = variable_of(check, operand->symbol);

    if (operand->kind == PTX_REGISTER)
        return register_bytes(&function->registers[operand->reg], operand->component);
    if (operand->kind != PTX_ADDRESS)
        return wanted;
    if (operand->symbol.kind == PTX_PARAMETER)
        return function->parameters[operand->symbol.number].bytes;
    if (operand->symbol.kind == PTX_RESULT)
        return function->results[operand->symbol.number].bytes;
    return variable ? variable->bytes : wanted;
}

static bool check_list(const struct ptx__check *check, const struct ptx__operand *list,
                       const struct ptx__parameter *parameters, uint32_t n)
{
    if (list->count != n)
        return ptx__error(check->parser, check->instruction->place,
                          "Call has wrong number of parameters");
    for (uint32_t i = 0; i < n; i++) {
        const struct ptx__parameter *parameter = &parameters[i];
        const struct ptx__operand *argument = &list->elements[i];
        const size_t bytes = argument_bytes(check, argument, parameter->bytes);

        /* Only a whole variable can be passed. */
        if (argument->kind == PTX_ADDRESS && (argument->offset || argument->indexed))
            return ptx__error(check->parser, argument->place,
                              "Argument for '%s' is not a variable or a register", parameter->name);
        if (bytes != parameter->bytes && !parameter->open)
            ptx__error(check->parser, check->instruction->place,
                       "Type of argument does not match formal parameter '%s'", parameter->name);
    }
    return true;
}

static bool check_indirect(const struct ptx__check *check)
{
    const struct ptx__operand *operands = check->instruction->operands;
    const struct ptx__function *function = check->parser->function;

    if (ptx__type_bits((enum ptx__type) operands[1].type) != 64)
        ptx__error(check->parser, check->instruction->place,
                   "Arguments mismatch for instruction 'call'");
    if (operands[3].kind == PTX_PROTOTYPE) {
        const struct ptx__prototype *prototype = &function->prototypes[operands[3].target];

        return check_list(check, &operands[0], prototype->results, prototype->n_results) &&
               check_list(check, &operands[2], prototype->parameters, prototype->n_parameters);
    }
    if (operands[3].kind != PTX_TABLE || !function->tables[operands[3].target].calls)
        return ptx__error(check->parser, check->instruction->place,
                          "Indirect call requires call prototype");
    return true;
}

bool ptx__check_call(const struct ptx__check *check)
{
    const struct ptx__operand *operands = check->instruction->operands;
    const struct ptx__function *callee;

    if (check->instruction->opcode != PTX_OP_CALL)
        return true;
    if (operands[1].kind == PTX_REGISTER)
        return check_indirect(check);
    callee = &check->parser->module->functions[operands[1].symbol.number];
    if (callee->is_kernel)
        return ptx__error(check->parser, check->instruction->place, "Call target '%s' is a kernel",
                          callee->name);
    return check_list(check, &operands[0], callee->results, callee->n_results) &&
           check_list(check, &operands[2], callee->parameters, callee->n_parameters);
}
