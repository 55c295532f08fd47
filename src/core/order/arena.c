/* SPDX-License-Identifier: MIT */
/* Arenas, and which of their bytes are in use. */
#include "core/order/arena.h"

#include <stdlib.h>

#include "core/order/wait.h"

/* Of blocks. Rows of fields and textures want no more. */
#define UNIT ((size_t) 512)

static struct cushim__block *block_of(struct cushim__tree_node *node)
{
    return CUSHIM__TREE_MEMBER(node, struct cushim__block, node);
}

/* --- which bytes are free; under the lock --- */

static void add_free(struct cushim__device_arena *arena, struct cushim__block *block)
{
    cushim__tree_add(&arena->free, &block->node, block->begin, 0);
}

static void remove_free(struct cushim__device_arena *arena, struct cushim__block *block)
{
    cushim__tree_remove(&arena->free, &block->node);
}

/* Adds a block to the free ones. It becomes one with its neighbours. */
static void add_merged(struct cushim__device_arena *arena, struct cushim__block *block)
{
    struct cushim__block *before = block_of(cushim__tree_before(&arena->free, block->begin, 0));
    struct cushim__block *after = block_of(cushim__tree_from(&arena->free, block->begin, 0));

    if (before && before->begin + before->bytes == block->begin) {
        remove_free(arena, before);
        block->begin = before->begin;
        block->bytes += before->bytes;
        free(before);
    }
    if (after && block->begin + block->bytes == after->begin) {
        remove_free(arena, after);
        block->bytes += after->bytes;
        free(after);
    }
    add_free(arena, block);
}

static struct cushim__block *first_fit(const struct cushim__device_arena *arena, size_t bytes)
{
    struct cushim__tree_node *node = cushim__tree_first(&arena->free);

    while (node && block_of(node)->bytes < bytes)
        node = cushim__tree_next(node);
    return block_of(node);
}

/* The block becomes the first bytes of a free one. */
static void cut(struct cushim__device_arena *arena, struct cushim__block *from,
                struct cushim__block *block, size_t bytes)
{
    block->begin = from->begin;
    block->bytes = bytes;
    remove_free(arena, from);
    from->begin += bytes;
    from->bytes -= bytes;
    if (from->bytes)
        add_free(arena, from);
    else
        free(from);
}

static cushim_status fail_full(const struct cushim__scope *scope,
                               const struct cushim__device_arena *arena, size_t bytes)
{
    return cushim__fail_at(CUDA_ERROR_OUT_OF_MEMORY, scope->call, scope->label,
                           "%s: the arena may have %zu bytes, of which %zu are in use, and has no "
                           "%zu bytes in a row; .limit of cushim_arena_new() says how many",
                           scope->call, arena->buffer->bytes, arena->used, bytes);
}

static cushim_status take(const struct cushim__scope *scope, struct cushim__device_arena *arena,
                          struct cushim__block *from, size_t bytes, struct cushim__block *block)
{
    CUSHIM_TRY(cushim__device_arena_map_grow(scope, &arena->map, from->begin + bytes));
    cut(arena, from, block, bytes);
    arena->used += bytes;
    if (arena->peak < block->begin + bytes)
        arena->peak = block->begin + bytes;
    return CUSHIM_OK;
}

/* --- blocks --- */

static void count(struct cushim__context *context)
{
    cushim__mutex_lock(&context->pool_lock);
    context->reuse.allocated++;
    cushim__mutex_unlock(&context->pool_lock);
}

/* Under the lock. */
static cushim_status take_block(const struct cushim__scope *scope,
                                struct cushim__device_arena *arena, size_t bytes,
                                struct cushim__block **ret_block)
{
    struct cushim__block *from = first_fit(arena, bytes), *block;
    cushim_status status;

    if (!from)
        return arena->own ? CUSHIM_OK : fail_full(scope, arena, bytes);
    block = calloc(1, sizeof(*block));
    if (!block)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                               "%s: no memory to keep track of memory", scope->call);
    status = take(scope, arena, from, bytes, block);
    if (status)
        free(block);
    else
        *ret_block = block;
    return status;
}

cushim_status cushim__device_arena_take(struct cushim__scope *scope,
                                        struct cushim__device_arena *arena, size_t bytes,
                                        struct cushim__block **ret_block)
{
    struct cushim__block *block = NULL;
    cushim_status status;

    pthread_mutex_lock(&arena->lock);
    /* The sum does not overflow: no memory is that large. */
    status = take_block(scope, arena, (bytes + UNIT - 1) / UNIT * UNIT, &block);
    pthread_mutex_unlock(&arena->lock);
    if (!block)
        return status;
    atomic_init(&block->references, 1);
    block->buffer = arena->buffer;
    block->arena = arena;
    cushim__object_ref(&arena->object);
    count(arena->object.context);
    *ret_block = block;
    return CUSHIM_OK;
}

void cushim__device_arena_give_back(struct cushim__block *block)
{
    struct cushim__device_arena *arena = block->arena;

    pthread_mutex_lock(&arena->lock);
    arena->used -= block->bytes;
    add_merged(arena, block);
    pthread_mutex_unlock(&arena->lock);
    cushim__object_unref(&arena->object);
}

/* --- arenas --- */

/* Runs without locks. Memory that work may still use is never unmapped. */
static void destroy(void *object)
{
    struct cushim__device_arena *arena = object;
    struct cushim__context *context = arena->object.context;
    struct cushim__tree_node *node;
    struct cushim__scope scope;

    cushim__scope_to_free(context, "cushim_arena_free", cushim__object_label(&arena->object),
                          &scope);
    if (!arena->buffer || cushim__buffer_is_unused(&scope, arena->buffer))
        cushim__device_arena_map_end(&scope, &arena->map);
    else
        free(arena->map.ends);
    cushim__scope_leave(&scope, CUSHIM_OK);
    if (arena->buffer)
        cushim__buffer_delete(arena->buffer);
    while ((node = cushim__tree_first(&arena->free))) {
        cushim__tree_remove(&arena->free, node);
        free(block_of(node));
    }
    pthread_mutex_destroy(&arena->lock);
    cushim__object_finish(&arena->object);
    free(arena);
    cushim__context_unref(context);
}

static cushim_status fail_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory for an arena", scope->call);
}

/* All bytes are free, and belong to one buffer. What the program has not asked for is not used. */
static cushim_status begin(const struct cushim__scope *scope,
                           const struct cushim__device_arena_wish *wish,
                           struct cushim__device_arena *arena)
{
    struct cushim__block *all = calloc(1, sizeof(*all));

    if (!all)
        return fail_memory(scope);
    add_free(arena, all);
    CUSHIM_TRY(cushim__device_arena_map_begin(scope, wish, &arena->map));
    all->bytes = wish->limit && wish->limit < arena->map.limit ? wish->limit : arena->map.limit;
    arena->buffer = cushim__buffer_new(scope->context, CUSHIM__MEMORY_ARENA, arena->map.address,
                                       NULL, all->bytes, NULL, NULL);
    if (!arena->buffer)
        return fail_memory(scope);
    arena->buffer->owner = &arena->object;
    if (wish->dry) {
        arena->buffer->restricted = true;
        arena->buffer->recording = CUSHIM__NO_RECORDING;
    }
    return cushim__device_arena_map_grow(scope, &arena->map, wish->bytes);
}

cushim_status cushim__device_arena_new(const struct cushim__scope *scope,
                                       const struct cushim__device_arena_wish *wish,
                                       struct cushim__device_arena **ret_arena)
{
    struct cushim__device_arena *arena = calloc(1, sizeof(*arena));
    cushim_status status;

    if (!arena)
        return fail_memory(scope);
    cushim__object_init(&arena->object, CUSHIM__HANDLE_ARENA, scope->context, destroy);
    cushim__context_ref(scope->context);
    pthread_mutex_init(&arena->lock, NULL);
    arena->own = wish->own;
    status = begin(scope, wish, arena);
    if (status)
        cushim__object_unref(&arena->object);
    else
        *ret_arena = arena;
    return status;
}
