/* SPDX-License-Identifier: MIT */
/*
 * Page-locked blocks for copies of pageable memory. A slab is allocated when all blocks of a size
 * are in use, and is then kept until the context ends, because page-locking memory is slow. The
 * pool_lock is held only to change the lists: the allocation is a driver call that may wait, and
 * waits for no thread that needs the lock.
 */
#include "core/object/staging.h"

#include <stdlib.h>

struct cushim__staging_slab {
    struct cushim__staging_slab *next;
    void *host;
    struct cushim__staging_block blocks[];
};

static const size_t sizes[CUSHIM__STAGING_SIZES] = {4096, 65536, CUSHIM__STAGING_BYTES};

static unsigned char size_for(size_t bytes)
{
    unsigned char size = 0;

    while (sizes[size] < bytes)
        size++;
    return size;
}

/* Divides a slab into blocks. The first one is the caller's, and the others become a list. */
static void divide(struct cushim__staging_slab *slab, unsigned char size, size_t n)
{
    for (size_t i = 0; i < n; i++)
        slab->blocks[i] =
            (struct cushim__staging_block){.next = i && i + 1 < n ? &slab->blocks[i + 1] : NULL,
                                           .host = (char *) slab->host + i * sizes[size],
                                           .size = size};
}

/* Adds a slab to the context. Returns its first block. */
static struct cushim__staging_block *add(struct cushim__context *context,
                                         struct cushim__staging_slab *slab, unsigned char size)
{
    const size_t n = CUSHIM__STAGING_BYTES / sizes[size];

    divide(slab, size, n);
    cushim__mutex_lock(&context->pool_lock);
    slab->next = context->staging_slabs;
    context->staging_slabs = slab;
    if (n > 1) {
        slab->blocks[n - 1].next = context->staging[size];
        context->staging[size] = &slab->blocks[1];
    }
    cushim__mutex_unlock(&context->pool_lock);
    return &slab->blocks[0];
}

static cushim_status make_slab(const struct cushim__scope *scope, unsigned char size,
                               struct cushim__staging_block **ret_block)
{
    const size_t n = CUSHIM__STAGING_BYTES / sizes[size];
    struct cushim__staging_slab *slab =
        calloc(1, sizeof(*slab) + n * sizeof(struct cushim__staging_block));
    cushim_status status;

    if (!slab)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                               "%s: no memory to copy through", scope->call);
    status = CU_CALL(scope, cuMemHostAlloc,
                     (&slab->host, CUSHIM__STAGING_BYTES, CU_MEMHOSTALLOC_PORTABLE));
    if (status) {
        free(slab);
        return status;
    }
    cushim__context_label_own(scope->context, (uintptr_t) slab->host, "cushim's own, for copies");
    *ret_block = add(scope->context, slab, size);
    return CUSHIM_OK;
}

cushim_status cushim__staging_take(const struct cushim__scope *scope, size_t bytes,
                                   struct cushim__staging_block **ret_block)
{
    struct cushim__context *context = scope->context;
    const unsigned char size = size_for(bytes);
    struct cushim__staging_block *block;

    cushim__mutex_lock(&context->pool_lock);
    block = context->staging[size];
    if (block)
        context->staging[size] = block->next;
    cushim__mutex_unlock(&context->pool_lock);
    if (!block)
        return make_slab(scope, size, ret_block);
    *ret_block = block;
    return CUSHIM_OK;
}

void cushim__staging_give(struct cushim__context *context, struct cushim__staging_block *block)
{
    if (block->busy)
        return;
    cushim__mutex_lock(&context->pool_lock);
    block->next = context->staging[block->size];
    context->staging[block->size] = block;
    cushim__mutex_unlock(&context->pool_lock);
}

/* Called when the last reference on the context is gone, so no lock is needed. */
void cushim__staging_drain(const struct cushim__scope *scope)
{
    struct cushim__context *context = scope->context;

    for (int i = 0; i < CUSHIM__STAGING_SIZES; i++)
        context->staging[i] = NULL;
    while (context->staging_slabs) {
        struct cushim__staging_slab *slab = context->staging_slabs;

        context->staging_slabs = slab->next;
        CU_FREE(scope, cuMemFreeHost, (slab->host));
        free(slab);
    }
}
