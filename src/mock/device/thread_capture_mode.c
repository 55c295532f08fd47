/* SPDX-License-Identifier: MIT */
/* cuThreadExchangeStreamCaptureMode */
#include "mock/base/state.h"
#include "mock/stream/capture.h"

CUresult mock_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    MOCK__ENTER_INHERITED();
    MOCK__REQUIRE(mode, CUDA_ERROR_INVALID_VALUE);
    *mode = (CUstreamCaptureMode) mock__capture_thread_mode((int) *mode);
    return CUDA_SUCCESS;
}
