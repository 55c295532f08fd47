/* SPDX-License-Identifier: MIT */
/* The names of a text in nested blocks. */
#ifndef CUSHIM_MOCK_PTX_SYNTAX_SCOPE_H
#define CUSHIM_MOCK_PTX_SYNTAX_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/ptx/syntax/lexer.h"

enum ptx__name_kind {
    PTX_NAME_SYMBOL, /* symbol */
    PTX_NAME_REGISTER,
    PTX_NAME_REGISTERS, /* "%r<10>": the text is "%r", number that of the range */
    PTX_NAME_LABEL,
    PTX_NAME_PROTOTYPE,
    PTX_NAME_TABLE,
};

struct ptx__name {
    const char *text; /* in the source or the arena */
    size_t length;
    uint32_t hash;
    int32_t shadowed; /* the next one of the same bucket, or -1 */
    enum ptx__name_kind kind;
    uint32_t depth; /* of the block that it is declared in; 0 is the module */
    uint32_t number;
    struct ptx__symbol symbol;
};

struct ptx__scope {
    struct ptx__name *names; /* names of inner blocks are last */
    size_t n_names, capacity;
    int32_t *buckets;
    size_t n_buckets; /* a power of two */
    uint32_t depth;
};

/* Returns false when out of memory. The caller must finish it in any case. */
bool ptx__scope_init(struct ptx__scope *scope);
void ptx__scope_finish(struct ptx__scope *scope);

/* Returns the innermost declaration of a name, or NULL. Valid until the next name is added. */
struct ptx__name *ptx__scope_find(const struct ptx__scope *scope, const char *text, size_t length);

/* Adds a name to the current block. NULL when out of memory. */
struct ptx__name *ptx__scope_add(struct ptx__scope *scope, const char *text, size_t length,
                                 enum ptx__name_kind kind);

void ptx__scope_enter(struct ptx__scope *scope);

/* Removes the names of the current block. */
void ptx__scope_leave(struct ptx__scope *scope);

/* A hash table of numbers by two numbers. */
struct ptx__map {
    struct ptx__map_row {
        uint64_t key;
        uint32_t value;
        bool used;
    } * rows;
    size_t n, capacity;
};

/* Returns the place of a key's value, which is PTX_NONE for a new key. NULL when out of memory. */
uint32_t *ptx__map_at(struct ptx__map *map, uint32_t high, uint32_t low);
void ptx__map_finish(struct ptx__map *map);

#endif
