/* SPDX-License-Identifier: MIT */
#include <cushim/share.h>

#include <string.h>

#include "core/memory/pool.h"
#include "core/memory/slice.h"
#include "core/order/recording.h"

/* --- slices --- */

/*
 * The last field of a name is this, and 1 more if the memory is of a pool. Another version whose
 * names have other fields has another mark.
 */
#define MARK UINT64_C(0x6375736800010000)

static cushim_status alloc(struct cushim__scope *scope, struct cushim__stream *stream,
                           struct cushim__part part, uint64_t *ret_id)
{
    size_t bytes = 0;

    part.type = cushim__take_type(&part.element);
    CUSHIM_TRY(cushim__checked_size(scope->call, part.element, part.length, &bytes));
    CUSHIM_TRY(cushim__memory_alloc_plain(scope, stream, bytes, &part.buffer));
    return cushim__slice_give(scope, CUSHIM__HANDLE_SLICE, part, ret_id);
}

cushim_status cushim_slice_alloc_shared(cushim_stream stream, size_t element, size_t length,
                                        cushim_slice *ret_slice)
{
    const struct cushim__part part = {.element = element, .length = length};
    struct cushim__stream *object;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_slice);
    CUSHIM_TRY(cushim__stream_enter(stream.id, __func__, &scope, &object));
    status = alloc(&scope, object, part, &ret_slice->id);
    return cushim__scope_leave(&scope, status);
}

static bool is_of_pool(const struct cushim__buffer *buffer)
{
    return buffer->memory == CUSHIM__MEMORY_ASYNC && buffer->keep;
}

static const char *why_not_of_pool(const struct cushim__pool *pool)
{
    if (pool->kind == CUSHIM__POOL_OWN)
        return "its pool was made without .shared of cushim_pool_params()";
    if (pool->kind == CUSHIM__POOL_OPENED)
        return "the memory is another process's";
    return NULL;
}

static cushim_status refuse(const struct cushim__scope *scope, const char *why)
{
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: the slice cannot be shared: %s", scope->call, why);
}

/* The driver says only that a value is not valid. */
static cushim_status check_shareable(const struct cushim__scope *scope,
                                     const struct cushim__buffer *buffer)
{
    const char *why = NULL;

    if (!buffer->bytes)
        why = "it has no memory";
    else if (buffer->memory == CUSHIM__MEMORY_ASYNC && !buffer->keep)
        why = "it is of the device's memory pool; cushim_slice_alloc_shared() makes one that can";
    else if (buffer->memory == CUSHIM__MEMORY_ARENA || buffer->memory == CUSHIM__MEMORY_NODE)
        why = "it was made while a stream recorded, and is a part of what the graph has";
    else if (buffer->memory == CUSHIM__MEMORY_IPC || (buffer->keep && !is_of_pool(buffer)))
        why = "the memory is not of this process, or not of an allocation of its own";
    else if (is_of_pool(buffer))
        why = why_not_of_pool((const struct cushim__pool *) buffer->keep);
    return why ? refuse(scope, why) : CUSHIM_OK;
}

/*
 * A driver names memory of a pool that it has given a descriptor of. The program may have asked the
 * driver for one itself, so the driver is asked first.
 */
static cushim_status name_in_pool(const struct cushim__scope *scope, CUdeviceptr base,
                                  const struct cushim__pool *pool, void *ret_handle)
{
    const cushim_status status = CU_CALL(scope, cuMemPoolExportPointer, (ret_handle, base));

    if (status == CUDA_ERROR_INVALID_VALUE && pool->kind == CUSHIM__POOL_SHARED &&
        !atomic_load(&pool->shared))
        return refuse(scope, "its pool is not shared yet; cushim_pool_share() comes first");
    return status;
}

/*
 * Names the allocation. A handle of the driver is that of all of the allocation, in which adopted
 * memory may be a part. It is looked up where the buffer begins: a slice without elements may begin
 * where the buffer ends, and another allocation may be there.
 */
static cushim_status name_memory(const struct cushim__scope *scope,
                                 const struct cushim__slice *slice,
                                 struct cushim_shared_slice *name)
{
    const struct cushim__buffer *buffer = slice->buffer;
    CUdeviceptr base = 0;
    size_t bytes = 0;

    CUSHIM_TRY(CU_CALL(scope, cuMemGetAddressRange_v2, (&base, &bytes, buffer->address)));
    name->offset = buffer->address + slice->begin - base;
    name->of_pool = MARK + is_of_pool(buffer);
    if (is_of_pool(buffer))
        return name_in_pool(scope, base, (const struct cushim__pool *) buffer->keep, name->handle);
    return CU_CALL(scope, cuIpcGetMemHandle, ((void *) name->handle, base));
}

/* Other processes may see the memory from now on, so no other slice ever gets it. */
static void keep_for_others(struct cushim__buffer *buffer)
{
    cushim__lock(buffer->context);
    buffer->reusable = false;
    cushim__unlock(buffer->context);
}

cushim_status cushim_slice_share(cushim_slice slice, struct cushim_shared_slice *ret_name)
{
    struct cushim_shared_slice name = {.of_pool = 0};
    struct cushim__slice *object;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_name);
    CUSHIM_TRY(cushim__object_enter(slice.id, CUSHIM__HANDLE_SLICE, __func__, &scope, &object));
    name.element = object->element | (uint64_t) object->type << 56;
    name.length = object->length;
    status = check_shareable(&scope, object->buffer);
    if (!status) {
        keep_for_others(object->buffer);
        status = name_memory(&scope, object, &name);
    }
    if (!status)
        *ret_name = name;
    return cushim__scope_leave(&scope, status);
}

/* Checks that a name can be one. The driver checks its handle. */
static cushim_status check_name(const struct cushim__scope *scope,
                                const struct cushim_shared_slice *name, bool has_pool)
{
    size_t bytes = 0;

    if (name->of_pool != MARK && name->of_pool != MARK + 1)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, NULL,
                               "%s: these bytes are not the name of a slice that "
                               "cushim_slice_share() of this version of cushim has made",
                               scope->call);
    CUSHIM_TRY(cushim__checked_size(scope->call, name->element, name->length, &bytes));
    if (name->offset > PTRDIFF_MAX - bytes)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, NULL,
                               "%s: this is not the name of a slice", scope->call);
    if (has_pool != (name->of_pool == MARK + 1))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, NULL,
                               has_pool ? "%s: the memory is not of a pool, and a pool is given"
                                        : "%s: the memory is of a pool, and none is given",
                               scope->call);
    return CUSHIM_OK;
}

/* This is what drivers answer a process that has made itself what it opens. */
static cushim_status explain_own(cushim_status status)
{
    if (status == CUDA_ERROR_INVALID_CONTEXT)
        cushim__error_append("; memory is opened by other processes than the one that has shared "
                             "it, which uses its own slice");
    return status;
}

static cushim_status open_memory(const struct cushim__scope *scope, const struct cushim__pool *pool,
                                 const struct cushim_shared_slice *name, CUdeviceptr *ret_address)
{
    struct cushim_shared_slice copy = *name;
    struct cushim__cu_ipc handle;
    cushim_status status;

    memcpy(&handle, name->handle, sizeof(handle));
    status =
        pool ? CU_CALL(scope, cuMemPoolImportPointer, (ret_address, pool->cu, (void *) copy.handle))
             : CU_CALL(scope, cuIpcOpenMemHandle_v2,
                       (ret_address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    return explain_own(status);
}

static cushim_status open_slice(struct cushim__scope *scope, struct cushim__stream *stream,
                                struct cushim__pool *pool, struct cushim_shared_slice *name,
                                uint64_t *ret_id)
{
    const unsigned char type = cushim__take_type(&name->element);
    struct cushim__adopted adopted = {.offset = name->offset,
                                      .element = name->element,
                                      .length = name->length,
                                      .type = type,
                                      .memory = pool ? CUSHIM__MEMORY_ASYNC : CUSHIM__MEMORY_IPC,
                                      .keep = pool ? &pool->object : NULL};
    CUdeviceptr address = 0;
    cushim_status status;

    CUSHIM_TRY(check_name(scope, name, pool));
    if (pool && pool->object.context != scope->context)
        return cushim__fail_foreign(scope, "memory pool");
    CUSHIM_TRY(open_memory(scope, pool, name, &address));
    adopted.address = address;
    status = cushim__slice_adopt(scope, stream, adopted, ret_id);
    if (status && pool)
        CU_FREE(scope, cuMemFree_v2, (address));
    else if (status)
        CU_FREE(scope, cuIpcCloseMemHandle, (address));
    return status;
}

cushim_status cushim_slice_open(cushim_stream stream, cushim_pool pool,
                                const struct cushim_shared_slice *name, cushim_slice *ret_slice)
{
    struct cushim__pool *source = NULL;
    struct cushim_shared_slice known;
    struct cushim__stream *object;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(name);
    CHECK_OUTPUT(ret_slice);
    known = *name;
    CUSHIM_TRY(cushim__stream_enter(stream.id, __func__, &scope, &object));
    if (pool.id) {
        source = cushim__handle_pin(pool.id, CUSHIM__HANDLE_POOL, __func__);
        if (!source)
            return cushim__scope_leave(&scope, cushim__error()->status);
    }
    status = cushim__check_not_recording(&scope, object->timeline, "opening memory");
    if (!status)
        status = open_slice(&scope, object, source, &known, &ret_slice->id);
    if (source)
        cushim__handle_unpin(pool.id);
    return cushim__scope_leave(&scope, status);
}

/* --- pools --- */

/* Of a pool that the program has set, cushim does not know how it was made. */
static cushim_status check_shared(const struct cushim__scope *scope,
                                  const struct cushim__pool *pool)
{
    if (pool->kind == CUSHIM__POOL_SHARED || pool->kind == CUSHIM__POOL_BORROWED)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           pool->kind == CUSHIM__POOL_OPENED
                               ? "%s: the pool is another process's, which shares it"
                               : "%s: the pool was made without .shared of cushim_pool_params()",
                           scope->call);
}

cushim_status cushim_pool_share(cushim_pool pool, int *ret_fd)
{
    struct cushim__pool *object;
    struct cushim__scope scope;
    cushim_status status;
    int fd = -1;

    CHECK_OUTPUT(ret_fd);
    CUSHIM_TRY(cushim__object_enter(pool.id, CUSHIM__HANDLE_POOL, __func__, &scope, &object));
    status = check_shared(&scope, object);
    if (!status)
        status = CU_CALL(&scope, cuMemPoolExportToShareableHandle,
                         (&fd, object->cu, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    if (!status) {
        atomic_store(&object->shared, true);
        *ret_fd = fd;
    }
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_pool_open(cushim_context context, int fd, cushim_pool *ret_pool)
{
    struct cushim__scope scope;
    CUmemoryPool pool = NULL;
    cushim_status status;

    CHECK_OUTPUT(ret_pool);
    if (fd < 0)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: fd is %d", __func__, fd);
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    status = cushim__pool_check_device(&scope);
    if (!status)
        status =
            CU_CALL(&scope, cuMemPoolImportFromShareableHandle,
                    (&pool, (void *) (intptr_t) fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    if (!status)
        status = cushim__pool_give(&scope, pool, CUSHIM__POOL_OPENED, 0, NULL, &ret_pool->id);
    return cushim__scope_leave(&scope, status);
}

/* --- events --- */

cushim_status cushim_event_share(cushim_event event, struct cushim_shared_event *ret_name)
{
    struct cushim_shared_event name;
    struct cushim__event *object;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_name);
    CUSHIM_TRY(cushim__object_enter(event.id, CUSHIM__HANDLE_EVENT, __func__, &scope, &object));
    if (!object->interprocess)
        status =
            cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, __func__, scope.label,
                            "%s: the event was made without CUSHIM_EVENT_INTERPROCESS", __func__);
    else
        status = CU_CALL(&scope, cuIpcGetEventHandle, ((void *) name.handle, object->cu));
    if (!status)
        *ret_name = name;
    return cushim__scope_leave(&scope, status);
}

static cushim_status open_event(const struct cushim__scope *scope,
                                const struct cushim_shared_event *name, uint64_t *ret_id)
{
    struct cushim__event *event = NULL;
    struct cushim__cu_ipc handle;
    CUevent cu = NULL;

    memcpy(&handle, name->handle, sizeof(handle));
    CUSHIM_TRY(CU_CALL(scope, cuIpcOpenEventHandle, (&cu, handle)));
    CUSHIM_TRY(cushim__event_adopt(scope, cu, true, &event));
    return cushim__object_give(&event->object, scope->call, ret_id);
}

cushim_status cushim_event_open(cushim_context context, const struct cushim_shared_event *name,
                                cushim_event *ret_event)
{
    struct cushim__scope scope;

    CHECK_OUTPUT(name);
    CHECK_OUTPUT(ret_event);
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    return cushim__scope_leave(&scope, open_event(&scope, name, &ret_event->id));
}
