/* SPDX-License-Identifier: MIT */
/* Reads variables such as ".align 16 .b8 table[4][2] = {{1, 2}}". */
#include <string.h>

#include "mock/ptx/parse/parse.h"

/* These limits keep sums of sizes far from an overflow. */
#define LARGEST_ALIGNMENT ((size_t) 1 << 20)
#define LARGEST_ARRAY     ((size_t) 1 << 40)
#define LARGEST_IN_BLOCK  ((size_t) 1 << 31) /* for all spaces except .global */

static bool read_attribute(struct ptx__parser *parser, struct ptx__declaration *declaration)
{
    struct ptx__lexer *lexer = &parser->lexer;

    if (!ptx__expect(parser, "("))
        return false;
    while (!ptx__accept(lexer, ")")) {
        if (lexer->token.kind == PTX_END)
            return ptx__unexpected(parser);
        declaration->managed = declaration->managed || ptx__is(lexer, ".managed");
        declaration->unified = declaration->unified || ptx__is(lexer, ".unified");
        ptx__next(lexer);
    }
    return true;
}

static bool read_alignment(struct ptx__parser *parser, struct ptx__declaration *declaration)
{
    const struct ptx__place place = parser->lexer.token.place;
    size_t alignment = 0;

    if (!ptx__parse_size(parser, &alignment))
        return false;
    if (!alignment || alignment & (alignment - 1) || alignment > LARGEST_ALIGNMENT)
        return ptx__error(parser, place, "Alignment must be a power of two");
    /* After .ptr it is the alignment of the memory that the pointer points to. */
    *(declaration->pointer ? &declaration->pointee_alignment : &declaration->alignment) = alignment;
    return true;
}

/* Reads one of the words between the state space and the name. */
static bool read_word(struct ptx__parser *parser, struct ptx__declaration *declaration)
{
    struct ptx__lexer *lexer = &parser->lexer;
    const unsigned word = ptx__word_find(lexer->token.text + 1, lexer->token.length - 1);

    if (ptx__accept(lexer, ".align"))
        return read_alignment(parser, declaration);
    if (ptx__accept(lexer, ".attribute"))
        return read_attribute(parser, declaration);
    if (word > PTX_WORD_TYPE && word < PTX_WORD_TYPE + PTX_N_TYPES)
        declaration->type = (uint8_t) (word - PTX_WORD_TYPE);
    else if (word > PTX_WORD_VECTOR)
        declaration->vector = (uint8_t) (word - PTX_WORD_VECTOR);
    else if (declaration->pointer && word > PTX_WORD_SPACE)
        declaration->pointee = (uint8_t) (word - PTX_WORD_SPACE);
    else if (ptx__is(lexer, ".ptr"))
        declaration->pointer = true;
    else
        return ptx__unexpected(parser);
    ptx__next(lexer);
    return true;
}

bool ptx__parse_declared_type(struct ptx__parser *parser, struct ptx__declaration *declaration)
{
    *declaration = (struct ptx__declaration){.type = PTX_NO_TYPE};
    while (parser->lexer.token.kind == PTX_DOTTED) {
        if (!read_word(parser, declaration))
            return false;
    }
    if (!declaration->type || declaration->vector == 8)
        return ptx__unexpected(parser);
    declaration->element_bytes = ptx__type_bytes((enum ptx__type) declaration->type);
    return true;
}

/* Each further dimension multiplies the strides of the ones before it. */
static bool add_dimension(struct ptx__parser *parser, struct ptx__declaration *declaration,
                          size_t count)
{
    const uint32_t n = declaration->n_dimensions;

    if (n == PTX_MAX_DIMENSIONS)
        return ptx__fatal(parser, declaration->name.place, "Array has too many dimensions");
    for (uint32_t i = 0; i < n; i++) {
        if (__builtin_mul_overflow(declaration->strides[i], count, &declaration->strides[i]))
            return ptx__fatal(parser, declaration->name.place, "Array is too large");
    }
    declaration->strides[declaration->n_dimensions++] = declaration->bytes;
    return true;
}

/* Reads "[4][2]", of which the first may be empty. */
static bool read_dimensions(struct ptx__parser *parser, struct ptx__declaration *declaration)
{
    size_t count = 1, number;

    while (ptx__accept(&parser->lexer, "[")) {
        number = 0;
        if (!ptx__is(&parser->lexer, "]") && !ptx__parse_size(parser, &number))
            return false;
        if (!number && declaration->array)
            return ptx__fatal(parser, declaration->name.place, "Array '%.*s' has incomplete type",
                              PTX_TEXT(declaration->name));
        declaration->open = declaration->open || !number;
        declaration->array = true;
        if (!add_dimension(parser, declaration, number) || !ptx__expect(parser, "]"))
            return false;
        if (__builtin_mul_overflow(count, number, &count))
            return ptx__fatal(parser, declaration->name.place, "Array is too large");
    }
    if (__builtin_mul_overflow(declaration->bytes, count, &declaration->bytes) ||
        declaration->bytes > LARGEST_ARRAY)
        return ptx__fatal(parser, declaration->name.place, "Array is too large");
    return true;
}

/* Reads a name with its dimensions, after the type. */
static bool read_declarator(struct ptx__parser *parser, struct ptx__declaration *declaration)
{
    const size_t vector = declaration->vector ? declaration->vector : 1;

    declaration->bytes = declaration->element_bytes * vector;
    declaration->alignment = declaration->alignment ? declaration->alignment : declaration->bytes;
    declaration->n_dimensions = 0;
    declaration->array = declaration->open = false;
    return ptx__expect_name(parser, &declaration->name) && read_dimensions(parser, declaration);
}

bool ptx__parse_declaration(struct ptx__parser *parser, struct ptx__declaration *declaration)
{
    return ptx__parse_declared_type(parser, declaration) && read_declarator(parser, declaration);
}

static bool check_space(struct ptx__parser *parser, const struct ptx__declaration *declaration,
                        enum ptx__space space)
{
    const struct ptx__place place = declaration->name.place;

    if (declaration->type == PTX_PRED)
        return ptx__fatal(parser, place,
                          "Predicate variable '%.*s' must be in register state space",
                          PTX_TEXT(declaration->name));
    if (!declaration->element_bytes)
        return ptx__fatal(parser, place, "Type '.%s' cannot be that of variable '%.*s'",
                          ptx__type_name((enum ptx__type) declaration->type),
                          PTX_TEXT(declaration->name));
    if (space != PTX_GLOBAL && declaration->bytes > LARGEST_IN_BLOCK)
        return ptx__fatal(parser, place, "Array is too large");
    if (!parser->function && (space == PTX_LOCAL || space == PTX_REG))
        return ptx__error(parser, place,
                          "Module-scoped variables in .%s state space are not allowed with ABI",
                          ptx__space_name(space));
    if (!parser->function && space == PTX_PARAM)
        return ptx__error(parser, place, "Parameter variables may not be declared at module scope");
    return true;
}

static bool check_initial_value(struct ptx__parser *parser, const struct ptx__variable *variable)
{
    if (!ptx__is(&parser->lexer, "="))
        return true;
    if (variable->space != PTX_GLOBAL && variable->space != PTX_CONST)
        return ptx__error(parser, variable->place,
                          "No initial value is allowed for '%s' in this state space",
                          variable->name);
    if (variable->linkage == PTX_EXTERN)
        return ptx__error(parser, variable->place,
                          "No initial value is allowed for external symbol '%s'", variable->name);
    return true;
}

static bool fill(struct ptx__parser *parser, const struct ptx__declaration *declaration,
                 enum ptx__space space, enum ptx__linkage linkage, struct ptx__variable *variable)
{
    *variable = (struct ptx__variable){
        .name = ptx__copy(parser, &declaration->name),
        .space = (uint8_t) space,
        .type = declaration->type,
        .vector = declaration->vector,
        .linkage = (uint8_t) linkage,
        .managed = declaration->managed,
        .unified = declaration->unified,
        .bytes = declaration->bytes,
        .alignment = declaration->alignment ? declaration->alignment : 1,
        .place = declaration->name.place,
        .unit = parser->unit,
    };
    if (!variable->name || !check_initial_value(parser, variable))
        return false;
    if (ptx__accept(&parser->lexer, "="))
        return ptx__parse_initial_value(parser, declaration, variable);
    variable->dynamic = declaration->open && space == PTX_SHARED && linkage == PTX_EXTERN;
    if (declaration->open && linkage != PTX_EXTERN)
        return ptx__error(parser, variable->place, "Non-external variable '%s' has incomplete type",
                          variable->name);
    return true;
}

/*
 * Merges a second declaration of a name into the first. Replaces an extern declaration by the new
 * one. Reports an error and returns false if they do not fit.
 */
static bool merge(struct ptx__parser *parser, struct ptx__variable *known,
                  const struct ptx__variable *variable)
{
    if (known->linkage != PTX_EXTERN && variable->linkage != PTX_EXTERN)
        return ptx__error(parser, variable->place, "Duplicate definition of variable '%s'",
                          variable->name);
    if (known->type != variable->type || known->space != variable->space)
        return ptx__error(parser, variable->place, "Inconsistent declarations of variable '%s'",
                          variable->name);
    if (known->linkage == PTX_EXTERN)
        *known = *variable;
    return true;
}

/* Stores the variable in the list of the function or of the module, and declares its name. */
static bool store(struct ptx__parser *parser, const struct ptx__declaration *declaration,
                  const struct ptx__variable *variable)
{
    const bool local = parser->function && variable->linkage != PTX_EXTERN &&
                       variable->space != PTX_GLOBAL && variable->space != PTX_CONST;
    const struct ptx__name *name =
        ptx__scope_find(&parser->scope, declaration->name.text, declaration->name.length);
    uint32_t *n = local ? &parser->function->n_variables : &parser->module->n_variables;
    struct ptx__variable **list = local ? &parser->function->variables : &parser->module->variables,
                         *added;

    if (!local && name && name->depth == parser->scope.depth &&
        name->symbol.kind == PTX_MODULE_VARIABLE)
        return merge(parser, &parser->module->variables[name->symbol.number], variable);
    added = ptx__append(parser, list, n, sizeof(*added));
    if (!added)
        return false;
    *added = *variable;
    return ptx__declare(
        parser, &declaration->name, PTX_NAME_SYMBOL, 0,
        (struct ptx__symbol){local ? PTX_FUNCTION_VARIABLE : PTX_MODULE_VARIABLE, *n - 1});
}

bool ptx__parse_variables(struct ptx__parser *parser, enum ptx__space space,
                          enum ptx__linkage linkage)
{
    struct ptx__declaration declaration;
    struct ptx__variable variable;
    size_t alignment;

    if (!ptx__parse_declared_type(parser, &declaration))
        return false;
    alignment = declaration.alignment;
    do {
        declaration.alignment = alignment;
        if (!read_declarator(parser, &declaration) || !check_space(parser, &declaration, space) ||
            !fill(parser, &declaration, space, linkage, &variable) ||
            !store(parser, &declaration, &variable))
            return false;
    } while (ptx__accept(&parser->lexer, ","));
    return ptx__expect(parser, ";");
}
