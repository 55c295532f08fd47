/* SPDX-License-Identifier: MIT */
/* Launches: sizes, shared memory, arguments. Attributes are in launch_attributes.c. */
#include "launch.h"

#include <string.h>

static struct subject subject;

static int launch_shared(CUfunction function, unsigned shared_bytes)
{
    return CALL(cuLaunchKernel,
                (function, 1, 1, 1, 32, 1, 1, shared_bytes, subject.stream, NULL, NULL));
}

static int launch_sized(const unsigned grid[3], const unsigned block[3])
{
    return CALL(cuLaunchKernel, (subject.nop, grid[0], grid[1], grid[2], block[0], block[1],
                                 block[2], 0, subject.stream, NULL, NULL));
}

static int launch_extra(void **params, void **extra)
{
    return CALL(cuLaunchKernel,
                (subject.addk, 1, 1, 1, 32, 1, 1, 0, subject.stream, params, extra));
}

static int launch_cooperative(unsigned grid, unsigned block)
{
    return CALL(cuLaunchCooperativeKernel,
                (subject.nop, grid, 1, 1, block, 1, 1, 0, subject.stream, NULL));
}

static void ask_ok(struct arguments *arguments)
{
    int values[8] = {0};

    report("ok", launch(subject.addk, 1, 32, subject.stream, POINTERS(arguments)));
    wait_for(subject.stream);
    read_ints(values, subject.memory, sizeof(values));
    report("v0", values[0]);
    report("v7", values[7]);
}

static void ask_sizes(void)
{
    static const struct {
        const char *key;
        unsigned grid[3], block[3];
    } sizes[] = {
        {"grid0", {0, 1, 1}, {32, 1, 1}},
        {"block0", {1, 1, 1}, {0, 1, 1}},
        {"block1025", {1, 1, 1}, {1025, 1, 1}},
        {"block1024", {1, 1, 1}, {1024, 1, 1}},
        {"grid_2e31", {0x80000000u, 1, 1}, {1, 1, 1}},
        {"gridy_65536", {1, 65536, 1}, {1, 1, 1}},
        {"gridz_65536", {1, 1, 65536}, {1, 1, 1}},
        {"blockz_65", {1, 1, 1}, {1, 1, 65}},
        {"block_prod_2048", {1, 1, 1}, {64, 32, 1}},
    };

    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        report(sizes[i].key, launch_sized(sizes[i].grid, sizes[i].block));
}

static void ask_shared_memory(CUfunction smem)
{
    report("shared_48k", launch_shared(subject.nop, 48 * 1024));
    report("shared_48k1", launch_shared(subject.nop, 48 * 1024 + 1));
    report("shared_huge", launch_shared(subject.nop, 1 << 20));
    report("smem_plus_48k", launch_shared(smem, 48 * 1024));
    CALL(cuFuncSetAttribute,
         (subject.nop, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 * 1024));
    report("shared_100k_optin", launch_shared(subject.nop, 100 * 1024));
}

/* All arguments in one buffer. */
static void ask_extra(struct arguments *arguments)
{
    size_t size = 16;
    unsigned char buffer[32] = {0};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    void *nothing[] = {CU_LAUNCH_PARAM_END};
    int value = 0;

    memcpy(buffer, &arguments->p, 8);
    memcpy(buffer + 8, &arguments->v, 4);
    memcpy(buffer + 12, &arguments->n, 4);
    report("extra", launch_extra(NULL, extra));
    wait_for(subject.stream);
    read_ints(&value, subject.memory, sizeof(value));
    report("extra_v0", value);
    size = 12;
    report("extra_short", launch_extra(NULL, extra));
    size = 16;
    report("extra_and_params", launch_extra(POINTERS(arguments), extra));
    size = 20;
    report("extra_long", launch_extra(NULL, extra));
    report("extra_empty", launch_extra(NULL, nothing));
}

static void ask_arguments(struct arguments *arguments)
{
    report("nullfn", launch(NULL, 1, 1, subject.stream, NULL));
    report("noparams_for_param_kernel", launch(subject.addk, 1, 32, subject.stream, NULL));
    ask_extra(arguments);
    report("sync_mid", wait_for(subject.stream));
}

/* An argument that is a structure, and one that is smaller than its slot. */
static void ask_struct(CUfunction st16)
{
    int structure[3] = {1, 2, 77}, values[2] = {0};
    unsigned char c = 200;

    report("struct",
           launch(st16, 1, 1, subject.stream, (void *[]){structure, &c, &subject.memory}));
    wait_for(subject.stream);
    read_ints(values, subject.memory, sizeof(values));
    report("struct_v", values[0]);
    report("struct_c", values[1]);
}

static void ask_occupancy_of(const char *key, const char *value_key, int block)
{
    int blocks = -1;

    ASK(key, cuOccupancyMaxActiveBlocksPerMultiprocessor, (&blocks, subject.nop, block, 0));
    if (value_key)
        report(value_key, blocks);
}

static void ask_occupancy(void)
{
    int grid = -1, block = -1;
    size_t bytes = 0;

    ask_occupancy_of("occ", "occ_v", 256);
    ask_occupancy_of("occ_0", NULL, 0);
    ask_occupancy_of("occ_2000", "occ_2000_v", 2000);
    ask_occupancy_of("occ_1024", "occ_1024_v", 1024);
    ASK("occ_pot", cuOccupancyMaxPotentialBlockSize, (&grid, &block, subject.nop, NULL, 0, 0));
    report("occ_pot_grid", grid);
    report("occ_pot_block", block);
    ASK("occ_avail", cuOccupancyAvailableDynamicSMemPerBlock, (&bytes, subject.nop, 1, 256));
    report("occ_avail_v", (long long) bytes);
}

void ask_launch(void)
{
    struct arguments arguments = {.v = 5, .n = 8};
    CUmodule module;

    begin();
    module = load_kernels();
    subject.addk = get_kernel(module, "addk");
    subject.nop = get_kernel(module, "nop");
    arguments.p = subject.memory = new_memory(64);
    subject.stream = new_stream();
    ask_ok(&arguments);
    ask_sizes();
    ask_shared_memory(get_kernel(module, "smem"));
    ask_arguments(&arguments);
    ask_struct(get_kernel(module, "st16"));
    report("coop", launch_cooperative(1, 32));
    report("coop_huge", launch_cooperative(1 << 20, 1024));
    ask_launch_attributes(&subject);
    ask_occupancy();
    report("final_sync", wait_for_all());
}
