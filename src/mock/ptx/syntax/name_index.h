/* SPDX-License-Identifier: MIT */
/* A hash table of numbers by name. */
#ifndef CUSHIM_MOCK_PTX_SYNTAX_NAME_INDEX_H
#define CUSHIM_MOCK_PTX_SYNTAX_NAME_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct ptx__name_index {
    struct ptx__name_row {
        const char *name; /* NULL: free. The caller keeps it */
        uint32_t hash, space, value;
    } * rows;
    size_t n, capacity; /* a power of two */
};

/*
 * Returns the place of a name's value, which is PTX_NONE for a new name. The same name in another
 * space is another name. Valid until the next name is added. NULL when out of memory.
 */
uint32_t *ptx__name_at(struct ptx__name_index *index, uint32_t space, const char *name);

/* Returns the value of a name; PTX_NONE if it has none. */
uint32_t ptx__name_find(const struct ptx__name_index *index, uint32_t space, const char *name);

void ptx__name_index_finish(struct ptx__name_index *index);

#endif
