/* SPDX-License-Identifier: MIT */
/* cuProfiler*: there is nothing to profile with, which a profiler's absence is as well. */
#include "mock/base/state.h"

/* cudaProfiler.h, which declares them, is not part of every toolkit package. */
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
