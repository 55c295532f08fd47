/* SPDX-License-Identifier: MIT */
/* Reads functions such as ".visible .entry f(.param .u32 a) .maxntid 128, 1, 1". */
#include <string.h>

#include "mock/ptx/parse/parse.h"

#define LARGEST_PARAMETER ((size_t) 1 << 20)

size_t ptx__place_parameters(struct ptx__parameter *parameters, uint32_t n)
{
    size_t used = 0;

    for (uint32_t i = 0; i < n; i++) {
        const size_t mask = parameters[i].alignment - 1;

        parameters[i].offset = (used + mask) & ~mask;
        used = parameters[i].offset + parameters[i].bytes;
    }
    return used;
}

/* Reads a parameter. "_" stands for one without a name. */
static bool read_parameter(struct ptx__parser *parser, struct ptx__parameter *ret_parameter)
{
    const bool is_register = ptx__is(&parser->lexer, ".reg");
    struct ptx__declaration declaration;

    if (!is_register && !ptx__is(&parser->lexer, ".param"))
        return ptx__unexpected(parser);
    ptx__next(&parser->lexer);
    if (!ptx__parse_declaration(parser, &declaration))
        return false;
    *ret_parameter = (struct ptx__parameter){
        .name = ptx__copy(parser, &declaration.name),
        .type = declaration.type,
        .vector = declaration.vector,
        .is_register = is_register,
        .array = declaration.array,
        .open = declaration.open,
        .pointee = declaration.pointee,
        .pointee_alignment = declaration.pointee_alignment,
        .reg = PTX_NONE,
        .bytes = declaration.bytes,
        .alignment = declaration.alignment ? declaration.alignment : 1,
        .place = declaration.name.place,
    };
    /* In the frame a predicate takes one byte. */
    if (is_register && declaration.type == PTX_PRED)
        ret_parameter->bytes = ret_parameter->alignment = 1;
    if (!is_register && declaration.type == PTX_PRED)
        ptx__error(parser, declaration.name.place,
                   "Predicate variable '%s' must be in register state space",
                   ret_parameter->name ? ret_parameter->name : "");
    if (declaration.bytes > LARGEST_PARAMETER)
        return ptx__fatal(parser, declaration.name.place, "Parameter '%.*s' is too large",
                          PTX_TEXT(declaration.name));
    if (!is_register && declaration.vector)
        ptx__error(parser, declaration.name.place,
                   "Variable '%.*s' cannot be allocated in .param state space",
                   PTX_TEXT(declaration.name));
    return ret_parameter->name;
}

bool ptx__parse_parameters(struct ptx__parser *parser, struct ptx__parameter **ret_parameters,
                           uint32_t *ret_n)
{
    struct ptx__parameter parameter, *added;

    if (!ptx__accept(&parser->lexer, "(") || ptx__accept(&parser->lexer, ")"))
        return true;
    do {
        if (!read_parameter(parser, &parameter))
            return false;
        added = ptx__append(parser, ret_parameters, ret_n, sizeof(*added));
        if (!added)
            return false;
        *added = parameter;
    } while (ptx__accept(&parser->lexer, ","));
    return ptx__expect(parser, ")");
}

/* Reads "128, 1, 1"; missing numbers are 1. */
static bool read_dimensions(struct ptx__parser *parser, uint32_t *ret_numbers)
{
    const struct ptx__place place = parser->lexer.token.place;
    size_t numbers[3] = {1, 1, 1};
    int n = 0;

    do {
        if (n == 3)
            return ptx__unexpected(parser);
        if (!ptx__parse_size(parser, &numbers[n]))
            return false;
        if (!numbers[n] || numbers[n] > INT32_MAX)
            return ptx__fatal(parser, place, "Dimension is out of range");
        n++;
    } while (ptx__accept(&parser->lexer, ","));
    for (int i = 0; i < 3; i++)
        ret_numbers[i] = (uint32_t) numbers[i];
    return true;
}

static bool read_count(struct ptx__parser *parser, uint32_t *ret_count)
{
    size_t count = 0;

    if (!ptx__parse_size(parser, &count))
        return false;
    *ret_count = (uint32_t) (count > UINT32_MAX ? UINT32_MAX : count);
    return true;
}

static bool check_no_return(struct ptx__parser *parser, struct ptx__function *function)
{
    function->no_return = true;
    if (function->n_results)
        return ptx__error(parser, function->place,
                          "Invalid directive '.noreturn' for function '%s'", function->name);
    return true;
}

/*
 * Reads a directive between the parameters and the body. If it is none, *ret_known becomes false
 * and nothing is read.
 */
static bool read_directive(struct ptx__parser *parser, struct ptx__function *function,
                           bool *ret_known)
{
    struct ptx__lexer *lexer = &parser->lexer;

    *ret_known = true;
    if (ptx__accept(lexer, ".maxntid"))
        return read_dimensions(parser, function->max_ntid);
    if (ptx__accept(lexer, ".reqntid"))
        return read_dimensions(parser, function->req_ntid);
    if (ptx__accept(lexer, ".reqnctapercluster"))
        return read_dimensions(parser, function->req_cluster);
    if (ptx__accept(lexer, ".minnctapersm"))
        return read_count(parser, &function->min_ctas);
    if (ptx__accept(lexer, ".maxnctapersm"))
        return read_count(parser, &function->max_ctas);
    if (ptx__accept(lexer, ".maxnreg"))
        return read_count(parser, &function->max_registers);
    if (ptx__accept(lexer, ".maxclusterrank"))
        return read_count(parser, &function->max_cluster_rank);
    if (ptx__accept(lexer, ".pragma"))
        return ptx__skip_statement(parser);
    if (ptx__accept(lexer, ".explicitcluster"))
        return function->explicit_cluster = true;
    if (ptx__accept(lexer, ".blocksareclusters"))
        return function->blocks_are_clusters = true;
    if (!function->is_kernel && ptx__accept(lexer, ".noreturn"))
        return check_no_return(parser, function);
    if (ptx__accept(lexer, ".abi_preserve") || ptx__accept(lexer, ".abi_preserve_control"))
        return read_count(parser, &(uint32_t){0});
    *ret_known = false;
    return true;
}

static bool check_directives(struct ptx__parser *parser, const struct ptx__function *function)
{
    if (function->max_ntid[0] && function->req_ntid[0])
        ptx__error(parser, function->place,
                   "Conflicting directives: .maxntid and .reqntid cannot both be specified");
    if (function->blocks_are_clusters && (!function->req_ntid[0] || !function->req_cluster[0]))
        ptx__error(parser, function->place,
                   ".reqntid and .reqnctapercluster directive(s) required for directive "
                   "'.blocksareclusters'");
    return true;
}

static bool read_directives(struct ptx__parser *parser, struct ptx__function *function)
{
    bool known;

    do {
        if (!read_directive(parser, function, &known))
            return false;
    } while (known);
    return check_directives(parser, function);
}

/* Skips ".attribute(.unified(1, 2))". */
static bool skip_attribute(struct ptx__parser *parser)
{
    int depth = 0;

    do {
        depth += ptx__is(&parser->lexer, "(") - ptx__is(&parser->lexer, ")");
        if (parser->lexer.token.kind == PTX_END)
            return ptx__unexpected(parser);
        ptx__next(&parser->lexer);
    } while (depth > 0);
    return true;
}

/* Version 8.1 has increased the maximum size of parameters. */
static bool check_parameter_space(struct ptx__parser *parser, const struct ptx__function *function)
{
    const size_t most = parser->version >= 81 && parser->target >= 70 ? 32764 : 4352;

    if (!function->is_kernel || function->usage.parameter_bytes <= most)
        return true;
    return ptx__error(parser, function->place,
                      "Entry function '%s' uses too much parameter space (0x%zx bytes, 0x%zx max).",
                      function->name, function->usage.parameter_bytes, most);
}

static bool check_parameters(struct ptx__parser *parser, const struct ptx__function *function)
{
    for (uint32_t i = 0; i < function->n_results && function->n_results > 1; i++) {
        if (!function->results[i].is_register)
            return ptx__error(parser, function->place,
                              "Multiple return parameters require .register state space");
    }
    for (uint32_t i = 0; i < function->n_parameters && function->is_kernel; i++) {
        const struct ptx__parameter *parameter = &function->parameters[i];

        if (parameter->is_register)
            ptx__error(parser, parameter->place,
                       "Entry parameter '%s' must have .param state space", parameter->name);
        if (parameter->open)
            ptx__error(parser, parameter->place,
                       "Parameter to entry function cannot be an incomplete array.");
    }
    return true;
}

static bool read_heading(struct ptx__parser *parser, struct ptx__function *function,
                         struct ptx__token *ret_name)
{
    if (ptx__accept(&parser->lexer, ".attribute") && !skip_attribute(parser))
        return false;
    if (!function->is_kernel &&
        !ptx__parse_parameters(parser, &function->results, &function->n_results))
        return false;
    if (!ptx__expect_name(parser, ret_name))
        return false;
    function->place = ret_name->place;
    function->name = ptx__copy(parser, ret_name);
    if (!function->name ||
        !ptx__parse_parameters(parser, &function->parameters, &function->n_parameters) ||
        !check_parameters(parser, function))
        return false;
    ptx__place_parameters(function->results, function->n_results);
    function->usage.parameter_bytes =
        ptx__place_parameters(function->parameters, function->n_parameters);
    return check_parameter_space(parser, function) && read_directives(parser, function);
}

static bool check_same_sizes(struct ptx__parser *parser, const struct ptx__function *function,
                             const struct ptx__parameter *known, const struct ptx__parameter *list,
                             uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (known[i].bytes != list[i].bytes && !known[i].open && !list[i].open)
            return ptx__error(parser, list[i].place,
                              "Inconsistent prototypes of '%s', types of parameters differ",
                              function->name);
    }
    return true;
}

/* Reports how a second declaration differs from the first one. */
static bool check_same(struct ptx__parser *parser, const struct ptx__function *known,
                       const struct ptx__function *function)
{
    if (known->n_parameters != function->n_parameters || known->n_results != function->n_results)
        return ptx__error(parser, function->place,
                          "Inconsistent prototypes of '%s', number of parameters differ",
                          function->name);
    return check_same_sizes(parser, function, known->parameters, function->parameters,
                            function->n_parameters) &&
           check_same_sizes(parser, function, known->results, function->results,
                            function->n_results);
}

/* Returns the number of the function: that of its earlier declaration, or a new one. */
static bool find_place(struct ptx__parser *parser, const struct ptx__token *token,
                       const struct ptx__function *function, uint32_t *ret_number)
{
    struct ptx__module *module = parser->module;
    const struct ptx__name *name = ptx__scope_find(&parser->scope, token->text, token->length);

    if (name && name->symbol.kind == PTX_FUNCTION) {
        *ret_number = name->symbol.number;
        return check_same(parser, &module->functions[*ret_number], function);
    }
    if (!ptx__append(parser, &module->functions, &module->n_functions, sizeof(*function)))
        return false;
    *ret_number = module->n_functions - 1;
    module->functions[*ret_number] = *function;
    return ptx__declare(parser, token, PTX_NAME_SYMBOL, 0,
                        (struct ptx__symbol){PTX_FUNCTION, *ret_number});
}

/* Reads the end. A declaration after the definition adds nothing. */
static bool read_end(struct ptx__parser *parser, const struct ptx__function *heading,
                     uint32_t number)
{
    struct ptx__function *function = &parser->module->functions[number];
    bool read;

    if (ptx__accept(&parser->lexer, ";"))
        return true;
    if (function->has_body)
        ptx__error(parser, heading->place, "Duplicate definition of function '%s'", heading->name);
    *function = *heading;
    function->has_body = true;
    parser->function = function;
    read = ptx__read_body(parser);
    parser->function = NULL;
    return read;
}

bool ptx__read_function(struct ptx__parser *parser, bool kernel, enum ptx__linkage linkage)
{
    struct ptx__function function = {
        .is_kernel = kernel, .linkage = (uint8_t) linkage, .unit = parser->unit};
    struct ptx__token name;
    uint32_t number = 0;

    return read_heading(parser, &function, &name) &&
           find_place(parser, &name, &function, &number) && read_end(parser, &function, number);
}
