/* SPDX-License-Identifier: MIT */
/* cuLaunchKernelEx(), with the attributes that a launch may have. */
#include <string.h>

#include "launch.h"

static CUlaunchAttribute attribute;
static CUlaunchConfig config;
static CUfunction nop;

static void ask_ex(const char *key)
{
    ASK(key, cuLaunchKernelEx, (&config, nop, NULL, NULL));
}

/* Begins another attribute, with a value of zeros. */
static CUlaunchAttributeValue *attribute_is(CUlaunchAttributeID id)
{
    memset(&attribute, 0, sizeof(attribute));
    attribute.id = id;
    return &attribute.value;
}

static void set_up(const struct subject *subject)
{
    nop = subject->nop;
    config = (CUlaunchConfig){
        .gridDimX = 8,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = 32,
        .blockDimY = 1,
        .blockDimZ = 1,
        .hStream = subject->stream,
        .attrs = &attribute,
    };
}

static void ask_clusters(void)
{
    static const struct {
        const char *key;
        unsigned blocks;
    } clusters[] = {
        {"ex_cluster2", 2}, {"ex_cluster3_grid8", 3}, {"ex_cluster16", 16},
        {"ex_cluster0", 0}, {"ex_cluster8", 8},
    };
    CUlaunchAttributeValue *value = attribute_is(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);

    value->clusterDim.y = value->clusterDim.z = 1;
    for (size_t i = 0; i < sizeof(clusters) / sizeof(*clusters); i++) {
        value->clusterDim.x = clusters[i].blocks;
        ask_ex(clusters[i].key);
    }
}

static void ask_largest(const char *key, const char *key_value)
{
    int blocks = -1;

    ASK(key, cuOccupancyMaxPotentialClusterSize, (&blocks, nop, &config));
    report(key_value, blocks);
}

static void ask_active(const char *key)
{
    int clusters = -1;

    ASK(key, cuOccupancyMaxActiveClusters, (&clusters, nop, &config));
}

/* Clusters that only some devices have, before the kernel allows them and after. */
static void ask_large_clusters(void)
{
    CUlaunchAttributeValue *value = attribute_is(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION);

    config.gridDimX = 32;
    value->preferredClusterDim.x = 4;
    value->preferredClusterDim.y = value->preferredClusterDim.z = 1;
    ask_ex("ex_preferred_cluster_alone");
    value = attribute_is(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    ask_ex("ex_cluster_zeros");
    ask_active("active_clusters_zeros");
    value->clusterDim.x = 16;
    value->clusterDim.y = value->clusterDim.z = 1;
    ask_largest("largest_cluster16", "largest_cluster16_v");
    ask_active("active_clusters16");
    CALL(cuFuncSetAttribute, (nop, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    ask_ex("ex_cluster16_allowed");
    ask_largest("largest_cluster16_allowed", "largest_cluster16_allowed_v");
    ask_active("active_clusters16_allowed");
    value->clusterDim.x = 32;
    ask_ex("ex_cluster32_allowed");
    ask_largest("largest_cluster32_allowed", "largest_cluster32_allowed_v");
    CALL(cuFuncSetAttribute, (nop, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0));
    config.gridDimX = 8;
}

static void ask_order(void)
{
    CUlaunchAttributeValue *value = attribute_is(CU_LAUNCH_ATTRIBUTE_PRIORITY);

    value->priority = -3;
    ask_ex("ex_prio");
    value->priority = -100;
    ask_ex("ex_prio_out");
    value = attribute_is(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
    value->programmaticStreamSerializationAllowed = 1;
    ask_ex("ex_pss");
}

static void ask_events(void)
{
    CUevent timed = NULL, untimed = NULL;
    CUlaunchAttributeValue *value;

    CALL(cuEventCreate, (&timed, CU_EVENT_DEFAULT));
    CALL(cuEventCreate, (&untimed, CU_EVENT_DISABLE_TIMING));
    value = attribute_is(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT);
    value->programmaticEvent.event = timed;
    ask_ex("ex_progevent_timing");
    value->programmaticEvent.event = untimed;
    ask_ex("ex_progevent");
    value = attribute_is(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
    value->launchCompletionEvent.event = timed;
    ask_ex("ex_lce_timing");
    value->launchCompletionEvent.event = untimed;
    ask_ex("ex_lce");
    value->launchCompletionEvent.event = NULL;
    ask_ex("ex_lce_null");
}

static void ask_updatable(void)
{
    CUlaunchAttributeValue *value = attribute_is(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE);

    value->deviceUpdatableKernelNode.deviceUpdatable = 1;
    ask_ex("ex_devupd_nocapture");
    value->deviceUpdatableKernelNode.deviceUpdatable = 2;
    ask_ex("ex_devupd_2");
}

static void ask_domains(void)
{
    CUlaunchAttributeValue *value = attribute_is(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN);

    value->memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
    ask_ex("ex_memsyncdomain");
    value = attribute_is(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP);
    value->memSyncDomainMap.remote = 1;
    ask_ex("ex_memsyncmap");
}

static void ask_policies(CUdeviceptr p)
{
    CUlaunchAttributeValue *value = attribute_is(CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY);

    value->syncPolicy = CU_SYNC_POLICY_AUTO;
    ask_ex("ex_syncpolicy");
    value->syncPolicy = 99;
    ask_ex("ex_syncpolicy_bad");
    value = attribute_is(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
    value->accessPolicyWindow = (CUaccessPolicyWindow){
        .base_ptr = (void *) (uintptr_t) p,
        .num_bytes = 64,
        .hitRatio = 1,
        .hitProp = CU_ACCESS_PROPERTY_PERSISTING,
        .missProp = CU_ACCESS_PROPERTY_STREAMING,
    };
    ask_ex("ex_apw");
    value->accessPolicyWindow.hitRatio = 2;
    ask_ex("ex_apw_badratio");
}

static void ask_unusual(void)
{
    attribute_is(CU_LAUNCH_ATTRIBUTE_IGNORE);
    ask_ex("ex_ignore");
    attribute_is(77);
    ask_ex("ex_unknown_attr");
    config.attrs = NULL;
    ask_ex("ex_null_attrs");
    config.numAttrs = 0;
    config.gridDimX = 0;
    ask_ex("ex_grid0");
}

void ask_launch_attributes(const struct subject *subject)
{
    set_up(subject);
    ask_ex("ex_plain");
    ASK("ex_nullcfg", cuLaunchKernelEx, (NULL, nop, NULL, NULL));
    config.numAttrs = 1;
    attribute_is(CU_LAUNCH_ATTRIBUTE_COOPERATIVE)->cooperative = 1;
    ask_ex("ex_coop");
    ask_clusters();
    ask_large_clusters();
    ask_order();
    ask_events();
    ask_updatable();
    ask_domains();
    ask_policies(subject->memory);
    ask_unusual();
}
