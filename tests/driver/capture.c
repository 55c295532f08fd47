/* SPDX-License-Identifier: MIT */
/* Stream capture: what it records, and what makes it fail. */
#include "ask.h"

#define GLOBAL       CU_STREAM_CAPTURE_MODE_GLOBAL
#define THREAD_LOCAL CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED      CU_STREAM_CAPTURE_MODE_RELAXED

struct subject {
    CUfunction addk, nop;
    CUstream stream, other;
    CUevent event;
    CUdeviceptr p;
    unsigned v, n;
    CUgraph graph;
    CUgraphExec exec;
};

static void set_up(struct subject *subject)
{
    CUmodule module;

    begin();
    module = load_kernels();
    *subject = (struct subject){
        .addk = get_kernel(module, "addk"),
        .nop = get_kernel(module, "nop"),
        .p = new_memory(64),
        .stream = new_stream(),
        .other = new_stream(),
        .v = 1,
        .n = 4,
    };
    CALL(cuEventCreate, (&subject->event, CU_EVENT_DISABLE_TIMING));
}

static void begin_capture(const struct subject *subject, CUstreamCaptureMode mode)
{
    CALL(cuStreamBeginCapture_v2, (subject->stream, mode));
}

static void ask_end(struct subject *subject, const char *key)
{
    ASK(key, cuStreamEndCapture, (subject->stream, &subject->graph));
}

/* Makes `to` wait for what `from` has so far. */
static CUresult join(const struct subject *subject, CUstream from, CUstream to)
{
    CALL(cuEventRecord, (subject->event, from));
    return (CUresult) CALL(cuStreamWaitEvent, (to, subject->event, 0));
}

static void ask_begin(struct subject *subject)
{
    ASK("begin_null", cuStreamBeginCapture_v2, (NULL, GLOBAL));
    ASK("begin_badmode", cuStreamBeginCapture_v2, (subject->stream, 9));
    ask_end(subject, "end_without");
    ASK("begin", cuStreamBeginCapture_v2, (subject->stream, GLOBAL));
    ASK("begin_twice", cuStreamBeginCapture_v2, (subject->stream, GLOBAL));
}

static void ask_status(CUstream stream, const char *key, const char *value_key)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus) 0;

    ASK(key, cuStreamIsCapturing, (stream, &status));
    report(value_key, status);
}

/* A launch in the capturing stream, and one in a stream that it takes along. */
static void ask_record(struct subject *subject)
{
    void *params[] = {&subject->p, &subject->v, &subject->n};
    CUstreamCaptureStatus status;
    cuuint64_t id;
    size_t count = 0;

    ask_status(subject->stream, "iscap", "iscap_v");
    report("launch", launch(subject->addk, 1, 4, subject->stream, params));
    report("fork", join(subject, subject->stream, subject->other));
    ask_status(subject->other, "iscap2", "iscap2_v");
    report("launch2", launch(subject->nop, 1, 1, subject->other, NULL));
    report("join", join(subject, subject->other, subject->stream));
    ASK("info", cuStreamGetCaptureInfo_v2, (subject->stream, &status, &id, NULL, NULL, &count));
    ask_end(subject, "end");
}

static void ask_launches(struct subject *subject)
{
    int values[4] = {0};
    size_t count = 0;

    ASK("nodes", cuGraphGetNodes, (subject->graph, NULL, &count));
    report("nodes_v", (long long) count);
    ASK("inst", cuGraphInstantiateWithFlags, (&subject->exec, subject->graph, 0));
    read_ints(values, subject->p, sizeof(values));
    report("not_run_yet", values[0]);
    ASK("glaunch", cuGraphLaunch, (subject->exec, subject->stream));
    ASK("glaunch2", cuGraphLaunch, (subject->exec, subject->stream));
    wait_for(subject->stream);
    read_ints(values, subject->p, sizeof(values));
    report("after2", values[0]);
}

/* Launches the graph in the stream, which captures. */
static void ask_launch_in_capture(struct subject *subject, CUstreamCaptureMode mode,
                                  const char *name)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus) 99;
    CUgraph graph = NULL;

    begin_capture(subject, mode);
    report_numbered(CALL(cuGraphLaunch, (subject->exec, subject->stream)), "glaunch_in_%s", name);
    CALL(cuStreamIsCapturing, (subject->stream, &status));
    report_numbered(status, "glaunch_in_%s_status", name);
    report_numbered(launch(subject->nop, 1, 1, subject->stream, NULL), "glaunch_in_%s_then", name);
    report_numbered(CALL(cuStreamEndCapture, (subject->stream, &graph)), "glaunch_in_%s_end", name);
}

static void ask_launches_in_captures(struct subject *subject)
{
    ask_launch_in_capture(subject, GLOBAL, "global_capture");
    ask_launch_in_capture(subject, THREAD_LOCAL, "threadlocal_capture");
    ask_launch_in_capture(subject, RELAXED, "relaxed_capture");
}

static void ask_destroy(struct subject *subject)
{
    ASK("execdestroy", cuGraphExecDestroy, (subject->exec));
    ASK("gdestroy", cuGraphDestroy, (subject->graph));
    ASK("gdestroy_null", cuGraphDestroy, (NULL));
}

static void ask_events(struct subject *subject)
{
    begin_capture(subject, GLOBAL);
    CALL(cuEventRecord, (subject->event, subject->stream));
    ASK("event_query_captured", cuEventQuery, (subject->event));
    ask_end(subject, "end_after_event_query");
    begin_capture(subject, GLOBAL);
    CALL(cuEventRecord, (subject->event, subject->stream));
    ASK("event_sync_captured", cuEventSynchronize, (subject->event));
    ask_end(subject, "end_after_event_sync");
}

static void ask_alloc(struct subject *subject, CUstreamCaptureMode mode, const char *key,
                      const char *end_key)
{
    CUdeviceptr p;

    begin_capture(subject, mode);
    ASK(key, cuMemAlloc_v2, (&p, 16));
    ask_end(subject, end_key);
}

static void ask_stream_calls(struct subject *subject)
{
    begin_capture(subject, GLOBAL);
    ASK("sync_in_capture", cuStreamSynchronize, (subject->stream));
    subject->graph = (CUgraph) 1;
    ask_end(subject, "end_invalidated");
    report("end_invalidated_null", !subject->graph);
    begin_capture(subject, GLOBAL);
    ASK("query_in_capture", cuStreamQuery, (subject->stream));
    ask_end(subject, "end_after_query");
}

static void ask_synchronous_calls(struct subject *subject)
{
    int value;

    begin_capture(subject, GLOBAL);
    ASK("synccopy_in_capture", cuMemcpyDtoH_v2, (&value, subject->p, sizeof(value)));
    ask_end(subject, "end_after_synccopy");
    begin_capture(subject, GLOBAL);
    ASK("ctxsync_in_capture", cuCtxSynchronize, ());
    ask_end(subject, "end_after_ctxsync");
}

static void ask_ends(struct subject *subject)
{
    begin_capture(subject, GLOBAL);
    join(subject, subject->stream, subject->other);
    launch(subject->nop, 1, 1, subject->other, NULL);
    ask_end(subject, "end_unjoined");
    begin_capture(subject, GLOBAL);
    ASK("end_wrong_stream", cuStreamEndCapture, (subject->other, &subject->graph));
    ask_end(subject, "end_right");
}

static void CUDA_CB do_nothing(void *unused)
{
    (void) unused;
}

static void ask_memory_nodes(struct subject *subject)
{
    CUdeviceptr q = 0;
    size_t count = 0;

    begin_capture(subject, GLOBAL);
    CALL(cuLaunchHostFunc, (subject->stream, do_nothing, NULL));
    ASK("allocasync_in_capture", cuMemAllocAsync, (&q, 64, subject->stream));
    ASK("freeasync_in_capture", cuMemFreeAsync, (q, subject->stream));
    ask_end(subject, "end_alloc");
    CALL(cuGraphGetNodes, (subject->graph, NULL, &count));
    report("alloc_nodes", (long long) count);
}

static void ask_forbidden(struct subject *subject)
{
    ask_events(subject);
    ask_alloc(subject, THREAD_LOCAL, "alloc_in_threadlocal_capture", "end_threadlocal");
    subject->p = new_memory(64);
    ask_stream_calls(subject);
    ask_alloc(subject, GLOBAL, "alloc_in_global_capture", "end_after_alloc");
    ask_alloc(subject, RELAXED, "alloc_in_relaxed_capture", "end_relaxed");
    ask_synchronous_calls(subject);
}

void ask_capture(void)
{
    struct subject subject;

    set_up(&subject);
    ask_begin(&subject);
    ask_record(&subject);
    ask_launches(&subject);
    ask_launches_in_captures(&subject);
    ask_destroy(&subject);
    ask_forbidden(&subject);
    ask_ends(&subject);
    begin_capture(&subject, GLOBAL);
    report("legacy_launch_in_capture", launch(subject.nop, 1, 1, NULL, NULL));
    ask_end(&subject, "end_after_legacy");
    ask_memory_nodes(&subject);
    ASK("destroy_capturing", cuStreamBeginCapture_v2, (subject.stream, GLOBAL));
    ASK("destroy_capturing_d", cuStreamDestroy_v2, (subject.stream));
}
