/* SPDX-License-Identifier: MIT */
#include "core/object/host_call.h"

#include <stdlib.h>

void cushim__host_call_add(struct cushim__context *context, struct cushim__host_call *host_call)
{
    cushim__mutex_lock(&context->pool_lock);
    host_call->context = context;
    host_call->next = context->host_calls;
    host_call->link = &context->host_calls;
    if (host_call->next)
        host_call->next->link = &host_call->next;
    context->host_calls = host_call;
    cushim__mutex_unlock(&context->pool_lock);
}

/*
 * Releases and frees a call. Unlocking the pool lock is its last access to the context. The thread
 * that destroys the context finds the list empty under the same lock, so the context is never freed
 * too early.
 */
static void finish(struct cushim__host_call *host_call)
{
    struct cushim__context *context = host_call->context;

    if (host_call->release)
        host_call->release(host_call->user);
    cushim__mutex_lock(&context->pool_lock);
    *host_call->link = host_call->next;
    if (host_call->next)
        host_call->next->link = host_call->link;
    cushim__mutex_unlock(&context->pool_lock);
    free(host_call);
}

void cushim__host_call_make(void *host_call)
{
    struct cushim__host_call *h = host_call;

    cushim__host_function_begin();
    h->function(h->user);
    if (!h->is_recorded)
        /* release() runs in the driver's thread too, so cushim must refuse calls in it as well. */
        finish(h);
    cushim__host_function_end();
}

void cushim__host_call_drop(struct cushim__host_call *host_call)
{
    finish(host_call);
}

bool cushim__host_calls_pending(struct cushim__context *context)
{
    bool has;

    cushim__mutex_lock(&context->pool_lock);
    has = context->host_calls != NULL;
    cushim__mutex_unlock(&context->pool_lock);
    return has;
}
