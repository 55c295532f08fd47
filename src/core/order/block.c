/* SPDX-License-Identifier: MIT */
/* Blocks: allocations of streams that record, from arenas and as nodes of graphs. */
#include "core/order/block.h"

#include <stdlib.h>

#include "base/log.h"
#include "core/order/arena.h"
#include "core/order/recording.h"

static cushim_status fail_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory to keep track of memory", scope->call);
}

/* --- nodes of the graph --- */

/* Returns the recording that a timeline records for, if it is the one with an id. */
static struct cushim__recording *recording_of(const struct cushim__timeline *timeline, uint64_t id)
{
    struct cushim__recording *recording = timeline->branch ? timeline->branch->recording : NULL;

    return recording && recording->id == id ? recording : NULL;
}

/* Only work of the recording may use the memory, which is there only while its graph runs. */
static struct cushim__block *make_node(struct cushim__timeline *timeline, size_t bytes, uint64_t id)
{
    struct cushim__block *block = calloc(1, sizeof(*block));

    if (!block)
        return NULL;
    block->buffer =
        cushim__buffer_new(timeline->context, CUSHIM__MEMORY_NODE, 0, NULL, bytes, NULL, NULL);
    if (!block->buffer) {
        free(block);
        return NULL;
    }
    atomic_init(&block->references, 1);
    block->buffer->restricted = true;
    block->buffer->recording = id;
    block->bytes = bytes;
    block->timeline = cushim__timeline_ref(timeline);
    block->recording = id;
    return block;
}

static void free_node(struct cushim__block *block, const char *call)
{
    cushim__buffer_unref(block->buffer, call, NULL);
    cushim__timeline_unref(block->timeline);
    free(block);
}

/* The slice is made at the place that the thread has set. */
static void note_place(struct cushim__block *block)
{
    const char *place = cushim__handle_source_location(NULL);

    cushim__source_place_set(&block->made, place);
    cushim__handle_source_location(place);
}

/* What begins is recorded, because other work must not use the memory (submit.c). */
static cushim_status allocate_node(struct cushim__scope *scope, struct cushim__block *block)
{
    const struct cushim__access access = {block->buffer, 0, block->bytes, true};
    struct cushim__submission s = {.scope = scope,
                                   .timeline = block->timeline,
                                   .accesses = &access,
                                   .n = 1,
                                   .recordable = true};
    struct cushim__recording *recording;
    cushim_status status = cushim__submit_begin(&s);

    if (status)
        return status;
    recording = block->timeline->branch->recording;
    status =
        CU_CALL(scope, cuMemAllocAsync, (&block->buffer->address, block->bytes, recording->cu));
    if (!status) {
        block->next = recording->unfreed;
        recording->unfreed = block;
        recording->allocates = true;
    }
    cushim__submit_end(&s);
    return status;
}

static cushim_status new_node(struct cushim__scope *scope, struct cushim__timeline *timeline,
                              size_t bytes, uint64_t id, struct cushim__block **ret_block)
{
    struct cushim__block *block = make_node(timeline, bytes, id);
    cushim_status status;

    if (!block)
        return fail_memory(scope);
    note_place(block);
    status = allocate_node(scope, block);
    if (status)
        free_node(block, scope->call);
    else
        *ret_block = block;
    return status;
}

/* Under the stream lock. */
static void forget_unfreed(struct cushim__recording *recording, const struct cushim__block *block)
{
    struct cushim__block **link = &recording->unfreed;

    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
}

/*
 * Under the stream lock. A graph that does not free cannot be launched twice: there is none then.
 */
static void note_freed(struct cushim__block *block, const char *call, cushim_status status)
{
    struct cushim__recording *recording = recording_of(block->timeline, block->recording);

    if (!recording)
        return;
    forget_unfreed(recording, block);
    if (!status)
        return;
    cushim__log(CUSHIM_LOG_ERROR, "%s: there will be no graph, because this was not recorded: %s",
                call, cushim__error()->text);
    /* That one is for a recording that goes on. */
    recording->broken =
        status == CUSHIM_ERROR_CAPTURING ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : status;
}

static void record_free(struct cushim__scope *scope, struct cushim__block *block)
{
    const struct cushim__access access = {block->buffer, 0, block->bytes, true};
    struct cushim__submission s = {.scope = scope,
                                   .timeline = block->timeline,
                                   .accesses = &access,
                                   .n = 1,
                                   .recordable = true};
    cushim_status status = cushim__submit_begin(&s);

    if (!status) {
        status = CU_CALL(scope, cuMemFreeAsync, (block->buffer->address, block->timeline->cu));
        note_freed(block, scope->call, status);
        cushim__submit_end(&s);
        return;
    }
    cushim__timeline_lock(block->timeline);
    note_freed(block, scope->call, status);
    cushim__timeline_unlock(block->timeline);
}

/* Of a recording that has ended nothing is there any more, and nothing else may use the memory. */
static void give_back_node(struct cushim__block *block, const char *call, const char *label)
{
    struct cushim__error before;
    struct cushim__scope scope;

    cushim__error_keep(&before);
    cushim__scope_to_free(block->timeline->context, call, label, &scope);
    record_free(&scope, block);
    cushim__scope_leave(&scope, CUSHIM_OK);
    cushim__error_restore(&before);
    free_node(block, call);
}

/* --- arenas --- */

/* What a stream records for. */
struct source {
    uint64_t id; /* of the recording; 0: none */
    bool nodes;
    struct cushim__device_arena *arena; /* with a reference, or NULL: none yet */
};

static struct source find_source(struct cushim__timeline *timeline)
{
    const struct cushim__recording *recording;
    struct source source = {0};

    cushim__timeline_lock(timeline);
    if (timeline->branch) {
        recording = timeline->branch->recording;
        source = (struct source){recording->id, recording->memory_nodes, recording->arena};
        if (source.arena)
            cushim__object_ref(&source.arena->object);
    }
    cushim__timeline_unlock(timeline);
    return source;
}

static void drop(struct cushim__device_arena *arena)
{
    if (arena)
        cushim__object_unref(&arena->object);
}

/*
 * An arena of a recording alone takes few addresses, because there may be thousands of graphs. When
 * it is full the recording goes on with another one of twice as many.
 */
static size_t next_limit(const struct cushim__device_arena *full, size_t bytes)
{
    size_t limit = full ? 2 * full->buffer->bytes : (size_t) 4 << 30;

    while (limit < bytes)
        limit *= 2;
    return limit;
}

/* Sets the arena of a recording, unless another thread has been faster. */
static void set_arena(struct cushim__timeline *timeline, const struct source *source,
                      struct cushim__device_arena *arena)
{
    struct cushim__device_arena *unused = arena;
    struct cushim__recording *recording;

    cushim__timeline_lock(timeline);
    recording = recording_of(timeline, source->id);
    if (recording && recording->arena == source->arena) {
        unused = recording->arena;
        recording->arena = arena;
    }
    cushim__timeline_unlock(timeline);
    drop(unused);
}

/* Gives the recording an arena of its own, or the next one. */
static cushim_status renew_arena(const struct cushim__scope *scope,
                                 struct cushim__timeline *timeline, size_t bytes,
                                 struct source *source)
{
    const struct cushim__device_arena_wish wish = {.limit = next_limit(source->arena, bytes),
                                                   .own = true};
    struct cushim__device_arena *arena = NULL;
    const uint64_t id = source->id;

    if (!scope->context->limits.maps_memory)
        return cushim__device_arena_fail_unmapped(scope,
                                                  "arena for this recording but one of the "
                                                  "program's, cushim_capture_params(.arena)");
    CUSHIM_TRY(cushim__device_arena_new(scope, &wish, &arena));
    set_arena(timeline, source, arena);
    drop(source->arena);
    *source = find_source(timeline);
    if (source->id == id)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_STALE_HANDLE, scope->call, scope->label,
                           "%s: the recording has ended", scope->call);
}

static cushim_status take_block(struct cushim__scope *scope, struct cushim__timeline *timeline,
                                size_t bytes, struct source *source,
                                struct cushim__block **ret_block)
{
    struct cushim__block *block = NULL;
    cushim_status status = CUSHIM_OK;

    if (source->arena)
        status = cushim__device_arena_take(scope, source->arena, bytes, &block);
    while (!status && !block) {
        status = renew_arena(scope, timeline, bytes, source);
        if (!status)
            status = cushim__device_arena_take(scope, source->arena, bytes, &block);
    }
    if (!status)
        *ret_block = block;
    return status;
}

/* --- both --- */

cushim_status cushim__block_new(struct cushim__scope *scope, struct cushim__timeline *timeline,
                                size_t bytes, struct cushim__block **ret_block)
{
    struct source source;
    cushim_status status;

    /* A stream that records was so before any thread knew it. */
    if (!timeline->not_fast)
        return CUSHIM_OK;
    cushim__timeline_lock(timeline);
    status =
        cushim__recording_check_outside(scope, timeline, "allocations, which come before the node");
    cushim__timeline_unlock(timeline);
    if (status)
        return status;
    source = find_source(timeline);
    if (!source.id)
        return CUSHIM_OK;
    if (source.nodes)
        return new_node(scope, timeline, bytes, source.id, ret_block);
    status = take_block(scope, timeline, bytes, &source, ret_block);
    drop(source.arena);
    return status;
}

void cushim__block_unref(struct cushim__block *block, const char *call, const char *label)
{
    if (atomic_fetch_sub_explicit(&block->references, 1, memory_order_acq_rel) != 1)
        return;
    if (block->arena)
        cushim__device_arena_give_back(block);
    else
        give_back_node(block, call, label);
}
