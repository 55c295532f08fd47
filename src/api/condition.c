/* SPDX-License-Identifier: MIT */
#include <cushim/condition.h>

#include <stdlib.h>

#include "core/graph/condition.h"

enum { MOST_BODIES = 1024 };

/* Gives the bodies handles. Those that get none are dropped, and the recording with them. */
static cushim_status give(struct cushim__stream **bodies, unsigned n, const char *call,
                          const char *here, cushim_stream **rets)
{
    cushim_stream made[MOST_BODIES];
    cushim_status status = CUSHIM_OK;
    unsigned given = 0;

    for (; !status && given < n; given += !status) {
        cushim__handle_source_location(here);
        status = cushim__object_give(&bodies[given]->object, call, &made[given].id);
    }
    /* The one that failed is dropped already. */
    for (unsigned i = given + 1; status && i < n; i++)
        cushim__object_unref(&bodies[i]->object);
    for (unsigned i = 0; status && i < given; i++)
        cushim__object_close(&made[i].id, CUSHIM__HANDLE_STREAM, call);
    for (unsigned i = 0; !status && i < n; i++)
        *rets[i] = made[i];
    return status;
}

static cushim_status begin(cushim_stream recorder, struct cushim__conditional *condition,
                           const char *call, cushim_stream **rets)
{
    /* The kernel that reads the condition may need a module, which is not the program's. */
    const char *here = cushim__handle_source_location(NULL);
    struct cushim__stream *bodies[MOST_BODIES], *stream;
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__stream_enter(recorder.id, call, &scope, &stream));
    status = cushim__condition_begin(&scope, stream, condition, bodies);
    if (!status)
        status = give(bodies, condition->n_bodies, call, here, rets);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_capture_if_view(cushim_stream recorder, cushim_view condition,
                                     cushim_stream *ret_then, cushim_stream *ret_else)
{
    static const char call[] = "cushim_capture_if";
    struct cushim__conditional c = {
        .kind = CUSHIM__CU_CONDITION_IF, .n_bodies = ret_else ? 2 : 1, .view = &condition};
    cushim_stream *rets[] = {ret_then, ret_else};

    CHECK_OUTPUT_OF(call, ret_then);
    return begin(recorder, &c, call, rets);
}

cushim_status cushim_capture_while_view(cushim_stream recorder, cushim_view condition,
                                        cushim_stream *ret_body)
{
    static const char call[] = "cushim_capture_while";
    struct cushim__conditional c = {
        .kind = CUSHIM__CU_CONDITION_WHILE, .n_bodies = 1, .view = &condition};

    CHECK_OUTPUT_OF(call, ret_body);
    return begin(recorder, &c, call, &ret_body);
}

cushim_status cushim_capture_switch_view(cushim_stream recorder, cushim_view condition, size_t n,
                                         cushim_stream *ret_bodies)
{
    static const char call[] = "cushim_capture_switch";
    struct cushim__conditional c = {
        .kind = CUSHIM__CU_CONDITION_SWITCH, .n_bodies = (unsigned) n, .view = &condition};
    cushim_stream *rets[MOST_BODIES];

    CHECK_OUTPUT_OF(call, ret_bodies);
    if (!n || n > MOST_BODIES)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: %zu bodies, it must be 1 to %d",
                            call, n, MOST_BODIES);
    for (size_t i = 0; i < n; i++)
        rets[i] = &ret_bodies[i];
    return begin(recorder, &c, call, rets);
}

cushim_status cushim_capture_end_body(cushim_stream *body)
{
    struct cushim__stream *stream;
    struct cushim__scope scope;
    cushim_status status;
    bool ends = false;

    CHECK_OUTPUT(body);
    status = cushim__object_enter(body->id, CUSHIM__HANDLE_STREAM, __func__, &scope, &stream);
    if (!status) {
        ends = cushim__recording_is_body(stream);
        status = cushim__scope_leave(&scope, cushim__condition_end_body(&scope, stream));
    }
    if (ends && status != CUSHIM_ERROR_CAPTURING)
        cushim__object_close(&body->id, CUSHIM__HANDLE_STREAM, __func__);
    return status;
}
