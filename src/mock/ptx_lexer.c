/* SPDX-License-Identifier: MIT */
#include "mock/ptx_lexer.h"

#include <ctype.h>
#include <string.h>

void mock__ptx_lexer_init(struct ptx_lexer *lexer, const char *source)
{
    *lexer = (struct ptx_lexer){.at = source, .line = 1};
    mock__ptx_next(lexer);
}

static void skip_line(struct ptx_lexer *lexer)
{
    while (*lexer->at && *lexer->at != '\n')
        lexer->at++;
}

static void skip_block_comment(struct ptx_lexer *lexer)
{
    for (lexer->at += 2; *lexer->at; lexer->at++) {
        if (lexer->at[0] == '*' && lexer->at[1] == '/') {
            lexer->at += 2;
            return;
        }
        lexer->line += *lexer->at == '\n';
    }
}

static void skip_blanks(struct ptx_lexer *lexer)
{
    for (;;) {
        if (lexer->at[0] == '/' && lexer->at[1] == '/') {
            skip_line(lexer);
        } else if (lexer->at[0] == '/' && lexer->at[1] == '*') {
            skip_block_comment(lexer);
        } else if (isspace((unsigned char) *lexer->at)) {
            lexer->line += *lexer->at == '\n';
            lexer->at++;
        } else {
            return;
        }
    }
}

/* A dot begins a word and ends the one before: "ld.param.u64" is three. */
static bool begins_word(char c)
{
    return isalpha((unsigned char) c) || (c && strchr("._$%", c));
}

static bool in_word(char c)
{
    return isalnum((unsigned char) c) || c == '_' || c == '$';
}

/* Of any base and kind: "0x1F", "0f3F800000", "6.4". */
static bool in_number(char c)
{
    return isalnum((unsigned char) c) || c == '.';
}

/* A string ends with its line at the latest, so that one without an end costs one line. */
static size_t string_length(const char *text)
{
    size_t length = 1;

    while (text[length] && text[length] != '"' && text[length] != '\n')
        length++;
    return length + (text[length] == '"');
}

static size_t length_while(const char *text, bool (*belongs)(char))
{
    size_t length = 1;

    while (belongs(text[length]))
        length++;
    return length;
}

/* A decimal number may go on after its "e" with a sign: "1.5e-3". */
static size_t number_length(const char *text)
{
    const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    size_t length = length_while(text, in_number);
    const char last = text[length - 1];

    if (!hexadecimal && memchr(text, '.', length) && (last == 'e' || last == 'E') &&
        (text[length] == '-' || text[length] == '+'))
        length += length_while(text + length, in_number);
    return length;
}

void mock__ptx_next(struct ptx_lexer *lexer)
{
    struct ptx_token *token = &lexer->token;

    skip_blanks(lexer);
    token->text = lexer->at;
    if (!*lexer->at) {
        token->kind = PTX_END;
        token->length = 0;
    } else if (isdigit((unsigned char) *lexer->at)) {
        token->kind = PTX_NUMBER;
        token->length = number_length(lexer->at);
    } else if (begins_word(*lexer->at)) {
        token->kind = PTX_WORD;
        token->length = length_while(lexer->at, in_word);
    } else if (*lexer->at == '"') {
        token->kind = PTX_STRING;
        token->length = string_length(lexer->at);
    } else {
        token->kind = PTX_PUNCTUATION;
        token->length = 1;
    }
    lexer->at += token->length;
}

bool mock__ptx_is(const struct ptx_lexer *lexer, const char *text)
{
    return strlen(text) == lexer->token.length &&
           !strncmp(lexer->token.text, text, lexer->token.length);
}

bool mock__ptx_accept(struct ptx_lexer *lexer, const char *text)
{
    if (lexer->token.kind == PTX_END || !mock__ptx_is(lexer, text))
        return false;
    mock__ptx_next(lexer);
    return true;
}
