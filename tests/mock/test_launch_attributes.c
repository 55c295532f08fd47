/* SPDX-License-Identifier: MIT */
/* Which values the attributes of launches and streams may have: as an H200 answers. */
#include <string.h>

#include "support.h"

TestSuite(launch_attributes);

#if CUDA_VERSION >= 13000

static CUfunction nop(void)
{
    static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".visible .entry nop() { ret; }\n";
    CUmodule module = NULL;
    CUfunction function = NULL;

    OK(mock_cuModuleLoadData(&module, ptx));
    OK(mock_cuModuleGetFunction(&function, module, "nop"));
    return function;
}

static CUresult launch(CUfunction f, CUlaunchAttributeID id, const CUlaunchAttributeValue *value)
{
    CUlaunchAttribute attribute = {.id = id, .value = *value};
    const CUlaunchConfig config = {.gridDimX = 16,
                                   .gridDimY = 2,
                                   .gridDimZ = 1,
                                   .blockDimX = 32,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .attrs = &attribute,
                                   .numAttrs = 1};

    return mock_cuLaunchKernelEx(&config, f, NULL, NULL);
}

Test(launch_attributes, numbers)
{
    static const struct {
        CUlaunchAttributeID id;
        int first, last;
    } ranges[] = {
        {CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 0, 2},
        {CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, 0, 1},
        {CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -1, 100},
        {CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING, 0, 1},
        {CU_LAUNCH_ATTRIBUTE_PRIORITY, -100, 100},
        {CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, 1, 0}, /* no value */
    };
    CUfunction f;

    start();
    f = nop();
    for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
        for (int number = -3; number <= 102; number++) {
            const bool is_good = number >= ranges[i].first && number <= ranges[i].last;
            CUlaunchAttributeValue value = {.priority = number};

            if (ranges[i].id == CU_LAUNCH_ATTRIBUTE_PRIORITY && number > 100)
                continue;
            cr_expect(eq(int, (int) launch(f, ranges[i].id, &value),
                         is_good ? 0 : CUDA_ERROR_INVALID_VALUE),
                      "attribute %d is %d", (int) ranges[i].id, number);
        }
    }
}

Test(launch_attributes, clusters)
{
    static const struct {
        unsigned size[3];
        CUresult result;
    } clusters[] = {
        {{0, 0, 0}, CUDA_SUCCESS},
        {{1, 1, 1}, CUDA_SUCCESS},
        {{2, 2, 1}, CUDA_SUCCESS},
        {{8, 1, 1}, CUDA_SUCCESS},
        {{0, 2, 1}, CUDA_ERROR_INVALID_CLUSTER_SIZE},
        {{2, 0, 1}, CUDA_ERROR_INVALID_CLUSTER_SIZE},
        {{3, 1, 1}, CUDA_ERROR_INVALID_CLUSTER_SIZE},
        {{16, 1, 1}, CUDA_ERROR_INVALID_CLUSTER_SIZE},
    };
    CUfunction f;

    start();
    f = nop();
    for (size_t i = 0; i < sizeof(clusters) / sizeof(*clusters); i++) {
        CUlaunchAttributeValue value = {{0}};

        memcpy(&value.clusterDim, clusters[i].size, sizeof(clusters[i].size));
        cr_expect(eq(int, (int) launch(f, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value),
                     (int) clusters[i].result),
                  "cluster %zu", i);
    }
}

Test(launch_attributes, domains_and_windows)
{
    CUlaunchAttributeValue map = {.memSyncDomainMap = {3, 3}};
    CUlaunchAttributeValue window = {.accessPolicyWindow = {.hitRatio = 1}};
    CUfunction f;

    start();
    f = nop();
    OK(launch(f, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &map));
    map.memSyncDomainMap.remote = 4;
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(f, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &map));
    OK(launch(f, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &window));
    window.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_PERSISTING;
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(f, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &window));
    window.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_NORMAL;
    window.accessPolicyWindow.hitRatio = 1.5f;
    EXPECT(CUDA_ERROR_INVALID_VALUE, launch(f, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &window));
}

Test(launch_attributes, of_streams)
{
    static const int priorities[][2] = {{-6, -5}, {-5, -5}, {-1, -1}, {0, 0}, {1, 0}};
    CUstreamAttrValue value = {{0}};
    CUstream stream;

    start();
    OK(mock_cuStreamCreate(&stream, 0));
    for (size_t i = 0; i < sizeof(priorities) / sizeof(*priorities); i++) {
        value.priority = priorities[i][0];
        OK(mock_cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
        OK(mock_cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
        cr_expect(eq(int, value.priority, priorities[i][1]));
    }
    for (int domain = 0; domain <= 2; domain++) {
        value.priority = domain;
        EXPECT(domain < 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE,
               mock_cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &value));
    }
    OK(mock_cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &value));
    cr_expect(eq(int, (int) value.memSyncDomain, 1));
}

#endif
