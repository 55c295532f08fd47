/* SPDX-License-Identifier: MIT */
/* Streams: their properties, their order, host functions and the default streams. */
#include "ask.h"

#include <unistd.h>

/* How long the kernel "spin" is busy. */
static unsigned long long spin_ns = 20000000;

static CUfunction spin;

static void keep_busy(CUstream stream)
{
    launch(spin, 1, 1, stream, (void *[]){&spin_ns});
}

static CUstream ask_create(CUcontext context)
{
    CUcontext of = NULL;
    CUstream stream = NULL;
    unsigned flags = 99;

    ASK("create_badflags", cuStreamCreate, (&stream, 2));
    ASK("create_null", cuStreamCreate, (NULL, 0));
    ASK("create", cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));
    ASK("flags", cuStreamGetFlags, (stream, &flags));
    report("flags_v", flags);
    ASK("flags_null", cuStreamGetFlags, (NULL, &flags));
    report("flags_null_v", flags);
    ASK("flags_legacy", cuStreamGetFlags, (CU_STREAM_LEGACY, &flags));
    ASK("flags_ptds", cuStreamGetFlags, (CU_STREAM_PER_THREAD, &flags));
    ASK("ctx", cuStreamGetCtx, (stream, &of));
    report("ctx_same", of == context);
    return stream;
}

static void ask_id(CUstream stream)
{
    unsigned long long id = 0;

    ASK("id", cuStreamGetId, (stream, &id));
    ASK("id_null", cuStreamGetId, (NULL, &id));
    report("id_null_v", (long long) id);
}

/* Answers the last of the streams it makes. */
static CUstream ask_priorities(void)
{
    CUstream stream = NULL;
    int priority = 99;

    ASK("prio_hi", cuStreamCreateWithPriority, (&stream, 0, -100));
    ASK("prio", cuStreamGetPriority, (stream, &priority));
    report("prio_hi_v", priority);
    ASK("destroy_s2", cuStreamDestroy_v2, (stream));
    ASK("prio_lo", cuStreamCreateWithPriority, (&stream, 0, 100));
    CALL(cuStreamGetPriority, (stream, &priority));
    report("prio_lo_v", priority);
    return stream;
}

static void ask_queries(CUstream stream, CUstream other)
{
    ASK("query_idle", cuStreamQuery, (stream));
    ASK("query_null", cuStreamQuery, (NULL));
    report("launch", launch(spin, 1, 1, stream, (void *[]){&spin_ns}));
    ASK("query_busy", cuStreamQuery, (stream));
    ASK("query_other", cuStreamQuery, (other));
    ASK("sync", cuStreamSynchronize, (stream));
    ASK("query_done", cuStreamQuery, (stream));
    ASK("destroy_null", cuStreamDestroy_v2, (NULL));
    ASK("destroy_legacy", cuStreamDestroy_v2, (CU_STREAM_LEGACY));
}

static void ask_waits(CUstream stream, CUevent event)
{
    ASK("wait_unrecorded", cuStreamWaitEvent, (stream, event, 0));
    ASK("wait_badflags", cuStreamWaitEvent, (stream, event, 8));
    ASK("hostfn_null", cuLaunchHostFunc, (stream, NULL, NULL));
}

static long order;
static int answer_inside;

static void CUDA_CB append_digit(void *digit)
{
    order = order * 10 + (long) (intptr_t) digit;
}

static void CUDA_CB get_memory_info(void *unused)
{
    size_t free_bytes, total_bytes;

    (void) unused;
    answer_inside = CALL(cuMemGetInfo_v2, (&free_bytes, &total_bytes));
}

static void CUDA_CB synchronize_inside(void *unused)
{
    (void) unused;
    answer_inside = wait_for_all();
}

static void CUDA_CB note_status(CUstream stream, CUresult status, void *unused)
{
    (void) stream, (void) unused;
    answer_inside = (int) status;
}

static void ask_host_functions(CUstream stream)
{
    for (intptr_t i = 1; i <= 3; i++)
        CALL(cuLaunchHostFunc, (stream, append_digit, (void *) i));
    wait_for(stream);
    report("hostfn_order", order);
    CALL(cuLaunchHostFunc, (stream, get_memory_info, NULL));
    wait_for(stream);
    report("hostfn_memgetinfo_rc", answer_inside);
    CALL(cuLaunchHostFunc, (stream, synchronize_inside, NULL));
    wait_for(stream);
    report("hostfn_ctxsync_rc", answer_inside);
    answer_inside = -5;
    ASK("addcb", cuStreamAddCallback, (stream, note_status, NULL, 0));
    wait_for(stream);
    report("cb_status", answer_inside);
    ASK("addcb_badflags", cuStreamAddCallback, (stream, note_status, NULL, 1));
}

/* Which streams the default one waits for, and which wait for it. */
static void ask_legacy(CUstream blocking, CUstream other, CUevent event)
{
    keep_busy(blocking);
    CALL(cuEventRecord, (event, NULL));
    ASK("legacy_waits_blocking", cuEventQuery, (event));
    wait_for(blocking);
    CALL(cuEventSynchronize, (event));
    keep_busy(other);
    CALL(cuEventRecord, (event, NULL));
    usleep(3000);
    ASK("legacy_ignores_nonblocking", cuEventQuery, (event));
    wait_for(other);
    keep_busy(NULL);
    ASK("blocking_after_legacy_empty", cuStreamQuery, (blocking));
    CALL(cuEventRecord, (event, blocking));
    ASK("blocking_waits_legacy", cuEventQuery, (event));
    wait_for_all();
}

static void ask_destroy_busy(CUstream stream)
{
    keep_busy(CU_STREAM_PER_THREAD);
    ASK("ptds_busy", cuStreamQuery, (CU_STREAM_PER_THREAD));
    wait_for_all();
    keep_busy(stream);
    ASK("destroy_busy", cuStreamDestroy_v2, (stream));
    ASK("sync_after_destroy_busy", cuCtxSynchronize, ());
}

void ask_stream(void)
{
    CUcontext context = begin();
    CUstream stream, other, blocking = NULL;
    CUlaunchAttributeValue value = {.priority = 0};
    CUevent event = NULL;

    spin = get_kernel(load_kernels(), "spin");
    stream = ask_create(context);
    ask_id(stream);
    other = ask_priorities();
    ask_queries(stream, other);
    ASK("wait_null_event", cuStreamWaitEvent, (stream, NULL, 0));
    CALL(cuEventCreate, (&event, CU_EVENT_DEFAULT));
    ask_waits(stream, event);
    ask_host_functions(stream);
    CALL(cuStreamCreate, (&blocking, CU_STREAM_DEFAULT));
    ask_legacy(blocking, new_stream(), event);
    ask_destroy_busy(stream);
    ASK("attr_get", cuStreamGetAttribute,
        (blocking, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
}
