/* SPDX-License-Identifier: MIT */
#include "mock/ptx/syntax/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void report(struct ptx__parser *parser, enum ptx__severity severity, struct ptx__place place,
                   const char *format, va_list list)
{
    char text[1024];

    vsnprintf(text, sizeof(text), format, list);
    ptx__report(parser->log, severity, place, "%s", text);
}

bool ptx__error(struct ptx__parser *parser, struct ptx__place place, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    report(parser, PTX_ERROR, place, format, list);
    va_end(list);
    return true;
}

bool ptx__fatal(struct ptx__parser *parser, struct ptx__place place, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    report(parser, PTX_FATAL, place, format, list);
    va_end(list);
    return false;
}

bool ptx__unexpected(struct ptx__parser *parser)
{
    const struct ptx__token *token = &parser->lexer.token;

    if (token->kind == PTX_OPEN_COMMENT)
        return ptx__fatal(parser, token->place,
                          "Parsing error near '': unexpected EOF while scanning");
    if (token->kind == PTX_END)
        return ptx__fatal(parser, token->place, "Unexpected end of file");
    return ptx__fatal(parser, token->place, "Parsing error near '%.*s': syntax error",
                      PTX_TEXT(*token));
}

bool ptx__no_memory(struct ptx__parser *parser)
{
    parser->status = PTX_OUT_OF_MEMORY;
    return false;
}

bool ptx__expect(struct ptx__parser *parser, const char *text)
{
    return ptx__accept(&parser->lexer, text) || ptx__unexpected(parser);
}

bool ptx__expect_name(struct ptx__parser *parser, struct ptx__token *ret_name)
{
    if (parser->lexer.token.kind != PTX_NAME)
        return ptx__unexpected(parser);
    *ret_name = parser->lexer.token;
    ptx__next(&parser->lexer);
    return true;
}

bool ptx__skip_statement(struct ptx__parser *parser)
{
    while (!ptx__accept(&parser->lexer, ";")) {
        if (parser->lexer.token.kind == PTX_END || ptx__is(&parser->lexer, "\""))
            return ptx__unexpected(parser);
        ptx__next(&parser->lexer);
    }
    return true;
}

const char *ptx__copy(struct ptx__parser *parser, const struct ptx__token *token)
{
    char *copy = cushim__arena_alloc(&parser->module->arena, token->length + 1);

    if (!copy) {
        ptx__no_memory(parser);
        return NULL;
    }
    return memcpy(copy, token->text, token->length);
}

/* Lists double when their length is a power of two, so no capacity is stored. */
void *ptx__append(struct ptx__parser *parser, void *list_pointer, uint32_t *n, size_t size)
{
    char **list = list_pointer;

    if (!(*n & (*n - 1))) {
        const size_t room = *n ? 2 * (size_t) *n : 1;
        char *larger = cushim__arena_alloc(&parser->module->arena, room * size);

        if (!larger || room > UINT32_MAX / 2) {
            ptx__no_memory(parser);
            return NULL;
        }
        if (*n)
            memcpy(larger, *list, *n * size);
        *list = larger;
    }
    return *list + (*n)++ * size;
}

double ptx__number_value(const struct ptx__number *number)
{
    const uint32_t low = (uint32_t) number->integer;
    double wide;
    float narrow;

    memcpy(&wide, &number->integer, sizeof(wide));
    memcpy(&narrow, &low, sizeof(narrow));
    if (number->real)
        return number->type == PTX_F32 ? (double) narrow : wide;
    return number->is_unsigned ? (double) number->integer : (double) (int64_t) number->integer;
}
