/* SPDX-License-Identifier: MIT */
/*
 * The fast path of a launch: it has no options, and all its memory is whole slices of the
 * function's context that were last used on the same stream. All is done in one step under the
 * submission lock. No handle can be closed under that lock, so nothing is pinned. The fast path
 * allocates nothing, asks for the current context, makes one other driver call, and reads each
 * argument once.
 *
 * Between two launches of a program, this code leaves the processor's first-level cache. So its
 * size matters most: the compiler inlines it into one function, and every other case is left to
 * launch.c, which also makes the error texts for launches that are not valid.
 */
#include "core/launch/launch.h"
#include "core/object/slot.h"
#include "core/order/buffer_fast.h"

/* Most kernels have fewer arguments. uses has one more element, for the kernel's code. */
enum { INLINE_ARGUMENTS = 16 };

struct fast {
    const char *call; /* the public function */
    const struct cushim_launch_config *config;
    const struct cushim__function *function;
    const struct cushim__context *context;
    struct cushim__timeline *timeline;
    CUstream stream;
    struct cushim__shape shape;
    unsigned n_uses;
    struct use {
        struct cushim__range *range;
        struct cushim__point *point; /* where the launch is noted */
    } uses[INLINE_ARGUMENTS + 1];
    void *values[INLINE_ARGUMENTS];
    CUdeviceptr addresses[INLINE_ARGUMENTS];
};

/*
 * Returns the object of a handle. It needs no pin, because the submission lock keeps the handle
 * open.
 */
static inline void *peek(const struct fast *q, uint64_t id, enum cushim__handle_kind kind)
{
    struct cushim__handle_slot *slot = cushim__slot_of(id, kind);

    return slot ? cushim__slot_peek(slot, id, q->context->submission_lock) : NULL;
}

/* Adds a use of a buffer. Returns false if the launch would have to wait for other work. */
__attribute__((noinline)) HOT static bool use(struct fast *q, const struct cushim__buffer *buffer,
                                              bool write)
{
    struct cushim__range *range = buffer->ranges;

    if (!cushim__buffer_is_fast(buffer, write, q->timeline))
        return false;
    q->uses[q->n_uses].range = range;
    q->uses[q->n_uses++].point = cushim__fast_point(range, write, q->timeline);
    return true;
}

/*
 * Tells whether another argument uses the same buffer. That may be an overlap, which launch.c
 * checks.
 */
static inline bool is_used(const struct fast *q, const struct cushim__buffer *buffer)
{
    for (unsigned i = 0; i < q->n_uses; i++)
        if (q->uses[i].range == buffer->ranges)
            return true;
    return false;
}

/*
 * Returns the buffer of an argument if the argument is a whole slice and the slice is the whole
 * buffer, and NULL otherwise.
 */
static inline struct cushim__buffer *find(const struct fast *q,
                                          const struct cushim_argument *argument)
{
    const struct cushim__slice *slice = peek(q, argument->view.object, CUSHIM__HANDLE_SLICE);

    return slice && slice->whole && argument->view.length == CUSHIM__WHOLE && !argument->view.offset
               ? slice->buffer
               : NULL;
}

static inline bool take_memory(struct fast *q, const struct cushim_argument *argument, size_t i)
{
    const bool write = argument->intent != CUSHIM_INTENT_IN;
    struct cushim__buffer *buffer = find(q, argument);

    if (!buffer || (write && !argument->view.writable) || is_used(q, buffer))
        return false;
    q->addresses[i] = buffer->address;
    q->values[i] = &q->addresses[i];
    return use(q, buffer, write);
}

static inline bool take_arguments(struct fast *q, const struct cushim_argument *arguments, size_t n)
{
    const struct cushim__function *function = q->function;

    if (n != (size_t) function->n_params)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct cushim_argument *argument = &arguments[i];

        if (argument->bytes != function->params[i].size ||
            (unsigned) argument->intent > CUSHIM_INTENT_INOUT)
            return false;
        if (argument->intent == CUSHIM_INTENT_VALUE) {
            if (!argument->value)
                return false;
            q->values[i] = (void *) (uintptr_t) argument->value;
        } else if (!take_memory(q, argument, i)) {
            return false;
        }
    }
    return true;
}

static inline bool take_stream(struct fast *q, uint64_t id)
{
    const struct cushim__stream *stream = peek(q, id, CUSHIM__HANDLE_STREAM);

    if (!stream || stream->timeline->not_fast)
        return false;
    q->timeline = stream->timeline;
    q->stream = stream->cu;
    return true;
}

static inline int call(struct fast *q)
{
    const unsigned *grid = q->shape.grid, *block = q->shape.block;

    return CU_FN(q->context->table, cuLaunchKernel)(
        q->function->cu, grid[0], grid[1], grid[2], block[0], block[1], block[2],
        (unsigned) q->config->shared_bytes, q->stream, q->values, NULL);
}

static inline void note(const struct fast *q)
{
    q->timeline->submitted++;
    for (unsigned i = 0; i < q->n_uses; i++)
        cushim__fast_note(q->uses[i].range, q->uses[i].point, q->timeline);
}

/* Launches if another context is current, or if asking for the current context has failed. */
__attribute__((cold, noinline)) static cushim_status launch_elsewhere(struct fast *q,
                                                                      CUcontext before, int result)
{
    struct cushim__scope scope = {
        .table = q->context->table, .call = q->call, .label = q->function->name, .before = before};
    cushim_status status = cushim__check_result(&scope, result, "cuCtxGetCurrent");

    if (!status)
        status = CU_CALL(&scope, cuCtxSetCurrent, (q->context->cu));
    if (!status) {
        scope.switched = true;
        status = cushim__check_result(&scope, call(q), "cuLaunchKernel");
        note(q);
    }
    return cushim__scope_leave(&scope, status);
}

__attribute__((cold, noinline)) static cushim_status fail(const struct fast *q, int result)
{
    const struct cushim__scope scope = {.call = q->call, .label = q->function->name};

    return cushim__fail_driver(&scope, result, "cuLaunchKernel");
}

static inline cushim_status launch(struct fast *q)
{
    CUcontext now = NULL;
    int result = CU_FN(q->context->table, cuCtxGetCurrent)(&now);

    if (__builtin_expect(result || now != q->context->cu, 0))
        return launch_elsewhere(q, now, result);
    result = call(q);
    note(q);
    return __builtin_expect(result, 0) ? fail(q, result) : CUSHIM_OK;
}

/* Under the submission lock. Tells whether the launch can take the fast path. */
static inline bool take(struct fast *q, uint64_t stream, const struct cushim_argument *arguments,
                        size_t n)
{
    q->context = q->function->object.context;
    q->n_uses = 0;
    return cushim__shape_of(q->function, q->config, &q->shape) && take_stream(q, stream) &&
           take_arguments(q, arguments, n) && use(q, q->function->code, false);
}

HOT cushim_status cushim__launch(uint64_t stream, uint64_t function,
                                 const struct cushim_launch_config *config,
                                 const struct cushim_argument *arguments, size_t n,
                                 const char *public_call)
{
    struct cushim__handle_slot *slot = cushim__slot_of(function, CUSHIM__HANDLE_FUNCTION);
    struct cushim__handle_lock *lock =
        slot ? atomic_load_explicit(&slot->lock, memory_order_acquire) : NULL;
    cushim_status status = CUSHIM_OK;
    struct fast q;
    bool taken;

    if (!lock || config->options || n > INLINE_ARGUMENTS || cushim__host_functions_run())
        return cushim__launch_general(stream, function, config, arguments, n, public_call);
    q.call = public_call;
    q.config = config;
    /* The memory of locks is never freed, so a stale handle does no harm: the peek then fails. */
    pthread_mutex_lock(&lock->mutex);
    q.function = cushim__slot_peek(slot, function, lock);
    taken = q.function && take(&q, stream, arguments, n);
    if (__builtin_expect(taken, 1))
        status = launch(&q);
    pthread_mutex_unlock(&lock->mutex);
    if (__builtin_expect(taken, 1))
        return status;
    return cushim__launch_general(stream, function, config, arguments, n, public_call);
}
