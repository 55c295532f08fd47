/* SPDX-License-Identifier: MIT */
/* Declarations: ".align 16 .b8 table[4][2]" */
#include <string.h>

#include "base/util.h"
#include "mock/ptx_parser.h"
#include "mock/state.h"

/* The bytes of ".u32" and its like, 0 if the word is no type. */
static size_t type_bytes(const struct ptx_lexer *lexer)
{
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = {
        {".b8", 1},      {".u8", 1},     {".s8", 1},    {".b16", 2},    {".u16", 2},
        {".s16", 2},     {".f16", 2},    {".bf16", 2},  {".b32", 4},    {".u32", 4},
        {".s32", 4},     {".f32", 4},    {".f16x2", 4}, {".b64", 8},    {".u64", 8},
        {".s64", 8},     {".f64", 8},    {".b128", 16}, {".texref", 8}, {".samplerref", 8},
        {".surfref", 8}, {".bf16x2", 4}, {".tf32", 4},
    };

    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        if (mock__ptx_is(lexer, types[i].name))
            return types[i].bytes;
    }
    return 0;
}

static CUresult read_attribute(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    struct ptx_lexer *lexer = &parser->lexer;

    MOCK__TRY(mock__ptx_expect(parser, "("));
    while (!mock__ptx_accept(lexer, ")")) {
        MOCK__REQUIRE(lexer->token.kind != PTX_END, mock__ptx_unexpected(parser));
        declaration->managed = declaration->managed || mock__ptx_is(lexer, ".managed");
        mock__ptx_next(lexer);
    }
    return CUDA_SUCCESS;
}

static void read_type(const struct ptx_lexer *lexer, struct ptx_declaration *declaration)
{
    const size_t bytes = type_bytes(lexer);

    if (!bytes)
        return;
    declaration->element_bytes = bytes;
    declaration->real = mock__ptx_is(lexer, ".f32") || mock__ptx_is(lexer, ".f64");
}

/* The words between the state space and the name. Sets the element's size. */
static CUresult read_modifiers(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    struct ptx_lexer *lexer = &parser->lexer;
    size_t lanes = 1, alignment = 0, number = 0;
    bool pointer = false;

    while (lexer->token.kind == PTX_WORD && lexer->token.text[0] == '.') {
        if (mock__ptx_accept(lexer, ".align")) {
            MOCK__TRY(mock__ptx_size(parser, &number));
            /* After .ptr, it is the alignment of what is pointed to. */
            if (!pointer)
                alignment = number;
        } else if (mock__ptx_accept(lexer, ".attribute")) {
            MOCK__TRY(read_attribute(parser, declaration));
        } else {
            read_type(lexer, declaration);
            lanes = mock__ptx_is(lexer, ".v2") ? 2 : mock__ptx_is(lexer, ".v4") ? 4 : lanes;
            pointer = pointer || mock__ptx_is(lexer, ".ptr");
            mock__ptx_next(lexer);
        }
    }
    MOCK__REQUIRE(declaration->element_bytes, mock__ptx_unexpected(parser));
    MOCK__REQUIRE(!(alignment & (alignment - 1)),
                  mock__ptx_fail(parser, "Alignment must be a power of two"));
    declaration->bytes = declaration->element_bytes * lanes;
    declaration->alignment = alignment ? alignment : declaration->bytes;
    return CUDA_SUCCESS;
}

/* Each dimension turns what is inside of it into the stride of its elements. */
static CUresult add_dimension(struct ptx_parser *parser, struct ptx_declaration *declaration,
                              size_t count)
{
    const size_t n = declaration->n_dimensions;

    MOCK__REQUIRE(n < PTX_MAX_DIMENSIONS, mock__ptx_fail(parser, "Array has too many dimensions"));
    for (size_t i = 0; i < n; i++)
        MOCK__REQUIRE(
            !__builtin_mul_overflow(declaration->strides[i], count, &declaration->strides[i]),
            mock__ptx_fail(parser, "Array is too large"));
    declaration->strides[n] = declaration->bytes;
    declaration->n_dimensions++;
    return CUDA_SUCCESS;
}

/* Reads "[4][2]", of which the first may be empty. */
static CUresult read_dimensions(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    const size_t one = declaration->bytes;
    size_t count = 1, number = 0;

    while (mock__ptx_accept(&parser->lexer, "[")) {
        number = 0;
        declaration->open = declaration->open || mock__ptx_is(&parser->lexer, "]");
        if (!mock__ptx_is(&parser->lexer, "]"))
            MOCK__TRY(mock__ptx_size(parser, &number));
        MOCK__REQUIRE(!__builtin_mul_overflow(count, number, &count),
                      mock__ptx_fail(parser, "Array is too large"));
        MOCK__TRY(add_dimension(parser, declaration, number));
        MOCK__TRY(mock__ptx_expect(parser, "]"));
    }
    MOCK__REQUIRE(!__builtin_mul_overflow(one, count, &declaration->bytes),
                  mock__ptx_fail(parser, "Array is too large"));
    return CUDA_SUCCESS;
}

CUresult mock__ptx_declaration(struct ptx_parser *parser, struct ptx_declaration *declaration)
{
    *declaration = (struct ptx_declaration){.bytes = 0};
    MOCK__TRY(read_modifiers(parser, declaration));
    MOCK__REQUIRE(parser->lexer.token.kind == PTX_WORD, mock__ptx_unexpected(parser));
    declaration->name = parser->lexer.token;
    mock__ptx_next(&parser->lexer);
    return read_dimensions(parser, declaration);
}

size_t mock__ptx_place(size_t used, const struct ptx_declaration *declaration)
{
    return (used + declaration->alignment - 1) & ~(declaration->alignment - 1);
}
