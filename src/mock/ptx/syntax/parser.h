/* SPDX-License-Identifier: MIT */
/*
 * Shared by the readers of PTX text.
 *
 * Functions that read return whether to continue: false after an error of syntax, or when out of
 * memory. Errors of meaning are reported, and reading continues, so that a program gets all of them
 * at once. Names, and what they mean, are in names.c.
 */
#ifndef CUSHIM_MOCK_PTX_SYNTAX_PARSER_H
#define CUSHIM_MOCK_PTX_SYNTAX_PARSER_H

#include "mock/ptx/syntax/lexer.h"
#include "mock/ptx/syntax/log.h"
#include "mock/ptx/syntax/scope.h"

#define PTX_MAX_DIMENSIONS 8
#define PTX_MAX_DEPTH      64 /* of braces, parentheses and expressions */

/* A label in an operand or a table. It is looked up at the end of its block. */
struct ptx__reference {
    struct ptx__token name;
    uint32_t depth;
    uint32_t *target;
    struct ptx__reference *next;
};

/* A range of registers: ".reg .b32 %r<10>;". */
struct ptx__register_range {
    uint32_t count;
    uint8_t type, vector;
};

struct ptx__parser {
    struct ptx__lexer lexer;
    struct ptx__module *module;
    struct ptx__log *log;
    int capability;
    enum ptx__status status; /* why reading ended; PTX_INVALID if no other reason is set */
    uint32_t unit;

    /* The header of this text. */
    int version, target;
    char suffix;
    bool has_version, has_target;

    struct ptx__scope scope;
    struct ptx__map files; /* indices in the module's list, by the numbers of this text */

    /* The function whose body is read. */
    struct ptx__function *function;
    struct ptx__reference *references; /* those of inner blocks first */
    struct ptx__register_range *ranges;
    uint32_t n_ranges;
    struct ptx__map ranged; /* registers by range and number */
    uint32_t location;
    uint32_t depth;
};

/*
 * Report a mistake. ptx__error() returns true, so that reading continues; ptx__fatal() returns
 * false.
 */
__attribute__((format(printf, 3, 4))) bool
ptx__error(struct ptx__parser *parser, struct ptx__place place, const char *format, ...);
__attribute__((format(printf, 3, 4))) bool
ptx__fatal(struct ptx__parser *parser, struct ptx__place place, const char *format, ...);
bool ptx__unexpected(struct ptx__parser *parser);
bool ptx__no_memory(struct ptx__parser *parser);

/* The text of a token for "%.*s", shortened if it is long. */
#define PTX_TEXT(token) ((int) ((token).length < 200 ? (token).length : 200)), (token).text

/* Moves over this word, or fails if it is another one. */
bool ptx__expect(struct ptx__parser *parser, const char *text);

/* Reads a name. */
bool ptx__expect_name(struct ptx__parser *parser, struct ptx__token *ret_name);

/* Moves past the next semicolon. */
bool ptx__skip_statement(struct ptx__parser *parser);

/* Returns a copy in the module's arena, with a NUL. NULL when out of memory. */
const char *ptx__copy(struct ptx__parser *parser, const struct ptx__token *token);

/* Appends a zeroed element to a list in the arena, and returns it. NULL when out of memory. */
void *ptx__append(struct ptx__parser *parser, void *list_pointer, uint32_t *n, size_t size);

/* A constant. */
struct ptx__number {
    bool real, is_unsigned;
    uint8_t type;     /* of a real one: PTX_F32 for "0f...", else PTX_F64 */
    uint64_t integer; /* its bits if it is a real one */
};

/* Returns the number as a double. */
double ptx__number_value(const struct ptx__number *number);

/* ---- names.c */

/*
 * Returns the register of a name, and makes it if it belongs to a range; PTX_NONE if there is none.
 */
bool ptx__parse_register(struct ptx__parser *parser, const struct ptx__token *name,
                         uint32_t *ret_reg);

/* Makes a new register. */
bool ptx__register_new(struct ptx__parser *parser, const struct ptx__token *name, uint8_t type,
                       uint8_t vector, uint32_t *ret_reg);

/* Declares a name in the current block. Reports a mistake if the block has the name already. */
bool ptx__declare(struct ptx__parser *parser, const struct ptx__token *token,
                  enum ptx__name_kind kind, uint32_t number, struct ptx__symbol symbol);

/* Refers to a label by its name. It may be declared later, in this block or an enclosing one. */
bool ptx__refer(struct ptx__parser *parser, const struct ptx__token *name, uint32_t *target);

/* Ends a block: looks up the labels that it refers to, and removes its names. */
void ptx__leave_block(struct ptx__parser *parser);

#endif
