/* SPDX-License-Identifier: MIT */
#include <cushim/trace.h>

#include "base/log.h"
#include "base/params.h"
#include "base/status.h"
#include "base/util.h"
#include "core/object/handle.h"
#include "interpose/lists.h"
#include "interpose/trace.h"

static void destroy(void *object)
{
    cushim__trace_free(object);
}

static struct cushim__trace *pin(cushim_trace trace, const char *call)
{
    return cushim__handle_pin(trace.id, CUSHIM__HANDLE_TRACE, call);
}

cushim_status cushim_trace_create(const struct cushim_trace_params *params, cushim_trace *ret_trace)
{
    struct cushim_trace_params given;
    struct cushim__trace *trace;
    cushim_status status;

    if (!ret_trace)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "cushim_trace_create: ret_trace is NULL");
    CUSHIM_TRY(PARAMS_READ(cushim_trace_params, max_calls, params, &given));
    trace = cushim__trace_new(&given);
    if (!trace)
        return cushim__fail(CUSHIM_ERROR_NO_MEMORY, "no memory for a trace");
    status = cushim__handle_create(CUSHIM__HANDLE_TRACE, trace, destroy, __func__, &ret_trace->id);
    if (status)
        cushim__trace_free(trace);
    return status;
}

void cushim_trace_free(cushim_trace *trace)
{
    cushim__handle_free(trace ? &trace->id : NULL, CUSHIM__HANDLE_TRACE, __func__);
}

/*
 * The hooks hold the handle and not the object. So if the trace is freed while a table still has
 * its hooks, they find no object and record nothing.
 */
static void after(struct cushim_call *call, void *user)
{
    const uint64_t id = (uintptr_t) user;
    struct cushim__trace *trace = cushim__handle_pin(id, CUSHIM__HANDLE_TRACE, NULL);

    if (!trace)
        return;
    cushim__trace_record(trace, call);
    cushim__handle_unpin(id);
}

struct cushim_hooks cushim_trace_hooks(cushim_trace trace)
{
    return (struct cushim_hooks){.after = after, .user = (void *) (uintptr_t) trace.id};
}

static cushim_status count(struct cushim__trace *trace, const char *name, uint64_t *ret_count)
{
    uint64_t sum = 0;
    bool known = !name;

    for (unsigned library = 0; library < CUSHIM__LISTS; library++) {
        const struct cushim__rows *list = cushim__lists[library].rows;
        const size_t rows = list->count;
        const size_t row = name ? cushim__row_find(list, name) : rows;

        if (name && row == rows)
            continue;
        known = true;
        sum += cushim__trace_count(trace, (enum cushim_library) library, row);
    }
    if (!known)
        return cushim__fail_at(CUSHIM_ERROR_UNKNOWN_SYMBOL, "cushim_trace_count", NULL,
                               "cushim_trace_count: no function '%s' is known", name);
    *ret_count = sum;
    return CUSHIM_OK;
}

cushim_status cushim_trace_count(cushim_trace trace, const char *name, uint64_t *ret_count)
{
    struct cushim__trace *object;
    cushim_status status;

    if (!ret_count)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_trace_count: ret_count is NULL");
    object = pin(trace, __func__);
    if (!object)
        return cushim__error()->status;
    status = count(object, name, ret_count);
    cushim__handle_unpin(trace.id);
    return status;
}

cushim_status cushim_trace_calls(cushim_trace trace, size_t first, struct cushim_traced_call *calls,
                                 size_t max, size_t *ret_available)
{
    struct cushim__trace *object;

    if (!ret_available || (!calls && max))
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_trace_calls: %s is NULL",
                            ret_available ? "calls" : "ret_available");
    object = pin(trace, __func__);
    if (!object)
        return cushim__error()->status;
    *ret_available = cushim__trace_calls(object, first, calls, max);
    cushim__handle_unpin(trace.id);
    return CUSHIM_OK;
}

cushim_status cushim_trace_reset(cushim_trace trace)
{
    struct cushim__trace *object = pin(trace, __func__);

    if (!object)
        return cushim__error()->status;
    cushim__trace_reset(object);
    cushim__handle_unpin(trace.id);
    return CUSHIM_OK;
}

cushim_status cushim_trace_write(cushim_trace trace, const char *path)
{
    struct cushim__trace *object;
    cushim_status status;

    if (!path)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_trace_write: path is NULL");
    object = pin(trace, __func__);
    if (!object)
        return cushim__error()->status;
    status = cushim__trace_write(object, path, __func__);
    cushim__handle_unpin(trace.id);
    return status;
}
