/* SPDX-License-Identifier: MIT */
#include "mock/ptx/syntax/lexer.h"

#include <string.h>

/* Returns a character after the current one; NUL behind the end. */
static char peek(const struct ptx__lexer *lexer, size_t distance)
{
    return distance < (size_t) (lexer->end - lexer->at) ? lexer->at[distance] : '\0';
}

/* These do not depend on the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool in_name(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static bool begins_name(char c)
{
    return is_letter(c) || c == '_' || c == '$' || c == '%';
}

static void step(struct ptx__lexer *lexer)
{
    if (*lexer->at++ == '\n') {
        lexer->line++;
        lexer->line_begin = lexer->at;
    }
}

static void skip_line(struct ptx__lexer *lexer)
{
    while (peek(lexer, 0) && peek(lexer, 0) != '\n')
        lexer->at++;
}

/* Skips a comment. If it has no end, nothing is skipped. */
static bool skip_block_comment(struct ptx__lexer *lexer)
{
    const struct ptx__lexer begin = *lexer;

    lexer->at += 2;
    while (peek(lexer, 0) && (peek(lexer, 0) != '*' || peek(lexer, 1) != '/'))
        step(lexer);
    if (!peek(lexer, 0)) {
        *lexer = begin;
        return false;
    }
    lexer->at += 2;
    return true;
}

/* Skips blanks, comments, and lines that begin with "#", which are for a preprocessor. */
static void skip_blanks(struct ptx__lexer *lexer)
{
    for (;;) {
        if (peek(lexer, 0) == '/' && peek(lexer, 1) == '/')
            skip_line(lexer);
        else if (peek(lexer, 0) == '/' && peek(lexer, 1) == '*' && skip_block_comment(lexer))
            continue;
        else if (peek(lexer, 0) == '#' && lexer->at == lexer->line_begin)
            skip_line(lexer);
        else if (is_blank(peek(lexer, 0)))
            step(lexer);
        else
            return;
    }
}

static size_t name_length(const struct ptx__lexer *lexer, size_t from)
{
    while (in_name(peek(lexer, from)))
        from++;
    return from;
}

/* ".mbarrier::complete_tx::bytes" is one word. */
static size_t dotted_length(const struct ptx__lexer *lexer)
{
    size_t length = name_length(lexer, 1);

    while (peek(lexer, length) == ':' && peek(lexer, length + 1) == ':' &&
           in_name(peek(lexer, length + 2)))
        length = name_length(lexer, length + 2);
    return length;
}

/* Numbers such as "16U", "0x1F", "0f3F800000", "6.4", "1.5e-3". */
static size_t number_length(const struct ptx__lexer *lexer)
{
    const bool prefixed = peek(lexer, 0) == '0' && is_letter(peek(lexer, 1));
    size_t length = name_length(lexer, 0);

    if (prefixed)
        return length;
    if (peek(lexer, length) == '.' && is_digit(peek(lexer, length + 1)))
        length = name_length(lexer, length + 1);
    else if (peek(lexer, length) == '.' && !begins_name(peek(lexer, length + 1)))
        length++;
    if ((lexer->at[length - 1] | 32) == 'e' &&
        (peek(lexer, length) == '-' || peek(lexer, length) == '+'))
        length = name_length(lexer, length + 1);
    return length;
}

/* A string ends on its line, so that a missing quote spoils only one line. 0: there is no end. */
static size_t string_length(const struct ptx__lexer *lexer)
{
    size_t length = 1;

    while (peek(lexer, length) && peek(lexer, length) != '"' && peek(lexer, length) != '\n')
        length += peek(lexer, length) == '\\' && peek(lexer, length + 1) == '"' ? 2 : 1;
    return peek(lexer, length) == '"' ? length + 1 : 0;
}

static size_t punctuation_length(const struct ptx__lexer *lexer)
{
    static const char pairs[][2] = {{'<', '<'}, {'>', '>'}, {'<', '='}, {'>', '='},
                                    {'=', '='}, {'!', '='}, {'&', '&'}, {'|', '|'}};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        if (peek(lexer, 0) == pairs[i][0] && peek(lexer, 1) == pairs[i][1])
            return 2;
    }
    return 1;
}

static size_t measure(const struct ptx__lexer *lexer, enum ptx__token_kind *ret_kind)
{
    const char c = peek(lexer, 0), next = peek(lexer, 1);

    if (!c)
        return *ret_kind = PTX_END, 0;
    if (is_digit(c))
        return *ret_kind = PTX_NUMBER, number_length(lexer);
    if (begins_name(c) && (c != '%' || in_name(next)))
        return *ret_kind = PTX_NAME, name_length(lexer, 1);
    if (c == '.' && in_name(next))
        return *ret_kind = PTX_DOTTED, dotted_length(lexer);
    if (c == '/' && next == '*')
        return *ret_kind = PTX_OPEN_COMMENT, (size_t) (lexer->end - lexer->at);
    *ret_kind = PTX_PUNCTUATION;
    if (c == '"' && string_length(lexer))
        return *ret_kind = PTX_STRING, string_length(lexer);
    return punctuation_length(lexer);
}

void ptx__next(struct ptx__lexer *lexer)
{
    struct ptx__token *token = &lexer->token;
    const char *before = lexer->at;

    skip_blanks(lexer);
    token->behind_blank = lexer->at != before;
    token->text = lexer->at;
    token->place.line = lexer->line;
    token->place.column = (uint32_t) (lexer->at - lexer->line_begin) + 1;
    token->length = measure(lexer, &token->kind);
    lexer->at += token->length;
}

void ptx__lexer_init(struct ptx__lexer *lexer, const char *source, size_t length)
{
    *lexer =
        (struct ptx__lexer){.at = source, .end = source + length, .line_begin = source, .line = 1};
    ptx__next(lexer);
}
