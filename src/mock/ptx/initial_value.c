/* SPDX-License-Identifier: MIT */
/* Initial values of variables: "{1, -2.5, table + 4, 0xff(generic(f))}" */
#include <string.h>

#include "mock/ptx/parser.h"

/* What the value of an array without a size may grow to. */
#define LARGEST_VALUE ((size_t) 1 << 30)

struct value {
    struct ptx__number number; /* or what is added to the address */
    bool has_symbol, generic;
    struct ptx__token symbol;
    uint64_t mask; /* the bits of that address that are wanted */
};

/* Where in a variable the next value goes. */
struct place {
    const struct ptx__declaration *declaration;
    struct ptx__variable *variable;
    size_t capacity; /* of its values */
};

/* "table", "table + 4", "generic(table) + 4" */
static bool read_symbol(struct ptx__parser *parser, struct value *value)
{
    struct ptx__lexer *lexer = &parser->lexer;

    value->has_symbol = true;
    value->generic = ptx__accept(lexer, "generic");
    if (value->generic && !ptx__expect(parser, "("))
        return false;
    if (!ptx__expect_name(parser, &value->symbol))
        return false;
    if (value->generic && !ptx__expect(parser, ")"))
        return false;
    if (!ptx__is(lexer, "+") && !ptx__is(lexer, "-"))
        return true;
    return ptx__number(parser, &value->number);
}

static bool read_value(struct ptx__parser *parser, struct value *value)
{
    *value = (struct value){.mask = UINT64_MAX};
    if (parser->lexer.token.kind == PTX_NAME && !ptx__is(&parser->lexer, "WARP_SZ"))
        return read_symbol(parser, value);
    if (!ptx__number(parser, &value->number))
        return false;
    if (!ptx__accept(&parser->lexer, "("))
        return true;
    value->mask = value->number.integer;
    value->number = (struct ptx__number){.real = false};
    return read_symbol(parser, value) && ptx__expect(parser, ")");
}

/* Makes sure that the bytes up to here are there. */
static bool reach(struct ptx__parser *parser, struct place *place, size_t end)
{
    struct ptx__variable *variable = place->variable;
    const size_t capacity = end < 64 ? 64 : 2 * end;
    unsigned char *larger;

    if (end > (place->declaration->open ? LARGEST_VALUE : variable->bytes))
        return ptx__fatal(parser, parser->lexer.token.place,
                          "Greater number of elements in array initializer");
    if (end > place->capacity) {
        larger = cushim__arena_alloc(&parser->module->arena, capacity);
        if (!larger)
            return ptx__no_memory(parser);
        if (variable->n_values)
            memcpy(larger, variable->values, variable->n_values);
        variable->values = larger;
        place->capacity = capacity;
    }
    if (end > variable->n_values)
        variable->n_values = end;
    return true;
}

static bool mismatch(struct ptx__parser *parser, struct ptx__place place)
{
    return ptx__fatal(parser, place, "Initial value type mismatch");
}

/* The value as it lies in memory. */
static bool bits_of(struct ptx__parser *parser, const struct ptx__number *number,
                    enum ptx__type type, struct ptx__place place, uint64_t *ret_bits)
{
    const double wide = ptx__number_value(number);
    const float narrow = (float) wide;
    uint32_t half;

    if (type != PTX_F32 && type != PTX_F64) {
        *ret_bits = number->integer;
        return !number->real || mismatch(parser, place);
    }
    if (type == PTX_F64) {
        memcpy(ret_bits, &wide, sizeof(wide));
        return true;
    }
    memcpy(&half, &narrow, sizeof(half));
    /* Its very bits, so that a NaN stays what it is. */
    *ret_bits = number->real && number->type == PTX_F32 ? number->integer : half;
    return true;
}

/* Functions and variables that are declared. The linker makes numbers of other modules' names. */
static bool find_symbol(struct ptx__parser *parser, const struct ptx__token *token,
                        struct ptx__symbol *ret_symbol)
{
    const struct ptx__name *name = ptx__scope_find(&parser->scope, token->text, token->length);

    if (!name || (name->symbol.kind != PTX_MODULE_VARIABLE && name->symbol.kind != PTX_FUNCTION))
        return ptx__fatal(parser, token->place, "Invalid initial value symbol '%.*s'",
                          PTX_TEXT(*token));
    *ret_symbol = name->symbol;
    return true;
}

static bool note_address(struct ptx__parser *parser, const struct place *place,
                         const struct value *value, size_t offset)
{
    struct ptx__variable *variable = place->variable;
    uint32_t n = (uint32_t) variable->n_addresses;
    struct ptx__address *address = ptx__append(parser, &variable->addresses, &n, sizeof(*address));

    if (!address)
        return false;
    variable->n_addresses = n;
    *address = (struct ptx__address){.offset = offset,
                                     .bytes = place->declaration->element_bytes,
                                     .addend = value->number.integer,
                                     .mask = value->mask,
                                     .generic = value->generic};
    return find_symbol(parser, &value->symbol, &address->symbol);
}

static bool read_element(struct ptx__parser *parser, struct place *place, size_t offset)
{
    const struct ptx__place where = parser->lexer.token.place;
    const size_t bytes = place->declaration->element_bytes;
    struct value value;
    uint64_t bits = 0;

    if (!read_value(parser, &value) || !reach(parser, place, offset + bytes))
        return false;
    if (value.has_symbol)
        return note_address(parser, place, &value, offset);
    if (!bits_of(parser, &value.number, (enum ptx__type) place->declaration->type, where, &bits))
        return false;
    for (size_t i = 0; i < bytes && i < sizeof(bits); i++)
        place->variable->values[offset + i] = (unsigned char) (bits >> 8 * i);
    return true;
}

static bool read_list(struct ptx__parser *parser, struct place *place, uint32_t depth,
                      size_t offset);

/* What lies so deep in braces: a list, of the array's next dimension or of a vector, or one. */
static bool read_item(struct ptx__parser *parser, struct place *place, uint32_t depth,
                      size_t offset)
{
    const struct ptx__declaration *declaration = place->declaration;
    const uint32_t most = declaration->n_dimensions + (declaration->vector != 0);

    if (!ptx__is(&parser->lexer, "{"))
        return read_element(parser, place, offset);
    if (depth >= most)
        return ptx__unexpected(parser);
    return read_list(parser, place, depth, offset);
}

static bool read_list(struct ptx__parser *parser, struct place *place, uint32_t depth,
                      size_t offset)
{
    const struct ptx__declaration *declaration = place->declaration;
    const size_t stride = depth < declaration->n_dimensions ? declaration->strides[depth]
                                                            : declaration->element_bytes;

    if (!ptx__expect(parser, "{"))
        return false;
    if (ptx__accept(&parser->lexer, "}"))
        return true;
    do {
        /* An element without braces of its own takes one place, whatever the dimension. */
        const bool list = ptx__is(&parser->lexer, "{");

        if (!read_item(parser, place, depth + 1, offset))
            return false;
        offset += list ? stride : declaration->element_bytes;
    } while (ptx__accept(&parser->lexer, ","));
    return ptx__expect(parser, "}");
}

static bool read_opaque(struct ptx__parser *parser)
{
    while (!ptx__accept(&parser->lexer, "}")) {
        if (parser->lexer.token.kind == PTX_END)
            return ptx__unexpected(parser);
        ptx__next(&parser->lexer);
    }
    return true;
}

bool ptx__initial_value(struct ptx__parser *parser, const struct ptx__declaration *declaration,
                        struct ptx__variable *variable)
{
    struct place place = {.declaration = declaration, .variable = variable};

    /* Of a sampler: "{addr_mode_0 = wrap}". It has no bytes, and the binding says it all. */
    if (ptx__type_class((enum ptx__type) declaration->type) == PTX_OPAQUE)
        return ptx__expect(parser, "{") && read_opaque(parser);
    if (ptx__type_bytes((enum ptx__type) declaration->type) > sizeof(uint64_t))
        return mismatch(parser, variable->place);
    if (!read_item(parser, &place, 0, 0))
        return false;
    if (declaration->open) {
        const size_t row = declaration->strides[0];

        variable->bytes = (variable->n_values + row - 1) / row * row;
    }
    return true;
}
