/* SPDX-License-Identifier: MIT */
#include "core/launch/launch.h"

#include <stdlib.h>

/*
 * The storage for the arguments of one launch. Most kernels have fewer arguments, and then nothing
 * is allocated.
 */
enum { INLINE_ARGUMENTS = 16 };

struct argument_storage {
    void *values[INLINE_ARGUMENTS];
    CUdeviceptr addresses[INLINE_ARGUMENTS];
    struct cushim__access accesses[INLINE_ARGUMENTS + 1];
    void *more;
};

/*
 * Prepares the arrays of a launch. If there are many arguments, one allocation holds all three
 * arrays. The accesses have one more element, for the kernel's code.
 */
static cushim_status take_room(struct cushim__launch *launch, struct argument_storage *room)
{
    const size_t n = launch->n;
    const size_t each = sizeof(void *) + sizeof(CUdeviceptr) + sizeof(struct cushim__access);

    room->more = NULL;
    launch->values = room->values;
    launch->addresses = room->addresses;
    launch->accesses = room->accesses;
    if (__builtin_expect(n <= INLINE_ARGUMENTS, 1))
        return CUSHIM_OK;
    room->more = calloc(n + 1, each);
    if (!room->more)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, launch->scope->call, launch->function->name,
                               "no memory for %zu arguments", n);
    launch->accesses = room->more;
    launch->addresses = (CUdeviceptr *) (launch->accesses + n + 1);
    launch->values = (void **) (launch->addresses + n);
    return CUSHIM_OK;
}

static cushim_status wrong_memory(const struct cushim__launch *launch, size_t i,
                                  cushim_status status)
{
    const char *name = launch->arguments[i].name ? launch->arguments[i].name : "";

    return cushim__fail_at(status, launch->scope->call, launch->function->name,
                           status == CUSHIM_ERROR_READ_ONLY
                               ? "%s: argument %zu (%s) is written, and its view is for reading"
                               : "%s: argument %zu (%s) is memory of another context",
                           launch->function->name, i, name);
}

/*
 * Pins the memory of one argument until the launch is submitted. So no other thread can free the
 * memory before the driver knows the kernel. After that, the order of the buffer's work delays
 * freeing.
 */
static cushim_status pin_argument(struct cushim__launch *launch, size_t i)
{
    const struct cushim_argument *argument = &launch->arguments[i];
    const bool same = argument->intent == CUSHIM_INTENT_SAME;
    const bool write = argument->intent != CUSHIM_INTENT_IN && !same;
    struct cushim__resolved_view span;
    cushim_status status = cushim__span_pin(argument->view, launch->scope->call, &span);

    if (__builtin_expect(status, 0))
        return status;
    /* All contexts may use page-locked memory. */
    if (__builtin_expect(span.slice->object.context != launch->scope->context, 0) &&
        span.slice->object.kind != CUSHIM__HANDLE_PINNED)
        status = wrong_memory(launch, i, CUSHIM_ERROR_FOREIGN_CONTEXT);
    else if (__builtin_expect(write && !span.writable, 0))
        status = wrong_memory(launch, i, CUSHIM_ERROR_READ_ONLY);
    if (__builtin_expect(status, 0)) {
        cushim__span_unpin(&span);
        return status;
    }
    launch->addresses[i] = cushim__span_address(&span);
    launch->values[i] = &launch->addresses[i];
    launch->accesses[launch->n_accesses] = cushim__span_access(&span, write);
    /* The other argument has the access. This one is empty, and only counts the pin. */
    if (__builtin_expect(same, 0))
        launch->accesses[launch->n_accesses].end = launch->accesses[launch->n_accesses].begin;
    launch->n_accesses++;
    return CUSHIM_OK;
}

/* Pins the memory of the arguments. unpin_memory() unpins it, also if this fails half-way. */
static cushim_status pin_memory(struct cushim__launch *launch)
{
    for (size_t i = 0; i < launch->n; i++) {
        if (launch->arguments[i].intent == CUSHIM_INTENT_VALUE)
            launch->values[i] = (void *) (uintptr_t) launch->arguments[i].value;
        else
            CUSHIM_TRY(pin_argument(launch, i));
    }
    return CUSHIM_OK;
}

/*
 * Each access belongs to one argument that is pinned, and arguments are pinned in order. So the
 * number of accesses tells where to stop, also if pin_memory() failed half-way.
 */
static void unpin_memory(const struct cushim__launch *launch)
{
    size_t pinned = launch->n_accesses;

    for (size_t i = 0; pinned; i++)
        if (launch->arguments[i].intent != CUSHIM_INTENT_VALUE) {
            cushim__handle_unpin(launch->arguments[i].view.object);
            pinned--;
        }
}

/* The driver call for launches without attributes. */
static cushim_status call_plain(const struct cushim__launch *l)
{
    return CU_CALL(l->scope, cuLaunchKernel,
                   (l->function->cu, l->shape.grid[0], l->shape.grid[1], l->shape.grid[2],
                    l->shape.block[0], l->shape.block[1], l->shape.block[2],
                    (unsigned) l->config->shared_bytes, l->stream->cu, l->values, NULL));
}

static cushim_status call_with(const struct cushim__launch *l,
                               struct cushim__launch_attributes *attributes)
{
    struct cushim__cu_launch description;
    cushim_status status;

    if (attributes->n == 1 && attributes->list[0].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        return CU_CALL(l->scope, cuLaunchCooperativeKernel,
                       (l->function->cu, l->shape.grid[0], l->shape.grid[1], l->shape.grid[2],
                        l->shape.block[0], l->shape.block[1], l->shape.block[2],
                        (unsigned) l->config->shared_bytes, l->stream->cu, l->values));
    /* Without attributes the older function does the same, and every driver has it. */
    if (!attributes->n)
        return call_plain(l);
    description = cushim__launch_describe(l, attributes);
    status = CU_CALL(l->scope, cuLaunchKernelEx, (&description, l->function->cu, l->values, NULL));
    if (status == CUDA_ERROR_INVALID_VALUE)
        cushim__launch_attributes_explain(l, attributes);
    return status;
}

/* The submission reads the kernel's code, too, so that a module is unloaded after its kernels. */
static void describe(struct cushim__launch *launch, struct cushim__submission *s)
{
    launch->about.name = launch->function->name;
    launch->about.arguments = launch->arguments;
    launch->about.n_arguments = launch->n;
    launch->accesses[launch->n_accesses] =
        (struct cushim__access){launch->function->code, 0, 1, false};
    s->scope = launch->scope;
    s->timeline = launch->stream->timeline;
    s->accesses = launch->accesses;
    s->n = launch->n_accesses + 1;
    s->attaching = false;
    s->recordable = true;
    s->in_order = false;
    s->waits_only = false;
    s->about = &launch->about;
    s->locks.n = 0;
}

/*
 * Between begin and end the stream lock is held. So this makes exactly one driver call there,
 * and that call does not block.
 */
static cushim_status submit_plain(struct cushim__launch *launch)
{
    struct cushim__submission s;
    cushim_status status;

    describe(launch, &s);
    CUSHIM_TRY(cushim__submit_begin(&s));
    status = call_plain(launch);
    cushim__submit_end(&s);
    return status;
}

/*
 * Launches with events that the program has, too. Another thread that looks at such an event sees
 * it as it was before the launch, or as it is after it: also what the driver does with it is under
 * the context lock.
 */
static cushim_status call_recording(const struct cushim__launch *launch,
                                    struct cushim__launch_attributes *attributes)
{
    cushim_status status;

    if (!attributes->n_events)
        return call_with(launch, attributes);
    cushim__lock(launch->scope->context);
    status = call_with(launch, attributes);
    if (!status)
        cushim__launch_attributes_recorded(attributes);
    cushim__unlock(launch->scope->context);
    return status;
}

/* Everything that is not plain: attributes, events around it. */
static cushim_status submit_with(struct cushim__launch *launch,
                                 struct cushim__launch_attributes *attributes,
                                 const struct cushim__launch_timing *timing)
{
    struct cushim__submission s;
    cushim_status status = CUSHIM_OK;

    describe(launch, &s);
    s.recordable = !attributes->n_events;
    launch->about.options = cushim__launch_attributes_hash(attributes);
    launch->about.several = timing->start != NULL;
    CUSHIM_TRY(cushim__submit_begin(&s));
    if (timing->start)
        status = cushim__launch_timing_record(launch, timing->start);
    if (!status)
        status = call_recording(launch, attributes);
    if (!status && timing->end)
        status = cushim__launch_timing_record(launch, timing->end);
    cushim__submit_end(&s);
    return status;
}

/*
 * The events are made before the submission and freed after it, so that the stream lock is not
 * held during these driver calls. They are dropped also after an error.
 */
static cushim_status submit_timed(struct cushim__launch *launch,
                                  struct cushim__launch_attributes *attributes)
{
    struct cushim__launch_timing timing = {.start = NULL};
    cushim_status status = cushim__launch_timing_make(launch, &timing);

    if (!status)
        status = submit_with(launch, attributes, &timing);
    if (!status)
        cushim__launch_timing_give(launch, &timing);
    cushim__launch_timing_drop(launch, &timing);
    return status;
}

/*
 * Attributes can pin events and memory of the program. They stay pinned until the launch is
 * submitted, also if it fails.
 */
static cushim_status submit_special(struct cushim__launch *launch)
{
    const struct cushim_launch_options *options = launch->config->options;
    struct cushim__launch_attributes attributes;
    cushim_status status = cushim__launch_attributes_make(launch, options, &attributes);

    if (!status)
        status = submit_timed(launch, &attributes);
    if (!status)
        cushim__launch_attributes_read(&attributes, options);
    cushim__launch_attributes_finish(&attributes);
    return status;
}

/* With the stream pinned. */
static cushim_status run(struct cushim__launch *launch, struct argument_storage *room)
{
    cushim_status status;

    /* This comes before the memory is pinned, because nothing has to be undone then. */
    if (__builtin_expect(launch->stream->object.context != launch->scope->context, 0))
        return cushim__fail_foreign(launch->scope, "stream");
    CUSHIM_TRY(take_room(launch, room));
    status = pin_memory(launch);
    if (!status)
        status = cushim__launch_check_overlap(launch);
    if (!status && !cushim__launch_is_empty(launch))
        status = launch->config->options ? submit_special(launch) : submit_plain(launch);
    /* The pins are removed also if the launch failed or was empty. */
    unpin_memory(launch);
    free(room->more);
    return status;
}

static cushim_status pin_and_run(struct cushim__launch *launch, struct argument_storage *room,
                                 uint64_t stream)
{
    cushim_status status;

    launch->stream = cushim__handle_pin(stream, CUSHIM__HANDLE_STREAM, launch->scope->call);
    if (!launch->stream)
        return cushim__error()->status;
    status = run(launch, room);
    cushim__handle_unpin(stream);
    return status;
}

static cushim_status check_and_run(struct cushim__launch *launch, uint64_t stream)
{
    struct argument_storage room;

    CUSHIM_TRY(cushim__launch_shape(launch));
    CUSHIM_TRY(cushim__launch_check_arguments(launch));
    return pin_and_run(launch, &room, stream);
}

cushim_status cushim__launch_general(uint64_t stream, uint64_t function,
                                     const struct cushim_launch_config *config,
                                     const struct cushim_argument *arguments, size_t n,
                                     const char *call)
{
    struct cushim__launch_config given;
    struct cushim__launch launch = {.config = &given.config, .arguments = arguments, .n = n};
    struct cushim__scope scope;

    CUSHIM_TRY(cushim__launch_config_read(config, call, &given));
    CUSHIM_TRY(
        cushim__object_enter(function, CUSHIM__HANDLE_FUNCTION, call, &scope, &launch.function));
    launch.scope = &scope;
    return cushim__scope_leave(&scope, check_and_run(&launch, stream));
}
