/* SPDX-License-Identifier: MIT */
/* The time between events: of one context, of two, and of two devices. */
#include "ask.h"

static CUevent recorded(unsigned flags, CUstream stream)
{
    CUevent event = NULL;

    CALL(cuEventCreate, (&event, flags));
    CALL(cuEventRecord, (event, stream));
    return event;
}

static void ask_pair(const char *key, CUevent start, CUevent end)
{
    float ms = -1;

    report(key, CALL(cuEventElapsedTime_v2, (&ms, start, end)));
    report_numbered(CALL(cuEventElapsedTime, (&ms, start, end)), "%s_v1", key);
}

static void ask_one_context(void)
{
    CUstream first = new_stream(), second = new_stream();
    CUevent a = recorded(0, first), b = recorded(0, second), quiet, fresh = NULL;
    unsigned long long ns = 50000000;
    CUfunction spin = get_kernel(load_kernels(), "spin");

    CALL(cuEventCreate, (&fresh, 0));
    quiet = recorded(CU_EVENT_DISABLE_TIMING, first);
    wait_for_all();
    ask_pair("streams", a, b);
    ask_pair("same", a, a);
    ask_pair("quiet_start", quiet, a);
    ask_pair("quiet_end", a, quiet);
    ask_pair("fresh_start", fresh, a);
    ask_pair("fresh_end", a, fresh);
    launch(spin, 1, 1, first, (void *[]){&ns});
    CALL(cuEventRecord, (b, first));
    ask_pair("busy_end", a, b);
    ask_pair("busy_start", b, a);
    ask_pair("busy_fresh", b, fresh);
    ask_pair("busy_quiet", b, quiet);
    wait_for_all();
    ask_pair("null_start", NULL, a);
    ask_pair("null_end", a, NULL);
    report("no_out", CALL(cuEventElapsedTime_v2, (NULL, a, b)));
    CALL(cuEventDestroy_v2, (b));
}

static void ask_captured(void)
{
    CUstream stream = new_stream();
    CUevent before = recorded(0, stream), event = NULL;
    CUgraph graph = NULL;

    wait_for(stream);
    CALL(cuEventCreate, (&event, 0));
    CALL(cuStreamBeginCapture_v2, (stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CALL(cuEventRecord, (event, stream));
    ask_pair("capturing", before, event);
    ASK("capturing_end", cuStreamEndCapture, (stream, &graph));
    ask_pair("captured", before, event);
}

static void ask_two(const char *key, CUevent first, CUevent second)
{
    ask_pair(key, first, second);
    report_numbered(CALL(cuEventQuery, (first)), "%s_query", key);
}

void ask_elapsed(void)
{
    CUcontext primary = begin(), second = NULL, other = NULL;
    CUevent first, of_second, of_other;
    int count = 0;

    ask_one_context();
    ask_captured();
    first = recorded(0, NULL);
    wait_for_all();
    CALL(cuCtxCreate_v2, (&second, 0, 0));
    of_second = recorded(0, NULL);
    wait_for_all();
    ask_two("contexts", first, of_second);
    ask_two("contexts_back", of_second, first);
    CALL(cuCtxSetCurrent, (NULL));
    ask_two("without", first, first);
    CALL(cuDeviceGetCount, (&count));
    if (count < 2)
        return;
    CALL(cuDevicePrimaryCtxRetain, (&other, 1));
    CALL(cuCtxSetCurrent, (other));
    of_other = recorded(0, NULL);
    wait_for_all();
    ask_two("devices", first, of_other);
    ask_two("devices_back", of_other, first);
    ask_two("elsewhere", first, first);
    CALL(cuCtxSetCurrent, (primary));
    ask_two("devices_here", first, of_other);
}
