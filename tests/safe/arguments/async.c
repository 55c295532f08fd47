/* SPDX-License-Identifier: MIT */
#include "async.h"

#include <stdio.h>
#include <stdlib.h>

#define OF(type, objects, kind) ((type){(objects)->id[CUSHIM__HANDLE_##kind]})

static struct world *world;

static cushim_stream stream(void)
{
    return OF(cushim_stream, &world->own, STREAM);
}

/* --- making --- */

static cushim_op floats(void)
{
    return cushim_op_fill(cushim_op_alloc(CUSHIM_ELEMENT(float), ELEMENTS), 1.0f);
}

static cushim_op launch(const struct objects *among)
{
    const float factor = 2;
    const uint64_t n = ELEMENTS;
    const cushim_slice slice = OF(cushim_slice, among, SLICE);

    return cushim_op_launch(OF(cushim_function, among, FUNCTION), cushim_for_elements(n),
                            CUSHIM_VALUE(factor), CUSHIM_INOUT(slice), CUSHIM_SAME(slice),
                            CUSHIM_VALUE(n));
}

static uint64_t make_future(const struct objects *among, cushim_op op)
{
    cushim_future future = CUSHIM_NONE;

    MUST(cushim_op_submit_on(op, OF(cushim_stream, among, STREAM), &future));
    MUST(cushim_future_wait(future, CUSHIM_FOREVER));
    return future.id;
}

uint64_t async_make(const struct objects *among, unsigned kind)
{
    uint64_t id = 0;

    switch (kind) {
    case CUSHIM__HANDLE_OP:
        return floats().id;
    case LIST_OPERATION:
        return cushim_op_zip(floats()).id;
    case SHARED_OPERATION:
        return cushim_op_share(floats()).id;
    case LAUNCH_OPERATION:
        return launch(among).id;
    case CUSHIM__HANDLE_POLICY:
        MUST(cushim_policy_single(OF(cushim_stream, among, STREAM), NULL, (cushim_policy *) &id));
        break;
    case CUSHIM__HANDLE_FUTURE:
        return make_future(among, floats());
    case SCHEDULED_FUTURE:
        MUST(cushim_op_schedule(floats(), OF(cushim_policy, among, POLICY), (cushim_future *) &id));
        break;
    default:
        fprintf(stderr, "no object of kind %u is made here\n", kind);
        exit(1);
    }
    return id;
}

static void make_outputs(struct world *w)
{
    cushim_output *list = NULL;

    w->outputs.id = make_future(&w->own, cushim_op_zip(floats(), cushim_op_value(w, NULL)));
    MUST(cushim_future_output(w->outputs, &list));
    w->good[KIND_ANY_OUTPUT].pointer = w->good[KIND_LIST_OUTPUT].pointer = list;
    w->good[KIND_SLICE_OUTPUT].pointer = cushim_output_item(list, 0);
    w->good[KIND_DATA_OUTPUT].pointer = cushim_output_item(list, 1);
}

void async_begin(struct world *w)
{
    world = w;
    MUST(cushim_policy_set_thread_default(OF(cushim_policy, &w->own, POLICY)));
    make_outputs(w);
    w->futures[0] = OF(cushim_future, &w->own, FUTURE);
}

void async_end(struct world *w)
{
    cushim_future_free(&w->outputs);
    MUST(cushim_policy_set_thread_default((cushim_policy) CUSHIM_NONE));
}

/* --- results --- */

int async_run(cushim_op op)
{
    return cushim_op_run(op, stream(), NULL);
}

int async_run_part(cushim_op *parts, size_t n, int done)
{
    (void) done;
    if (!parts || n != 1)
        return cushim_error_status();
    return async_run(parts[0]);
}

/* --- callbacks --- */

cushim_op async_make_operation(const struct cushim_exec *exec, void *user)
{
    (void) exec, (void) user;
    return floats();
}

cushim_op async_next_operation(const struct cushim_exec *exec, cushim_output *output, void *user)
{
    (void) output;
    return async_make_operation(exec, user);
}

cushim_status async_map(cushim_output *output, void *user, void **ret_data)
{
    (void) output;
    *ret_data = user;
    return CUSHIM_OK;
}

void async_inspect(const cushim_output *output, void *user)
{
    (void) output;
    world_called(user);
}

cushim_status async_next_stream(void *user, cushim_stream *ret_stream)
{
    (void) user;
    *ret_stream = stream();
    return CUSHIM_OK;
}

/* --- around calls --- */

void async_fill_operations(struct world *w, union value *a)
{
    (void) a;
    w->operations[0] = floats();
}

/* A call with a bad array or length has not consumed it. */
void async_drop_operations(struct world *w, const union value *a, int status)
{
    (void) a, (void) status;
    cushim_op_free(&w->operations[0]);
}

void async_clear_parts(struct world *w, union value *a)
{
    (void) a;
    w->parts[0] = (cushim_op) CUSHIM_NONE;
}

/* The call may have taken what is in them. The sweep counts handles, so all are made anew. */
void async_renew_outputs(struct world *w, const union value *a, int status)
{
    (void) a, (void) status;
    cushim_future_free(&w->outputs);
    make_outputs(w);
}

void async_give_output(struct world *w, union value *a)
{
    a[0].MADE_OUTPUT = w->good[KIND_SLICE_OUTPUT].SLICE_OUTPUT;
}

void async_reset_default(struct world *w, const union value *a, int status)
{
    (void) w, (void) a, (void) status;
    MUST(cushim_policy_set_default((cushim_policy) CUSHIM_NONE));
}

void async_reset_thread(struct world *w, const union value *a, int status)
{
    (void) a, (void) status;
    MUST(cushim_policy_set_thread_default(OF(cushim_policy, &w->own, POLICY)));
}
