/* SPDX-License-Identifier: MIT */
/* Reads initial values of variables such as "{1, -2.5, table + 4, 0xff(generic(f))}". */
#include <string.h>

#include "mock/ptx/parse/parse.h"

/* Bytes up to the last one that is not zero are stored, so their number is limited. */
#define LARGEST_VALUE ((size_t) 1 << 26)

struct value {
    struct ptx__number number; /* or the offset to the address */
    bool has_symbol, generic;
    struct ptx__token symbol;
    uint64_t mask; /* the bits of the address that are used */
};

/* The place of the next value in a variable. */
struct place {
    const struct ptx__declaration *declaration;
    struct ptx__variable *variable;
    size_t capacity; /* of its values */
};

/* Reads "table", "table + 4", "generic(table) + 4". */
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
    return ptx__parse_number(parser, &value->number);
}

static bool read_value(struct ptx__parser *parser, struct value *value)
{
    *value = (struct value){.mask = UINT64_MAX};
    if (parser->lexer.token.kind == PTX_NAME && !ptx__is(&parser->lexer, "WARP_SZ"))
        return read_symbol(parser, value);
    if (!ptx__parse_number(parser, &value->number))
        return false;
    if (!ptx__accept(&parser->lexer, "("))
        return true;
    value->mask = value->number.integer;
    value->number = (struct ptx__number){.real = false};
    return read_symbol(parser, value) && ptx__expect(parser, ")");
}

/* Makes room for the bytes up to this one. */
static bool reach(struct ptx__parser *parser, struct place *place, size_t end)
{
    struct ptx__variable *variable = place->variable;
    const size_t capacity = end < 64 ? 64 : 2 * end;
    unsigned char *larger;

    if (!place->declaration->open && end > variable->bytes)
        return ptx__fatal(parser, parser->lexer.token.place,
                          "Greater number of elements in array initializer");
    if (end > LARGEST_VALUE)
        return ptx__fatal(parser, parser->lexer.token.place, "Initial value is too large");
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

/*
 * Returns the bits of a real number in 32 or 64 bits. Bits that were written in hexadecimal do not
 * change.
 */
static uint64_t real_bits(const struct ptx__number *number, unsigned bits)
{
    const double wide = ptx__number_value(number);
    const float narrow = (float) wide;
    uint64_t result;
    uint32_t half;

    memcpy(&result, &wide, sizeof(wide));
    memcpy(&half, &narrow, sizeof(half));
    if (bits == 64)
        return result;
    return number->type == PTX_F32 ? number->integer : half;
}

/* Returns the value as it is stored in memory. */
static bool bits_of(struct ptx__parser *parser, const struct ptx__number *number,
                    enum ptx__type type, struct ptx__place place, uint64_t *ret_bits)
{
    const unsigned bits = ptx__type_bits(type);

    if (ptx__is_float(type) ? !number->real : number->real && ptx__is_integer(type))
        return mismatch(parser, place);
    if (number->real && bits != 32 && bits != 64)
        return mismatch(parser, place);
    *ret_bits = number->real ? real_bits(number, bits) : number->integer;
    return true;
}

/*
 * Finds a declared function or variable. The linker later replaces numbers of declarations in other
 * texts.
 */
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

/*
 * Reads the item at this depth of braces: a list for the next dimension or for a vector, or one
 * value.
 */
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

/* Returns how many items a list at this depth may have. */
static size_t count_at(const struct place *place, uint32_t depth)
{
    const struct ptx__declaration *declaration = place->declaration;

    if (depth == declaration->n_dimensions)
        return declaration->vector;
    if (!depth)
        return declaration->open ? SIZE_MAX : place->variable->bytes / declaration->strides[0];
    return declaration->strides[depth - 1] / declaration->strides[depth];
}

static bool read_list(struct ptx__parser *parser, struct place *place, uint32_t depth,
                      size_t offset)
{
    const struct ptx__declaration *declaration = place->declaration;
    const bool vector = depth == declaration->n_dimensions;
    const size_t stride = vector ? declaration->element_bytes : declaration->strides[depth];
    const size_t most = count_at(place, depth);
    size_t n = 0;

    if (!ptx__expect(parser, "{"))
        return false;
    if (ptx__accept(&parser->lexer, "}"))
        return true;
    do {
        if (n == most)
            return ptx__fatal(parser, parser->lexer.token.place,
                              "Greater number of elements in %s initializer",
                              vector ? "vector" : "array");
        if (!read_item(parser, place, depth + 1, offset + n * stride))
            return false;
        n++;
    } while (ptx__accept(&parser->lexer, ","));
    if (vector && n != most)
        return ptx__fatal(parser, parser->lexer.token.place,
                          "Incorrect number of elements in vector initializer");
    return ptx__expect(parser, "}");
}

/* Reads "addr_mode_0 = clamp_to_border". */
static bool read_setting(struct ptx__parser *parser, unsigned char *values)
{
    static const char *const settings[PTX_OPAQUE_UNNORMALISED + 1] = {
        "addr_mode_0", "addr_mode_1", "addr_mode_2", "filter_mode", "force_unnormalized_coords"};
    static const struct {
        const char *name;
        unsigned char value;
    } words[] = {{"wrap", 0},
                 {"mirror", 1},
                 {"clamp_ogl", 2},
                 {"clamp_to_edge", 3},
                 {"clamp_to_border", 4},
                 {"nearest", 0},
                 {"linear", 1},
                 {"0", 0},
                 {"1", 1}};
    struct ptx__lexer *lexer = &parser->lexer;
    unsigned setting = 0;

    while (setting <= PTX_OPAQUE_UNNORMALISED && !ptx__is(lexer, settings[setting]))
        setting++;
    ptx__next(lexer);
    if (setting > PTX_OPAQUE_UNNORMALISED || !ptx__accept(lexer, "="))
        return lexer->token.kind != PTX_END || ptx__unexpected(parser);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (ptx__is(lexer, words[i].name))
            values[setting] = words[i].value;
    return true;
}

/*
 * Reads the values of a sampler: "{addr_mode_0 = wrap}". Those of texture references have no
 * effect, because the bound texture decides.
 */
static bool read_opaque(struct ptx__parser *parser, struct ptx__variable *variable)
{
    variable->values = cushim__arena_alloc(&parser->module->arena, PTX_OPAQUE_VALUES);
    if (!variable->values)
        return ptx__no_memory(parser);
    memset(variable->values, 0, PTX_OPAQUE_VALUES);
    variable->n_values = PTX_OPAQUE_VALUES;
    while (!ptx__accept(&parser->lexer, "}")) {
        if (parser->lexer.token.kind == PTX_END)
            return ptx__unexpected(parser);
        if (!read_setting(parser, variable->values))
            return false;
    }
    return true;
}

bool ptx__parse_initial_value(struct ptx__parser *parser,
                              const struct ptx__declaration *declaration,
                              struct ptx__variable *variable)
{
    struct place place = {.declaration = declaration, .variable = variable};

    if (ptx__type_class((enum ptx__type) declaration->type) == PTX_OPAQUE)
        return ptx__expect(parser, "{") && read_opaque(parser, variable);
    if (ptx__type_bytes((enum ptx__type) declaration->type) > sizeof(uint64_t))
        return mismatch(parser, variable->place);
    if (ptx__is_float((enum ptx__type) declaration->type) && declaration->element_bytes < 4)
        return ptx__fatal(parser, variable->place, "No initial value is allowed for .%s type",
                          ptx__type_name((enum ptx__type) declaration->type));
    if (!read_item(parser, &place, 0, 0))
        return false;
    if (declaration->open) {
        const size_t row = declaration->strides[0];

        variable->bytes = (variable->n_values + row - 1) / row * row;
    }
    return true;
}
