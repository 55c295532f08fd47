/* SPDX-License-Identifier: MIT */
/* What a context answers after a kernel has broken it, and what heals it. */
#include "ask.h"

struct victim {
    CUcontext context;
    CUfunction nop;
    CUstream stream;
    CUevent event;
};

static void ask_work(const struct victim *victim)
{
    size_t free_bytes, total_bytes;
    CUdeviceptr p;

    ASK("again_sync", cuCtxSynchronize, ());
    ASK("alloc", cuMemAlloc_v2, (&p, 16));
    report("launch2", launch(victim->nop, 1, 1, NULL, NULL));
    ASK("query", cuStreamQuery, (victim->stream));
    ASK("event_query", cuEventQuery, (victim->event));
    ASK("event_record", cuEventRecord, (victim->event, victim->stream));
    ASK("meminfo", cuMemGetInfo_v2, (&free_bytes, &total_bytes));
}

static void ask_process(const struct victim *victim)
{
    CUcontext other;
    CUstream stream;
    CUdeviceptr p;
    int count;

    ASK("devcount", cuDeviceGetCount, (&count));
    ASK("getcurrent", cuCtxGetCurrent, (&other));
    ASK("setcurrent", cuCtxSetCurrent, (victim->context));
    ASK("free0", cuMemFree_v2, (0));
    ASK("stream_create", cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));
    ASK("ctxcreate_other", cuCtxCreate_v2, (&other, 0, 0));
    ASK("alloc_other", cuMemAlloc_v2, (&p, 16));
}

static void ask_reset(const struct victim *victim)
{
    CUdeviceptr p;

    ASK("prim_reset", cuDevicePrimaryCtxReset_v2, (0));
    ASK("set_after_reset", cuCtxSetCurrent, (victim->context));
    ASK("alloc_after_reset", cuMemAlloc_v2, (&p, 16));
}

/* Breaks the context with a kernel that gets one argument. */
static void ask_broken(const char *sync_key, const char *kernel, CUdeviceptr argument)
{
    struct victim victim = {.context = begin()};
    CUmodule module = load_kernels();

    victim.nop = get_kernel(module, "nop");
    victim.stream = new_stream();
    CALL(cuEventCreate, (&victim.event, CU_EVENT_DEFAULT));
    report("launch",
           launch(get_kernel(module, kernel), 1, 1, victim.stream, (void *[]){&argument}));
    ASK(sync_key, cuStreamSynchronize, (victim.stream));
    ask_work(&victim);
    ask_process(&victim);
    ask_reset(&victim);
}

void ask_sticky_oob(void)
{
    ask_broken("oob_sync", "oob", 0x10);
}

void ask_sticky_misaligned(void)
{
    CUdeviceptr p = 0;

    begin();
    allocate(&p, 64);
    ask_broken("misaligned_sync", "oob", p + 1);
}

void ask_sticky_trap(void)
{
    ask_broken("trap_sync", "trapk", 0);
}
