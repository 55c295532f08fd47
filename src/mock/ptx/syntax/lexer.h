/* SPDX-License-Identifier: MIT */
/* Splits a PTX text into words. */
#ifndef CUSHIM_MOCK_PTX_SYNTAX_LEXER_H
#define CUSHIM_MOCK_PTX_SYNTAX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mock/ptx/syntax/ast.h"

enum ptx__token_kind {
    PTX_END,
    PTX_OPEN_COMMENT, /* a comment without an end */
    PTX_NAME,         /* "addk", "%r1", "_" */
    PTX_DOTTED,       /* ".entry", ".L2::128B", with its dot */
    PTX_NUMBER,       /* "16", "6.4", "0f3F800000" */
    PTX_STRING,       /* with its quotes */
    PTX_PUNCTUATION,  /* one character, or "<<", ">=" and such */
};

struct ptx__token {
    enum ptx__token_kind kind;
    const char *text; /* in the source; not terminated */
    size_t length;
    struct ptx__place place;
    bool behind_blank; /* there is a blank before it */
};

struct ptx__lexer {
    const char *at, *end, *line_begin;
    uint32_t line;
    struct ptx__token token; /* the current one */
};

/* A position of a lexer, to go back to. */
typedef struct ptx__lexer ptx__lexer_mark;

/* Begins a text. It ends after length characters, or at a NUL. */
void ptx__lexer_init(struct ptx__lexer *lexer, const char *source, size_t length);

/* Moves to the next word, over blanks and comments. */
void ptx__next(struct ptx__lexer *lexer);

/*
 * Tells whether the current word is this one. It is here because the reader asks so often, and
 * for words whose length the compiler knows.
 */
static inline bool ptx__is(const struct ptx__lexer *lexer, const char *text)
{
    const size_t length = strlen(text);

    return length == lexer->token.length && !memcmp(lexer->token.text, text, length);
}

/* If the current word is this one, moves to the next. */
static inline bool ptx__accept(struct ptx__lexer *lexer, const char *text)
{
    if (lexer->token.kind == PTX_END || !ptx__is(lexer, text))
        return false;
    ptx__next(lexer);
    return true;
}

#endif
