/* SPDX-License-Identifier: MIT */
/*
 * The fast path of a launch: it has no options, and all its memory is slices and views of the
 * function's context, in the same parts as in earlier work. Most of it was last used on the same
 * stream; for some of it the stream may have to wait. The stream lock is
 * held from the beginning to the end, and the context lock while the arguments are looked at and
 * the launch is noted. Under a lock, the handles that have this lock cannot be closed, so nothing
 * is pinned. The fast path allocates nothing, makes one driver call, and reads each argument
 * once.
 *
 * Between two launches of a program, this code leaves the processor's first-level cache. So its
 * size matters most: the compiler inlines it into one function, and every other case is left to
 * launch.c, which also makes the error texts for launches that are not valid.
 */
#include "core/launch/launch.h"
#include "core/object/slot.h"
#include "core/order/buffer_fast.h"

/* Most kernels have fewer arguments. uses has one more element, for the kernel's code. */
enum { INLINE_ARGUMENTS = 16, HANDED_OVER = 4 };

struct fast {
    const char *call; /* the public function */
    const struct cushim_launch_config *config;
    const struct cushim__stream *stream;     /* kept by the stream lock */
    struct cushim__context *context;         /* of the stream, which keeps it */
    const struct cushim__function *function; /* kept by the context lock */
    CUfunction cu;
    struct cushim__shape shape;
    unsigned n_uses;
    struct use {
        struct cushim__buffer *buffer;
        struct cushim__range *range;
        struct cushim__point *point; /* where the launch is noted */
    } uses[INLINE_ARGUMENTS + 1];
    unsigned n_handed_over;
    struct cushim__access handed_over[HANDED_OVER]; /* noted as launch.c would */
    bool mark;                                      /* the launch is marked at once */
    cushim_status status;                           /* of a driver call that has failed */
    void *values[INLINE_ARGUMENTS];
    CUdeviceptr addresses[INLINE_ARGUMENTS];
};

/*
 * Returns the object of a handle. It needs no pin, because the context lock keeps the handle
 * open. NULL if the object is of another context.
 */
static inline void *peek(const struct fast *q, uint64_t id, enum cushim__handle_kind kind)
{
    struct cushim__handle_slot *slot = cushim__slot_of(id, kind);

    return slot ? cushim__slot_peek(slot, id, q->context->lock) : NULL;
}

static bool is_of_context(const struct cushim__point *point, void *context)
{
    return point->timeline->context == context;
}

/*
 * Adds a use of a buffer that other streams of the context have used last, and makes the stream
 * wait for them. What has been waited for stays so if the launch then takes the other path.
 */
__attribute__((noinline)) static bool hand_over(struct fast *q, struct cushim__buffer *buffer,
                                                size_t begin, size_t end, bool write)
{
    const struct cushim__scope scope = {.table = q->context->table,
                                        .context = q->context,
                                        .call = q->call,
                                        .label = q->function->name};
    struct cushim__timeline *timeline = q->stream->timeline;
    struct cushim__point busy = {NULL, 0};
    CUcontext now = NULL;

    if (q->n_handed_over == HANDED_OVER || buffer->restricted)
        return false;
    q->status = CU_CALL(&scope, cuCtxGetCurrent, (&now));
    if (q->status || now != q->context->cu ||
        !cushim__buffer_each(buffer, begin, end, true, is_of_context, q->context) ||
        !cushim__buffer_prepare(buffer, begin, end, write, timeline))
        return false;
    q->status = cushim__buffer_wait(&scope, buffer, begin, end, write, timeline, &busy);
    if (q->status)
        return false;
    if (busy.timeline) {
        cushim__timeline_unref(busy.timeline);
        return false;
    }
    q->handed_over[q->n_handed_over++] = (struct cushim__access){buffer, begin, end, write};
    return true;
}

/* Tells whether another argument hands the buffer over, too. launch.c checks for overlaps. */
static bool is_handed_over(const struct fast *q, const struct cushim__buffer *buffer)
{
    for (unsigned i = 0; i < q->n_handed_over; i++)
        if (q->handed_over[i].buffer == buffer)
            return true;
    return false;
}

/* Tells whether another argument uses a part of the buffer. */
static bool is_used(const struct fast *q, struct cushim__buffer *buffer)
{
    for (unsigned i = 0; i < q->n_uses; i++)
        if (q->uses[i].buffer == buffer)
            return true;
    return is_handed_over(q, buffer);
}

/* Adds a use of a buffer. Returns false if launch.c has to do it. */
__attribute__((noinline)) HOT static bool use(struct fast *q, struct cushim__buffer *buffer,
                                              size_t begin, size_t end, bool write)
{
    struct cushim__timeline *timeline = q->stream->timeline;
    struct cushim__range *range = cushim__fast_range(buffer, begin, end, write, timeline);

    if (__builtin_expect(!range, 0))
        return !is_used(q, buffer) && hand_over(q, buffer, begin, end, write);
    if (__builtin_expect(q->n_handed_over, 0) && is_handed_over(q, buffer))
        return false;
    /* Another argument uses it, too: launch.c checks for overlaps. */
    for (unsigned i = 0; i < q->n_uses; i++)
        if (q->uses[i].range == range)
            return false;
    q->uses[q->n_uses].buffer = buffer;
    q->uses[q->n_uses].range = range;
    q->uses[q->n_uses++].point = cushim__fast_point(range, write, timeline);
    return true;
}

/* Looks up the bytes of a view. Returns false if it has none, or is not inside of its slice. */
static inline bool find_part(const struct cushim__slice *slice, const cushim_view *view,
                             size_t *ret_begin, size_t *ret_end)
{
    const size_t all = slice->element * slice->length;
    size_t bytes = all;

    if (view->length != CUSHIM__WHOLE &&
        __builtin_mul_overflow(view->element, view->length, &bytes))
        return false;
    if (view->offset > all || bytes > all - view->offset || !bytes)
        return false;
    *ret_begin = slice->begin + view->offset;
    *ret_end = *ret_begin + bytes;
    return true;
}

static inline bool take_memory(struct fast *q, const struct cushim_argument *argument, size_t i)
{
    const struct cushim__slice *slice = peek(q, argument->view.object, CUSHIM__HANDLE_SLICE);
    const bool write = argument->intent != CUSHIM_INTENT_IN;
    size_t begin, end;

    if (!slice || (write && !argument->view.writable) ||
        !find_part(slice, &argument->view, &begin, &end))
        return false;
    q->addresses[i] = slice->buffer->address + begin;
    q->values[i] = &q->addresses[i];
    return use(q, slice->buffer, begin, end, write);
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

static inline int call(struct fast *q)
{
    const unsigned *grid = q->shape.grid, *block = q->shape.block;

    return CU_FN(q->context->table, cuLaunchKernel)(
        q->cu, grid[0], grid[1], grid[2], block[0], block[1], block[2],
        (unsigned) q->config->shared_bytes, q->stream->cu, q->values, NULL);
}

/* Notes what was handed over, after all other uses: this may merge ranges. */
__attribute__((noinline)) static void note_handed_over(struct fast *q)
{
    for (unsigned i = 0; i < q->n_handed_over; i++) {
        const struct cushim__access *a = &q->handed_over[i];

        cushim__buffer_note(a->buffer, a->begin, a->end, a->write, q->stream->timeline);
        q->mark |= a->buffer->eager_event;
        a->buffer->eager_event = false;
    }
}

/* Under the context lock, before the launch: see submit.h. */
static inline void note(struct fast *q)
{
    struct cushim__timeline *timeline = q->stream->timeline;

    timeline->submitted++;
    for (unsigned i = 0; i < q->n_uses; i++)
        cushim__fast_note(q->uses[i].range, q->uses[i].point, timeline);
    if (__builtin_expect(q->n_handed_over, 0))
        note_handed_over(q);
}

/* Marks the launch at once, for the streams that will wait for it. */
__attribute__((noinline)) static void mark(const struct fast *q)
{
    const struct cushim__scope scope = {
        .table = q->context->table, .context = q->context, .call = q->call};

    cushim__lock(q->context);
    cushim__timeline_mark_now(&scope, q->stream->timeline);
    cushim__unlock(q->context);
}

/* Fails with the name of the function, if its handle is still open. */
__attribute__((cold, noinline)) static cushim_status fail(struct fast *q, uint64_t function,
                                                          int result, const char *name)
{
    struct cushim__scope scope = {.call = q->call};
    cushim_status status;

    cushim__lock(q->context);
    q->function = peek(q, function, CUSHIM__HANDLE_FUNCTION);
    scope.label = q->function ? q->function->name : NULL;
    status = cushim__fail_driver(&scope, result, name);
    cushim__unlock(q->context);
    return status;
}

/* Launches if another context is current, or if asking for the current context has failed. */
__attribute__((cold, noinline)) static cushim_status
launch_elsewhere(struct fast *q, uint64_t function, CUcontext before, int result)
{
    struct cushim__scope scope = {.table = q->context->table, .call = q->call, .before = before};
    const char *name = "cuCtxGetCurrent";

    if (!result) {
        name = "cuCtxSetCurrent";
        result = CU_FN(q->context->table, cuCtxSetCurrent)(q->context->cu);
        scope.switched = !result;
    }
    if (!result) {
        name = "cuLaunchKernel";
        result = call(q);
    }
    return cushim__scope_leave(&scope, result ? fail(q, function, result, name) : CUSHIM_OK);
}

/* Tells whether a launch may have failed only because another context is current. */
static bool is_of_context_error(int result)
{
    return result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_INVALID_HANDLE ||
           result == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* Launches after asking which context is current. result is that of a launch without asking, or 0.
 */
__attribute__((cold, noinline)) static cushim_status launch_asking(struct fast *q,
                                                                   uint64_t function, int result)
{
    CUcontext now = NULL;
    int asked;

    if (result && !is_of_context_error(result))
        return fail(q, function, result, "cuLaunchKernel");
    asked = CU_FN(q->context->table, cuCtxGetCurrent)(&now);
    if (asked || now != q->context->cu)
        return launch_elsewhere(q, function, now, asked);
    if (!result)
        result = call(q);
    return result ? fail(q, function, result, "cuLaunchKernel") : CUSHIM_OK;
}

/*
 * Under the stream lock alone. A stream that was created belongs to its context, and drivers launch
 * into it whichever context is current (an H200 with driver 580). A driver that objects has
 * launched nothing. The default streams mean the current context.
 */
static inline cushim_status launch(struct fast *q, uint64_t function)
{
    const bool is_default = (uintptr_t) q->stream->cu <= (uintptr_t) CU_STREAM_PER_THREAD;
    const int result = is_default ? 0 : call(q);

    if (__builtin_expect(is_default || result, 0))
        return launch_asking(q, function, result);
    return CUSHIM_OK;
}

/*
 * Under the stream lock. Checks everything and notes the launch, under the context lock. Returns
 * false if the launch cannot take the fast path.
 */
static inline bool take(struct fast *q, uint64_t function, const struct cushim_argument *arguments,
                        size_t n)
{
    bool taken;

    if (!q->stream || q->stream->timeline->not_fast)
        return false;
    q->context = q->stream->object.context;
    q->n_uses = q->n_handed_over = 0;
    q->mark = false;
    cushim__lock(q->context);
    q->function = peek(q, function, CUSHIM__HANDLE_FUNCTION);
    taken = q->function && cushim__shape_of(q->function, q->config, &q->shape) &&
            take_arguments(q, arguments, n) && use(q, q->function->code, 0, 1, false);
    if (__builtin_expect(taken, 1)) {
        q->cu = q->function->cu;
        note(q);
    }
    cushim__unlock(q->context);
    return taken;
}

HOT cushim_status cushim__launch(uint64_t stream, uint64_t function,
                                 const struct cushim_launch_config *config,
                                 const struct cushim_argument *arguments, size_t n,
                                 const char *public_call)
{
    struct cushim__handle_slot *slot = cushim__slot_of(stream, CUSHIM__HANDLE_STREAM);
    struct cushim__handle_lock *lock =
        slot ? atomic_load_explicit(&slot->lock, memory_order_acquire) : NULL;
    cushim_status status = CUSHIM_OK;
    struct fast q;
    bool taken;

    if (!lock || config->options || config->size != sizeof(*config) || n > INLINE_ARGUMENTS ||
        cushim__attention_needed())
        return cushim__launch_general(stream, function, config, arguments, n, public_call);
    q.call = public_call;
    q.config = config;
    q.status = CUSHIM_OK;
    /* The memory of locks is never freed, so a stale handle does no harm: the peek then fails. */
    pthread_mutex_lock(&lock->mutex);
    q.stream = cushim__slot_peek(slot, stream, lock);
    taken = take(&q, function, arguments, n);
    if (__builtin_expect(taken, 1)) {
        status = launch(&q, function);
        if (__builtin_expect(q.mark, 0))
            mark(&q);
        cushim__timeline_unlock(q.stream->timeline);
        return status;
    }
    pthread_mutex_unlock(&lock->mutex);
    if (q.status)
        return q.status;
    return cushim__launch_general(stream, function, config, arguments, n, public_call);
}
