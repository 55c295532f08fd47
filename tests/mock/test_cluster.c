/* SPDX-License-Identifier: MIT */
/* Clusters of blocks that are larger than all devices have them: as an H200 answers. */
#include <stdio.h>
#include <string.h>

#include "support.h"

TestSuite(cluster, .timeout = 100);

#if CUDA_VERSION >= 12080

/* Each block writes how many blocks its cluster has. */
static CUfunction kernel(const char *directives, int is_large)
{
    CUfunction function = NULL;
    CUmodule module = NULL;
    char text[1024];

    snprintf(text, sizeof(text),
             ".version 8.8\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u64 p) %s {\n.reg .b64 %%p, %%a; .reg .b32 %%r<2>;\n"
             "ld.param.u64 %%p, [p]; mov.u32 %%r0, %%ctaid.x; mul.wide.u32 %%a, %%r0, 4;\n"
             "add.u64 %%p, %%p, %%a; mov.u32 %%r1, %%cluster_nctarank;\n"
             "st.global.u32 [%%p], %%r1; ret; }\n",
             directives);
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                               is_large));
    return function;
}

struct sizes {
    unsigned cluster[3], preferred[3];
};

/* Fills a configuration of 32 blocks in x. A size of zeros is an attribute, too. */
static CUlaunchConfig config_of(struct sizes sizes, CUlaunchAttribute attributes[2])
{
    memset(attributes, 0, 2 * sizeof(*attributes));
    attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    memcpy(&attributes[0].value.clusterDim, sizes.cluster, sizeof(sizes.cluster));
    attributes[1].id = CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION;
    memcpy(&attributes[1].value.preferredClusterDim, sizes.preferred, sizeof(sizes.preferred));
    return (CUlaunchConfig){.gridDimX = 32 * 9,
                            .gridDimY = 4,
                            .gridDimZ = 2,
                            .blockDimX = 32,
                            .blockDimY = 1,
                            .blockDimZ = 1,
                            .attrs = attributes,
                            .numAttrs = sizes.preferred[0] ? 2 : 1};
}

/* How many blocks the clusters of a launch had; less than 0 for a result that is an error. */
static int launch(CUfunction function, struct sizes sizes)
{
    CUlaunchAttribute attributes[2];
    const CUlaunchConfig config = config_of(sizes, attributes);
    CUdeviceptr p = allocate(4096);
    unsigned blocks[2] = {0};
    void *params[] = {&p};
    CUresult result = mock_cuLaunchKernelEx(&config, function, params, NULL);

    if (result == CUDA_SUCCESS) {
        OK(mock_cuMemcpyDtoH_v2(blocks, p, sizeof(blocks)));
        cr_expect(eq(u32, blocks[0], blocks[1]));
    }
    OK(mock_cuMemFree_v2(p));
    return result == CUDA_SUCCESS ? (int) blocks[0] : -(int) result;
}

static int largest(CUfunction function, struct sizes sizes)
{
    CUlaunchAttribute attributes[2];
    const CUlaunchConfig config = config_of(sizes, attributes);
    int n = -1;
    CUresult result = mock_cuOccupancyMaxPotentialClusterSize(&n, function, &config);

    return result == CUDA_SUCCESS ? n : -(int) result;
}

static int active(CUfunction function, struct sizes sizes)
{
    CUlaunchAttribute attributes[2];
    const CUlaunchConfig config = config_of(sizes, attributes);
    int n = -1;
    CUresult result = mock_cuOccupancyMaxActiveClusters(&n, function, &config);

    return result == CUDA_SUCCESS ? n : -(int) result;
}

enum { REFUSED = -(int) CUDA_ERROR_INVALID_CLUSTER_SIZE };

Test(cluster, sizes_that_are_not_portable)
{
    static const struct {
        struct sizes sizes;
        int small, large; /* what a launch answers without and with the attribute */
    } rows[] = {
        {{{0, 0, 0}, {0}}, 1, 1},
        {{{8, 1, 1}, {0}}, 8, 8},
        {{{9, 1, 1}, {0}}, REFUSED, 9},
        {{{12, 1, 1}, {0}}, REFUSED, 12},
        {{{16, 1, 1}, {0}}, REFUSED, 16},
        {{{4, 4, 1}, {0}}, REFUSED, 16},
        {{{4, 2, 2}, {0}}, REFUSED, 16},
        {{{18, 1, 1}, {0}}, REFUSED, REFUSED},
        {{{4, 4, 2}, {0}}, REFUSED, REFUSED},
        {{{5, 1, 1}, {0}}, REFUSED, REFUSED},
    };
    CUfunction small, large;

    start();
    small = kernel("", 0);
    large = kernel("", 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        cr_expect(eq(int, launch(small, rows[i].sizes), rows[i].small), "row %zu", i);
        cr_expect(eq(int, launch(large, rows[i].sizes), rows[i].large), "row %zu", i);
    }
}

Test(cluster, what_is_asked_beforehand)
{
    static const struct {
        struct sizes sizes;
        int small_largest, small_active, large_largest, large_active;
    } rows[] = {
        {{{0, 0, 0}, {0}}, 8, 0, 16, 0},
        {{{1, 1, 1}, {0}}, 8, 1056, 16, 1056},
        {{{8, 1, 1}, {0}}, 8, 124, 16, 124},
        {{{16, 1, 1}, {0}}, REFUSED, REFUSED, 16, 58},
        {{{32, 1, 1}, {0}}, REFUSED, REFUSED, 16, 0},
        {{{5, 1, 1}, {0}}, REFUSED, REFUSED, REFUSED, REFUSED},
    };
    CUfunction small, large;

    start();
    small = kernel("", 0);
    large = kernel("", 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        cr_expect(eq(int, largest(small, rows[i].sizes), rows[i].small_largest), "row %zu", i);
        cr_expect(eq(int, active(small, rows[i].sizes), rows[i].small_active), "row %zu", i);
        cr_expect(eq(int, largest(large, rows[i].sizes), rows[i].large_largest), "row %zu", i);
        cr_expect(eq(int, active(large, rows[i].sizes), rows[i].large_active), "row %zu", i);
    }
}

Test(cluster, a_kernel_made_for_them)
{
    const struct sizes none = {{0}, {0}}, eight = {{8, 1, 1}, {0}};

    start();
    cr_expect(eq(int, launch(kernel(".reqnctapercluster 16", 0), none), REFUSED));
    cr_expect(eq(int, launch(kernel(".reqnctapercluster 16", 1), none), 16));
    cr_expect(eq(int, largest(kernel(".reqnctapercluster 16", 0), none), REFUSED));
    cr_expect(eq(int, active(kernel(".reqnctapercluster 16", 1), none), 58));
    cr_expect(eq(int, launch(kernel(".maxclusterrank 4", 1), eight), REFUSED));
    cr_expect(eq(int, active(kernel(".maxclusterrank 4", 1), eight), REFUSED));
    cr_expect(eq(int, largest(kernel(".maxclusterrank 4", 0), none), 8));
}

Test(cluster, a_size_that_is_preferred)
{
    CUfunction small;

    start();
    small = kernel("", 0);
    cr_expect(eq(int, launch(small, (struct sizes){{0, 0, 0}, {4, 1, 1}}), REFUSED));
    cr_expect(eq(int, launch(small, (struct sizes){{2, 1, 1}, {3, 1, 1}}), REFUSED));
    cr_expect(eq(int, launch(small, (struct sizes){{4, 1, 1}, {2, 1, 1}}), REFUSED));
    cr_expect(eq(int, launch(small, (struct sizes){{2, 1, 1}, {4, 1, 1}}), 2));
    cr_expect(eq(int, launch(small, (struct sizes){{2, 1, 1}, {16, 1, 1}}), 2));
}

#else
Test(cluster, headers)
{
    cr_skip_test("CUDA's headers are older than 12.8");
}
#endif
