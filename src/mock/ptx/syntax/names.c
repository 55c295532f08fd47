/* SPDX-License-Identifier: MIT */
/* Declares names, and finds what they stand for. */
#include <string.h>

#include "mock/ptx/syntax/parser.h"

bool ptx__declare(struct ptx__parser *parser, const struct ptx__token *token,
                  enum ptx__name_kind kind, uint32_t number, struct ptx__symbol symbol)
{
    const struct ptx__name *known = ptx__scope_find(&parser->scope, token->text, token->length);
    struct ptx__name *name;

    if (known && known->depth == parser->scope.depth)
        return ptx__error(parser, token->place, "Duplicate definition of %s '%.*s'",
                          kind == PTX_NAME_LABEL        ? "label"
                          : symbol.kind == PTX_FUNCTION ? "function"
                          : kind == PTX_NAME_SYMBOL || kind == PTX_NAME_REGISTER ||
                                  kind == PTX_NAME_REGISTERS
                              ? "variable"
                              : "symbol",
                          PTX_TEXT(*token));
    name = ptx__scope_add(&parser->scope, token->text, token->length, kind);
    if (!name)
        return ptx__no_memory(parser);
    name->number = number;
    name->symbol = symbol;
    return true;
}

bool ptx__register_new(struct ptx__parser *parser, const struct ptx__token *name, uint8_t type,
                       uint8_t vector, uint32_t *ret_reg)
{
    struct ptx__function *function = parser->function;
    struct ptx__register *added =
        ptx__append(parser, &function->registers, &function->n_registers, sizeof(*added));

    if (!added)
        return false;
    *added = (struct ptx__register){ptx__copy(parser, name), type, vector};
    *ret_reg = function->n_registers - 1;
    return added->name;
}

/* The maximum number of digits behind the name of a range. */
enum { MOST_DIGITS = 9 };

/*
 * Returns the number at the end of a name, from a position on. False if it cannot be that of a
 * range.
 */
static bool trailing_number(const struct ptx__token *name, size_t from, uint32_t *ret_number)
{
    uint64_t number = 0;

    if (name->text[from] == '0' && name->length - from > 1)
        return false;
    for (size_t i = from; i < name->length; i++)
        number = 10 * number + (uint64_t) (name->text[i] - '0');
    *ret_number = (uint32_t) number;
    return true;
}

static bool from_range(struct ptx__parser *parser, const struct ptx__token *name, uint32_t range,
                       uint32_t number, uint32_t *ret_reg)
{
    uint32_t *place = ptx__map_at(&parser->ranged, range, number);

    if (!place)
        return ptx__no_memory(parser);
    if (*place == PTX_NONE && !ptx__register_new(parser, name, parser->ranges[range].type,
                                                 parser->ranges[range].vector, place))
        return false;
    *ret_reg = *place;
    return true;
}

/* "%r12" belongs to the range "%r1" or, if there is none, to "%r". */
static bool find_in_ranges(struct ptx__parser *parser, const struct ptx__token *name,
                           uint32_t *ret_reg)
{
    for (size_t from = name->length - 1; from > 0 && name->length - from <= MOST_DIGITS &&
                                         name->text[from] >= '0' && name->text[from] <= '9';
         from--) {
        const struct ptx__name *found = ptx__scope_find(&parser->scope, name->text, from);
        uint32_t number = 0;

        if (found && found->kind == PTX_NAME_REGISTERS && trailing_number(name, from, &number) &&
            number < parser->ranges[found->number].count)
            return from_range(parser, name, found->number, number, ret_reg);
    }
    return true;
}

bool ptx__parse_register(struct ptx__parser *parser, const struct ptx__token *name,
                         uint32_t *ret_reg)
{
    const struct ptx__name *found = ptx__scope_find(&parser->scope, name->text, name->length);

    *ret_reg = PTX_NONE;
    if (found && found->kind == PTX_NAME_REGISTER)
        *ret_reg = found->number;
    return found || find_in_ranges(parser, name, ret_reg);
}

bool ptx__refer(struct ptx__parser *parser, const struct ptx__token *name, uint32_t *target)
{
    struct ptx__reference *reference =
        cushim__arena_alloc(&parser->module->arena, sizeof(*reference));

    if (!reference)
        return ptx__no_memory(parser);
    *reference = (struct ptx__reference){
        .name = *name, .depth = parser->scope.depth, .target = target, .next = parser->references};
    parser->references = reference;
    return true;
}

/*
 * Tells whether a reference of the ending block is settled: its label was found, or it is an error.
 */
static bool resolve(struct ptx__parser *parser, const struct ptx__reference *reference)
{
    const struct ptx__name *name =
        ptx__scope_find(&parser->scope, reference->name.text, reference->name.length);

    if (name && name->depth == parser->scope.depth) {
        if (name->kind == PTX_NAME_LABEL)
            *reference->target = name->number;
        else
            ptx__error(parser, reference->name.place, "'%.*s' is not a label",
                       PTX_TEXT(reference->name));
        return true;
    }
    if (parser->scope.depth > 1)
        return false;
    return ptx__error(parser, reference->name.place, "Unknown symbol '%.*s'",
                      PTX_TEXT(reference->name));
}

void ptx__leave_block(struct ptx__parser *parser)
{
    struct ptx__reference **link = &parser->references;

    while (*link && (*link)->depth == parser->scope.depth) {
        if (resolve(parser, *link)) {
            *link = (*link)->next;
            continue;
        }
        /* It may be a label of the enclosing block. */
        (*link)->depth--;
        link = &(*link)->next;
    }
    ptx__scope_leave(&parser->scope);
}
