/* SPDX-License-Identifier: MIT */
/* cuLaunchKernelEx, and the attributes that it takes */
#include <string.h>

#include "mock/event.h"
#include "mock/launch.h"
#include "mock/state.h"
#include "mock/stream.h"

#if CUDA_VERSION >= 11080

/* By number, as a caller may know more of them than the toolkit of the build does. */
enum {
    IGNORE = 0,
    ACCESS_POLICY_WINDOW = 1,
    COOPERATIVE = 2,
    CLUSTER_DIMENSION = 4,
    CLUSTER_SCHEDULING = 5,
    PROGRAMMATIC_STREAM_SERIALIZATION = 6,
    PROGRAMMATIC_EVENT = 7,
    PRIORITY = 8,
    MEM_SYNC_DOMAIN_MAP = 9,
    MEM_SYNC_DOMAIN = 10,
    PREFERRED_CLUSTER_DIMENSION = 11,
    LAUNCH_COMPLETION_EVENT = 12,
    DEVICE_UPDATABLE_KERNEL_NODE = 13,
    PREFERRED_SHARED_MEMORY_CARVEOUT = 14,
};

#define LARGEST_PORTABLE_CLUSTER 8

static CUresult check_access_policy(const CUlaunchAttributeValue *value)
{
    const float ratio = value->accessPolicyWindow.hitRatio;

    return ratio >= 0 && ratio <= 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_cluster(const struct mock__request *request,
                              const CUlaunchAttributeValue *value)
{
    unsigned cluster[3];
    size_t blocks = 1;

    memcpy(cluster, value, sizeof(cluster));
    for (unsigned i = 0; i < 3; i++) {
        MOCK__REQUIRE(cluster[i] && cluster[i] <= LARGEST_PORTABLE_CLUSTER &&
                          request->grid[i] % cluster[i] == 0,
                      CUDA_ERROR_INVALID_CLUSTER_SIZE);
        blocks *= cluster[i];
    }
    return blocks <= LARGEST_PORTABLE_CLUSTER ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

static CUresult add_event(struct mock__request *request, const CUlaunchAttributeValue *value)
{
    struct mock__event *event = NULL;
    CUevent handle;

    /* In all attributes that have an event, it comes first. */
    memcpy(&handle, value, sizeof(handle));
    MOCK__TRY(mock__event_find(handle, &event));
    MOCK__REQUIRE(event->flags & CU_EVENT_DISABLE_TIMING, CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(request->n_events < MOCK__MAX_LAUNCH_EVENTS, CUDA_ERROR_INVALID_VALUE);
    request->events[request->n_events++] = event;
    return CUDA_SUCCESS;
}

static CUresult apply(struct mock__request *request, const CUlaunchAttribute *attribute)
{
    switch ((int) attribute->id) {
    case ACCESS_POLICY_WINDOW:
        return check_access_policy(&attribute->value);
    case COOPERATIVE:
        request->cooperative = attribute->value.cooperative != 0;
        return CUDA_SUCCESS;
    case CLUSTER_DIMENSION:
        return check_cluster(request, &attribute->value);
    case PROGRAMMATIC_EVENT:
    case LAUNCH_COMPLETION_EVENT:
        return add_event(request, &attribute->value);
    case IGNORE:
    case CLUSTER_SCHEDULING:
    case PROGRAMMATIC_STREAM_SERIALIZATION:
    case PRIORITY:
    case MEM_SYNC_DOMAIN_MAP:
    case MEM_SYNC_DOMAIN:
    case PREFERRED_CLUSTER_DIMENSION:
    case PREFERRED_SHARED_MEMORY_CARVEOUT:
        /* Hints, none of which changes what a kernel computes. */
        return CUDA_SUCCESS;
    case DEVICE_UPDATABLE_KERNEL_NODE:
        return CUDA_ERROR_NOT_SUPPORTED; /* only has a meaning in a graph */
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult launch_ex(const CUlaunchConfig *config, CUstream stream, CUfunction f,
                          void **params, void **extra)
{
    struct mock__request request = {
        .function = f,
        .stream = stream,
        .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .shared_bytes = config->sharedMemBytes,
        .params = params,
        .extra = extra,
    };

    MOCK__ENTER();
    MOCK__REQUIRE(config->attrs || !config->numAttrs, CUDA_ERROR_INVALID_VALUE);
    for (unsigned i = 0; i < config->numAttrs; i++)
        MOCK__TRY(apply(&request, &config->attrs[i]));
    return mock__launch(&request);
}

CUresult mock_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
                               void **extra)
{
    MOCK__REQUIRE(config, CUDA_ERROR_INVALID_VALUE);
    return launch_ex(config, config->hStream, f, kernelParams, extra);
}

CUresult mock_cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
                                    void **extra)
{
    MOCK__REQUIRE(config, CUDA_ERROR_INVALID_VALUE);
    return launch_ex(config, mock__ptsz(config->hStream), f, kernelParams, extra);
}

#endif
