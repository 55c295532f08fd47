/* SPDX-License-Identifier: MIT */
/* Frees the memory of a buffer after the work that uses it. */
#include "core/cu/cu_memory.h"
#include "core/order/host_memory.h"
#include "core/order/reuse.h"
#include "core/order/submit.h"
#include "core/order/wait.h"

/* Frees the memory in the order of a timeline's stream, after all work that uses it. */
static cushim_status free_async(struct cushim__scope *scope, struct cushim__buffer *buffer,
                                struct cushim__timeline *timeline)
{
    const struct cushim__access access = {buffer, 0, buffer->bytes, true};
    struct cushim__submission s = {
        .scope = scope, .timeline = timeline, .accesses = &access, .n = 1};
    const cushim_status status = cushim__submit_begin(&s);

    if (status)
        return status;
    CU_FREE(scope, cuMemFreeAsync, (buffer->address, timeline->cu));
    cushim__submit_end(&s);
    return CUSHIM_OK;
}

/*
 * Uses the stream on which the memory was allocated. If that stream is destroyed, also by another
 * thread during this call (CUSHIM_ERROR_STALE_HANDLE), it uses the default stream.
 */
static cushim_status free_in_order(struct cushim__scope *scope, struct cushim__buffer *buffer)
{
    struct cushim__timeline *timeline;
    cushim_status status = CUSHIM_ERROR_STALE_HANDLE;

    if (buffer->home && cushim__timeline_usable(buffer->home))
        status = free_async(scope, buffer, buffer->home);
    if (status != CUSHIM_ERROR_STALE_HANDLE)
        return status;
    timeline = cushim__timeline_get(buffer->context, NULL, 0);
    if (!timeline)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                               "%s: no memory to keep track of memory", scope->call);
    status = free_async(scope, buffer, timeline);
    cushim__timeline_unref(timeline);
    return status;
}

/*
 * Waits until no work uses the memory, and frees it. This is for memory that no stream can free in
 * order. Memory that may still be in use stays, with the object that it comes from.
 */
static void free_after_waiting(struct cushim__scope *scope, struct cushim__buffer *buffer)
{
    cushim__host_memory_remove(buffer);
    if (!cushim__buffer_is_unused(scope, buffer)) {
        buffer->keep = NULL;
        return;
    }
    if (buffer->memory == CUSHIM__MEMORY_PINNED)
        CU_FREE(scope, cuMemFreeHost, (buffer->host));
    else if (buffer->memory == CUSHIM__MEMORY_IPC)
        CU_FREE(scope, cuIpcCloseMemHandle, (buffer->address));
    else if (buffer->memory != CUSHIM__MEMORY_BORROWED)
        CU_FREE(scope, cuMemFree_v2, (buffer->address));
}

void cushim__buffer_unref(struct cushim__buffer *buffer, const char *call, const char *label)
{
    /* Only memory of the host is found without a reference (host_memory.c). */
    const bool alone =
        !buffer->host && atomic_load_explicit(&buffer->references, memory_order_acquire) == 1;

    if ((alone || atomic_fetch_sub(&buffer->references, 1) == 1) && !cushim__reuse_give(buffer))
        cushim__buffer_free(buffer, call, label);
}

/*
 * Tells whether there is nothing to do for the memory: it is the program's, or there only while a
 * graph runs. Borrowed memory of a module may be unloaded with the module, so that must wait.
 */
static bool goes_by_itself(const struct cushim__buffer *buffer)
{
    return buffer->leaked || buffer->memory == CUSHIM__MEMORY_NODE ||
           (buffer->memory == CUSHIM__MEMORY_BORROWED && !buffer->keep);
}

void cushim__buffer_free(struct cushim__buffer *buffer, const char *call, const char *label)
{
    struct cushim__error before;
    struct cushim__scope scope;

    if (!goes_by_itself(buffer)) {
        cushim__error_keep(&before);
        cushim__scope_to_free(buffer->context, call, label, &scope);
        if (buffer->memory != CUSHIM__MEMORY_ASYNC || free_in_order(&scope, buffer))
            free_after_waiting(&scope, buffer);
        cushim__scope_leave(&scope, CUSHIM_OK);
        cushim__error_restore(&before);
    }
    cushim__buffer_delete(buffer);
}

void cushim__buffer_hold(struct cushim__buffer *buffer)
{
    if (buffer->owner)
        cushim__object_ref(buffer->owner);
    else
        atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
}

void cushim__buffer_release(struct cushim__buffer *buffer, const char *call)
{
    if (buffer->owner)
        cushim__object_unref(buffer->owner);
    else
        cushim__buffer_unref(buffer, call, NULL);
}
