/* SPDX-License-Identifier: MIT */
/* How many clusters are on a device at a time, and how large they may be. */
#include <stdio.h>

#include "ask.h"

/* clang-format off */
static const char clusters_ptx[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".visible .entry plain(){ ret; }\n"
    ".visible .entry of4() .reqnctapercluster 4 { ret; }\n"
    ".visible .entry most2() .explicitcluster .maxclusterrank 2 { ret; }\n"
    ".visible .entry small() .maxntid 64 { ret; }\n";
/* clang-format on */

static CUlaunchAttribute attribute;

static CUlaunchConfig config_of(unsigned blocks, unsigned threads, unsigned shared_bytes)
{
    CUlaunchConfig config = {.gridDimX = 480,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = threads,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = shared_bytes,
                             .attrs = &attribute,
                             .numAttrs = blocks ? 1 : 0};

    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = blocks;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    return config;
}

static void ask_active(const char *key, CUfunction function, const CUlaunchConfig *config)
{
    int n = -1;

    report_numbered(CALL(cuOccupancyMaxActiveClusters, (&n, function, config)), "active_%s", key);
    report_numbered(n, "active_%s_v", key);
}

static void ask_potential(const char *key, CUfunction function, const CUlaunchConfig *config)
{
    int n = -1;

    report_numbered(CALL(cuOccupancyMaxPotentialClusterSize, (&n, function, config)), "most_%s",
                    key);
    report_numbered(n, "most_%s_v", key);
}

static void ask_sizes(CUfunction function, const char *when, const unsigned *sizes, size_t n_sizes)
{
    static const unsigned threads[] = {32, 256, 1024};
    static const unsigned shared_bytes[] = {0, 60000, 200000, 232448, 232449};
    char key[64];

    for (size_t i = 0; i < n_sizes; i++)
        for (size_t t = 0; t < sizeof(threads) / sizeof(*threads); t++)
            for (size_t s = 0; s < sizeof(shared_bytes) / sizeof(*shared_bytes); s++) {
                const CUlaunchConfig config = config_of(sizes[i], threads[t], shared_bytes[s]);

                snprintf(key, sizeof(key), "%s%u_%u_%u", when, sizes[i], threads[t],
                         shared_bytes[s]);
                ask_active(key, function, &config);
                if (sizes[i] < 2)
                    ask_potential(key, function, &config);
            }
}

static void ask_kernels(CUmodule module)
{
    static const char *const names[] = {"of4", "most2", "small"};
    static const unsigned sizes[] = {0, 1, 2, 4, 8};
    char key[64];

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        for (size_t j = 0; j < sizeof(sizes) / sizeof(*sizes); j++)
            for (unsigned threads = 64; threads <= 128; threads *= 2) {
                const CUlaunchConfig config = config_of(sizes[j], threads, 0);

                snprintf(key, sizeof(key), "%s_%u_%u", names[i], sizes[j], threads);
                ask_active(key, get_kernel(module, names[i]), &config);
                ask_potential(key, get_kernel(module, names[i]), &config);
            }
}

static void ask_misuse(CUfunction function)
{
    CUlaunchConfig config = config_of(2, 128, 0);
    int n = -1;

    ASK("active_null", cuOccupancyMaxActiveClusters, (NULL, function, &config));
    ASK("active_nothing", cuOccupancyMaxActiveClusters, (&n, NULL, &config));
    ASK("active_no_config", cuOccupancyMaxActiveClusters, (&n, function, NULL));
    ASK("most_null", cuOccupancyMaxPotentialClusterSize, (NULL, function, &config));
    ASK("most_nothing", cuOccupancyMaxPotentialClusterSize, (&n, NULL, &config));
    ASK("most_no_config", cuOccupancyMaxPotentialClusterSize, (&n, function, NULL));
    config.blockDimX = 0;
    ask_active("block0", function, &config);
    ask_potential("block0", function, &config);
    config.blockDimX = 2048;
    ask_active("block2048", function, &config);
    ask_potential("block2048", function, &config);
    config.blockDimX = 128;
    config.gridDimX = 0;
    ask_active("grid0", function, &config);
    ask_potential("grid0", function, &config);
    config.gridDimX = 3;
    ask_active("grid3", function, &config);
    ask_potential("grid3", function, &config);
    config.gridDimX = 2;
    ask_active("grid2", function, &config);
    config.gridDimX = 480;
    config.hStream = new_stream();
    ask_active("stream", function, &config);
    attribute.value.clusterDim.x = 0;
    ask_active("zero", function, &config);
    attribute.value.clusterDim.x = 3;
    ask_active("three", function, &config);
    attribute.value.clusterDim.x = 2;
    attribute.value.clusterDim.y = 2;
    ask_active("y", function, &config);
    config.gridDimY = 2;
    ask_active("y2", function, &config);
    config.attrs = NULL;
    ask_active("no_attributes", function, &config);
}

void ask_cluster_sizes(void)
{
    static const unsigned portable[] = {0, 1, 2, 3, 4, 8, 16};
    static const unsigned large[] = {0, 1, 8, 12, 16, 32};
    CUmodule module = NULL;
    CUfunction plain;

    begin();
    report("load", CALL(cuModuleLoadData, (&module, clusters_ptx)));
    plain = get_kernel(module, "plain");
    ask_misuse(plain);
    ask_kernels(module);
    CALL(cuFuncSetAttribute, (plain, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448));
    ask_sizes(plain, "", portable, sizeof(portable) / sizeof(*portable));
    ASK("set", cuFuncSetAttribute,
        (plain, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    ask_sizes(plain, "np_", large, sizeof(large) / sizeof(*large));
}
