/* SPDX-License-Identifier: MIT */
#include "mock/ptx_entries.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/ptx_lexer.h"
#include "mock/state.h"

#define NEWEST_VERSION 90

struct parser {
    struct ptx_lexer lexer;
    struct mock__ptx *ptx;
    struct mock__ptx_error *error;
    int capability;
    bool has_version, has_target;
};

/* A declaration after the word that says where it lives. */
struct declaration {
    struct ptx_token name;
    size_t bytes, alignment;
};

__attribute__((format(printf, 2, 3))) static CUresult fail(const struct parser *parser,
                                                           const char *format, ...)
{
    va_list list;

    parser->error->line = parser->lexer.line;
    va_start(list, format);
    vsnprintf(parser->error->text, sizeof(parser->error->text), format, list);
    va_end(list);
    return CUDA_ERROR_INVALID_PTX;
}

static CUresult unexpected(const struct parser *parser)
{
    const struct ptx_token *token = &parser->lexer.token;

    if (token->kind == PTX_END)
        return fail(parser, "Unexpected end of file");
    return fail(parser, "Parsing error near '%.*s': syntax error",
                (int) (token->length < 64 ? token->length : 64), token->text);
}

static CUresult expect(struct parser *parser, const char *text)
{
    return mock__ptx_accept(&parser->lexer, text) ? CUDA_SUCCESS : unexpected(parser);
}

static CUresult read_number(struct parser *parser, size_t *ret_number)
{
    MOCK__REQUIRE(parser->lexer.token.kind == PTX_NUMBER, unexpected(parser));
    *ret_number = strtoull(parser->lexer.token.text, NULL, 0);
    mock__ptx_next(&parser->lexer);
    return CUDA_SUCCESS;
}

static char *copy_text(const struct ptx_token *token)
{
    return strndup(token->text, token->length);
}

/* A zeroed place at the end of a list; NULL if there is no memory. */
static void *append(void *list_pointer, size_t *n, size_t size)
{
    void **list = list_pointer;
    void *larger = realloc(*list, (*n + 1) * size);

    if (!larger)
        return NULL;
    *list = larger;
    return memset((char *) larger + (*n)++ * size, 0, size);
}

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

static CUresult skip_parentheses(struct parser *parser)
{
    MOCK__TRY(expect(parser, "("));
    while (!mock__ptx_accept(&parser->lexer, ")")) {
        MOCK__REQUIRE(parser->lexer.token.kind != PTX_END, unexpected(parser));
        mock__ptx_next(&parser->lexer);
    }
    return CUDA_SUCCESS;
}

/* The words between the state space and the name. Sets the element's size. */
static CUresult read_modifiers(struct parser *parser, struct declaration *declaration)
{
    struct ptx_lexer *lexer = &parser->lexer;
    size_t type = 0, lanes = 1, alignment = 0, number = 0;
    bool pointer = false;

    while (lexer->token.kind == PTX_WORD && lexer->token.text[0] == '.') {
        if (mock__ptx_accept(lexer, ".align")) {
            MOCK__TRY(read_number(parser, &number));
            /* After .ptr, it is the alignment of what is pointed to. */
            if (!pointer)
                alignment = number;
        } else if (mock__ptx_accept(lexer, ".attribute")) {
            MOCK__TRY(skip_parentheses(parser));
        } else {
            type = type_bytes(lexer) ? type_bytes(lexer) : type;
            lanes = mock__ptx_is(lexer, ".v2") ? 2 : mock__ptx_is(lexer, ".v4") ? 4 : lanes;
            pointer = pointer || mock__ptx_is(lexer, ".ptr");
            mock__ptx_next(lexer);
        }
    }
    MOCK__REQUIRE(type, unexpected(parser));
    MOCK__REQUIRE(!(alignment & (alignment - 1)), fail(parser, "Alignment must be a power of two"));
    declaration->bytes = type * lanes;
    declaration->alignment = alignment ? alignment : declaration->bytes;
    return CUDA_SUCCESS;
}

/* Reads "[4][2]", of which the first may be empty. */
static CUresult read_dimensions(struct parser *parser, struct declaration *declaration)
{
    size_t number = 0;

    while (mock__ptx_accept(&parser->lexer, "[")) {
        if (mock__ptx_accept(&parser->lexer, "]")) {
            declaration->bytes = 0;
            continue;
        }
        MOCK__TRY(read_number(parser, &number));
        MOCK__REQUIRE(!__builtin_mul_overflow(declaration->bytes, number, &declaration->bytes),
                      fail(parser, "Array is too large"));
        MOCK__TRY(expect(parser, "]"));
    }
    return CUDA_SUCCESS;
}

static CUresult read_declaration(struct parser *parser, struct declaration *declaration)
{
    MOCK__TRY(read_modifiers(parser, declaration));
    MOCK__REQUIRE(parser->lexer.token.kind == PTX_WORD, unexpected(parser));
    declaration->name = parser->lexer.token;
    mock__ptx_next(&parser->lexer);
    return read_dimensions(parser, declaration);
}

/* Moves past the next semicolon; an initial value may hold anything else. */
static CUresult skip_statement(struct parser *parser)
{
    while (!mock__ptx_accept(&parser->lexer, ";")) {
        MOCK__REQUIRE(parser->lexer.token.kind != PTX_END, unexpected(parser));
        mock__ptx_next(&parser->lexer);
    }
    return CUDA_SUCCESS;
}

/* Makes room for one more of so many bytes behind what is there. */
static size_t place_after(size_t used, const struct declaration *declaration)
{
    return (used + declaration->alignment - 1) & ~(declaration->alignment - 1);
}

static CUresult read_variable(struct parser *parser, bool constant)
{
    struct declaration declaration = {.bytes = 0};
    struct mock__ptx *ptx = parser->ptx;
    struct mock__variable *variable;

    MOCK__TRY(read_declaration(parser, &declaration));
    variable = append(&ptx->variables, &ptx->n_variables, sizeof(*variable));
    MOCK__REQUIRE(variable, CUDA_ERROR_OUT_OF_MEMORY);
    variable->name = copy_text(&declaration.name);
    variable->bytes = declaration.bytes;
    variable->alignment = declaration.alignment;
    variable->constant = constant;
    MOCK__REQUIRE(variable->name, CUDA_ERROR_OUT_OF_MEMORY);
    if (constant)
        ptx->constant_bytes = place_after(ptx->constant_bytes, &declaration) + declaration.bytes;
    return skip_statement(parser);
}

static CUresult read_parameter(struct parser *parser, struct mock__entry *entry)
{
    struct declaration declaration = {.bytes = 0};
    struct mock__parameter *parameter;

    MOCK__TRY(expect(parser, ".param"));
    MOCK__TRY(read_declaration(parser, &declaration));
    parameter = append(&entry->parameters, &entry->n_parameters, sizeof(*parameter));
    MOCK__REQUIRE(parameter, CUDA_ERROR_OUT_OF_MEMORY);
    parameter->offset = place_after(entry->parameter_bytes, &declaration);
    parameter->size = declaration.bytes;
    parameter->alignment = declaration.alignment;
    entry->parameter_bytes = parameter->offset + parameter->size;
    MOCK__REQUIRE(entry->parameter_bytes <= 32764,
                  fail(parser, "Formal parameter space overflowed"));
    return CUDA_SUCCESS;
}

static CUresult read_parameters(struct parser *parser, struct mock__entry *entry)
{
    /* A kernel without parameters may leave the parentheses out. */
    if (!mock__ptx_accept(&parser->lexer, "(") || mock__ptx_accept(&parser->lexer, ")"))
        return CUDA_SUCCESS;
    do {
        MOCK__TRY(read_parameter(parser, entry));
    } while (mock__ptx_accept(&parser->lexer, ","));
    return expect(parser, ")");
}

/* Reads "256, 1, 1" as 256. */
static CUresult read_block(struct parser *parser, size_t *ret_threads)
{
    size_t number = 0;

    *ret_threads = 1;
    do {
        MOCK__TRY(read_number(parser, &number));
        *ret_threads *= number;
    } while (mock__ptx_accept(&parser->lexer, ","));
    return CUDA_SUCCESS;
}

/* The directives between the parameters and the body, up to either end of the declaration. */
static CUresult read_directives(struct parser *parser, struct mock__entry *entry)
{
    struct ptx_lexer *lexer = &parser->lexer;

    while (!mock__ptx_is(lexer, "{") && !mock__ptx_is(lexer, ";")) {
        MOCK__REQUIRE(lexer->token.kind != PTX_END, unexpected(parser));
        if (mock__ptx_accept(lexer, ".maxntid") || mock__ptx_accept(lexer, ".reqntid"))
            MOCK__TRY(read_block(parser, &entry->max_threads));
        else
            mock__ptx_next(lexer);
    }
    return CUDA_SUCCESS;
}

/* A variable in a body, which takes room in each block or thread. */
static CUresult read_room(struct parser *parser, size_t *bytes)
{
    struct declaration declaration = {.bytes = 0};

    mock__ptx_next(&parser->lexer);
    MOCK__TRY(read_declaration(parser, &declaration));
    *bytes = place_after(*bytes, &declaration) + declaration.bytes;
    return skip_statement(parser);
}

/* Walks over a body in braces. With no entry, only looks for its end. */
static CUresult read_body(struct parser *parser, struct mock__entry *entry)
{
    struct ptx_lexer *lexer = &parser->lexer;
    bool at_statement = true;
    int depth = 0;

    do {
        MOCK__REQUIRE(lexer->token.kind != PTX_END, unexpected(parser));
        if (entry && at_statement && mock__ptx_is(lexer, ".shared")) {
            MOCK__TRY(read_room(parser, &entry->shared_bytes));
            continue;
        }
        if (entry && at_statement && mock__ptx_is(lexer, ".local")) {
            MOCK__TRY(read_room(parser, &entry->local_bytes));
            continue;
        }
        depth += mock__ptx_is(lexer, "{") - mock__ptx_is(lexer, "}");
        at_statement = lexer->token.length == 1 && strchr("{};:", *lexer->token.text);
        mock__ptx_next(lexer);
    } while (depth);
    return CUDA_SUCCESS;
}

static CUresult read_entry(struct parser *parser)
{
    struct mock__ptx *ptx = parser->ptx;
    struct mock__entry *entry;

    MOCK__REQUIRE(parser->lexer.token.kind == PTX_WORD, unexpected(parser));
    entry = append(&ptx->entries, &ptx->n_entries, sizeof(*entry));
    MOCK__REQUIRE(entry, CUDA_ERROR_OUT_OF_MEMORY);
    entry->name = copy_text(&parser->lexer.token);
    MOCK__REQUIRE(entry->name, CUDA_ERROR_OUT_OF_MEMORY);
    mock__ptx_next(&parser->lexer);
    MOCK__TRY(read_parameters(parser, entry));
    MOCK__TRY(read_directives(parser, entry));
    return mock__ptx_accept(&parser->lexer, ";") ? CUDA_SUCCESS : read_body(parser, entry);
}

static CUresult read_version(struct parser *parser)
{
    const char *text = parser->lexer.token.text;
    char *end;
    const unsigned long major = strtoul(text, &end, 10);
    const unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;

    MOCK__REQUIRE(parser->lexer.token.kind == PTX_NUMBER && major < 1000 && minor < 10,
                  unexpected(parser));
    parser->ptx->version = (int) (10 * major + minor);
    parser->has_version = true;
    if (parser->ptx->version > NEWEST_VERSION) {
        fail(parser, "Unsupported .version %lu.%lu; current version is '%d.%d'", major, minor,
             NEWEST_VERSION / 10, NEWEST_VERSION % 10);
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    mock__ptx_next(&parser->lexer);
    return CUDA_SUCCESS;
}

static CUresult read_target(struct parser *parser)
{
    const struct ptx_token *token = &parser->lexer.token;

    MOCK__REQUIRE(token->kind == PTX_WORD && token->length > 3 && !strncmp(token->text, "sm_", 3),
                  unexpected(parser));
    parser->ptx->target = atoi(token->text + 3);
    parser->has_target = true;
    /* PTX runs on what it was made for and on what came later. */
    MOCK__REQUIRE(parser->ptx->target <= parser->capability,
                  fail(parser,
                       "PTX with .target 'sm_%d' cannot be compiled to architecture 'sm_%d'",
                       parser->ptx->target, parser->capability));
    mock__ptx_next(&parser->lexer);
    return CUDA_SUCCESS;
}

static CUresult read_statement(struct parser *parser)
{
    struct ptx_lexer *lexer = &parser->lexer;

    if (mock__ptx_accept(lexer, ".version"))
        return read_version(parser);
    if (mock__ptx_accept(lexer, ".target"))
        return read_target(parser);
    if (mock__ptx_accept(lexer, ".entry"))
        return read_entry(parser);
    if (mock__ptx_accept(lexer, ".global"))
        return read_variable(parser, false);
    if (mock__ptx_accept(lexer, ".const"))
        return read_variable(parser, true);
    if (mock__ptx_is(lexer, "{"))
        return read_body(parser, NULL);
    /* What is left declares nothing that the mock needs. */
    mock__ptx_next(lexer);
    return CUDA_SUCCESS;
}

/* Every PTX text begins with a directive. */
static bool looks_like_ptx(const struct ptx_lexer *lexer)
{
    return lexer->token.kind == PTX_WORD && *lexer->token.text == '.';
}

CUresult mock__ptx_read(const char *source, int capability, struct mock__ptx *ptx,
                        struct mock__ptx_error *error)
{
    struct parser parser = {.ptx = ptx, .error = error, .capability = capability};

    *ptx = (struct mock__ptx){.version = 0};
    *error = (struct mock__ptx_error){.line = 0};
    mock__ptx_lexer_init(&parser.lexer, source);
    MOCK__REQUIRE(looks_like_ptx(&parser.lexer), CUDA_ERROR_INVALID_IMAGE);
    while (parser.lexer.token.kind != PTX_END)
        MOCK__TRY(read_statement(&parser));
    MOCK__REQUIRE(parser.has_version, fail(&parser, "Missing .version directive"));
    MOCK__REQUIRE(parser.has_target, fail(&parser, "Missing .target directive"));
    return CUDA_SUCCESS;
}

void mock__ptx_finish(struct mock__ptx *ptx)
{
    for (size_t i = 0; i < ptx->n_entries; i++) {
        free(ptx->entries[i].name);
        free(ptx->entries[i].parameters);
    }
    for (size_t i = 0; i < ptx->n_variables; i++)
        free(ptx->variables[i].name);
    free(ptx->entries);
    free(ptx->variables);
    *ptx = (struct mock__ptx){.version = 0};
}
