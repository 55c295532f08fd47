/* SPDX-License-Identifier: MIT */
/*
 * The fast path of a launch (core/memory/fast.h): it has no options, and all its memory is of the
 * function's context, in the same parts as in earlier work. It allocates nothing, makes one driver
 * call, and reads each argument once. Every other case is left to launch.c, which also makes the
 * error texts for launches that are not valid.
 */
#include "core/launch/launch.h"
#include "core/memory/fast.h"

/* Most kernels have fewer arguments. */
enum { INLINE_ARGUMENTS = 16 };

struct launch {
    struct cushim__fast fast;
    const struct cushim_launch_config *config;
    const struct cushim__function *function; /* kept by the context lock */
    CUfunction cu;
    struct cushim__shape shape;
    void *values[INLINE_ARGUMENTS];
    CUdeviceptr addresses[INLINE_ARGUMENTS];
};

static inline const struct cushim__function *find_function(const struct launch *q, uint64_t id)
{
    struct cushim__handle_slot *slot = cushim__slot_of(id, CUSHIM__HANDLE_FUNCTION);

    return slot ? cushim__slot_peek(slot, id, q->fast.lock) : NULL;
}

static inline bool take_memory(struct launch *q, const struct cushim_argument *argument, size_t i)
{
    const bool write = argument->intent != CUSHIM_INTENT_IN;
    struct cushim__fast_part part;

    if (!cushim__fast_find(&q->fast, &argument->view, write, &part))
        return false;
    q->addresses[i] = part.buffer->address + part.begin;
    q->values[i] = &q->addresses[i];
    return cushim__fast_use(&q->fast, &part, write);
}

static inline bool take_arguments(struct launch *q, const struct cushim_argument *arguments,
                                  size_t n)
{
    const struct cushim__param *params = q->function->params;

    if (n != (size_t) q->function->n_params)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct cushim_argument *argument = &arguments[i];

        if (argument->bytes != params[i].size || (unsigned) argument->intent > CUSHIM_INTENT_INOUT)
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

/* Notes a launch whose stream is not the only one that reads the code. */
__attribute__((noinline)) static bool read_code(struct launch *q)
{
    struct cushim__buffer *code = q->function->code;

    if (!cushim__fast_use(&q->fast, &(struct cushim__fast_part){code, 0, 1}, false))
        return false;
    if (code->first.n_readers > 1)
        cushim__range_read_again(&code->first, q->fast.timeline);
    return true;
}

/*
 * Every launch reads the code. So where several streams do, each notes it for itself: their threads
 * would all write to one cache line otherwise.
 */
static inline bool take_code(struct launch *q)
{
    struct cushim__timeline *timeline = q->fast.timeline;
    struct cushim__range *range = cushim__fast_range(q->function->code, 0, 1);

    if (!range)
        return read_code(q);
    if (timeline->again == range) {
        timeline->again_number = timeline->submitted;
        return true;
    }
    return (range->n_readers == 1 && cushim__fast_again(range, false, timeline, q->fast.first)) ||
           read_code(q);
}

static inline int call(struct launch *q)
{
    const unsigned *grid = q->shape.grid, *block = q->shape.block;

    return CU_FN(q->fast.context->table, cuLaunchKernel)(
        q->cu, grid[0], grid[1], grid[2], block[0], block[1], block[2],
        (unsigned) q->config->shared_bytes, q->fast.stream->cu, q->values, NULL);
}

/* Launches if another context is current, or if asking for the current context has failed. */
__attribute__((cold, noinline)) static cushim_status
launch_elsewhere(struct launch *q, uint64_t function, CUcontext before, int result)
{
    struct cushim__scope scope = {
        .table = q->fast.context->table, .call = q->fast.call, .before = before};
    const char *name = "cuCtxGetCurrent";

    if (!result) {
        name = "cuCtxSetCurrent";
        result = CU_FN(q->fast.context->table, cuCtxSetCurrent)(q->fast.context->cu);
        scope.switched = !result;
    }
    if (!result) {
        name = "cuLaunchKernel";
        result = call(q);
    }
    return cushim__scope_leave(&scope, result ? cushim__fast_fail(&q->fast, function, result, name)
                                              : CUSHIM_OK);
}

/* Launches after asking which context is current. result is that of a launch without asking, or 0.
 */
__attribute__((cold, noinline)) static cushim_status launch_asking(struct launch *q,
                                                                   uint64_t function, int result)
{
    CUcontext now = NULL;
    int asked;

    if (result && !cushim__fast_asks(result))
        return cushim__fast_fail(&q->fast, function, result, "cuLaunchKernel");
    asked = CU_FN(q->fast.context->table, cuCtxGetCurrent)(&now);
    if (asked || now != q->fast.context->cu)
        return launch_elsewhere(q, function, now, asked);
    if (!result)
        result = call(q);
    return result ? cushim__fast_fail(&q->fast, function, result, "cuLaunchKernel") : CUSHIM_OK;
}

/* Under the stream lock alone. A driver that objects has launched nothing. */
static inline cushim_status launch(struct launch *q, uint64_t function)
{
    const bool must_ask = cushim__fast_must_ask(&q->fast);
    const int result = must_ask ? 0 : call(q);

    if (__builtin_expect(must_ask || result, 0))
        return launch_asking(q, function, result);
    return CUSHIM_OK;
}

/*
 * Under both locks. Checks everything and notes the launch, before the launch: see submit.h.
 * Returns false if the launch cannot take the fast path.
 */
static inline bool take(struct launch *q, uint64_t function,
                        const struct cushim_argument *arguments, size_t n)
{
    q->function = find_function(q, function);
    if (!q->function || !cushim__shape_of(q->function, q->config, &q->shape))
        return false;
    q->fast.label = q->function->name;
    q->cu = q->function->cu;
    return take_arguments(q, arguments, n) && take_code(q);
}

HOT cushim_status cushim__launch(uint64_t stream, uint64_t function,
                                 const struct cushim_launch_config *config,
                                 const struct cushim_argument *arguments, size_t n,
                                 const char *public_call)
{
    struct launch q;
    bool taken;

    if (config->options || config->size != sizeof(*config) || n > INLINE_ARGUMENTS ||
        !cushim__fast_begin(&q.fast, stream, public_call))
        return cushim__launch_general(stream, function, config, arguments, n, public_call);
    q.config = config;
    taken = take(&q, function, arguments, n);
    cushim__fast_noted(&q.fast);
    if (__builtin_expect(taken, 1))
        q.fast.status = launch(&q, function);
    cushim__fast_end(&q.fast);
    if (__builtin_expect(taken || q.fast.status, 1))
        return q.fast.status;
    return cushim__launch_general(stream, function, config, arguments, n, public_call);
}
