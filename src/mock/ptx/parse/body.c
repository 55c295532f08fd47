/* SPDX-License-Identifier: MIT */
/* Reads the bodies of functions: blocks, registers and variables, labels, and their directives. */
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/parse/parse.h"

static const struct ptx__symbol no_symbol = {PTX_NO_SYMBOL, 0};

/* The list doubles when its length is a power of two. */
static bool reserve_range(struct ptx__parser *parser)
{
    const size_t n = parser->n_ranges;
    struct ptx__register_range *larger;

    if (n & (n - 1))
        return true;
    larger = realloc(parser->ranges, (n ? 2 * n : 1) * sizeof(*larger));
    if (larger)
        parser->ranges = larger;
    return larger;
}

/* Reads "%r<10>". A register is made only when it is used. */
static bool read_range(struct ptx__parser *parser, const struct ptx__declaration *declaration,
                       const struct ptx__token *name)
{
    struct ptx__number count = {.real = false};

    /* A full expression would read the closing ">" as an operator. */
    if (!ptx__parse_term(parser, &count) || !ptx__expect(parser, ">"))
        return false;
    if (count.real || count.integer > UINT32_MAX)
        return ptx__fatal(parser, name->place, "Invalid number of registers '%.*s'",
                          PTX_TEXT(*name));
    if (!reserve_range(parser))
        return ptx__no_memory(parser);
    parser->ranges[parser->n_ranges++] = (struct ptx__register_range){
        (uint32_t) count.integer, declaration->type, declaration->vector};
    return ptx__declare(parser, name, PTX_NAME_REGISTERS, parser->n_ranges - 1, no_symbol);
}

static bool read_register(struct ptx__parser *parser, const struct ptx__declaration *declaration)
{
    struct ptx__token name;
    uint32_t reg = PTX_NONE;

    if (!ptx__expect_name(parser, &name))
        return false;
    if (ptx__accept(&parser->lexer, "<"))
        return read_range(parser, declaration, &name);
    return ptx__register_new(parser, &name, declaration->type, declaration->vector, &reg) &&
           ptx__declare(parser, &name, PTX_NAME_REGISTER, reg, no_symbol);
}

/* Reads ".reg .b32 %r<10>, %x;". */
static bool read_registers(struct ptx__parser *parser)
{
    struct ptx__declaration declaration;

    if (!ptx__parse_declared_type(parser, &declaration))
        return false;
    if (declaration.vector && declaration.type == PTX_PRED)
        ptx__error(parser, parser->lexer.token.place,
                   "Predicate type can only be used to define scalar register variables");
    do {
        if (!read_register(parser, &declaration))
            return false;
    } while (ptx__accept(&parser->lexer, ","));
    return ptx__expect(parser, ";");
}

static uint32_t count_names(struct ptx__lexer lexer)
{
    uint32_t n = 0;

    for (; lexer.token.kind == PTX_NAME || ptx__is(&lexer, ","); ptx__next(&lexer))
        n += lexer.token.kind == PTX_NAME;
    return n;
}

static bool find_function(struct ptx__parser *parser, const struct ptx__token *token,
                          uint32_t *ret_number)
{
    const struct ptx__name *name = ptx__scope_find(&parser->scope, token->text, token->length);

    if (!name || name->symbol.kind != PTX_FUNCTION)
        return ptx__error(parser, token->place, "Unknown symbol '%.*s'", PTX_TEXT(*token));
    *ret_number = name->symbol.number;
    return true;
}

/* Reads "L1, L2, L3;" of branches or calls. */
static bool read_targets(struct ptx__parser *parser, struct ptx__table *table)
{
    /* Labels refer to entries of this array, so it must not move. The entries are counted first. */
    const uint32_t capacity = count_names(parser->lexer);
    struct ptx__token name;

    table->targets =
        cushim__arena_alloc(&parser->module->arena, (capacity + 1) * sizeof(*table->targets));
    if (!table->targets)
        return ptx__no_memory(parser);
    do {
        uint32_t *target = &table->targets[table->n_targets];

        if (!ptx__expect_name(parser, &name))
            return false;
        *target = PTX_NONE;
        table->n_targets++;
        if (!table->calls && !ptx__refer(parser, &name, target))
            return false;
        if (table->calls && !find_function(parser, &name, target))
            return false;
    } while (table->n_targets < capacity && ptx__accept(&parser->lexer, ","));
    return ptx__expect(parser, ";");
}

static bool read_table(struct ptx__parser *parser, const struct ptx__token *label, bool calls)
{
    struct ptx__function *function = parser->function;
    struct ptx__table table = {.name = ptx__copy(parser, label),
                               .calls = calls,
                               .place = label->place},
                      *added;

    if (!table.name || !read_targets(parser, &table))
        return false;
    added = ptx__append(parser, &function->tables, &function->n_tables, sizeof(*added));
    if (!added)
        return false;
    *added = table;
    return ptx__declare(parser, label, PTX_NAME_TABLE, function->n_tables - 1, no_symbol);
}

/* Reads "p: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;". */
static bool read_prototype(struct ptx__parser *parser, const struct ptx__token *label)
{
    struct ptx__function *function = parser->function;
    struct ptx__prototype prototype = {.name = ptx__copy(parser, label), .place = label->place};
    struct ptx__prototype *added;

    if (!prototype.name ||
        !ptx__parse_parameters(parser, &prototype.results, &prototype.n_results) ||
        !ptx__expect(parser, "_") ||
        !ptx__parse_parameters(parser, &prototype.parameters, &prototype.n_parameters))
        return false;
    prototype.no_return = ptx__accept(&parser->lexer, ".noreturn");
    while (ptx__accept(&parser->lexer, ".abi_preserve") ||
           ptx__accept(&parser->lexer, ".abi_preserve_control")) {
        size_t ignored;

        if (!ptx__parse_size(parser, &ignored))
            return false;
    }
    ptx__place_parameters(prototype.results, prototype.n_results);
    ptx__place_parameters(prototype.parameters, prototype.n_parameters);
    added = ptx__append(parser, &function->prototypes, &function->n_prototypes, sizeof(*added));
    if (!added)
        return false;
    *added = prototype;
    return ptx__expect(parser, ";") &&
           ptx__declare(parser, label, PTX_NAME_PROTOTYPE, function->n_prototypes - 1, no_symbol);
}

/* Reads what follows "name:". Some directives use the name themselves. */
static bool read_label(struct ptx__parser *parser, const struct ptx__token *label)
{
    ptx__next(&parser->lexer);
    if (ptx__accept(&parser->lexer, ".branchtargets"))
        return read_table(parser, label, false);
    if (ptx__accept(&parser->lexer, ".calltargets"))
        return read_table(parser, label, true);
    if (ptx__accept(&parser->lexer, ".callprototype"))
        return read_prototype(parser, label);
    return ptx__declare(parser, label, PTX_NAME_LABEL, parser->function->n_instructions, no_symbol);
}

static bool read_directive(struct ptx__parser *parser)
{
    static const struct {
        const char *word;
        enum ptx__space space;
    } spaces[] = {{".local", PTX_LOCAL},
                  {".shared", PTX_SHARED},
                  {".param", PTX_PARAM},
                  {".global", PTX_GLOBAL},
                  {".const", PTX_CONST}};
    struct ptx__lexer *lexer = &parser->lexer;
    const bool is_extern = ptx__accept(lexer, ".extern");

    for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
        if (ptx__accept(lexer, spaces[i].word))
            return ptx__parse_variables(parser, spaces[i].space,
                                        is_extern ? PTX_EXTERN : PTX_STATIC);
    }
    if (!is_extern && ptx__accept(lexer, ".reg"))
        return read_registers(parser);
    if (!is_extern && ptx__accept(lexer, ".loc"))
        return ptx__parse_location(parser);
    if (!is_extern && ptx__accept(lexer, ".file"))
        return ptx__parse_file(parser);
    if (!is_extern && ptx__accept(lexer, ".pragma"))
        return ptx__skip_statement(parser);
    return ptx__unexpected(parser);
}

static bool enter(struct ptx__parser *parser)
{
    if (parser->scope.depth >= PTX_MAX_DEPTH)
        return ptx__fatal(parser, parser->lexer.token.place, "Nested too deeply");
    ptx__scope_enter(&parser->scope);
    return true;
}

static bool read_statement(struct ptx__parser *parser)
{
    struct ptx__lexer *lexer = &parser->lexer;

    if (ptx__accept(lexer, "{"))
        return enter(parser);
    if (ptx__accept(lexer, "}")) {
        ptx__leave_block(parser);
        return true;
    }
    if (lexer->token.kind == PTX_DOTTED)
        return read_directive(parser);
    if (lexer->token.kind == PTX_NAME) {
        const struct ptx__lexer begin = *lexer;

        ptx__next(lexer);
        if (ptx__is(lexer, ":"))
            return read_label(parser, &begin.token);
        *lexer = begin;
    }
    return ptx__parse_instruction(parser);
}

/* Declares the parameters as names of the body's outermost block. */
static bool declare_parameters(struct ptx__parser *parser, struct ptx__parameter *parameters,
                               uint32_t n, enum ptx__symbol_kind kind)
{
    for (uint32_t i = 0; i < n; i++) {
        struct ptx__parameter *parameter = &parameters[i];
        const struct ptx__token name = {.kind = PTX_NAME,
                                        .text = parameter->name,
                                        .length = strlen(parameter->name),
                                        .place = parameter->place};

        if (!strcmp(parameter->name, "_"))
            continue;
        if (parameter->is_register &&
            !ptx__register_new(parser, &name, parameter->type, parameter->vector, &parameter->reg))
            return false;
        if (!ptx__declare(parser, &name,
                          parameter->is_register ? PTX_NAME_REGISTER : PTX_NAME_SYMBOL,
                          parameter->reg, (struct ptx__symbol){kind, i}))
            return false;
    }
    return true;
}

static bool read_statements(struct ptx__parser *parser)
{
    struct ptx__function *function = parser->function;

    if (!declare_parameters(parser, function->results, function->n_results, PTX_RESULT) ||
        !declare_parameters(parser, function->parameters, function->n_parameters, PTX_PARAMETER))
        return false;
    while (parser->scope.depth) {
        if (!read_statement(parser))
            return false;
    }
    return true;
}

bool ptx__read_body(struct ptx__parser *parser)
{
    bool read;

    if (!ptx__expect(parser, "{"))
        return false;
    ptx__scope_enter(&parser->scope);
    parser->location = 0;
    read = read_statements(parser);
    ptx__map_finish(&parser->ranged);
    free(parser->ranges);
    parser->ranges = NULL;
    parser->n_ranges = 0;
    return read;
}
