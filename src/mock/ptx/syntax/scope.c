/* SPDX-License-Identifier: MIT */
#include "mock/ptx/syntax/scope.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS 4096 /* a power of two */

bool ptx__scope_init(struct ptx__scope *scope)
{
    *scope = (struct ptx__scope){.buckets = malloc(FIRST_BUCKETS * sizeof(int32_t)),
                                 .n_buckets = FIRST_BUCKETS};
    if (!scope->buckets)
        return false;
    memset(scope->buckets, 0xff, FIRST_BUCKETS * sizeof(int32_t));
    return true;
}

void ptx__scope_finish(struct ptx__scope *scope)
{
    free(scope->names);
    free(scope->buckets);
    *scope = (struct ptx__scope){.names = NULL};
}

/* FNV-1a. */
static uint32_t hash_of(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char) text[i]) * 16777619u;
    return hash;
}

struct ptx__name *ptx__scope_find(const struct ptx__scope *scope, const char *text, size_t length)
{
    const uint32_t hash = hash_of(text, length);
    int32_t i = scope->buckets[hash & (scope->n_buckets - 1)];

    while (i >= 0) {
        struct ptx__name *name = &scope->names[i];

        if (name->hash == hash && name->length == length && !memcmp(name->text, text, length))
            return name;
        i = name->shadowed;
    }
    return NULL;
}

/* Makes as many buckets as there is room for names, so that each has about one. */
static bool spread(struct ptx__scope *scope, size_t n_buckets)
{
    int32_t *buckets;

    if (n_buckets <= scope->n_buckets)
        return true;
    buckets = malloc(n_buckets * sizeof(*buckets));
    if (!buckets)
        return false;
    memset(buckets, 0xff, n_buckets * sizeof(*buckets));
    /* Names are added in their order, so that a name stays in front of those that it shadows. */
    for (size_t i = 0; i < scope->n_names; i++) {
        int32_t *bucket = &buckets[scope->names[i].hash & (n_buckets - 1)];

        scope->names[i].shadowed = *bucket;
        *bucket = (int32_t) i;
    }
    free(scope->buckets);
    scope->buckets = buckets;
    scope->n_buckets = n_buckets;
    return true;
}

static bool reserve(struct ptx__scope *scope)
{
    const size_t capacity = scope->capacity ? 2 * scope->capacity : 64;
    struct ptx__name *larger;

    if (scope->n_names < scope->capacity)
        return true;
    if (capacity > INT32_MAX || !spread(scope, capacity))
        return false;
    larger = realloc(scope->names, capacity * sizeof(*larger));
    if (!larger)
        return false;
    scope->names = larger;
    scope->capacity = capacity;
    return true;
}

struct ptx__name *ptx__scope_add(struct ptx__scope *scope, const char *text, size_t length,
                                 enum ptx__name_kind kind)
{
    const uint32_t hash = hash_of(text, length);
    struct ptx__name *name;
    int32_t *bucket;

    if (!reserve(scope))
        return NULL;
    bucket = &scope->buckets[hash & (scope->n_buckets - 1)];
    name = &scope->names[scope->n_names];
    *name = (struct ptx__name){.text = text,
                               .length = length,
                               .hash = hash,
                               .shadowed = *bucket,
                               .kind = kind,
                               .depth = scope->depth};
    *bucket = (int32_t) scope->n_names++;
    return name;
}

void ptx__scope_enter(struct ptx__scope *scope)
{
    scope->depth++;
}

void ptx__scope_leave(struct ptx__scope *scope)
{
    while (scope->n_names && scope->names[scope->n_names - 1].depth == scope->depth) {
        const struct ptx__name *name = &scope->names[--scope->n_names];

        scope->buckets[name->hash & (scope->n_buckets - 1)] = name->shadowed;
    }
    scope->depth--;
}

static struct ptx__map_row *find_row(const struct ptx__map *map, uint64_t key)
{
    size_t i = (size_t) ((key * 0x9e3779b97f4a7c15u) >> 20) & (map->capacity - 1);

    while (map->rows[i].used && map->rows[i].key != key)
        i = (i + 1) & (map->capacity - 1);
    return &map->rows[i];
}

/* Makes the table larger when three quarters of its rows are used. */
static bool make_room(struct ptx__map *map)
{
    struct ptx__map larger = {.capacity = map->capacity ? 2 * map->capacity : 64, .n = map->n};

    if (map->capacity && map->n < map->capacity / 4 * 3)
        return true;
    larger.rows = calloc(larger.capacity, sizeof(*larger.rows));
    if (!larger.rows)
        return false;
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->rows[i].used)
            *find_row(&larger, map->rows[i].key) = map->rows[i];
    }
    free(map->rows);
    *map = larger;
    return true;
}

uint32_t *ptx__map_at(struct ptx__map *map, uint32_t high, uint32_t low)
{
    const uint64_t key = (uint64_t) high << 32 | low;
    struct ptx__map_row *row;

    if (!make_room(map))
        return NULL;
    row = find_row(map, key);
    if (!row->used) {
        *row = (struct ptx__map_row){key, PTX_NONE, true};
        map->n++;
    }
    return &row->value;
}

void ptx__map_finish(struct ptx__map *map)
{
    free(map->rows);
    *map = (struct ptx__map){.rows = NULL};
}
