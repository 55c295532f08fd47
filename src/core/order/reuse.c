/* SPDX-License-Identifier: MIT */
#include "core/order/reuse.h"

static struct cushim__buffer **list_of(struct cushim__context *context, size_t bytes)
{
    const uint64_t mixed = (uint64_t) bytes * UINT64_C(0x9e3779b97f4a7c15);

    return &context->reuse.lists[mixed >> (64 - CUSHIM__REUSE_BITS)];
}

/* Called with the last handle of the context: from now on nothing is kept. */
static void drop_all(struct cushim__context *context)
{
    cushim__reuse_trim(context, 0);
}

static bool may_keep(const struct cushim__reuse *reuse, const struct cushim__buffer *buffer)
{
    return buffer->reusable && buffer->memory != CUSHIM__MEMORY_BORROWED && reuse->open &&
           !reuse->off && buffer->bytes <= reuse->max_bytes;
}

static bool is_of_no_adopted(const struct cushim__point *point, void *user)
{
    (void) user;
    return !point->timeline || !point->timeline->adopted;
}

/*
 * Tells whether a stream of the program's own has used the memory. The program may destroy it once
 * the slice is freed, so what its work has used must be free by then. Nobody else has the buffer.
 */
static bool is_of_adopted(const struct cushim__buffer *buffer)
{
    if (!atomic_load_explicit(&buffer->context->reuse.adopts, memory_order_relaxed))
        return false;
    return (buffer->home && buffer->home->adopted) ||
           !cushim__buffer_each(buffer, 0, buffer->bytes, true, is_of_no_adopted, NULL);
}

static void keep(struct cushim__reuse *reuse, struct cushim__buffer *buffer)
{
    struct cushim__buffer **list = list_of(buffer->context, buffer->bytes);

    buffer->next_kept = *list;
    *list = buffer;
    reuse->bytes += buffer->bytes;
    reuse->drop_all = drop_all;
}

/* Of the first buffers of the size, the timeline's own, or else the one that was freed last. */
static struct cushim__buffer **choose(struct cushim__buffer **list, size_t bytes,
                                      const struct cushim__timeline *timeline)
{
    enum { LOOKED_AT = 16 };
    struct cushim__buffer **chosen = NULL;

    for (unsigned i = 0; *list && i < LOOKED_AT; i++, list = &(*list)->next_kept) {
        if ((*list)->bytes != bytes)
            continue;
        if ((*list)->home == timeline)
            return list;
        chosen = chosen ? chosen : list;
    }
    return chosen;
}

static struct cushim__buffer *take_out(struct cushim__reuse *reuse, struct cushim__buffer **link)
{
    struct cushim__buffer *buffer = *link;

    *link = buffer->next_kept;
    reuse->bytes -= buffer->bytes;
    return buffer;
}

/*
 * Under the lock. Takes out a buffer that is in another list than a size's own, from one list after
 * the other: so sizes that nobody asks for any more do not fill the room for good.
 */
static struct cushim__buffer *take_other(struct cushim__context *context, size_t bytes)
{
    struct cushim__reuse *reuse = &context->reuse;

    for (size_t i = 0; i < ARRAY_SIZE(reuse->lists); i++) {
        struct cushim__buffer **list = &reuse->lists[++reuse->hand % ARRAY_SIZE(reuse->lists)];

        if (*list && list != list_of(context, bytes))
            return take_out(reuse, list);
    }
    return NULL;
}

bool cushim__reuse_give(struct cushim__buffer *buffer)
{
    struct cushim__context *context = buffer->context;
    struct cushim__reuse *reuse = &context->reuse;
    struct cushim__buffer *other;
    bool kept;

    if (is_of_adopted(buffer))
        return false;
    do {
        other = NULL;
        cushim__mutex_lock(&context->pool_lock);
        kept = may_keep(reuse, buffer) && reuse->bytes <= reuse->max_bytes - buffer->bytes;
        if (kept)
            keep(reuse, buffer);
        else if (may_keep(reuse, buffer))
            other = take_other(context, buffer->bytes);
        cushim__mutex_unlock(&context->pool_lock);
        if (other)
            cushim__buffer_free(other, "cushim_slice_free", NULL);
    } while (other);
    return kept;
}

struct cushim__buffer *cushim__reuse_take(struct cushim__context *context, size_t bytes,
                                          struct cushim__timeline *timeline)
{
    struct cushim__buffer *buffer = NULL, **link;
    struct cushim__timeline *home;

    cushim__mutex_lock(&context->pool_lock);
    link = choose(list_of(context, bytes), bytes, timeline);
    if (link)
        buffer = take_out(&context->reuse, link);
    context->reuse.reused += buffer != NULL;
    context->reuse.allocated++;
    cushim__mutex_unlock(&context->pool_lock);
    if (!buffer)
        return NULL;
    atomic_store_explicit(&buffer->references, 1, memory_order_relaxed);
    home = buffer->home;
    if (home != timeline) {
        buffer->home = cushim__timeline_ref(timeline);
        cushim__timeline_unref(home);
    }
    return buffer;
}

/* Takes out a buffer if more than max_bytes are kept. */
static struct cushim__buffer *take_any(struct cushim__context *context, size_t max_bytes)
{
    struct cushim__reuse *reuse = &context->reuse;
    struct cushim__buffer *buffer = NULL;

    cushim__mutex_lock(&context->pool_lock);
    for (size_t i = 0; reuse->bytes > max_bytes && !buffer && i < ARRAY_SIZE(reuse->lists); i++)
        if (reuse->lists[i])
            buffer = take_out(reuse, &reuse->lists[i]);
    cushim__mutex_unlock(&context->pool_lock);
    return buffer;
}

bool cushim__reuse_trim(struct cushim__context *context, size_t max_bytes)
{
    struct cushim__buffer *buffer;
    bool any = false;

    while ((buffer = take_any(context, max_bytes))) {
        cushim__buffer_free(buffer, "cushim_memory_trim", NULL);
        any = true;
    }
    return any;
}
