/* SPDX-License-Identifier: MIT */
/* What the end of an object orders: the work of its own context, and not that of others. */
#include <cushim/mock.h>
#include <string.h>

#include "support.h"

enum { BYTES = 256 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry f() { ret; }\n";

static CUcontext mine, other;
static CUstream stream, far;
static CUmodule module; /* of the other context */
static CUdeviceptr shared;

static void begin(void)
{
    start();
    OK(mock_cuCtxGetCurrent(&mine));
    OK(mock_cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    shared = allocate(BYTES);
    OK(mock_cuCtxCreate_v2(&other, 0, 0));
    OK(mock_cuStreamCreate(&far, CU_STREAM_NON_BLOCKING));
    OK(mock_cuModuleLoadData(&module, ptx));
    OK(mock_cuCtxSetCurrent(mine));
}

static void fill(CUcontext context, CUstream on, unsigned char value)
{
    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuMemsetD8Async(shared, value, BYTES, on));
}

static size_t races(void)
{
    const struct cushim_mock_finding *findings = NULL;
    size_t n;

    OK(mock_cuStreamSynchronize(far));
    OK(mock_cuCtxSetCurrent(mine));
    OK(mock_cuStreamSynchronize(stream));
    n = cushim_mock_findings(&findings);
    for (size_t i = 0; i < n; i++)
        cr_expect(eq(int, (int) findings[i].kind, CUSHIM_MOCK_DATA_RACE), "%s", findings[i].text);
    return n;
}

Test(context_order, unloading_a_module_orders_work_of_its_context)
{
    begin();
    fill(other, far, 1);
    OK(mock_cuModuleUnload(module));
    fill(mine, stream, 2);
    cr_expect(eq(sz, races(), 0));
}

Test(context_order, unloading_a_module_orders_no_work_of_other_contexts)
{
    begin();
    fill(mine, stream, 1);
    OK(mock_cuModuleUnload(module));
    fill(other, far, 2);
    cr_expect(eq(sz, races(), 1));
}

Test(context_order, work_before_that_of_the_context_is_ordered)
{
    CUevent event = NULL;

    begin();
    OK(mock_cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    fill(mine, stream, 1);
    OK(mock_cuEventRecord(event, stream));
    OK(mock_cuStreamWaitEvent(far, event, 0));
    OK(mock_cuModuleUnload(module));
    fill(other, far, 2);
    OK(mock_cuCtxSetCurrent(mine));
    fill(mine, stream, 3);
    cr_expect(eq(sz, races(), 1), "the last two are not");
}

Test(context_order, the_end_of_a_context_orders_its_work)
{
    begin();
    fill(other, far, 1);
    OK(mock_cuCtxDestroy_v2(other));
    OK(mock_cuCtxSetCurrent(mine));
    OK(mock_cuMemsetD8Async(shared, 2, BYTES, stream));
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(sz, cushim_mock_findings(NULL), 0));
}
