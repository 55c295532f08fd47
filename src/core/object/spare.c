/* SPDX-License-Identifier: MIT */
/* What a context keeps for later use: events, page-locked memory; and what is under way. */
#include <stdlib.h>

#include "core/object/context.h"

cushim_status cushim__event_take(const struct cushim__scope *scope, struct cushim__context *context,
                                 CUevent *ret_event)
{
    CUevent event = NULL;

    pthread_mutex_lock(&context->small_lock);
    if (context->n_events)
        event = context->events[--context->n_events];
    pthread_mutex_unlock(&context->small_lock);
    *ret_event = event;
    return event ? CUSHIM_OK : CU_CALL(scope, cuEventCreate, (ret_event, CU_EVENT_DISABLE_TIMING));
}

/* Under the small lock. */
static bool keep_event(struct cushim__context *context, CUevent event)
{
    if (context->n_events == context->max_events) {
        const size_t max = context->max_events ? 2 * context->max_events : 16;
        CUevent *events = realloc(context->events, max * sizeof(CUevent));

        if (!events)
            return false;
        context->events = events;
        context->max_events = max;
    }
    context->events[context->n_events++] = event;
    return true;
}

void cushim__event_give(struct cushim__context *context, CUevent event)
{
    struct cushim__scope scope;
    bool kept;

    pthread_mutex_lock(&context->small_lock);
    kept = keep_event(context, event);
    pthread_mutex_unlock(&context->small_lock);
    if (kept)
        return;
    cushim__scope_to_free(context, "cushim", NULL, &scope);
    CU_FREE(&scope, cuEventDestroy_v2, (event));
    cushim__scope_leave(&scope, CUSHIM_OK);
}

cushim_status cushim__chunk_take(const struct cushim__scope *scope,
                                 struct cushim__chunk **ret_chunk)
{
    struct cushim__context *context = scope->context;
    struct cushim__chunk *chunk;
    cushim_status status;

    pthread_mutex_lock(&context->small_lock);
    chunk = context->chunks;
    if (chunk)
        context->chunks = chunk->next;
    pthread_mutex_unlock(&context->small_lock);
    if (!chunk) {
        chunk = calloc(1, sizeof(*chunk));
        if (!chunk)
            return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                                   "%s: no memory to copy through", scope->call);
        status = CU_CALL(scope, cuMemHostAlloc,
                         (&chunk->host, CUSHIM__CHUNK_BYTES, CU_MEMHOSTALLOC_PORTABLE));
        if (status) {
            free(chunk);
            return status;
        }
    }
    *ret_chunk = chunk;
    return CUSHIM_OK;
}

void cushim__chunk_give(struct cushim__context *context, struct cushim__chunk *chunk)
{
    pthread_mutex_lock(&context->small_lock);
    chunk->next = context->chunks;
    context->chunks = chunk;
    pthread_mutex_unlock(&context->small_lock);
}

void cushim__host_call_add(struct cushim__context *context, struct cushim__host_call *host_call)
{
    pthread_mutex_lock(&context->small_lock);
    host_call->context = context;
    host_call->next = context->host_calls;
    host_call->link = &context->host_calls;
    if (host_call->next)
        host_call->next->link = &host_call->next;
    context->host_calls = host_call;
    pthread_mutex_unlock(&context->small_lock);
}

/*
 * The last that a host call does with its context is to unlock it. Who destroys a context
 * has waited for its host calls, under the same lock.
 */
static void finish(struct cushim__host_call *host_call)
{
    struct cushim__context *context = host_call->context;

    if (host_call->release)
        host_call->release(host_call->user);
    pthread_mutex_lock(&context->small_lock);
    *host_call->link = host_call->next;
    if (host_call->next)
        host_call->next->link = host_call->link;
    pthread_mutex_unlock(&context->small_lock);
    free(host_call);
}

void cushim__host_call_make(void *host_call)
{
    struct cushim__host_call *h = host_call;

    cushim__host_function_begin();
    h->function(h->user);
    if (!h->is_recorded)
        finish(h); /* release() is called by the driver's thread, too */
    cushim__host_function_end();
}

void cushim__host_call_drop(struct cushim__host_call *host_call)
{
    finish(host_call);
}

static bool has_host_calls(struct cushim__context *context)
{
    bool has;

    pthread_mutex_lock(&context->small_lock);
    has = context->host_calls != NULL;
    pthread_mutex_unlock(&context->small_lock);
    return has;
}

void cushim__context_empty(struct cushim__context *context)
{
    const bool calls = has_host_calls(context);
    struct cushim__scope scope;

    if (!calls && !context->n_events && !context->chunks) {
        free(context->events);
        return;
    }
    cushim__scope_to_free(context, "cushim_context_free", NULL, &scope);
    if (calls)
        CU_FREE(&scope, cuCtxSynchronize, ());
    /* The device will not make these any more: it has failed. */
    while (has_host_calls(context))
        cushim__host_call_drop(context->host_calls);
    for (size_t i = 0; i < context->n_events; i++)
        CU_FREE(&scope, cuEventDestroy_v2, (context->events[i]));
    while (context->chunks) {
        struct cushim__chunk *chunk = context->chunks;

        context->chunks = chunk->next;
        CU_FREE(&scope, cuMemFreeHost, (chunk->host));
        free(chunk);
    }
    free(context->events);
    cushim__scope_leave(&scope, CUSHIM_OK);
}
