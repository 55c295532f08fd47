/* SPDX-License-Identifier: MIT */
#include "mock/ptx_entries.h"

#include <stdlib.h>
#include <string.h>

#include "mock/ptx_parser.h"
#include "mock/state.h"

#define NEWEST_VERSION 90

static CUresult read_parameter(struct ptx_parser *parser, struct mock__entry *entry)
{
    struct ptx_declaration declaration;
    struct mock__parameter *parameter;

    MOCK__TRY(mock__ptx_expect(parser, ".param"));
    MOCK__TRY(mock__ptx_declaration(parser, &declaration));
    parameter = mock__ptx_append(&entry->parameters, &entry->n_parameters, sizeof(*parameter));
    MOCK__REQUIRE(parameter, CUDA_ERROR_OUT_OF_MEMORY);
    parameter->offset = mock__ptx_place(entry->parameter_bytes, &declaration);
    parameter->size = declaration.bytes;
    parameter->alignment = declaration.alignment;
    entry->parameter_bytes = parameter->offset + parameter->size;
    MOCK__REQUIRE(entry->parameter_bytes <= 32764,
                  mock__ptx_fail(parser, "Formal parameter space overflowed"));
    return CUDA_SUCCESS;
}

static CUresult read_parameters(struct ptx_parser *parser, struct mock__entry *entry)
{
    /* A kernel without parameters may leave the parentheses out. */
    if (!mock__ptx_accept(&parser->lexer, "(") || mock__ptx_accept(&parser->lexer, ")"))
        return CUDA_SUCCESS;
    do {
        MOCK__TRY(read_parameter(parser, entry));
    } while (mock__ptx_accept(&parser->lexer, ","));
    return mock__ptx_expect(parser, ")");
}

/* Reads "256, 1, 1" as 256. */
static CUresult read_block(struct ptx_parser *parser, size_t *ret_threads)
{
    size_t number = 0;

    *ret_threads = 1;
    do {
        MOCK__TRY(mock__ptx_size(parser, &number));
        *ret_threads *= number;
    } while (mock__ptx_accept(&parser->lexer, ","));
    return CUDA_SUCCESS;
}

/* The directives between the parameters and the body, up to either end of the declaration. */
static CUresult read_directives(struct ptx_parser *parser, struct mock__entry *entry)
{
    struct ptx_lexer *lexer = &parser->lexer;

    while (!mock__ptx_is(lexer, "{") && !mock__ptx_is(lexer, ";")) {
        MOCK__REQUIRE(lexer->token.kind != PTX_END, mock__ptx_unexpected(parser));
        if (mock__ptx_accept(lexer, ".maxntid") || mock__ptx_accept(lexer, ".reqntid"))
            MOCK__TRY(read_block(parser, &entry->max_threads));
        else
            mock__ptx_next(lexer);
    }
    return CUDA_SUCCESS;
}

/* A variable in a body, which takes room in each block or thread. */
static CUresult read_room(struct ptx_parser *parser, size_t *bytes)
{
    struct ptx_declaration declaration;

    mock__ptx_next(&parser->lexer);
    MOCK__TRY(mock__ptx_declaration(parser, &declaration));
    *bytes = mock__ptx_place(*bytes, &declaration) + declaration.bytes;
    return mock__ptx_skip_statement(parser);
}

/* Walks over a body in braces. With no entry, only looks for its end. */
static CUresult read_body(struct ptx_parser *parser, struct mock__entry *entry)
{
    struct ptx_lexer *lexer = &parser->lexer;
    bool at_statement = true;
    int depth = 0;

    do {
        MOCK__REQUIRE(lexer->token.kind != PTX_END, mock__ptx_unexpected(parser));
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

static CUresult read_entry(struct ptx_parser *parser)
{
    struct mock__ptx *ptx = parser->ptx;
    struct mock__entry *entry;

    MOCK__REQUIRE(parser->lexer.token.kind == PTX_WORD, mock__ptx_unexpected(parser));
    entry = mock__ptx_append(&ptx->entries, &ptx->n_entries, sizeof(*entry));
    MOCK__REQUIRE(entry, CUDA_ERROR_OUT_OF_MEMORY);
    entry->name = mock__ptx_copy(&parser->lexer.token);
    MOCK__REQUIRE(entry->name, CUDA_ERROR_OUT_OF_MEMORY);
    mock__ptx_next(&parser->lexer);
    MOCK__TRY(read_parameters(parser, entry));
    MOCK__TRY(read_directives(parser, entry));
    return mock__ptx_accept(&parser->lexer, ";") ? CUDA_SUCCESS : read_body(parser, entry);
}

static CUresult read_version(struct ptx_parser *parser)
{
    const char *text = parser->lexer.token.text;
    char *end;
    const unsigned long major = strtoul(text, &end, 10);
    const unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;

    MOCK__REQUIRE(parser->lexer.token.kind == PTX_NUMBER && major < 1000 && minor < 10,
                  mock__ptx_unexpected(parser));
    parser->ptx->version = (int) (10 * major + minor);
    parser->has_version = true;
    if (parser->ptx->version > NEWEST_VERSION) {
        mock__ptx_fail(parser, "Unsupported .version %lu.%lu; current version is '%d.%d'", major,
                       minor, NEWEST_VERSION / 10, NEWEST_VERSION % 10);
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    mock__ptx_next(&parser->lexer);
    return CUDA_SUCCESS;
}

static CUresult read_target(struct ptx_parser *parser)
{
    const struct ptx_token *token = &parser->lexer.token;

    MOCK__REQUIRE(token->kind == PTX_WORD && token->length > 3 && !strncmp(token->text, "sm_", 3),
                  mock__ptx_unexpected(parser));
    parser->ptx->target = atoi(token->text + 3);
    parser->has_target = true;
    /* PTX runs on what it was made for and on what came later. */
    MOCK__REQUIRE(parser->ptx->target <= parser->capability,
                  mock__ptx_fail(
                      parser, "PTX with .target 'sm_%d' cannot be compiled to architecture 'sm_%d'",
                      parser->ptx->target, parser->capability));
    mock__ptx_next(&parser->lexer);
    return CUDA_SUCCESS;
}

static CUresult read_statement(struct ptx_parser *parser)
{
    struct ptx_lexer *lexer = &parser->lexer;

    if (mock__ptx_accept(lexer, ".version"))
        return read_version(parser);
    if (mock__ptx_accept(lexer, ".target"))
        return read_target(parser);
    if (mock__ptx_accept(lexer, ".entry"))
        return read_entry(parser);
    if (mock__ptx_accept(lexer, ".global"))
        return mock__ptx_variable(parser, false);
    if (mock__ptx_accept(lexer, ".const"))
        return mock__ptx_variable(parser, true);
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
    struct ptx_parser parser = {.ptx = ptx, .error = error, .capability = capability};

    *ptx = (struct mock__ptx){.version = 0};
    *error = (struct mock__ptx_error){.line = 0};
    mock__ptx_lexer_init(&parser.lexer, source);
    MOCK__REQUIRE(looks_like_ptx(&parser.lexer), CUDA_ERROR_INVALID_IMAGE);
    while (parser.lexer.token.kind != PTX_END)
        MOCK__TRY(read_statement(&parser));
    MOCK__REQUIRE(parser.has_version, mock__ptx_fail(&parser, "Missing .version directive"));
    MOCK__REQUIRE(parser.has_target, mock__ptx_fail(&parser, "Missing .target directive"));
    return CUDA_SUCCESS;
}

void mock__ptx_finish(struct mock__ptx *ptx)
{
    for (size_t i = 0; i < ptx->n_entries; i++) {
        free(ptx->entries[i].name);
        free(ptx->entries[i].parameters);
    }
    for (size_t i = 0; i < ptx->n_variables; i++)
        mock__ptx_variable_finish(&ptx->variables[i]);
    free(ptx->entries);
    free(ptx->variables);
    *ptx = (struct mock__ptx){.version = 0};
}
