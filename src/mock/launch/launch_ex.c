/* SPDX-License-Identifier: MIT */
/* cuLaunchKernelEx */
#include "mock/base/state.h"
#include "mock/launch/launch.h"
#include "mock/stream/stream.h"

#if CUDA_VERSION >= 11080

static CUresult launch_ex(const CUlaunchConfig *config, CUfunction f, void **params, void **extra)
{
    struct mock__attributes attributes;
    struct mock__request request = {
        .function = f,
        .stream = config->hStream,
        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .shared_bytes = config->sharedMemBytes,
        .params = params,
        .extra = extra,
    };

    MOCK__ENTER();
    MOCK__REQUIRE(config->attrs || !config->numAttrs, CUDA_ERROR_INVALID_VALUE);
    attributes.set = 0;
    for (unsigned i = 0; i < config->numAttrs; i++)
        MOCK__TRY(mock__launch_attribute(&request, &attributes, (int) config->attrs[i].id,
                                         &config->attrs[i].value));
    request.attributes = attributes.set ? &attributes : NULL;
    return mock__launch(&request);
}

CUresult mock_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
                               void **extra)
{
    MOCK__REQUIRE(config, CUDA_ERROR_INVALID_VALUE);
    return launch_ex(config, f, kernelParams, extra);
}

#endif
