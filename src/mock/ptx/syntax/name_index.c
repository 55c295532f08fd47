/* SPDX-License-Identifier: MIT */
#include "mock/ptx/syntax/name_index.h"

#include <stdlib.h>
#include <string.h>

#include "mock/ptx/syntax/ast.h"

/* FNV-1a, with the space in its first value. */
static uint32_t hash_of(uint32_t space, const char *name)
{
    uint32_t hash = 2166136261u ^ space * 0x9e3779b9u;

    for (; *name; name++)
        hash = (hash ^ (unsigned char) *name) * 16777619u;
    return hash;
}

/* Returns the row of a name, or the free row where it belongs. */
static struct ptx__name_row *find_row(const struct ptx__name_index *index, uint32_t hash,
                                      uint32_t space, const char *name)
{
    size_t i = hash & (index->capacity - 1);

    while (index->rows[i].name && (index->rows[i].hash != hash || index->rows[i].space != space ||
                                   strcmp(index->rows[i].name, name) != 0))
        i = (i + 1) & (index->capacity - 1);
    return &index->rows[i];
}

/* Makes the table larger when half of its rows are used. */
static bool make_room(struct ptx__name_index *index)
{
    struct ptx__name_index larger = {.capacity = index->capacity ? 2 * index->capacity : 64,
                                     .n = index->n};

    if (index->n < index->capacity / 2)
        return true;
    larger.rows = calloc(larger.capacity, sizeof(*larger.rows));
    if (!larger.rows)
        return false;
    for (size_t i = 0; i < index->capacity; i++) {
        const struct ptx__name_row *row = &index->rows[i];

        if (row->name)
            *find_row(&larger, row->hash, row->space, row->name) = *row;
    }
    free(index->rows);
    *index = larger;
    return true;
}

uint32_t *ptx__name_at(struct ptx__name_index *index, uint32_t space, const char *name)
{
    const uint32_t hash = hash_of(space, name);
    struct ptx__name_row *row;

    if (!make_room(index))
        return NULL;
    row = find_row(index, hash, space, name);
    if (!row->name) {
        *row = (struct ptx__name_row){name, hash, space, PTX_NONE};
        index->n++;
    }
    return &row->value;
}

uint32_t ptx__name_find(const struct ptx__name_index *index, uint32_t space, const char *name)
{
    const struct ptx__name_row *row =
        index->capacity ? find_row(index, hash_of(space, name), space, name) : NULL;

    return row && row->name ? row->value : PTX_NONE;
}

void ptx__name_index_finish(struct ptx__name_index *index)
{
    free(index->rows);
    *index = (struct ptx__name_index){.rows = NULL};
}
