/* SPDX-License-Identifier: MIT */
#include "mock/ptx_parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/state.h"

CUresult mock__ptx_fail(const struct ptx_parser *parser, const char *format, ...)
{
    va_list list;

    parser->error->line = parser->lexer.line;
    va_start(list, format);
    vsnprintf(parser->error->text, sizeof(parser->error->text), format, list);
    va_end(list);
    return CUDA_ERROR_INVALID_PTX;
}

CUresult mock__ptx_unexpected(const struct ptx_parser *parser)
{
    const struct ptx_token *token = &parser->lexer.token;

    if (token->kind == PTX_END)
        return mock__ptx_fail(parser, "Unexpected end of file");
    return mock__ptx_fail(parser, "Parsing error near '%.*s': syntax error",
                          (int) (token->length < 64 ? token->length : 64), token->text);
}

CUresult mock__ptx_expect(struct ptx_parser *parser, const char *text)
{
    return mock__ptx_accept(&parser->lexer, text) ? CUDA_SUCCESS : mock__ptx_unexpected(parser);
}

CUresult mock__ptx_size(struct ptx_parser *parser, size_t *ret_number)
{
    MOCK__REQUIRE(parser->lexer.token.kind == PTX_NUMBER, mock__ptx_unexpected(parser));
    *ret_number = strtoull(parser->lexer.token.text, NULL, 0);
    mock__ptx_next(&parser->lexer);
    return CUDA_SUCCESS;
}

CUresult mock__ptx_skip_statement(struct ptx_parser *parser)
{
    while (!mock__ptx_accept(&parser->lexer, ";")) {
        MOCK__REQUIRE(parser->lexer.token.kind != PTX_END, mock__ptx_unexpected(parser));
        mock__ptx_next(&parser->lexer);
    }
    return CUDA_SUCCESS;
}

char *mock__ptx_copy(const struct ptx_token *token)
{
    return strndup(token->text, token->length);
}

void *mock__ptx_append(void *list_pointer, size_t *n, size_t size)
{
    void **list = list_pointer;
    void *larger = realloc(*list, (*n + 1) * size);

    if (!larger)
        return NULL;
    *list = larger;
    return memset((char *) larger + (*n)++ * size, 0, size);
}
