/* SPDX-License-Identifier: MIT */
#include "core/object/host_call.h"

#include <stdlib.h>

#include "base/release.h"

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
 * Releases and ends a call. Unlocking the pool lock is its last access to the context. The thread
 * that destroys the context finds the list empty under the same lock, so the context is never freed
 * too early.
 */
static void finish(struct cushim__host_call *host_call)
{
    struct cushim__context *context = host_call->context;

    /* A graph has any number of calls, which may free other graphs. */
    if (host_call->is_recorded)
        cushim__release(host_call->release, host_call->user);
    else if (host_call->release)
        host_call->release(host_call->user);
    cushim__mutex_lock(&context->pool_lock);
    *host_call->link = host_call->next;
    if (host_call->next)
        host_call->next->link = host_call->link;
    cushim__mutex_unlock(&context->pool_lock);
    if (host_call->end)
        host_call->end(host_call);
    else
        free(host_call);
}

/* release() runs in the driver's thread too, so cushim must refuse calls in it as well. */
static void make_for_program(struct cushim__host_call *host_call)
{
    cushim__host_function_begin();
    host_call->function(host_call->user);
    if (!host_call->is_recorded)
        finish(host_call);
    cushim__host_function_end();
}

void cushim__host_call_make(void *host_call)
{
    struct cushim__host_call *h = host_call;

    if (!h->end) {
        make_for_program(h);
        return;
    }
    h->is_made = true;
    h->function(h->user);
    finish(h);
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
