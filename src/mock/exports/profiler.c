/* SPDX-License-Identifier: MIT */
/* cuProfiler*: they have no effect, as on a driver without a profiler. */
#include "mock/base/state.h"

/* cudaProfiler.h declares these, but not every toolkit package contains it. */
CUresult mock_cuProfilerStart(void);
CUresult mock_cuProfilerStop(void);

CUresult mock_cuProfilerStart(void)
{
    MOCK__ENTER_CONTEXT(context);
    return CUDA_SUCCESS;
}

CUresult mock_cuProfilerStop(void)
{
    MOCK__ENTER_CONTEXT(context);
    return CUDA_SUCCESS;
}
