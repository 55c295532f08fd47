/* SPDX-License-Identifier: MIT */
/* Making and freeing objects of every kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "async.h"

#define ID(objects, kind)       ((objects)->id[CUSHIM__HANDLE_##kind])
#define OF(type, objects, kind) ((type){ID(objects, kind)})

const char world_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .b32 table[64];\n"
    ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u64 n)\n"
    "{\n"
    "    .reg .pred %p;\n    .reg .f32 %f<4>;\n    .reg .b32 %r<4>;\n    .reg .b64 %rd<8>;\n"
    "    mov.u32 %r0, %ctaid.x;\n    mov.u32 %r1, %ntid.x;\n    mov.u32 %r2, %tid.x;\n"
    "    mad.lo.u32 %r3, %r0, %r1, %r2;\n    cvt.u64.u32 %rd0, %r3;\n"
    "    ld.param.u64 %rd1, [n];\n    setp.ge.u64 %p, %rd0, %rd1;\n    @%p bra DONE;\n"
    "    ld.param.f32 %f0, [a];\n    ld.param.u64 %rd2, [x];\n    ld.param.u64 %rd3, [y];\n"
    "    cvta.to.global.u64 %rd2, %rd2;\n    cvta.to.global.u64 %rd3, %rd3;\n"
    "    shl.b64 %rd4, %rd0, 2;\n    add.u64 %rd5, %rd2, %rd4;\n    add.u64 %rd6, %rd3, %rd4;\n"
    "    ld.global.f32 %f1, [%rd5];\n    ld.global.f32 %f2, [%rd6];\n"
    "    fma.rn.f32 %f3, %f0, %f1, %f2;\n    st.global.f32 [%rd6], %f3;\n"
    "DONE:\n    ret;\n}\n";

void must(cushim_status status, const char *call, const char *file, int line)
{
    if (!status)
        return;
    fprintf(stderr, "%s:%d: %s: %d, %s %s\n", file, line, call, status, cushim_error_text(),
            cushim_mock_error_text());
    exit(1);
}

cushim_stream world_outer;

static uint64_t make_body(const struct objects *among)
{
    const cushim_stream stream = OF(cushim_stream, among, STREAM);
    cushim_slice condition = CUSHIM_NONE;
    cushim_stream body = CUSHIM_NONE;

    MUST(cushim_slice_zeros(stream, CUSHIM_ELEMENT(unsigned), 1, &condition));
    MUST(cushim_capture_begin(OF(cushim_context, among, CONTEXT), &world_outer));
    MUST(cushim_capture_while(world_outer, condition, &body));
    cushim_slice_free(&condition);
    return body.id;
}

static uint64_t make_in_stream(const struct objects *among, unsigned kind)
{
    const cushim_context context = OF(cushim_context, among, CONTEXT);
    const cushim_stream stream = OF(cushim_stream, among, STREAM);
    cushim_stream recorder = CUSHIM_NONE;
    cushim_graph graph = CUSHIM_NONE;
    cushim_slice slice = CUSHIM_NONE;

    if (kind == CUSHIM__HANDLE_SLICE) {
        MUST(cushim_slice_zeros(stream, CUSHIM_ELEMENT(float), ELEMENTS, &slice));
        return slice.id;
    }
    if (kind == BODY_RECORDER)
        return make_body(among);
    if (kind == UPDATE_RECORDER) {
        MUST(cushim_graph_update_begin(OF(cushim_graph, among, GRAPH), &recorder));
        return recorder.id;
    }
    MUST(cushim_capture_begin(context, &recorder));
    MUST(cushim_slice_fill(recorder, OF(cushim_slice, among, SLICE), 1.0f));
    if (kind == RECORDER)
        return recorder.id;
    MUST(cushim_capture_end(&recorder, &graph));
    return graph.id;
}

static uint64_t make_launcher(const struct objects *among)
{
    const float factor = 2;
    const uint64_t n = ELEMENTS;
    const cushim_slice slice = OF(cushim_slice, among, SLICE);
    cushim_launcher launcher = CUSHIM_NONE;

    MUST(cushim_launcher_create(OF(cushim_function, among, FUNCTION), &launcher));
    MUST(cushim_launcher_push(launcher, CUSHIM_VALUE(factor), CUSHIM_INOUT(slice),
                              CUSHIM_SAME(slice), CUSHIM_VALUE(n)));
    return launcher.id;
}

static uint64_t make_code(const struct objects *among, unsigned kind)
{
    const cushim_context context = OF(cushim_context, among, CONTEXT);
    uint64_t id = 0;

    switch (kind) {
    case CUSHIM__HANDLE_MODULE:
        MUST(cushim_module_load_text(context, world_ptx, NULL, (cushim_module *) &id));
        break;
    case CUSHIM__HANDLE_FUNCTION:
        MUST(cushim_module_function(OF(cushim_module, among, MODULE), "saxpy",
                                    (cushim_function *) &id));
        break;
    case CUSHIM__HANDLE_CODE_LIBRARY:
        MUST(cushim_code_library_load(context, world_ptx, strlen(world_ptx), NULL,
                                      (cushim_code_library *) &id));
        break;
    case CUSHIM__HANDLE_KERNEL:
        MUST(cushim_code_library_kernel(OF(cushim_code_library, among, CODE_LIBRARY), "saxpy",
                                        (cushim_kernel *) &id));
        break;
    }
    return id;
}

static uint64_t make_in_context(const struct objects *among, unsigned kind)
{
    const cushim_context context = OF(cushim_context, among, CONTEXT);
    uint64_t id = 0;

    switch (kind) {
    case CUSHIM__HANDLE_STREAM:
        MUST(cushim_stream_new(context, NULL, (cushim_stream *) &id));
        break;
    case CUSHIM__HANDLE_EVENT:
        MUST(cushim_event_new(context, CUSHIM_EVENT_TIMING, (cushim_event *) &id));
        MUST(cushim_event_record((cushim_event){id}, OF(cushim_stream, among, STREAM)));
        MUST(cushim_event_synchronize((cushim_event){id}));
        break;
    case CUSHIM__HANDLE_PINNED:
        MUST(cushim_pinned_alloc(context, CUSHIM_ELEMENT(float), ELEMENTS, 0,
                                 (cushim_pinned *) &id));
        MUST(cushim_slice_fill(OF(cushim_stream, among, STREAM), (cushim_pinned){id}, 1.0f));
        break;
    case CUSHIM__HANDLE_UNIFIED:
        MUST(cushim_unified_alloc(context, CUSHIM_ELEMENT(float), ELEMENTS, CUSHIM_ATTACH_GLOBAL,
                                  (cushim_unified *) &id));
        MUST(cushim_slice_fill(OF(cushim_stream, among, STREAM), (cushim_unified){id}, 1.0f));
        break;
    case CUSHIM__HANDLE_LAUNCHER:
        return make_launcher(among);
    case CUSHIM__HANDLE_ARENA:
        MUST(cushim_arena_new(context, cushim_arena_params(.limit = 64 << 20),
                              (cushim_arena *) &id));
        break;
    case CUSHIM__HANDLE_POOL:
        MUST(cushim_pool_new(context, NULL, (cushim_pool *) &id));
        break;
    case CUSHIM__HANDLE_EXTERNAL_MEMORY:
        MUST(cushim_external_memory_import(
            context,
            cushim_external_memory_params(.type = CUSHIM_EXTERNAL_MEMORY_OPAQUE_FD, .fd = 3,
                                          .bytes = 4096),
            (cushim_external_memory *) &id));
        break;
    case CUSHIM__HANDLE_EXTERNAL_SEMAPHORE:
        MUST(cushim_external_semaphore_import(
            context,
            cushim_external_semaphore_params(.type = CUSHIM_EXTERNAL_SEMAPHORE_OPAQUE_FD, .fd = 3),
            (cushim_external_semaphore *) &id));
        break;
    case CUSHIM__HANDLE_SLICE:
    case CUSHIM__HANDLE_GRAPH:
    case RECORDER:
    case UPDATE_RECORDER:
    case BODY_RECORDER:
        return make_in_stream(among, kind);
    case CUSHIM__HANDLE_OP:
    case CUSHIM__HANDLE_POLICY:
    case CUSHIM__HANDLE_FUTURE:
    case LIST_OPERATION:
    case SHARED_OPERATION:
    case LAUNCH_OPERATION:
    case SCHEDULED_FUTURE:
        return async_make(among, kind);
    default:
        return make_code(among, kind);
    }
    return id;
}

uint64_t world_make(const struct objects *among, unsigned kind)
{
    uint64_t id = 0;

    switch (kind) {
    case CUSHIM__HANDLE_DRIVER:
        id = world_open_driver().id;
        break;
    case CUSHIM__HANDLE_NVRTC:
        MUST(cushim_nvrtc_open(cushim_open_params(.resolver = world_nvrtc), (cushim_nvrtc *) &id));
        break;
    case CUSHIM__HANDLE_NVJITLINK:
        MUST(cushim_nvjitlink_open(cushim_open_params(.resolver = world_nvjitlink),
                                   (cushim_nvjitlink *) &id));
        break;
    case CUSHIM__HANDLE_TRACE:
        MUST(cushim_trace_create(NULL, (cushim_trace *) &id));
        break;
    case CUSHIM__HANDLE_FAULTS:
        MUST(cushim_faults_create(NULL, (cushim_faults *) &id));
        break;
    case CUSHIM__HANDLE_IMAGE:
        MUST(cushim_compile(
            "",
            cushim_compile_params(.nvrtc = OF(cushim_nvrtc, among, NVRTC),
                                  .name_expressions = (const char *const[]){"scale<float>", NULL}),
            (cushim_image *) &id));
        break;
    case CUSHIM__HANDLE_CONTEXT:
        MUST(cushim_context_create(OF(cushim_driver, among, DRIVER), 1, 0, (cushim_context *) &id));
        break;
    default:
        id = make_in_context(among, kind);
    }
    return id;
}

#define FREE(kind, type, function)                                                                 \
    case CUSHIM__HANDLE_##kind:                                                                    \
        function((type *) id);                                                                     \
        break;

void world_free(uint64_t *id)
{
    switch (cushim__handle_kind_of(*id)) {
        FREE(DRIVER, cushim_driver, cushim_close)
        FREE(NVRTC, cushim_nvrtc, cushim_nvrtc_close)
        FREE(NVJITLINK, cushim_nvjitlink, cushim_nvjitlink_close)
        FREE(TRACE, cushim_trace, cushim_trace_free)
        FREE(FAULTS, cushim_faults, cushim_faults_free)
        FREE(IMAGE, cushim_image, cushim_image_free)
        FREE(CONTEXT, cushim_context, cushim_context_free)
        FREE(STREAM, cushim_stream, cushim_stream_free)
        FREE(EVENT, cushim_event, cushim_event_free)
        FREE(SLICE, cushim_slice, cushim_slice_free)
        FREE(PINNED, cushim_pinned, cushim_pinned_free)
        FREE(UNIFIED, cushim_unified, cushim_unified_free)
        FREE(MODULE, cushim_module, cushim_module_free)
        FREE(CODE_LIBRARY, cushim_code_library, cushim_code_library_free)
        FREE(LAUNCHER, cushim_launcher, cushim_launcher_free)
        FREE(GRAPH, cushim_graph, cushim_graph_free)
        FREE(POOL, cushim_pool, cushim_pool_free)
        FREE(ARENA, cushim_arena, cushim_arena_free)
        FREE(EXTERNAL_MEMORY, cushim_external_memory, cushim_external_memory_free)
        FREE(EXTERNAL_SEMAPHORE, cushim_external_semaphore, cushim_external_semaphore_free)
        FREE(OP, cushim_op, cushim_op_free)
        FREE(POLICY, cushim_policy, cushim_policy_free)
        FREE(FUTURE, cushim_future, cushim_future_free)
    default:
        break; /* functions and kernels are not freed */
    }
}
