/* SPDX-License-Identifier: MIT */
/*
 * What the readers of PTX text share.
 *
 * Functions that read answer whether to go on: false after a mistake in the grammar or when
 * there is no memory. A mistake in the meaning is said, and reading goes on, so that a program
 * hears of all of them at once.
 */
#ifndef CUSHIM_MOCK_PTX_PARSER_H
#define CUSHIM_MOCK_PTX_PARSER_H

#include "mock/ptx/link/read.h"
#include "mock/ptx/syntax/lexer.h"
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
struct ptx__range {
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

    /* The function whose body is read. */
    struct ptx__function *function;
    struct ptx__reference *references; /* those of inner blocks first */
    struct ptx__range *ranges;
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

/* ---- expression.c: constants */

struct ptx__number {
    bool real, is_unsigned;
    uint8_t type;     /* of a real one: PTX_F32 for "0f...", else PTX_F64 */
    uint64_t integer; /* its bits if it is a real one */
};

/* Is the current word the begin of one? */
bool ptx__at_number(const struct ptx__parser *parser);

/* A constant expression. ptx__term(): without an operator outside of parentheses. */
bool ptx__number(struct ptx__parser *parser, struct ptx__number *ret_number);
bool ptx__term(struct ptx__parser *parser, struct ptx__number *ret_number);

/* One that is an integer and not negative. */
bool ptx__size(struct ptx__parser *parser, size_t *ret_number);

/* The number as a double. */
double ptx__number_value(const struct ptx__number *number);

/* ---- declaration.c */

/* A declaration after the word that says where it lives. */
struct ptx__declaration {
    struct ptx__token name;
    uint8_t type, vector;
    size_t bytes, alignment;
    size_t element_bytes; /* of a scalar */
    bool array;
    bool open; /* the first dimension is for the initial value to say */
    bool managed, unified;
    bool pointer;
    uint8_t pointee;
    size_t pointee_alignment;
    uint32_t n_dimensions;
    size_t strides[PTX_MAX_DIMENSIONS]; /* from one to the next in each dimension */
};

/* ".align 16 .b8 table[4][2]" */
bool ptx__declaration(struct ptx__parser *parser, struct ptx__declaration *declaration);

/* The part before the name. */
bool ptx__declared_type(struct ptx__parser *parser, struct ptx__declaration *declaration);

/* Variables of the module or of the function, behind the name of their space. */
bool ptx__variables(struct ptx__parser *parser, enum ptx__space space, enum ptx__linkage linkage);

/* ---- initial_value.c */
bool ptx__initial_value(struct ptx__parser *parser, const struct ptx__declaration *declaration,
                        struct ptx__variable *variable);

/* ---- module_text.c, function_text.c, body.c */

bool ptx__read_text(struct ptx__parser *parser);

/* Behind ".entry" or ".func". */
bool ptx__read_function(struct ptx__parser *parser, bool kernel, enum ptx__linkage linkage);

/* "(.param .b32 a, .reg .u32 b)", if there is one. */
bool ptx__parameters(struct ptx__parser *parser, struct ptx__parameter **ret_parameters,
                     uint32_t *ret_n);
size_t ptx__place_parameters(struct ptx__parameter *parameters, uint32_t n);

/* A body in braces, of parser->function. */
bool ptx__read_body(struct ptx__parser *parser);

/* Behind ".file", ".loc", ".section". */
bool ptx__file(struct ptx__parser *parser);
bool ptx__location(struct ptx__parser *parser);
bool ptx__section(struct ptx__parser *parser);

/* ---- instruction.c, operand.c, call.c, names.c */
bool ptx__instruction(struct ptx__parser *parser);
bool ptx__operands(struct ptx__parser *parser, struct ptx__instruction *instruction);

/* Operands with commas between them, up to a closing word, as the elements of one. */
bool ptx__operand_list(struct ptx__parser *parser, struct ptx__operand *operand, const char *end);

/* The four operands of a call. */
bool ptx__call(struct ptx__parser *parser, struct ptx__operand *operands);

/* The register of a name, made if it is one of a range; PTX_NONE if there is none. */
bool ptx__register(struct ptx__parser *parser, const struct ptx__token *name, uint32_t *ret_reg);

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

/* ---- check_*.c */

/* Finds the instruction's form, and checks the operands against it. */
bool ptx__check_instruction(struct ptx__parser *parser, struct ptx__instruction *instruction,
                            const uint16_t *words, unsigned n_words);

#endif
