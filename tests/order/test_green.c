/* SPDX-License-Identifier: MIT */
/* What events of green contexts order, and what is left of green contexts. */
#include <cushim/mock.h>

#include "mock/queue/schedule.h"
#include "support.h"

#if CUDA_VERSION >= 12050

enum { SEEDS = 16, BYTES = 256 };

static CUcontext primary;
static CUgreenCtx green, other;
static CUstream in_green, in_other, in_primary;
static CUevent event;

/* Two halves of the device. */
static void make(void)
{
    CUdevResource whole, parts[2], rest;
    CUdevResourceDesc descriptions[2] = {NULL, NULL};
    unsigned n = 2;

    primary = start();
    OK(mock_cuDeviceGetDevResource(0, &whole, CU_DEV_RESOURCE_TYPE_SM));
    OK(mock_cuDevSmResourceSplitByCount(parts, &n, &whole, &rest, 0, 64));
    cr_assert(eq(uint, n, 2));
    OK(mock_cuDevResourceGenerateDesc(&descriptions[0], &parts[0], 1));
    OK(mock_cuDevResourceGenerateDesc(&descriptions[1], &parts[1], 1));
    OK(mock_cuGreenCtxCreate(&green, descriptions[0], 0, CU_GREEN_CTX_DEFAULT_STREAM));
    OK(mock_cuGreenCtxCreate(&other, descriptions[1], 0, CU_GREEN_CTX_DEFAULT_STREAM));
    OK(mock_cuGreenCtxStreamCreate(&in_green, green, CU_STREAM_NON_BLOCKING, 0));
    OK(mock_cuGreenCtxStreamCreate(&in_other, other, CU_STREAM_NON_BLOCKING, 0));
    OK(mock_cuStreamCreate(&in_primary, CU_STREAM_NON_BLOCKING));
    OK(mock_cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
}

static void fill(CUstream stream, CUdeviceptr p)
{
    OK(mock_cuMemsetD8Async(p, 1, BYTES, stream));
}

/* How many findings there are since the last time. */
static size_t found(void)
{
    size_t n;

    OK(mock_cuCtxSynchronize());
    n = cushim_mock_findings(NULL);
    cushim_mock_findings_clear();
    return n;
}

Test(green, an_event_stands_for_its_streams_alone)
{
    make();
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        const CUdeviceptr p = allocate(BYTES), q = allocate(BYTES);

        mock__schedule_seed(seed);
        fill(in_green, p);
        fill(in_other, q);
        OK(mock_cuGreenCtxRecordEvent(green, event));
        OK(mock_cuStreamWaitEvent(in_primary, event, 0));
        fill(in_primary, p);
        cr_expect(eq(sz, found(), 0), "seed %u", seed);
        fill(in_other, q);
        OK(mock_cuGreenCtxRecordEvent(green, event));
        OK(mock_cuStreamWaitEvent(in_primary, event, 0));
        fill(in_primary, q);
        cr_expect(eq(sz, found(), 1), "seed %u", seed);
        OK(mock_cuMemFree_v2(p));
        OK(mock_cuMemFree_v2(q));
    }
}

Test(green, its_streams_wait_and_no_others)
{
    CUstream later = NULL;

    make();
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        const CUdeviceptr p = allocate(BYTES), q = allocate(BYTES);

        mock__schedule_seed(seed);
        fill(in_primary, p);
        fill(in_primary, q);
        OK(mock_cuEventRecord(event, in_primary));
        OK(mock_cuGreenCtxWaitEvent(green, event));
        OK(mock_cuGreenCtxStreamCreate(&later, green, CU_STREAM_NON_BLOCKING, 0));
        fill(later, p);
        cr_expect(eq(sz, found(), 0), "seed %u", seed);
        fill(in_primary, q);
        OK(mock_cuEventRecord(event, in_primary));
        OK(mock_cuGreenCtxWaitEvent(green, event));
        fill(in_other, q);
        cr_expect(eq(sz, found(), 1), "seed %u", seed);
        OK(mock_cuStreamDestroy_v2(later));
        OK(mock_cuMemFree_v2(p));
        OK(mock_cuMemFree_v2(q));
    }
}

Test(green, is_of_no_use_without_its_primary_context)
{
    CUdeviceptr p = 0;
    CUcontext context = NULL;

    make();
    OK(mock_cuCtxFromGreenCtx(&context, green));
    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuDevicePrimaryCtxReset_v2(0));
    EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, mock_cuMemAlloc_v2(&p, 16));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuStreamQuery(in_green));
    OK(mock_cuGreenCtxDestroy(green));
    OK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    OK(mock_cuGreenCtxDestroy(other));
    OK(mock_cuCtxSetCurrent(primary));
    OK(mock_cuMemAlloc_v2(&p, 16));
}

Test(green, leaves_nothing_behind)
{
    make();
    cr_expect(gt(sz, cushim_mock_leaks(), 0));
    OK(mock_cuEventDestroy_v2(event));
    OK(mock_cuStreamDestroy_v2(in_green));
    OK(mock_cuStreamDestroy_v2(in_other));
    OK(mock_cuStreamDestroy_v2(in_primary));
    OK(mock_cuGreenCtxDestroy(green));
    OK(mock_cuGreenCtxDestroy(other));
    OK(mock_cuCtxSetCurrent(NULL));
    OK(mock_cuDevicePrimaryCtxRelease_v2(0));
    cushim_mock_findings_clear();
    cr_expect(eq(sz, cushim_mock_leaks(), 0));
}

#endif
