/* SPDX-License-Identifier: MIT */
/* What other contexts of a device, and other devices, see of a fault in one context. */
#include <stdbool.h>
#include <unistd.h>

#include "ask.h"

struct side {
    const char *name;
    CUcontext context;
    CUmodule module;
    CUfunction nop;
    CUstream stream;
    CUevent event;
    CUdeviceptr memory;
};

static struct side side_of(const char *name, CUcontext context)
{
    struct side side = {.name = name, .context = context};

    CALL(cuCtxSetCurrent, (context));
    side.module = load_kernels();
    side.nop = get_kernel(side.module, "nop");
    side.stream = new_stream();
    CALL(cuEventCreate, (&side.event, CU_EVENT_DEFAULT));
    CALL(cuEventRecord, (side.event, side.stream));
    side.memory = new_memory(64);
    return side;
}

#define ASK_SIDE(key, name_, arguments)                                                            \
    report_numbered(CALL(name_, arguments), "%s_%s", side->name, key)

static void ask_side(const struct side *side)
{
    CUfunction function;
    CUdeviceptr p = 0;
    CUstream stream;
    size_t n, total;
    int value;

    ASK_SIDE("set", cuCtxSetCurrent, (side->context));
    ASK_SIDE("sync", cuCtxSynchronize, ());
    ASK_SIDE("query", cuStreamQuery, (side->stream));
    ASK_SIDE("event", cuEventQuery, (side->event));
    ASK_SIDE("alloc", cuMemAlloc_v2, (&p, 16));
    ASK_SIDE("read", cuMemcpyDtoH_v2, (&value, side->memory, 4));
    ASK_SIDE("memset", cuMemsetD8_v2, (side->memory, 1, 4));
    report_numbered(launch(side->nop, 1, 1, side->stream, NULL), "%s_launch", side->name);
    ASK_SIDE("wait", cuStreamSynchronize, (side->stream));
    ASK_SIDE("meminfo", cuMemGetInfo_v2, (&n, &total));
    ASK_SIDE("stream", cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));
    ASK_SIDE("function", cuModuleGetFunction, (&function, side->module, "addk"));
    ASK_SIDE("free", cuMemFree_v2, (side->memory));
}

/* The second context of device 0 has a fault; who notices it first is the first one, or itself. */
static void ask_fault(const char *kernel, CUdeviceptr argument, bool first_notices)
{
    struct side first, second, other = {.context = NULL};
    CUcontext context = NULL;
    int count = 0;

    first = side_of("first", begin());
    CALL(cuCtxCreate_v2, (&context, 0, 0));
    CALL(cuDeviceGetCount, (&count));
    if (count > 1) {
        CALL(cuDevicePrimaryCtxRetain, (&other.context, 1));
        other = side_of("other", other.context);
    }
    second = side_of("second", context);
    report("launch", launch(get_kernel(second.module, kernel), 1, 1, second.stream,
                            (void *[]){&argument}));
    usleep(300000);
    if (!first_notices)
        ask_side(&second);
    ask_side(&first);
    if (first_notices)
        ask_side(&second);
    if (count > 1)
        ask_side(&other);
    ASK("create", cuCtxCreate_v2, (&context, 0, 0));
    ASK("destroy_second", cuCtxDestroy_v2, (second.context));
    first.name = "firstafter";
    ask_side(&first);
    ASK("create_after", cuCtxCreate_v2, (&context, 0, 0));
    ASK("reset", cuDevicePrimaryCtxReset_v2, (0));
    ASK("set_after_reset", cuCtxSetCurrent, (first.context));
    ASK("alloc_after_reset", cuMemAlloc_v2, (&argument, 16));
    ASK("create_after_reset", cuCtxCreate_v2, (&context, 0, 0));
}

void ask_shared_oob(void)
{
    ask_fault("oob", 0x10, false);
}

void ask_shared_oob_first(void)
{
    ask_fault("oob", 0x10, true);
}

void ask_shared_trap(void)
{
    ask_fault("trapk", 0, false);
}

void ask_shared_trap_first(void)
{
    ask_fault("trapk", 0, true);
}
