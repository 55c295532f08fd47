/* SPDX-License-Identifier: MIT */
/* The words of PTX text. */
#ifndef CUSHIM_MOCK_PTX_LEXER_H
#define CUSHIM_MOCK_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>

enum ptx_token_kind {
    PTX_END,
    PTX_WORD,   /* a name or a directive: "addk", "%r1", ".entry" */
    PTX_NUMBER, /* "16", "6.4", "0f3F800000" */
    PTX_STRING,
    PTX_PUNCTUATION,
};

struct ptx_token {
    enum ptx_token_kind kind;
    const char *text; /* in the source; not terminated */
    size_t length;
};

struct ptx_lexer {
    const char *at;
    int line;
    struct ptx_token token; /* the current one */
};

void mock__ptx_lexer_init(struct ptx_lexer *lexer, const char *source);

/* Moves to the next word, past blanks and comments. */
void mock__ptx_next(struct ptx_lexer *lexer);

/* Is the current word this one? */
bool mock__ptx_is(const struct ptx_lexer *lexer, const char *text);

/* If it is, moves past it. */
bool mock__ptx_accept(struct ptx_lexer *lexer, const char *text);

#endif
