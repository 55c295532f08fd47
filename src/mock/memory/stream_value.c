/* SPDX-License-Identifier: MIT */
/* cuStreamWaitValue*, cuStreamWriteValue*, cuStreamBatchMemOp*. stream_memops.h makes the work. */
#include "mock/base/state.h"
#include "mock/memory/stream_memops.h"
#include "mock/queue/work.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

#define V1 (&mock__values_v1)
#define V2 (&mock__values_v2)

static CUresult submit(CUstream hStream, const CUstreamBatchMemOpParams *params, unsigned count,
                       unsigned flags, const struct mock__value_features *features)
{
    struct mock__stream *stream = NULL;
    struct mock__work *work = NULL;

    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__TRY(features == V1 ? mock__capture_asked(stream) : CUDA_SUCCESS);
    MOCK__REQUIRE(mock__values_supported(stream->context->device, features),
                  CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(!flags && (params || !count), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__values_work(stream->context, params, count, features, &work));
    if (count)
        return mock__stream_submit(stream, work);
    mock__work_free(work); /* nothing to do is nothing to submit */
    return CUDA_SUCCESS;
}

static CUresult do_one(CUstream stream, int type, CUdeviceptr address, uint64_t value,
                       unsigned flags, const struct mock__value_features *features)
{
    const CUstreamBatchMemOpParams params = {
        .waitValue = {.operation = (CUstreamBatchMemOpType) type,
                      .address = address,
                      .value64 = value,
                      .flags = flags}};

    return submit(stream, &params, 1, 0, features);
}

/* --- the functions: two versions, each with a variant for the thread's default stream --- */

CUresult mock_cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                  unsigned int flags)
{
    return do_one(stream, MOCK__WAIT_32, addr, value, flags, V1);
}

CUresult mock_cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                   unsigned int flags)
{
    return do_one(stream, MOCK__WRITE_32, addr, value, flags, V1);
}

CUresult mock_cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                  unsigned int flags)
{
    return do_one(stream, MOCK__WAIT_64, addr, value, flags, V1);
}

CUresult mock_cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                   unsigned int flags)
{
    return do_one(stream, MOCK__WRITE_64, addr, value, flags, V1);
}

CUresult mock_cuStreamBatchMemOp(CUstream stream, unsigned int count,
                                 CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return submit(stream, paramArray, count, flags, V1);
}

#if CUDA_VERSION >= 11070
CUresult mock_cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                     unsigned int flags)
{
    return do_one(stream, MOCK__WAIT_32, addr, value, flags, V2);
}

CUresult mock_cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                      unsigned int flags)
{
    return do_one(stream, MOCK__WRITE_32, addr, value, flags, V2);
}

CUresult mock_cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                     unsigned int flags)
{
    return do_one(stream, MOCK__WAIT_64, addr, value, flags, V2);
}

CUresult mock_cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                      unsigned int flags)
{
    return do_one(stream, MOCK__WRITE_64, addr, value, flags, V2);
}

CUresult mock_cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                                    CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return submit(stream, paramArray, count, flags, V2);
}
#endif
