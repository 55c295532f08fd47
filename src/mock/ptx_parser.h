/* SPDX-License-Identifier: MIT */
/* What the readers of PTX text share. */
#ifndef CUSHIM_MOCK_PTX_PARSER_H
#define CUSHIM_MOCK_PTX_PARSER_H

#include "mock/ptx_entries.h"
#include "mock/ptx_lexer.h"

#define PTX_MAX_DIMENSIONS 8

struct ptx_parser {
    struct ptx_lexer lexer;
    struct mock__ptx *ptx;
    struct mock__ptx_error *error;
    int capability;
    bool has_version, has_target;
};

/* A declaration after the word that says where it lives. */
struct ptx_declaration {
    struct ptx_token name;
    size_t bytes, alignment;
    size_t element_bytes;
    bool real;    /* its elements are .f32 or .f64 */
    bool open;    /* the first dimension is for the initial value to say */
    bool managed; /* .attribute(.managed) */
    size_t n_dimensions;
    size_t strides[PTX_MAX_DIMENSIONS]; /* from one to the next in each dimension */
};

/* Notes what is wrong, and answers CUDA_ERROR_INVALID_PTX. */
__attribute__((format(printf, 2, 3))) CUresult mock__ptx_fail(const struct ptx_parser *parser,
                                                              const char *format, ...);
CUresult mock__ptx_unexpected(const struct ptx_parser *parser);

/* Moves past this word, or fails if it is another. */
CUresult mock__ptx_expect(struct ptx_parser *parser, const char *text);

CUresult mock__ptx_size(struct ptx_parser *parser, size_t *ret_number);

/* Moves past the next semicolon. */
CUresult mock__ptx_skip_statement(struct ptx_parser *parser);

CUresult mock__ptx_declaration(struct ptx_parser *parser, struct ptx_declaration *declaration);

/* The offset of a declaration that is placed behind so many bytes. */
size_t mock__ptx_place(size_t used, const struct ptx_declaration *declaration);

/* A variable of the module, and its initial value. */
CUresult mock__ptx_variable(struct ptx_parser *parser, bool constant);
void mock__ptx_variable_finish(struct mock__variable *variable);

char *mock__ptx_copy(const struct ptx_token *token);

/* A zeroed place at the end of a list; NULL if there is no memory. */
void *mock__ptx_append(void *list_pointer, size_t *n, size_t size);

#endif
