/* SPDX-License-Identifier: MIT */
/* The attributes of launches, and of the kernels of graphs. */
#include <string.h>

#include "mock/base/state.h"
#include "mock/launch/launch.h"
#include "mock/module/cluster.h"
#include "mock/stream/event.h"

/*
 * The numbers are written here, because a caller's toolkit may know more attributes than the one of
 * this build.
 */
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
    NVLINK_UTIL_CENTRIC_SCHEDULING = 16,
};

/* The physical memory synchronisation domains of an H200. */
#define SYNC_DOMAINS 4

static CUresult check_access_policy(const void *value)
{
    CUaccessPolicyWindow window;

    memcpy(&window, value, sizeof(window));
    return window.hitRatio >= 0 && window.hitRatio <= 1 &&
                   window.missProp != CU_ACCESS_PROPERTY_PERSISTING
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

/* The numbers that an H200 accepts, as recorded with a driver of CUDA 13.0. */
static CUresult check_number(int id, const void *value)
{
    int number, first = 0, last = 1;

    memcpy(&number, value, sizeof(number));
    if (id == PREFERRED_SHARED_MEMORY_CARVEOUT)
        first = -1, last = 100;
    else if (id == CLUSTER_SCHEDULING)
        last = 2;
    return number >= first && number <= last ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_domains(const void *value)
{
    unsigned char domains[2];

    memcpy(domains, value, sizeof(domains));
    return domains[0] < SYNC_DOMAINS && domains[1] < SYNC_DOMAINS ? CUDA_SUCCESS
                                                                  : CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_cluster(const struct mock__request *request, const void *value)
{
    struct mock__function *function = NULL;
    unsigned cluster[3];

    memcpy(cluster, value, sizeof(cluster));
    if (!cluster[0] && !cluster[1] && !cluster[2])
        return CUDA_SUCCESS; /* no clusters */
    MOCK__TRY(mock__function_find(request->function, &function));
    return mock__cluster_check(function, request->grid, cluster);
}

static CUresult add_event(struct mock__request *request, const void *value)
{
    struct mock__event *event = NULL;
    CUevent handle;

    /* In all attributes with an event, the event is the first field. */
    memcpy(&handle, value, sizeof(handle));
    MOCK__TRY(mock__event_find(handle, &event));
    MOCK__REQUIRE(event->flags & CU_EVENT_DISABLE_TIMING, CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(request->n_events < MOCK__MAX_LAUNCH_EVENTS, CUDA_ERROR_INVALID_VALUE);
    request->events[request->n_events++] = event;
    return CUDA_SUCCESS;
}

static bool truth(const void *value)
{
    int number;

    memcpy(&number, value, sizeof(number));
    return number != 0;
}

static CUresult apply(struct mock__request *request, int id, const void *value)
{
    switch (id) {
    case ACCESS_POLICY_WINDOW:
        return check_access_policy(value);
    case COOPERATIVE:
        request->cooperative = truth(value);
        return CUDA_SUCCESS;
    case CLUSTER_DIMENSION:
        return check_cluster(request, value);
    case PROGRAMMATIC_EVENT:
    case LAUNCH_COMPLETION_EVENT:
        return add_event(request, value);
    /* The others are hints, which do not change the result of a kernel. */
    case CLUSTER_SCHEDULING:
    case MEM_SYNC_DOMAIN:
    case PREFERRED_SHARED_MEMORY_CARVEOUT:
    case NVLINK_UTIL_CENTRIC_SCHEDULING:
        return check_number(id, value);
    case MEM_SYNC_DOMAIN_MAP:
        return check_domains(value);
    case IGNORE:
    case PROGRAMMATIC_STREAM_SERIALIZATION:
    case PRIORITY:
    case PREFERRED_CLUSTER_DIMENSION:
        return CUDA_SUCCESS;
    case DEVICE_UPDATABLE_KERNEL_NODE:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

size_t mock__launch_attribute_size(int id)
{
    switch (id) {
    case ACCESS_POLICY_WINDOW:
        return sizeof(CUaccessPolicyWindow);
    case CLUSTER_DIMENSION:
    case PREFERRED_CLUSTER_DIMENSION:
        return 3 * sizeof(unsigned);
    case COOPERATIVE:
    case CLUSTER_SCHEDULING:
    case PRIORITY:
    case MEM_SYNC_DOMAIN:
    case PREFERRED_SHARED_MEMORY_CARVEOUT:
        return sizeof(int);
    case MEM_SYNC_DOMAIN_MAP:
        return 2;
    default:
        return 0; /* attributes of launches only, which are not kept */
    }
}

CUresult mock__launch_attribute(struct mock__request *request, struct mock__attributes *attributes,
                                int id, const void *value)
{
    const size_t size = mock__launch_attribute_size(id);

    MOCK__TRY(apply(request, id, value));
    if (!size)
        return CUDA_SUCCESS;
    if (!attributes->set)
        memset(attributes, 0, sizeof(*attributes));
    memcpy(attributes->values[id], value, size);
    attributes->set |= 1u << id;
    return CUDA_SUCCESS;
}
