/* SPDX-License-Identifier: MIT */
#include <cushim/external.h>

#include "base/params.h"
#include "core/memory/external.h"
#include "core/memory/slice.h"
#include "core/order/recording.h"

/* --- importing --- */

/* What both kinds of parameters have. */
struct source {
    int type, fd;
    const void *handle, *name;
    const char *label;
    bool has_fd; /* the type is one with a descriptor */
};

static cushim_status check_source(const struct source *source, const char *call)
{
    if (source->type <= 0)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, source->label,
                               "%s: .type is %d", call, source->type);
    /* The driver would own standard input afterwards. */
    if (source->has_fd && source->fd <= 0)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, source->label,
                               "%s: .fd is %d, which is no descriptor to import", call, source->fd);
    if (!source->has_fd && !source->handle && !source->name)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, source->label,
                               "%s: .handle and .name are NULL, and a .type of %d needs one", call,
                               source->type);
    return CUSHIM_OK;
}

static union cushim__cu_external_handle handle_of(const struct source *source)
{
    union cushim__cu_external_handle handle = {.pointers = {NULL, NULL}};

    if (source->has_fd) {
        handle.fd = source->fd;
    } else {
        handle.pointers.handle = source->handle;
        handle.pointers.name = source->name;
    }
    return handle;
}

cushim_status cushim_external_memory_import(cushim_context context,
                                            const struct cushim_external_memory_params *params,
                                            cushim_external_memory *ret_memory)
{
    struct cushim__cu_external_memory description = {.flags = 0};
    struct cushim_external_memory_params given;
    struct cushim__scope scope;
    struct source source;

    CHECK_OUTPUT(params);
    CHECK_OUTPUT(ret_memory);
    CUSHIM_TRY(PARAMS_READ(cushim_external_memory_params, label, params, &given));
    params = &given;
    source = (struct source){params->type, params->fd,    params->handle,
                             params->name, params->label, false};
    source.has_fd = source.type == CUSHIM_EXTERNAL_MEMORY_OPAQUE_FD ||
                    source.type == CUSHIM_EXTERNAL_MEMORY_DMABUF_FD;
    CUSHIM_TRY(check_source(&source, __func__));
    if (!params->bytes)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, __func__, params->label,
                               "%s: .bytes is 0", __func__);
    description.type = source.type;
    description.handle = handle_of(&source);
    description.bytes = params->bytes;
    description.flags = params->dedicated ? CUDA_EXTERNAL_MEMORY_DEDICATED : 0;
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    return cushim__scope_leave(
        &scope, cushim__external_memory_new(&scope, &description, params->label, &ret_memory->id));
}

cushim_status
cushim_external_semaphore_import(cushim_context context,
                                 const struct cushim_external_semaphore_params *params,
                                 cushim_external_semaphore *ret_semaphore)
{
    enum { NVSCISYNC = 6, KEYED_MUTEX = 7, KEYED_MUTEX_KMT = 8 };
    struct cushim__cu_external_semaphore description = {.flags = 0};
    struct cushim_external_semaphore_params given;
    struct cushim__scope scope;
    struct source source;

    CHECK_OUTPUT(params);
    CHECK_OUTPUT(ret_semaphore);
    CUSHIM_TRY(PARAMS_READ(cushim_external_semaphore_params, label, params, &given));
    params = &given;
    source = (struct source){params->type, params->fd,    params->handle,
                             params->name, params->label, false};
    source.has_fd = source.type == CUSHIM_EXTERNAL_SEMAPHORE_OPAQUE_FD ||
                    source.type == CUSHIM_EXTERNAL_SEMAPHORE_TIMELINE_FD;
    if (source.type >= NVSCISYNC && source.type <= KEYED_MUTEX_KMT)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, __func__, params->label,
                               "%s: .type is %d, which has no fence value: use the driver's table",
                               __func__, source.type);
    CUSHIM_TRY(check_source(&source, __func__));
    description.type = source.type;
    description.handle = handle_of(&source);
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    return cushim__scope_leave(
        &scope,
        cushim__external_semaphore_new(&scope, &description, params->label, &ret_semaphore->id));
}

void cushim_external_memory_free(cushim_external_memory *memory)
{
    cushim__object_close(memory ? &memory->id : NULL, CUSHIM__HANDLE_EXTERNAL_MEMORY, __func__);
}

void cushim_external_semaphore_free(cushim_external_semaphore *semaphore)
{
    cushim__object_close(semaphore ? &semaphore->id : NULL, CUSHIM__HANDLE_EXTERNAL_SEMAPHORE,
                         __func__);
}

/* --- slices --- */

static cushim_status check_part(const struct cushim__scope *scope,
                                const struct cushim__external_memory *memory, uint64_t offset,
                                size_t bytes)
{
    if (memory->object.context != scope->context)
        return cushim__fail_foreign(scope, "external memory");
    if (offset <= memory->bytes && bytes <= memory->bytes - offset)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: %zu bytes from byte %llu on, the memory has %llu", scope->call,
                           bytes, (unsigned long long) offset, (unsigned long long) memory->bytes);
}

/* A slice of nothing is no part of the memory. */
static cushim_status give_nothing(struct cushim__scope *scope, struct cushim__stream *stream,
                                  size_t element, uint64_t *ret_id)
{
    struct cushim__part part = {.element = element};

    CUSHIM_TRY(cushim__memory_alloc(scope, stream, NULL, 0, &part));
    return cushim__slice_give(scope, CUSHIM__HANDLE_SLICE, part, ret_id);
}

/* A mapped buffer is freed like memory of cuMemAlloc(). */
static cushim_status map(struct cushim__scope *scope, struct cushim__stream *stream,
                         struct cushim__external_memory *memory,
                         const struct cushim__cu_external_buffer *buffer,
                         struct cushim__adopted adopted, uint64_t *ret_id)
{
    CUdeviceptr address = 0;
    cushim_status status;

    CUSHIM_TRY(cushim__check_not_recording(scope, stream->timeline, "mapping memory"));
    if (!buffer->bytes)
        return give_nothing(scope, stream, adopted.element, ret_id);
    CUSHIM_TRY(CU_CALL(scope, cuExternalMemoryGetMappedBuffer, (&address, memory->cu, buffer)));
    adopted.address = address;
    status = cushim__slice_adopt(scope, stream, adopted, ret_id);
    if (status)
        CU_FREE(scope, cuMemFree_v2, (address));
    return status;
}

cushim_status cushim_external_memory_slice(cushim_stream stream, cushim_external_memory memory,
                                           uint64_t offset, size_t element, size_t length,
                                           cushim_slice *ret_slice)
{
    struct cushim__cu_external_buffer buffer = {.offset = offset};
    struct cushim__adopted adopted = {.length = length, .memory = CUSHIM__MEMORY_PLAIN};
    struct cushim__external_memory *source;
    struct cushim__stream *object;
    struct cushim__scope scope;
    cushim_status status;
    size_t bytes = 0;

    CHECK_OUTPUT(ret_slice);
    adopted.type = cushim__take_type(&element);
    adopted.element = element;
    CUSHIM_TRY(cushim__checked_size(__func__, element, length, &bytes));
    CUSHIM_TRY(cushim__stream_enter(stream.id, __func__, &scope, &object));
    source = cushim__handle_pin(memory.id, CUSHIM__HANDLE_EXTERNAL_MEMORY, __func__);
    if (!source)
        return cushim__scope_leave(&scope, cushim__error()->status);
    adopted.keep = &source->object;
    buffer.bytes = bytes;
    status = check_part(&scope, source, offset, bytes);
    if (!status)
        status = map(&scope, object, source, &buffer, adopted, &ret_slice->id);
    cushim__handle_unpin(memory.id);
    return cushim__scope_leave(&scope, status);
}

/* --- signals and waits --- */

static cushim_status submit(struct cushim__scope *scope, struct cushim__stream *stream,
                            struct cushim__external_semaphore *semaphore, uint64_t value,
                            bool signals)
{
    const struct cushim__access use = {semaphore->uses, 0, 1, false};
    const struct cushim__cu_external_fence fence = {.value = value};
    struct cushim__submission s = {
        .scope = scope, .timeline = stream->timeline, .accesses = &use, .n = 1};
    cushim_status status;

    if (semaphore->object.context != scope->context)
        return cushim__fail_foreign(scope, "external semaphore");
    CUSHIM_TRY(cushim__submit_begin(&s));
    if (signals)
        status = CU_CALL(scope, cuSignalExternalSemaphoresAsync,
                         (&semaphore->cu, &fence, 1, stream->cu));
    else
        status =
            CU_CALL(scope, cuWaitExternalSemaphoresAsync, (&semaphore->cu, &fence, 1, stream->cu));
    cushim__submit_end(&s);
    return status;
}

static cushim_status use(cushim_stream stream, cushim_external_semaphore semaphore, uint64_t value,
                         bool signals, const char *call)
{
    struct cushim__external_semaphore *used;
    struct cushim__stream *object;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__stream_enter(stream.id, call, &scope, &object));
    used = cushim__handle_pin(semaphore.id, CUSHIM__HANDLE_EXTERNAL_SEMAPHORE, call);
    if (!used)
        return cushim__scope_leave(&scope, cushim__error()->status);
    status = submit(&scope, object, used, value, signals);
    cushim__handle_unpin(semaphore.id);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_stream_signal_external(cushim_stream stream,
                                            cushim_external_semaphore semaphore, uint64_t value)
{
    return use(stream, semaphore, value, true, __func__);
}

cushim_status cushim_stream_wait_external(cushim_stream stream, cushim_external_semaphore semaphore,
                                          uint64_t value)
{
    return use(stream, semaphore, value, false, __func__);
}
