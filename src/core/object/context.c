/* SPDX-License-Identifier: MIT */
#include "core/object/context.h"

#include <cushim/memory.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "core/object/event_pool.h"
#include "core/object/handle_words.h"
#include "core/object/host_call.h"
#include "core/object/idle_stream.h"
#include "core/object/limits.h"
#include "core/object/staging.h"

/*
 * Protects the list of all contexts: those with references, and those that are just being
 * destroyed. A context stays in the list until it is given back to the driver, so that a primary
 * context that is still held is always found. A context whose references have reached zero must not
 * be used again, which is why find() takes a reference only if there is still one.
 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct cushim__context *contexts;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER; /* a context has left the list, or stays */

/* Under the mutex. Finds a context also while another thread destroys it. */
static struct cushim__context *find_any(cushim__entry *const *table, CUcontext cu)
{
    struct cushim__context *c = contexts;

    while (c && (c->table != table || c->cu != cu || c->stays))
        c = c->next;
    return c;
}

/*
 * Under the mutex, which is released while the thread waits for the end of a context that another
 * thread destroys. Otherwise the caller would make an object of a CUcontext that is about to end.
 */
static struct cushim__context *find(cushim__entry *const *table, CUcontext cu)
{
    struct cushim__context *context;

    while ((context = find_any(table, cu)) && !cushim__object_ref_unless_zero(&context->object))
        pthread_cond_wait(&ended, &mutex);
    return context;
}

struct cushim__context *cushim__context_find(cushim__entry *const *table, CUcontext cu)
{
    struct cushim__context *context;

    pthread_mutex_lock(&mutex);
    context = find(table, cu);
    pthread_mutex_unlock(&mutex);
    return context;
}

struct cushim__context *cushim__context_find_number(uint64_t number)
{
    struct cushim__context *c;

    pthread_mutex_lock(&mutex);
    c = contexts;
    while (c && c->number != number)
        c = c->next;
    if (c && !cushim__object_ref_unless_zero(&c->object))
        c = NULL;
    pthread_mutex_unlock(&mutex);
    return c;
}

/*
 * The steps that are under way. They are in memory of the threads that make them, so a child of
 * fork() forgets those of other threads.
 */
static struct cushim__context_step *steps;
static pthread_cond_t step_ended = PTHREAD_COND_INITIALIZER;

static void open_in_child(void)
{
    pthread_mutex_init(&mutex, NULL);
    pthread_cond_init(&step_ended, NULL);
    pthread_cond_init(&ended, NULL);
    steps = NULL;
}

__attribute__((constructor)) static void at_fork(void)
{
    pthread_atfork(NULL, NULL, open_in_child);
}

/* Under the mutex. Tells whether a context of the device is being made, or is being reset. */
static bool is_under_way(const struct cushim__context_step *step, bool resets)
{
    for (const struct cushim__context_step *s = steps; s; s = s->next)
        if (s->library == step->library && s->device == step->device && s->resets == resets)
            return true;
    return false;
}

/* Under the mutex. A context of an interposed driver is one of the same library. */
static bool has_primary(const struct cushim__context_step *step)
{
    for (struct cushim__context *c = contexts; c; c = c->next)
        if (c->driver->library == step->library && c->device == step->device &&
            atomic_load(&c->is_primary))
            return true;
    return false;
}

/* Under the mutex. */
static void add_step(struct cushim__context_step *step)
{
    step->next = steps;
    steps = step;
}

/* Under the mutex, which is released while the thread waits. */
static void wait_for_reset(const struct cushim__context_step *step)
{
    while (is_under_way(step, true))
        pthread_cond_wait(&step_ended, &mutex);
}

void cushim__context_make_begin(const struct cushim__scope *scope, CUdevice device,
                                struct cushim__context_step *step)
{
    *step = (struct cushim__context_step){.library = scope->driver->library, .device = device};
    pthread_mutex_lock(&mutex);
    wait_for_reset(step);
    add_step(step);
    pthread_mutex_unlock(&mutex);
}

bool cushim__context_reset_begin(const struct cushim__scope *scope, CUdevice device,
                                 struct cushim__context_step *step)
{
    bool is_used;

    *step = (struct cushim__context_step){
        .library = scope->driver->library, .device = device, .resets = true};
    pthread_mutex_lock(&mutex);
    wait_for_reset(step);
    is_used = has_primary(step) || is_under_way(step, false);
    if (!is_used)
        add_step(step);
    pthread_mutex_unlock(&mutex);
    return !is_used;
}

void cushim__context_step_end(struct cushim__context_step *step)
{
    pthread_mutex_lock(&mutex);
    for (struct cushim__context_step **s = &steps; *s; s = &(*s)->next)
        if (*s == step) {
            *s = step->next;
            break;
        }
    pthread_cond_broadcast(&step_ended);
    pthread_mutex_unlock(&mutex);
}

static void remove_from_list(struct cushim__context *context)
{
    pthread_mutex_lock(&mutex);
    for (struct cushim__context **c = &contexts; *c; c = &(*c)->next)
        if (*c == context) {
            *c = context->next;
            break;
        }
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&mutex);
}

/* Nobody waits for the end of a context that is never given back. */
static void keep_in_list(struct cushim__context *context)
{
    pthread_mutex_lock(&mutex);
    context->stays = true;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&mutex);
}

static void give_back(struct cushim__context *context)
{
    const struct cushim__scope scope = {.table = context->table,
                                        .call = "cushim_context_free",
                                        .label = cushim__object_label(&context->object)};

    if (context->kind == CUSHIM__CONTEXT_PRIMARY)
        CU_FREE(&scope, cuDevicePrimaryCtxRelease_v2, (context->device));
    else if (context->kind == CUSHIM__CONTEXT_OWNED)
        CU_FREE(&scope, cuCtxDestroy_v2, (context->cu));
}

/* Tells whether the device runs nothing any more in a context whose calls have this result. */
static bool has_ended(int result)
{
    static const int ends[] = {CUDA_ERROR_ILLEGAL_ADDRESS,      CUDA_ERROR_LAUNCH_TIMEOUT,
                               CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_ASSERT,
                               CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_ILLEGAL_INSTRUCTION,
                               CUDA_ERROR_MISALIGNED_ADDRESS,   CUDA_ERROR_INVALID_ADDRESS_SPACE,
                               CUDA_ERROR_INVALID_PC,           CUDA_ERROR_LAUNCH_FAILED};

    for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
        if (result == ends[i])
            return true;
    return !result;
}

/*
 * Waits until the device has made all host calls, and drops those that it never makes: because it
 * has failed, or because they are of a graph. False if calls may still run.
 */
static bool end_host_calls(const struct cushim__scope *scope)
{
    const int result = CU_FN(scope->table, cuCtxSynchronize)();

    cushim__check_free(scope, result, "cuCtxSynchronize");
    while (has_ended(result) && cushim__host_calls_pending(scope->context))
        cushim__host_call_drop(scope->context->host_calls);
    return !cushim__host_calls_pending(scope->context);
}

/*
 * Frees everything that the context keeps for later use. False if the device may still make host
 * calls, which use the context.
 */
static bool empty(struct cushim__context *context)
{
    const bool calls = cushim__host_calls_pending(context);
    struct cushim__scope scope;
    bool is_empty = true;

    if (calls || context->n_events || context->staging_slabs || context->idle_stream) {
        cushim__scope_to_free(context, "cushim_context_free", NULL, &scope);
        is_empty = !calls || end_host_calls(&scope);
        if (is_empty) {
            cushim__event_pool_drain(&scope);
            cushim__staging_drain(&scope);
            cushim__idle_stream_drain(&scope);
        }
        cushim__scope_leave(&scope, CUSHIM_OK);
    }
    if (is_empty)
        free(TAKE_PTR(context->events));
    return is_empty;
}

/* Frees a context that is not in the list. */
static void discard(struct cushim__context *context)
{
    cushim__handle_unpin(context->driver_id);
    cushim__handle_lock_free(context->lock);
    cushim__object_finish(&context->object);
    free(context);
}

/*
 * Called with the last reference, so there is no handle and no object of the context. It leaves the
 * list only after it is given back: until then cushim_context_primary_reset() must see it.
 */
static void destroy(void *object)
{
    struct cushim__context *context = object;

    if (!empty(context)) {
        cushim__log(CUSHIM_LOG_ERROR, "cushim_context_free: host functions may still run, so the "
                                      "context is never given back");
        keep_in_list(context);
        return;
    }
    give_back(context);
    remove_from_list(context);
    discard(context);
}

static struct cushim__context *allocate(const struct cushim__scope *scope,
                                        const struct cushim__known_context *known)
{
    static _Atomic uint64_t last;
    struct cushim__context *context = cushim__zalloc_lines(sizeof(*context));

    if (context)
        context->lock = cushim__handle_lock_new(CUSHIM__CONTEXT_LOCK);
    if (!context || !context->lock) {
        free(context);
        return NULL;
    }
    cushim__object_init(&context->object, CUSHIM__HANDLE_CONTEXT, context, destroy);
    atomic_init(&context->kind, (int) known->kind);
    atomic_init(&context->is_primary, known->is_primary);
    context->number = atomic_fetch_add(&last, 1) + 1;
    context->driver_id = scope->pinned;
    context->table = scope->table;
    context->cu = known->cu;
    context->device = known->device;
    context->reuse.max_bytes = CUSHIM_MEMORY_LIMIT;
    context->reuse.off = cushim__driver_looks_for_mistakes(scope->driver);
    /*
     * The scope has pinned the driver only for this call, and the context needs it as long as it
     * lives.
     */
    cushim__handle_pin_again(context->driver_id);
    context->driver = scope->driver;
    return context;
}

/* Freed memory is kept only as long as the context has a handle. */
static void set_open(struct cushim__context *context, bool open)
{
    cushim__mutex_lock(&context->pool_lock);
    context->reuse.open = open;
    cushim__mutex_unlock(&context->pool_lock);
}

/* Makes a context that is not in the list yet. */
static cushim_status make(const struct cushim__scope *scope,
                          const struct cushim__known_context *known,
                          struct cushim__context **ret_context)
{
    struct cushim__limits limits;
    struct cushim__context *context;

    CUSHIM_TRY(cushim__limits_read(scope, known->device, &limits));
    context = allocate(scope, known);
    if (!context)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, NULL,
                               "no memory for a context");
    context->limits = limits;
    *ret_context = context;
    return CUSHIM_OK;
}

/*
 * Called when a handle of the context is destroyed. Closing the default stream takes other locks,
 * so it happens after the context lock is released.
 */
static void handle_gone(void *object)
{
    struct cushim__context *context = object;
    uint64_t stream = 0;
    bool last;

    cushim__lock(context);
    last = !--context->handles;
    if (last) {
        stream = context->default_stream;
        context->default_stream = 0;
        set_open(context, false);
    }
    cushim__unlock(context);
    if (stream) {
        struct cushim__source_place place;
        const char *here;

        cushim__source_place_of_child("cushim_context_free", "context", &place);
        here = cushim__handle_source_location(place.text);
        cushim__handle_close(stream, CUSHIM__HANDLE_STREAM, NULL);
        cushim__handle_source_location(here);
    }
    if (last && context->forget_modules)
        context->forget_modules(context);
    if (last && context->reuse.drop_all)
        context->reuse.drop_all(context);
    cushim__context_unref(context);
}

/* Makes a handle, which takes over the caller's reference. */
static cushim_status give_handle(struct cushim__context *context, const char *call,
                                 uint64_t *ret_id)
{
    cushim_status status;

    cushim__lock(context);
    context->handles++;
    set_open(context, true);
    cushim__unlock(context);
    status = cushim__handle_create(CUSHIM__HANDLE_CONTEXT, context, handle_gone, call, ret_id);
    if (status)
        handle_gone(context);
    return status;
}

/* Under the mutex. Tells whether the context keeps what the caller has taken from the driver. */
static bool takes_over(struct cushim__context *context, enum cushim__context_kind kind)
{
    int borrowed = CUSHIM__CONTEXT_BORROWED;

    if (kind != CUSHIM__CONTEXT_PRIMARY)
        return false;
    atomic_store(&context->is_primary, true);
    return atomic_compare_exchange_strong(&context->kind, &borrowed, (int) kind);
}

/*
 * Returns the context of the list that is known already. If there is none, adds made, unless it is
 * NULL. This is one step, because two threads that ask at the same time must get the same context.
 */
static struct cushim__context *find_or_add(const struct cushim__scope *scope,
                                           const struct cushim__known_context *known,
                                           struct cushim__context *made, bool *ret_taken)
{
    struct cushim__context *context;

    pthread_mutex_lock(&mutex);
    context = find(scope->table, known->cu);
    *ret_taken = context && takes_over(context, known->kind);
    if (!context && made) {
        made->next = contexts;
        contexts = made;
        *ret_taken = true;
    }
    pthread_mutex_unlock(&mutex);
    return context ? context : made;
}

cushim_status cushim__context_handle(const struct cushim__scope *scope,
                                     const struct cushim__known_context *known, bool *ret_taken,
                                     uint64_t *ret_id)
{
    struct cushim__context *context = find_or_add(scope, known, NULL, ret_taken);
    struct cushim__context *made = NULL;

    /* The driver is asked without the mutex, so that other threads do not wait for it. */
    if (!context) {
        CUSHIM_TRY(make(scope, known, &made));
        context = find_or_add(scope, known, made, ret_taken);
        if (context != made)
            discard(made);
    }
    return give_handle(context, scope->call, ret_id);
}
