/* SPDX-License-Identifier: MIT */
#include "core/memory/memory.h"

#include "core/order/host_memory.h"
#include "core/order/recording.h"
#include "core/order/reuse.h"

void cushim__part_drop(const struct cushim__part *part, const char *call, const char *label)
{
    if (part->block)
        cushim__block_unref(part->block, call, label);
    else
        cushim__buffer_unref(part->buffer, call, label);
}

static cushim_status no_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory to keep track of memory", scope->call);
}

/* Says how much was asked for, and how much there is. The driver answers only a number. */
static void explain_no_room(const struct cushim__scope *scope, const struct cushim__buffer *buffer,
                            const struct cushim__pool *pool)
{
    size_t available = 0, total = 0;
    uint64_t used = 0;

    cushim__error_append("; %zu bytes were asked for", buffer->bytes);
    if (pool && pool->max_bytes &&
        !CU_FN(scope->table, cuMemPoolGetAttribute)(pool->cu, CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
                                                    &used))
        cushim__error_append(", the pool has at most %zu, which is its .max_bytes, and %llu of "
                             "them are in use",
                             pool->max_bytes, (unsigned long long) used);
    if (buffer->memory != CUSHIM__MEMORY_PINNED &&
        !CU_FN(scope->table, cuMemGetInfo_v2)(&available, &total))
        cushim__error_append(", the device has %zu free of %zu", available, total);
}

/* Returns the buffer if the allocation succeeded, and deletes it otherwise. */
static cushim_status give(const struct cushim__scope *scope, struct cushim__buffer *buffer,
                          const struct cushim__pool *pool, cushim_status status,
                          struct cushim__buffer **ret_buffer)
{
    if (status == CUDA_ERROR_OUT_OF_MEMORY)
        explain_no_room(scope, buffer, pool);
    if (status)
        cushim__buffer_delete(buffer);
    else
        *ret_buffer = buffer;
    return status;
}

/*
 * Allocates in the order of the stream. The allocation is work of that stream, so it is submitted
 * as a write: other streams then wait for it.
 */
static cushim_status alloc_async(struct cushim__scope *scope, struct cushim__stream *stream,
                                 struct cushim__buffer *buffer, CUmemoryPool pool)
{
    const struct cushim__access access = {buffer, 0, buffer->bytes, true};
    struct cushim__submission s = {
        .scope = scope, .timeline = stream->timeline, .accesses = &access, .n = 1};
    cushim_status status = cushim__submit_begin(&s);

    if (status)
        return status;
    if (pool)
        status = CU_CALL(scope, cuMemAllocFromPoolAsync,
                         (&buffer->address, buffer->bytes, pool, stream->cu));
    else
        status = CU_CALL(scope, cuMemAllocAsync, (&buffer->address, buffer->bytes, stream->cu));
    cushim__submit_end(&s);
    return status;
}

static cushim_status alloc_once(struct cushim__scope *scope, struct cushim__stream *stream,
                                struct cushim__buffer *buffer, CUmemoryPool pool)
{
    return buffer->memory == CUSHIM__MEMORY_ASYNC
               ? alloc_async(scope, stream, buffer, pool)
               : CU_CALL(scope, cuMemAlloc_v2, (&buffer->address, buffer->bytes));
}

/*
 * Frees the kept memory for an allocation that found none. The driver has it again when the streams
 * have come to that. While a stream records they cannot be waited for; then it may be too late.
 */
static bool make_room(struct cushim__scope *scope)
{
    if (!cushim__reuse_trim(scope->context, 0))
        return false;
    cushim__synchronize_context(scope);
    return true;
}

/*
 * Asks the driver for memory, twice if memory was kept. If the second answer is memory, the first
 * one is not the thread's last error.
 */
static cushim_status call_alloc(struct cushim__scope *scope, struct cushim__stream *stream,
                                struct cushim__buffer *buffer, CUmemoryPool pool)
{
    struct cushim__error before;
    cushim_status status;

    cushim__error_keep(&before);
    status = alloc_once(scope, stream, buffer, pool);
    if (status != CUDA_ERROR_OUT_OF_MEMORY || !make_room(scope))
        return status;
    status = alloc_once(scope, stream, buffer, pool);
    if (!status)
        cushim__error_restore(&before);
    return status;
}

/*
 * The memory of a pool goes back to the pool, which it keeps alive, and is not kept by the context.
 */
static cushim_status alloc_new(struct cushim__scope *scope, struct cushim__stream *stream,
                               struct cushim__pool *pool, size_t bytes,
                               struct cushim__buffer **ret_buffer)
{
    const enum cushim__memory memory =
        scope->context->limits.memory_pools ? CUSHIM__MEMORY_ASYNC : CUSHIM__MEMORY_PLAIN;
    struct cushim__buffer *buffer = cushim__buffer_new(
        scope->context, memory, 0, NULL, bytes, stream->timeline, pool ? &pool->object : NULL);
    CUmemoryPool cu = pool ? pool->cu : NULL;
    cushim_status status;

    if (!buffer)
        return no_memory(scope);
    buffer->reusable = !pool;
    status = call_alloc(scope, stream, buffer, cu);
    return give(scope, buffer, pool, status, ret_buffer);
}

static bool is_of(const struct cushim__point *point, void *timeline)
{
    return point->timeline == timeline;
}

/*
 * Tells whether only one timeline has used kept memory since it was written: then its next use
 * there needs nothing. No other thread knows the buffer, so this takes no lock.
 */
static bool is_in_order(const struct cushim__buffer *buffer, struct cushim__timeline *timeline)
{
    return buffer->n_ranges == 1 && !buffer->eager_event &&
           cushim__buffer_each(buffer, 0, buffer->bytes, true, is_of, timeline);
}

/* Memory that was kept, or new memory. */
static cushim_status alloc(struct cushim__scope *scope, struct cushim__stream *stream,
                           struct cushim__pool *pool, size_t bytes,
                           struct cushim__buffer **ret_buffer)
{
    struct cushim__buffer *buffer;
    cushim_status status;

    buffer = pool ? NULL : cushim__reuse_take(scope->context, bytes, stream->timeline);
    if (!buffer)
        return alloc_new(scope, stream, pool, bytes, ret_buffer);
    status = is_in_order(buffer, stream->timeline)
                 ? CUSHIM_OK
                 : cushim__submit_use(scope, stream->timeline, buffer);
    if (status)
        cushim__buffer_unref(buffer, scope->call, NULL);
    else
        *ret_buffer = buffer;
    return status;
}

/* Memory of a pool is work of a stream that runs. *ret_block stays NULL for such a stream. */
static cushim_status alloc_recorded(struct cushim__scope *scope, struct cushim__stream *stream,
                                    const struct cushim__pool *pool, size_t bytes,
                                    struct cushim__block **ret_block)
{
    return pool ? cushim__check_not_recording(scope, stream->timeline, "allocating from a pool")
                : cushim__block_new(scope, stream->timeline, bytes, ret_block);
}

cushim_status cushim__memory_alloc(struct cushim__scope *scope, struct cushim__stream *stream,
                                   struct cushim__pool *pool, size_t bytes,
                                   struct cushim__part *ret_part)
{
    struct cushim__buffer *buffer = NULL;
    struct cushim__block *block = NULL;

    if (bytes)
        CUSHIM_TRY(alloc_recorded(scope, stream, pool, bytes, &block));
    if (block)
        buffer = block->buffer;
    else if (bytes)
        CUSHIM_TRY(alloc(scope, stream, pool, bytes, &buffer));
    else
        buffer = cushim__buffer_new(scope->context, CUSHIM__MEMORY_BORROWED, 0, NULL, 0,
                                    stream->timeline, NULL);
    if (!buffer)
        return no_memory(scope);
    ret_part->buffer = buffer;
    ret_part->block = block;
    ret_part->begin = block ? block->begin : 0;
    return CUSHIM_OK;
}

/*
 * Makes a buffer for memory that belongs to no stream. With 0 bytes nothing is allocated, so the
 * buffer is marked as one that is not freed.
 */
static struct cushim__buffer *new_shared(const struct cushim__scope *scope,
                                         enum cushim__memory memory, size_t bytes)
{
    return cushim__buffer_new(scope->context, bytes ? memory : CUSHIM__MEMORY_BORROWED, 0, NULL,
                              bytes, NULL, NULL);
}

/* Like give(), for memory that the host can reach, too. Its address is looked up later. */
static cushim_status give_shared(struct cushim__scope *scope, struct cushim__buffer *buffer,
                                 cushim_status status, struct cushim__buffer **ret_buffer)
{
    if (status || !buffer->bytes || cushim__host_memory_add(buffer))
        return give(scope, buffer, NULL, status, ret_buffer);
    cushim__buffer_unref(buffer, scope->call, NULL);
    return no_memory(scope);
}

cushim_status cushim__memory_alloc_plain(struct cushim__scope *scope, struct cushim__stream *stream,
                                         size_t bytes, struct cushim__buffer **ret_buffer)
{
    struct cushim__buffer *buffer;
    cushim_status status = CUSHIM_OK;

    CUSHIM_TRY(cushim__check_not_recording(scope, stream->timeline, "allocating memory"));
    buffer = new_shared(scope, CUSHIM__MEMORY_PLAIN, bytes);
    if (!buffer)
        return no_memory(scope);
    if (bytes)
        status = call_alloc(scope, stream, buffer, NULL);
    return give(scope, buffer, NULL, status, ret_buffer);
}

cushim_status cushim__memory_alloc_pinned(struct cushim__scope *scope, size_t bytes, unsigned flags,
                                          struct cushim__buffer **ret_buffer)
{
    struct cushim__buffer *buffer = new_shared(scope, CUSHIM__MEMORY_PINNED, bytes);
    cushim_status status = CUSHIM_OK;

    if (!buffer)
        return no_memory(scope);
    if (bytes)
        status = CU_CALL(scope, cuMemHostAlloc, (&buffer->host, bytes, flags));
    /* With unified addressing, the device uses the same address as the host. */
    buffer->address = (CUdeviceptr) (uintptr_t) buffer->host;
    return give_shared(scope, buffer, status, ret_buffer);
}

cushim_status cushim__memory_alloc_managed(struct cushim__scope *scope, size_t bytes,
                                           unsigned flags, struct cushim__buffer **ret_buffer)
{
    struct cushim__buffer *buffer = new_shared(scope, CUSHIM__MEMORY_MANAGED, bytes);
    cushim_status status = CUSHIM_OK;

    if (!buffer)
        return no_memory(scope);
    if (bytes)
        status = CU_CALL(scope, cuMemAllocManaged, (&buffer->address, bytes, flags));
    buffer->host = (void *) (uintptr_t) buffer->address;
    buffer->host_only = buffer->made_host_only = flags == CU_MEM_ATTACH_HOST;
    buffer->restricted = buffer->host_only;
    return give_shared(scope, buffer, status, ret_buffer);
}
