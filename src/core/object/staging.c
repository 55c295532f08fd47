/* SPDX-License-Identifier: MIT */
/*
 * Page-locked blocks for copies of pageable memory. A block is allocated when all are in use, and
 * is then kept until the context ends, because page-locking memory is slow. The pool_lock is held
 * only to change the list: the allocation is a driver call that may wait, and waits for no thread
 * that needs the lock.
 */
#include "core/object/staging.h"

#include <stdlib.h>

cushim_status cushim__staging_take(const struct cushim__scope *scope,
                                   struct cushim__staging_block **ret_chunk)
{
    struct cushim__context *context = scope->context;
    struct cushim__staging_block *block;
    cushim_status status;

    pthread_mutex_lock(&context->pool_lock);
    block = context->staging;
    if (block)
        context->staging = block->next;
    pthread_mutex_unlock(&context->pool_lock);
    if (!block) {
        block = calloc(1, sizeof(*block));
        if (!block)
            return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                                   "%s: no memory to copy through", scope->call);
        status = CU_CALL(scope, cuMemHostAlloc,
                         (&block->host, CUSHIM__STAGING_BYTES, CU_MEMHOSTALLOC_PORTABLE));
        if (status) {
            free(block);
            return status;
        }
    }
    *ret_chunk = block;
    return CUSHIM_OK;
}

void cushim__staging_give(struct cushim__context *context, struct cushim__staging_block *block)
{
    struct cushim__staging_block **list = block->busy ? &context->staging_busy : &context->staging;

    pthread_mutex_lock(&context->pool_lock);
    block->next = *list;
    *list = block;
    pthread_mutex_unlock(&context->pool_lock);
}

static void drain(const struct cushim__scope *scope, struct cushim__staging_block **list)
{
    while (*list) {
        struct cushim__staging_block *block = *list;

        *list = block->next;
        CU_FREE(scope, cuMemFreeHost, (block->host));
        free(block);
    }
}

/* Called when the last reference on the context is gone, so no lock is needed. */
void cushim__staging_drain(const struct cushim__scope *scope)
{
    drain(scope, &scope->context->staging);
    drain(scope, &scope->context->staging_busy);
}
