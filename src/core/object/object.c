/* SPDX-License-Identifier: MIT */
/* Objects of contexts: their references, labels and handles. */
#include "core/object/object.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/status.h"
#include "core/object/handle_words.h"
#include "core/object/scope.h"

void cushim__object_init(struct cushim__object *object, enum cushim__handle_kind kind,
                         struct cushim__context *context, cushim__destroy *destroy)
{
    atomic_init(&object->references, 1);
    object->kind = kind;
    object->context = context;
    object->destroy = destroy;
    atomic_init(&object->label, NULL);
}

void cushim__object_finish(struct cushim__object *object)
{
    free(atomic_load(&object->label));
}

void cushim__object_destroy(struct cushim__object *object)
{
    struct cushim__error before;

    cushim__error_keep(&before);
    object->destroy(object);
    cushim__error_restore(&before);
}

static bool is_memory(enum cushim__handle_kind kind)
{
    return kind == CUSHIM__HANDLE_SLICE || kind == CUSHIM__HANDLE_PINNED ||
           kind == CUSHIM__HANDLE_UNIFIED;
}

/* Objects of memory are found by their handles alone: nobody refers to one again that has none. */
static void unref(void *object)
{
    struct cushim__object *o = object;

    if (is_memory(o->kind) && atomic_load_explicit(&o->references, memory_order_acquire) == 1)
        cushim__object_destroy(o);
    else
        cushim__object_unref(o);
}

/*
 * Tells whether handles of this kind are closed under the context lock. A launch looks at such
 * objects under that lock without pinning them, so they must not be closed meanwhile. A stream has
 * the lock of its timeline instead.
 */
static bool has_context_lock(enum cushim__handle_kind kind)
{
    return is_memory(kind) || kind == CUSHIM__HANDLE_FUNCTION;
}

cushim_status cushim__object_give(struct cushim__object *object, const char *call, uint64_t *ret_id)
{
    uint64_t id = 0;
    const cushim_status status = cushim__handle_create(object->kind, object, unref, call, &id);

    if (status) {
        cushim__object_unref(object);
        return status;
    }
    if (has_context_lock(object->kind))
        object->lock = object->context->lock;
    if (object->lock)
        cushim__handle_set_lock(id, object->lock);
    *ret_id = id;
    return CUSHIM_OK;
}

struct cushim__object *cushim__object_pin(uint64_t id, const char *call)
{
    const enum cushim__handle_kind kind = cushim__handle_kind_of(id);

    if (kind < CUSHIM__HANDLE_CONTEXT) {
        cushim__fail_at(CUSHIM_ERROR_WRONG_HANDLE, call, NULL,
                        "%s: not the handle of an object of a context", call);
        return NULL;
    }
    return cushim__handle_pin(id, kind, call);
}

cushim_status cushim__object_set_label(struct cushim__object *object, const char *label,
                                       const char *call)
{
    char *copy = label ? strdup(label) : NULL, *none = NULL;

    if (!label)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL, "%s: label is NULL",
                               call);
    if (!copy)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, label, "no memory for a label");
    /* A label is set only once, because other threads may be reading it for a message. */
    if (!atomic_compare_exchange_strong(&object->label, &none, copy)) {
        free(copy);
        return cushim__fail_at(CUSHIM_ERROR_BUSY, call, none, "%s: this %s is called '%s' already",
                               call, cushim__handle_noun(object->kind), none);
    }
    return CUSHIM_OK;
}

/* A handle that was freed where the driver must not be called. */
struct deferred {
    struct deferred *next;
    uint64_t id;
    enum cushim__handle_kind kind;
    const char *call;
    struct cushim__source_place place;
};

static _Atomic(struct deferred *) deferred;

/* Where there is no memory for it, the handle stays open, the log says so, and the result is false.
 */
static bool defer_close(uint64_t id, enum cushim__handle_kind kind, const char *call)
{
    struct deferred *d = malloc(sizeof(*d));

    if (!d) {
        cushim__log(CUSHIM_LOG_ERROR, "%s; the handle stays open", cushim__error()->text);
        return false;
    }
    atomic_fetch_add(&cushim__attention, 1);
    *d = (struct deferred){atomic_load(&deferred), id, kind, call, {""}};
    cushim__source_place_set(&d->place, cushim__source_place_take());
    while (!atomic_compare_exchange_weak(&deferred, &d->next, d))
        ;
    return true;
}

static void close_all_deferred(void)
{
    struct deferred *d = atomic_exchange(&deferred, NULL);

    while (d) {
        struct deferred *next = d->next;

        cushim__handle_source_location(d->place.text);
        cushim__handle_free(&d->id, d->kind, d->call);
        atomic_fetch_sub(&cushim__attention, 1);
        free(d);
        d = next;
    }
    cushim__handle_destroy_deferred();
}

static _Thread_local bool held TLS_OF_WORDS;

bool cushim__hold_deferred(bool hold)
{
    const bool before = held;

    held = hold;
    return before;
}

/*
 * Destroying an object may free handles, which comes here again. The call that is at work goes on
 * with the next object itself, so that the stack does not grow with the number of objects.
 */
void cushim__close_deferred(void)
{
    const char *here;

    if (!cushim__attention_needed() || held)
        return;
    /* The location that the thread has set is for what it makes or frees itself. */
    here = cushim__handle_source_location(NULL);
    held = true;
    close_all_deferred();
    held = false;
    cushim__handle_source_location(here);
}

void cushim__object_close(uint64_t *id, enum cushim__handle_kind kind, const char *call)
{
    struct cushim__error before;

    if (!id || !*id) {
        cushim__source_place_take();
        return;
    }
    if (!cushim__in_callback()) {
        cushim__close_deferred();
        cushim__handle_free(id, kind, call);
        return;
    }
    cushim__error_keep(&before);
    cushim__check_no_callback(call);
    if (defer_close(*id, kind, call))
        *id = 0;
    cushim__error_restore(&before);
}
