/* SPDX-License-Identifier: MIT */
#include "core/launch.h"

#include <stdlib.h>

/* Room for the arguments of one launch. Most kernels have fewer than are here. */
enum { FEW = 16 };

struct room {
    void *values[FEW];
    CUdeviceptr addresses[FEW];
    struct cushim__access accesses[FEW + 1];
    void *more;
};

static cushim_status take_room(struct cushim__launch *launch, struct room *room)
{
    const size_t n = launch->n;
    const size_t each = sizeof(void *) + sizeof(CUdeviceptr) + sizeof(struct cushim__access);

    room->more = NULL;
    launch->values = room->values;
    launch->addresses = room->addresses;
    launch->accesses = room->accesses;
    if (__builtin_expect(n <= FEW, 1))
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

static cushim_status pin_argument(struct cushim__launch *launch, size_t i)
{
    const struct cushim_argument *argument = &launch->arguments[i];
    const bool write = argument->intent != CUSHIM_INTENT_IN;
    struct cushim__span span;
    cushim_status status = cushim__span_pin(argument->view, launch->scope->call, &span);

    if (__builtin_expect(status, 0))
        return status;
    /* Page-locked memory is for all contexts. */
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
    launch->accesses[launch->n_accesses++] = cushim__span_access(&span, write);
    return CUSHIM_OK;
}

/* Pins the memory that arguments lead to. What was pinned is unpinned by unpin_memory(). */
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

static void unpin_memory(const struct cushim__launch *launch)
{
    size_t pinned = launch->n_accesses;

    for (size_t i = 0; pinned; i++)
        if (launch->arguments[i].intent != CUSHIM_INTENT_VALUE) {
            cushim__handle_unpin(launch->arguments[i].view.object);
            pinned--;
        }
}

static cushim_status check_values(const struct cushim__launch *launch)
{
    for (size_t i = 0; i < launch->n; i++) {
        const struct cushim_argument *argument = &launch->arguments[i];

        if (__builtin_expect((unsigned) argument->intent > CUSHIM_INTENT_INOUT ||
                                 (argument->intent == CUSHIM_INTENT_VALUE && !argument->value),
                             0))
            return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, launch->scope->call,
                                   launch->function->name, "%s: argument %zu (%s) has no value",
                                   launch->function->name, i, argument->name ? argument->name : "");
    }
    return CUSHIM_OK;
}

/* The driver call for launches that ask for nothing special. */
static cushim_status call_plain(const struct cushim__launch *l)
{
    return CU_CALL(l->scope, cuLaunchKernel,
                   (l->function->cu, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                    l->block[2], (unsigned) l->config->shared_bytes, l->stream->cu, l->values,
                    NULL));
}

static cushim_status call_with(const struct cushim__launch *l,
                               struct cushim__launch_attributes *attributes)
{
    struct cushim__cu_launch description;

    if (attributes->n == 1 && attributes->list[0].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        return CU_CALL(l->scope, cuLaunchCooperativeKernel,
                       (l->function->cu, l->grid[0], l->grid[1], l->grid[2], l->block[0],
                        l->block[1], l->block[2], (unsigned) l->config->shared_bytes, l->stream->cu,
                        l->values));
    if (!attributes->n)
        return call_plain(l);
    description = cushim__launch_describe(l, attributes);
    return CU_CALL(l->scope, cuLaunchKernelEx, (&description, l->function->cu, l->values, NULL));
}

/* The submission: the kernel's code is read, too, so that a module is unloaded after its kernels.
 */
static void describe(struct cushim__launch *launch, struct cushim__submission *s)
{
    launch->accesses[launch->n_accesses] =
        (struct cushim__access){launch->function->module->code, 0, 1, false};
    s->scope = launch->scope;
    s->timeline = launch->stream->timeline;
    s->accesses = launch->accesses;
    s->n = launch->n_accesses + 1;
    s->attaching = s->quick = false;
    s->locks.n = 0;
}

/* Waits for what has to come before. */
static cushim_status begin(struct cushim__launch *launch, struct cushim__submission *s)
{
    describe(launch, s);
    return cushim__submit_begin(s);
}

static cushim_status submit_plain(struct cushim__launch *launch)
{
    struct cushim__submission s;
    cushim_status status = begin(launch, &s);

    if (status)
        return status;
    status = call_plain(launch);
    cushim__submit_end(&s);
    return status;
}

/* Everything that is not plain: attributes, events around it. */
static cushim_status submit_with(struct cushim__launch *launch,
                                 struct cushim__launch_attributes *attributes,
                                 const struct cushim__launch_timing *timing)
{
    struct cushim__submission s;
    cushim_status status = begin(launch, &s);

    if (status)
        return status;
    if (timing->start)
        status = CU_CALL(launch->scope, cuEventRecord, (timing->start->cu, launch->stream->cu));
    if (!status)
        status = call_with(launch, attributes);
    if (!status && timing->end)
        status = CU_CALL(launch->scope, cuEventRecord, (timing->end->cu, launch->stream->cu));
    if (!status)
        cushim__launch_attributes_recorded(attributes);
    cushim__submit_end(&s);
    return status;
}

static cushim_status submit_timed(struct cushim__launch *launch,
                                  struct cushim__launch_attributes *attributes)
{
    const struct cushim_launch_options *options = launch->config->options;
    struct cushim__launch_timing timing = {NULL, NULL};
    cushim_status status = cushim__launch_timing_make(launch, &timing);

    if (!status)
        status = submit_with(launch, attributes, &timing);
    if (!status)
        status = cushim__launch_timing_give(launch->scope, options, &timing);
    cushim__launch_timing_drop(&timing);
    return status;
}

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

/* What is known without the stream and the memory. */
static cushim_status check(struct cushim__launch *launch)
{
    CUSHIM_TRY(cushim__launch_shape(launch));
    CUSHIM_TRY(cushim__launch_check_arguments(launch));
    return check_values(launch);
}

/* With the stream pinned. */
static cushim_status run(struct cushim__launch *launch, struct room *room)
{
    cushim_status status;

    if (__builtin_expect(launch->stream->object.context != launch->scope->context, 0))
        return cushim__fail_foreign(launch->scope, "stream");
    CUSHIM_TRY(take_room(launch, room));
    status = pin_memory(launch);
    if (!status)
        status = cushim__launch_check_overlap(launch);
    if (!status && !cushim__launch_is_empty(launch))
        status = launch->config->options ? submit_special(launch) : submit_plain(launch);
    unpin_memory(launch);
    free(room->more);
    return status;
}

static cushim_status pin_and_run(struct cushim__launch *launch, struct room *room, uint64_t stream)
{
    cushim_status status;

    launch->stream = cushim__handle_pin(stream, CUSHIM__HANDLE_STREAM, launch->scope->call);
    if (!launch->stream)
        return cushim__error()->status;
    status = run(launch, room);
    cushim__handle_unpin(stream);
    return status;
}

/* --- the quick way: under the submission lock, where nothing needs a pin --- */

static bool peek_argument(struct cushim__launch *l, const struct cushim_argument *argument,
                          size_t i, const pthread_mutex_t *gate)
{
    const struct cushim__slice *slice =
        cushim__handle_peek(argument->view.object, CUSHIM__HANDLE_SLICE, gate);
    const bool write = argument->intent != CUSHIM_INTENT_IN;
    size_t begin, end;

    if (!slice || (write && !argument->view.writable) ||
        !cushim__slice_bytes(slice, &argument->view, &begin, &end))
        return false;
    l->addresses[i] = slice->buffer->address + begin;
    l->values[i] = &l->addresses[i];
    l->accesses[l->n_accesses++] = (struct cushim__access){slice->buffer, begin, end, write};
    return true;
}

static bool peek(struct cushim__launch *l, struct room *room, uint64_t stream)
{
    const pthread_mutex_t *gate = &l->scope->context->lock;
    size_t a, b, bytes;

    l->stream = cushim__handle_peek(stream, CUSHIM__HANDLE_STREAM, gate);
    l->values = room->values;
    l->addresses = room->addresses;
    l->accesses = room->accesses;
    l->n_accesses = 0;
    for (size_t i = 0; l->stream && i < l->n; i++)
        if (l->arguments[i].intent == CUSHIM_INTENT_VALUE)
            l->values[i] = (void *) (uintptr_t) l->arguments[i].value;
        else if (!peek_argument(l, &l->arguments[i], i, gate))
            return false;
    return l->stream && !cushim__find_overlap(l->accesses, l->n_accesses, &a, &b, &bytes);
}

static bool is_quick(struct cushim__launch *launch, struct cushim__submission *s)
{
    describe(launch, s);
    return cushim__submit_is_quick(s);
}

/* True if the launch was made, well or not. Else nothing has happened. */
static bool launch_quickly(struct cushim__launch *launch, struct room *room, uint64_t stream,
                           cushim_status *ret_status)
{
    struct cushim__submission s;

    if (launch->config->options || launch->n > FEW || cushim__launch_is_empty(launch))
        return false;
    cushim__lock(launch->scope->context);
    if (!peek(launch, room, stream) || !is_quick(launch, &s)) {
        cushim__unlock(launch->scope->context);
        launch->n_accesses = 0;
        return false;
    }
    *ret_status = call_plain(launch);
    cushim__submit_end(&s);
    return true;
}

cushim_status cushim__launch(uint64_t stream, uint64_t function,
                             const struct cushim_launch_config *config,
                             const struct cushim_argument *arguments, size_t n, const char *call)
{
    struct cushim__launch launch = {.config = config, .arguments = arguments, .n = n};
    struct cushim__scope scope;
    struct room room;
    cushim_status status;

    CUSHIM_TRY(
        cushim__object_enter(function, CUSHIM__HANDLE_FUNCTION, call, &scope, &launch.function));
    launch.scope = &scope;
    status = check(&launch);
    if (!status && !launch_quickly(&launch, &room, stream, &status))
        status = pin_and_run(&launch, &room, stream);
    return cushim__scope_leave(&scope, status);
}
