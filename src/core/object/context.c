/* SPDX-License-Identifier: MIT */
#include "core/object/context.h"

#include <cushim/memory.h>

#include <stdlib.h>
#include <string.h>

#include "base/fork.h"
#include "base/log.h"
#include "core/object/event_pool.h"
#include "core/object/host_call.h"
#include "core/object/staging.h"

/*
 * Protects the list of all contexts: those with references, and those that are just being
 * destroyed. A context stays in the list until it is given back to the driver, so that a primary
 * context that is still held is always found. A context whose references have reached zero must not
 * be used again, which is why find() takes a reference only if there is still one.
 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct cushim__context *contexts;

CUSHIM__OPEN_IN_CHILD(mutex);

static bool ref_unless_zero(struct cushim__context *context)
{
    unsigned n = atomic_load(&context->object.references);

    while (n)
        if (atomic_compare_exchange_weak(&context->object.references, &n, n + 1))
            return true;
    return false;
}

/* Under the mutex. */
static struct cushim__context *find(cushim__entry *const *table, CUcontext cu)
{
    for (struct cushim__context *c = contexts; c; c = c->next)
        if (c->table == table && c->cu == cu && ref_unless_zero(c))
            return c;
    return NULL;
}

struct cushim__context *cushim__context_find(cushim__entry *const *table, CUcontext cu)
{
    struct cushim__context *context;

    pthread_mutex_lock(&mutex);
    context = find(table, cu);
    pthread_mutex_unlock(&mutex);
    return context;
}

bool cushim__context_primary_in_use(cushim__entry *const *table, CUdevice device)
{
    bool found = false;

    pthread_mutex_lock(&mutex);
    for (struct cushim__context *c = contexts; c; c = c->next)
        found |= c->table == table && c->device == device && c->kind == CUSHIM__CONTEXT_PRIMARY;
    pthread_mutex_unlock(&mutex);
    return found;
}

static void remove_from_list(struct cushim__context *context)
{
    pthread_mutex_lock(&mutex);
    for (struct cushim__context **c = &contexts; *c; c = &(*c)->next)
        if (*c == context) {
            *c = context->next;
            break;
        }
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

/*
 * Frees everything that the context keeps for later use. The device must have made all host calls
 * before: they use the context.
 */
static void empty(struct cushim__context *context)
{
    const bool calls = cushim__host_calls_pending(context);
    struct cushim__scope scope;

    if (calls || context->n_events || context->staging) {
        cushim__scope_to_free(context, "cushim_context_free", NULL, &scope);
        if (calls)
            CU_FREE(&scope, cuCtxSynchronize, ());
        /* The device has failed, so it will not make these calls any more. */
        while (cushim__host_calls_pending(context))
            cushim__host_call_drop(context->host_calls);
        cushim__event_pool_drain(&scope);
        cushim__staging_drain(&scope);
        cushim__scope_leave(&scope, CUSHIM_OK);
    }
    free(context->events);
}

/*
 * Called with the last reference, so there is no handle and no object of the context. It leaves the
 * list only after it is given back: until then cushim_context_primary_reset() must see it.
 */
static void destroy(void *object)
{
    struct cushim__context *context = object;

    empty(context);
    give_back(context);
    remove_from_list(context);
    cushim__handle_unpin(context->driver_id);
    cushim__handle_lock_free(context->lock);
    pthread_mutex_destroy(&context->pool_lock);
    cushim__object_finish(&context->object);
    free(context);
}

static const struct {
    int attribute;
    size_t offset;
} limit_list[] = {
#define LIMIT(attribute, field)                                                                    \
    {                                                                                              \
        attribute, offsetof(struct cushim__limits, field)                                          \
    }
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, max_threads_per_block),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, max_block[0]),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, max_block[1]),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, max_block[2]),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, max_grid[0]),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, max_grid[1]),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, max_grid[2]),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, shared_per_block),
    LIMIT(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared_per_block_optin),
    LIMIT(CU_DEVICE_ATTRIBUTE_WARP_SIZE, warp_size),
    LIMIT(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, multiprocessors),
    LIMIT(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major),
    LIMIT(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor),
    LIMIT(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, memory_pools),
    LIMIT(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, managed),
    LIMIT(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, concurrent_managed),
    LIMIT(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, cooperative),
    LIMIT(CUSHIM__CU_ATTRIBUTE_CLUSTER_LAUNCH, cluster),
#undef LIMIT
};

/*
 * An attribute that this driver does not know is 0: with such a driver the device does not have the
 * feature.
 */
static void read_limits(const struct cushim__scope *scope, CUdevice device,
                        struct cushim__limits *limits)
{
    for (size_t i = 0; i < ARRAY_SIZE(limit_list); i++) {
        int *value = (int *) ((char *) limits + limit_list[i].offset);

        if (CU_FN(scope->table, cuDeviceGetAttribute)(value, limit_list[i].attribute, device))
            *value = 0;
    }
    if (limits->shared_per_block_optin < limits->shared_per_block)
        limits->shared_per_block_optin = limits->shared_per_block;
}

static struct cushim__context *make(const struct cushim__scope *scope, CUcontext cu,
                                    CUdevice device, enum cushim__context_kind kind)
{
    struct cushim__context *context = cushim__zalloc_lines(sizeof(*context));

    if (context)
        context->lock = cushim__handle_lock_new(CUSHIM__CONTEXT_LOCK);
    if (!context || !context->lock) {
        free(context);
        return NULL;
    }
    cushim__object_init(&context->object, CUSHIM__HANDLE_CONTEXT, context, destroy);
    atomic_init(&context->kind, (int) kind);
    context->driver_id = scope->pinned;
    context->table = scope->table;
    context->cu = cu;
    context->device = device;
    pthread_mutex_init(&context->pool_lock, NULL);
    context->reuse.max_bytes = CUSHIM_MEMORY_KEPT;
    context->reuse.off = cushim__driver_looks_for_mistakes(scope->driver);
    read_limits(scope, device, &context->limits);
    /*
     * The scope has pinned the driver only for this call, and the context needs it as long as it
     * lives.
     */
    cushim__handle_pin_again(context->driver_id);
    context->driver = scope->driver;
    context->next = contexts;
    contexts = context;
    return context;
}

/* Freed memory is kept only as long as the context has a handle. */
static void set_open(struct cushim__context *context, bool open)
{
    pthread_mutex_lock(&context->pool_lock);
    context->reuse.open = open;
    pthread_mutex_unlock(&context->pool_lock);
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
    if (stream)
        cushim__handle_close(stream, CUSHIM__HANDLE_STREAM, NULL);
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

    return kind == CUSHIM__CONTEXT_PRIMARY &&
           atomic_compare_exchange_strong(&context->kind, &borrowed, (int) kind);
}

cushim_status cushim__context_handle(const struct cushim__scope *scope, CUcontext cu,
                                     CUdevice device, enum cushim__context_kind kind,
                                     bool *ret_taken, uint64_t *ret_id)
{
    struct cushim__context *context;

    /* One step: two threads that ask at the same time must get the same context. */
    pthread_mutex_lock(&mutex);
    context = find(scope->table, cu);
    *ret_taken = context && takes_over(context, kind);
    if (!context) {
        context = make(scope, cu, device, kind);
        *ret_taken = context != NULL;
    }
    pthread_mutex_unlock(&mutex);
    if (!context)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, NULL,
                               "no memory for a context");
    return give_handle(context, scope->call, ret_id);
}
