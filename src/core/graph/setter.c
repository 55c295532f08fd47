/* SPDX-License-Identifier: MIT */
#include "core/graph/setter.h"

#include <string.h>

#include "core/launch/launch.h"
#include "core/order/recording_works.h"

/* Of the driver's own: a program that is loaded as PTX may call it, and the driver links it. */
static const char setter_ptx[] =
    ".version 6.4\n.target sm_52\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
    ".visible .entry cushim_set_condition(.param .u64 handle, .param .u64 address) {\n"
    ".reg .b32 %value; .reg .b64 %handle, %address;\n"
    "ld.param.u64 %handle, [handle]; ld.param.u64 %address, [address];\n"
    "cvta.to.global.u64 %address, %address; ld.global.u32 %value, [%address];\n"
    "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %handle; st.param.b32 [b], %value;\n"
    "call.uni cudaGraphSetConditional, (a, b); }\nret; }\n";

static const char setter_name[] = "cushim_set_condition";

static cushim_status fail_not_recording(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: the stream records for no graph, see cushim_capture_begin()",
                           scope->call);
}

/* A strict mode forbids this call, which is no work of the stream. */
static cushim_status load_in_any_mode(const struct cushim__scope *scope, struct cushim__code *code,
                                      uint64_t *ret_id)
{
    static const struct cushim_module_params none = {.size = sizeof(none)};
    int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    cushim_status status, restored;

    CUSHIM_TRY(CU_CALL(scope, cuThreadExchangeStreamCaptureMode, (&mode)));
    status = cushim__module_load(scope, code, NULL, &none, ret_id);
    restored = CU_CALL(scope, cuThreadExchangeStreamCaptureMode, (&mode));
    if (!status && restored)
        cushim__handle_close(*ret_id, CUSHIM__HANDLE_MODULE, scope->call);
    return status ? status : restored;
}

/* The module is the outermost recording's, and ends with its graph. */
static cushim_status load_setter(const struct cushim__scope *scope, uint64_t *ret_id)
{
    struct cushim__object *module;
    struct cushim__code code;
    cushim_status status;

    CUSHIM_TRY(cushim__code_copy(setter_ptx, sizeof(setter_ptx) - 1, NULL, scope->call, &code));
    status = load_in_any_mode(scope, &code, ret_id);
    cushim__code_finish(&code);
    if (status)
        return status;
    module = cushim__handle_pin(*ret_id, CUSHIM__HANDLE_MODULE, scope->call);
    module->kept_by_parent = true;
    cushim__handle_unpin(*ret_id);
    return CUSHIM_OK;
}

/* Under the stream lock. Returns 0 if the stream does not record. */
static struct cushim__recording *outermost(const struct cushim__timeline *timeline)
{
    struct cushim__recording *r = timeline->branch ? timeline->branch->recording : NULL;

    while (r && r->outer)
        r = r->outer;
    return r;
}

/* Keeps a module, unless another thread was faster. */
static bool keep_setter(struct cushim__timeline *timeline, uint64_t *id)
{
    struct cushim__recording *recording;
    bool kept = false;

    cushim__timeline_lock(timeline);
    recording = outermost(timeline);
    if (recording && !recording->setter) {
        recording->setter = *id;
        kept = true;
    } else if (recording) {
        *id = recording->setter;
    }
    cushim__timeline_unlock(timeline);
    return kept;
}

static cushim_status find_module(const struct cushim__scope *scope,
                                 struct cushim__timeline *timeline, uint64_t *ret_id)
{
    struct cushim__recording *recording;
    uint64_t made = 0;
    bool records;

    cushim__timeline_lock(timeline);
    recording = outermost(timeline);
    records = recording != NULL;
    *ret_id = records ? recording->setter : 0;
    cushim__timeline_unlock(timeline);
    if (!records)
        return fail_not_recording(scope);
    if (*ret_id)
        return CUSHIM_OK;
    CUSHIM_TRY(load_setter(scope, &made));
    *ret_id = made;
    if (!keep_setter(timeline, ret_id))
        cushim__handle_close(made, CUSHIM__HANDLE_MODULE, scope->call);
    return CUSHIM_OK;
}

static cushim_status find_setter(const struct cushim__scope *scope,
                                 struct cushim__timeline *timeline, uint64_t *ret_function)
{
    struct cushim__module *module;
    cushim_status status;
    uint64_t id = 0;

    CUSHIM_TRY(find_module(scope, timeline, &id));
    module = cushim__handle_pin(id, CUSHIM__HANDLE_MODULE, scope->call);
    if (!module)
        return cushim__error()->status;
    status = cushim__module_function(scope, module, setter_name, ret_function);
    cushim__handle_unpin(id);
    return status;
}

/* Under the stream lock. */
static cushim_status make_handle(const struct cushim__scope *scope,
                                 const struct cushim__recording *recording, uint64_t *ret_handle)
{
    struct cushim__capture capture;

    CUSHIM_TRY(cushim__capture_ask(scope, recording, &capture));
    return CU_CALL(
        scope, cuGraphConditionalHandleCreate,
        (ret_handle, capture.graph, scope->context->cu, 0, CUSHIM__CU_CONDITION_ASSIGN_DEFAULT));
}

/*
 * The driver makes no graph of a recording with a handle that no node has. So a handle is made when
 * the recording has accepted the kernel, and if anything fails from then on there is no graph.
 */
static cushim_status call_driver(const struct cushim__scope *scope,
                                 struct cushim__recording *recording, CUfunction function,
                                 CUdeviceptr address, uint64_t *handle)
{
    void *values[] = {handle, &address};
    cushim_status status = CUSHIM_OK;

    if (!*handle)
        CUSHIM_TRY(make_handle(scope, recording, handle));
    status = CU_CALL(scope, cuLaunchKernel,
                     (function, 1, 1, 1, 1, 1, 1, 0, recording->cu, values, NULL));
    if (status)
        recording->broken = status;
    return status;
}

static cushim_status submit_setter(struct cushim__scope *scope, struct cushim__timeline *timeline,
                                   const struct cushim__function *function,
                                   const struct cushim__resolved_view *span, uint64_t *handle)
{
    static const struct cushim_argument arguments[] = {{.intent = CUSHIM_INTENT_VALUE},
                                                       {.intent = CUSHIM_INTENT_IN}};
    const struct cushim__about about = {
        .name = function->name, .arguments = arguments, .n_arguments = ARRAY_SIZE(arguments)};
    const struct cushim__access accesses[] = {cushim__span_access(span, false),
                                              {function->code, 0, 1, false}};
    struct cushim__submission s = {.scope = scope,
                                   .timeline = timeline,
                                   .accesses = accesses,
                                   .n = ARRAY_SIZE(accesses),
                                   .recordable = true,
                                   .about = &about};
    cushim_status status;

    CUSHIM_TRY(cushim__submit_begin(&s));
    status = timeline->branch ? call_driver(scope, timeline->branch->recording, function->cu,
                                            cushim__span_address(span), handle)
                              : fail_not_recording(scope);
    cushim__submit_end(&s);
    return status;
}

cushim_status cushim__setter_launch(struct cushim__scope *scope, struct cushim__timeline *timeline,
                                    cushim_view view, uint64_t *handle)
{
    const struct cushim__function *function;
    struct cushim__resolved_view span;
    cushim_status status;
    uint64_t id = 0;

    CUSHIM_TRY(find_setter(scope, timeline, &id));
    function = cushim__handle_pin(id, CUSHIM__HANDLE_FUNCTION, scope->call);
    if (!function)
        return cushim__error()->status;
    status = cushim__span_pin_here(scope, view, false, &span);
    if (!status) {
        status = submit_setter(scope, timeline, function, &span, handle);
        cushim__span_unpin(&span);
    }
    cushim__handle_unpin(id);
    return status;
}

bool cushim__is_setter(const struct cushim__recorded *work)
{
    return work->about.name && !strcmp(work->about.name, setter_name);
}
