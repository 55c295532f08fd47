/* SPDX-License-Identifier: MIT */
/*
 * What the readers of PTX text share.
 *
 * Functions that read answer whether to go on: false after a mistake in the grammar or when
 * there is no memory. A mistake in the meaning is said, and reading goes on, so that a program
 * hears of all of them at once.
 */
#ifndef CUSHIM_MOCK_PTX_SYNTAX_PARSER_H
#define CUSHIM_MOCK_PTX_SYNTAX_PARSER_H

#include "mock/ptx/syntax/lexer.h"
#include "mock/ptx/syntax/log.h"
#include "mock/ptx/syntax/scope.h"

#define PTX_MAX_DIMENSIONS 8
#define PTX_MAX_DEPTH      64 /* of braces, parentheses and expressions */

/* A label that an operand or a table names, to be found at the end of its block. */
struct ptx__reference {
    struct ptx__token name;
    uint32_t depth;
    uint32_t *target;
    struct ptx__reference *next;
};

/* ".reg .b32 %r<10>;" */
struct ptx__register_range {
    uint32_t count;
    uint8_t type, vector;
};

struct ptx__parser {
    struct ptx__lexer lexer;
    struct ptx__module *module;
    struct ptx__log *log;
    int capability;
    enum ptx__status status; /* why reading ended; PTX_INVALID if nothing else is said */
    uint32_t unit;

    /* The header of this text. */
    int version, target;
    char suffix;
    bool has_version, has_target;

    struct ptx__scope scope;
    struct ptx__map files; /* of the module's list, by the numbers that this text has for them */

    /* The function whose body is read. */
    struct ptx__function *function;
    struct ptx__reference *references; /* those of inner blocks first */
    struct ptx__register_range *ranges;
    uint32_t n_ranges;
    struct ptx__map ranged; /* registers by range and number */
    uint32_t location;
    uint32_t depth;
};

/* Says a mistake. The first goes on and answers true, the second does not. */
__attribute__((format(printf, 3, 4))) bool
ptx__error(struct ptx__parser *parser, struct ptx__place place, const char *format, ...);
__attribute__((format(printf, 3, 4))) bool
ptx__fatal(struct ptx__parser *parser, struct ptx__place place, const char *format, ...);
bool ptx__unexpected(struct ptx__parser *parser);
bool ptx__no_memory(struct ptx__parser *parser);

/* A token's text for "%.*s", cut where it is long. */
#define PTX_TEXT(token) ((int) ((token).length < 200 ? (token).length : 200)), (token).text

/* Moves past this word. */
bool ptx__expect(struct ptx__parser *parser, const char *text);

/* A name. */
bool ptx__expect_name(struct ptx__parser *parser, struct ptx__token *ret_name);

/* Moves past the next semicolon. */
bool ptx__skip_statement(struct ptx__parser *parser);

/* A copy in the module's arena, with an end. NULL if there is no memory. */
const char *ptx__copy(struct ptx__parser *parser, const struct ptx__token *token);

/* A zeroed place at the end of a list that lies in the arena; NULL if there is no memory. */
void *ptx__append(struct ptx__parser *parser, void *list_pointer, uint32_t *n, size_t size);

/* A constant. */
struct ptx__number {
    bool real, is_unsigned;
    uint8_t type;     /* of a real one: PTX_F32 for "0f...", else PTX_F64 */
    uint64_t integer; /* its bits if it is a real one */
};

/* The number as a double. */
double ptx__number_value(const struct ptx__number *number);

/* ---- names.c */

/* The register of a name, made if it is one of a range; PTX_NONE if there is none. */
bool ptx__parse_register(struct ptx__parser *parser, const struct ptx__token *name,
                         uint32_t *ret_reg);

/* A register more. */
bool ptx__register_new(struct ptx__parser *parser, const struct ptx__token *name, uint8_t type,
                       uint8_t vector, uint32_t *ret_reg);

/* Notes a name of a block; says so if it is there already. */
bool ptx__declare(struct ptx__parser *parser, const struct ptx__token *token,
                  enum ptx__name_kind kind, uint32_t number, struct ptx__symbol symbol);

/* Asks for a label by name, which may come later in the block or the ones around it. */
bool ptx__refer(struct ptx__parser *parser, const struct ptx__token *name, uint32_t *target);

/* Ends a block: finds the labels that it names, and forgets its names. */
void ptx__leave_block(struct ptx__parser *parser);

#endif
