/* SPDX-License-Identifier: MIT */
/* The models of device: what each of them answers. */
#include <stdio.h>
#include <string.h>

#include <criterion/redirect.h>

#include <cushim/mock.h>

#include "mock/config/profile.h"

#include "support.h"

#define S(text) ((char *) (text))

TestSuite(profile);

/* By CUdevice_attribute, as read from an H200 with a driver of CUDA 13.0. */
static const int recorded_h200[MOCK__N_ATTRIBUTES] = {
    /* clang-format off */
    /*   0 */ 0, 1024, 1024, 1024, 64, 2147483647, 65535, 65535, 49152, 65536,
    /*  10 */ 32, 2147483647, 65536, 1980000, 512, 1, 132, 0, 0, 1,
    /*  20 */ 0, 131072, 131072, 65536, 16384, 16384, 16384, 32768, 32768, 2048,
    /*  30 */ 512, 1, 1, 0, 6, 0, 3201000, 6016, 62914560, 2048,
    /*  40 */ 3, 1, 32768, 2048, 1, 32768, 32768, 8192, 8192, 32768,
    /*  50 */ 0, 32, 32768, 32768, 2046, 32768, 131072, 65536, 16384, 16384,
    /*  60 */ 16384, 32768, 2048, 32768, 32768, 2048, 32768, 32768, 2046, 268435456,
    /*  70 */ 131072, 65000, 2097120, 32768, 32768, 9, 0, 32768, 1, 1,
    /*  80 */ 1, 233472, 65536, 1, 0, 0, 0, 2, 0, 1,
    /*  90 */ 1, 1, 0, 0, 0, 1, 1, 232448, 0, 1,
    /* 100 */ 0, 0, 1, 1, 0, 0, 32, 1, 39321600, 134217728,
    /* 110 */ 1, 1024, 1, 1, 1, 1, 1, 1, 100, 9,
    /* 120 */ 1, 1, 1, 1, 1, 1, 4, 1, 1, 1,
    /* 130 */ 0, -1, 0, 0, 0, 0, 0, 0, 0, 590680286,
    /* 140 */ 415174878, 1, 1, 0, 1, 1, 0, 0,
    /* clang-format on */
};

static void initialise(const char *devices)
{
    setenv("CUSHIM_MOCK_DEVICES", devices, 1);
    OK(mock_cuInit(0));
}

static int attribute(int number, int device)
{
    int value = -12345;

    cr_expect(
        eq(int, (int) mock_cuDeviceGetAttribute(&value, (CUdevice_attribute) number, device), 0),
        "attribute %d of device %d", number, device);
    return value;
}

Test(profile, the_h200_is_as_recorded)
{
    CUcontext context;
    size_t bytes = 0, free_bytes = 0;
    int least = -1, greatest = 1;

    initialise("h200");
    for (int i = 1; i < MOCK__N_ATTRIBUTES; i++)
        cr_expect(eq(int, attribute(i, 0), recorded_h200[i]), "attribute %d", i);
    OK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuCtxGetStreamPriorityRange(&least, &greatest));
    cr_expect(eq(int, least, 0));
    cr_expect(eq(int, greatest, -5));
    OK(mock_cuMemGetInfo_v2(&free_bytes, &bytes));
    cr_expect(eq(sz, bytes, 150109880320));
    cr_expect(eq(sz, free_bytes, 150109880320 - 552402944));
    OK(mock_cuCtxGetLimit(&bytes, CU_LIMIT_PRINTF_FIFO_SIZE));
    cr_expect(eq(sz, bytes, 8650752));
    OK(mock_cuCtxGetLimit(&bytes, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
    cr_expect(eq(sz, bytes, 11796480));
}

#define ALL "h200,a100,t4,rtx4090,l4,l40s,a10,v100,rtx5090,b200,orin"

static const struct {
    const char *name;
    size_t bytes;
    int major, minor, multiprocessors, threads, shared, optin, blocks, l2, engines, clock, bus;
} models[] = {
    /* clang-format off */
    {"NVIDIA H200", 150109880320, 9, 0, 132, 2048, 233472, 232448, 32, 62914560, 3, 1980000, 6016},
    {"NVIDIA A100-SXM4-40GB", 42298834944, 8, 0, 108, 2048, 167936, 166912, 32, 41943040, 3, 1410000, 5120},
    {"Tesla T4", 15655829504, 7, 5, 40, 1024, 65536, 65536, 16, 4194304, 3, 1590000, 256},
    {"NVIDIA GeForce RTX 4090", 25250627584, 8, 9, 128, 1536, 102400, 101376, 24, 75497472, 2, 2520000, 384},
    {"NVIDIA L4", 23583784960, 8, 9, 58, 1536, 102400, 101376, 24, 50331648, 2, 2040000, 192},
    {"NVIDIA L40S", 47576711168, 8, 9, 142, 1536, 102400, 101376, 24, 100663296, 2, 2520000, 384},
    {"NVIDIA A10", 23609475072, 8, 6, 72, 1536, 102400, 101376, 16, 6291456, 2, 1695000, 384},
    {"Tesla V100-SXM2-16GB", 16928342016, 7, 0, 80, 2048, 98304, 98304, 32, 6291456, 6, 1530000, 4096},
    {"NVIDIA GeForce RTX 5090", 33668857856, 12, 0, 170, 1536, 102400, 101376, 24, 100663296, 2, 2407000, 512},
    {"NVIDIA B200", 191502483456, 10, 0, 148, 2048, 233472, 232448, 32, 132644864, 3, 1965000, 7680},
    {"Orin", 65893269504, 8, 7, 16, 1536, 167936, 166912, 16, 4194304, 2, 1300000, 256},
    /* clang-format on */
};

#define N_MODELS (sizeof(models) / sizeof(*models))

Test(profile, each_model_is_what_it_is)
{
    initialise(ALL);
    for (size_t k = 0; k < N_MODELS; k++) {
        const int i = (int) k;
        char name[64] = "";
        size_t bytes = 0;
        int major = 0, minor = 0;

        OK(mock_cuDeviceGetName(name, sizeof(name), i));
        cr_expect(eq(str, name, S(models[i].name)));
        OK(mock_cuDeviceTotalMem_v2(&bytes, i));
        cr_expect(eq(sz, bytes, models[i].bytes), "%s", name);
        OK(mock_cuDeviceComputeCapability(&major, &minor, i));
        cr_expect(eq(int, major, models[i].major), "%s", name);
        cr_expect(eq(int, minor, models[i].minor), "%s", name);
        cr_expect(eq(int, attribute(13, i), models[i].clock), "%s", name);
        cr_expect(eq(int, attribute(16, i), models[i].multiprocessors), "%s", name);
        cr_expect(eq(int, attribute(37, i), models[i].bus), "%s", name);
        cr_expect(eq(int, attribute(39, i), models[i].threads), "%s", name);
        cr_expect(eq(int, attribute(81, i), models[i].shared), "%s", name);
        cr_expect(eq(int, attribute(97, i), models[i].optin), "%s", name);
        cr_expect(eq(int, attribute(106, i), models[i].blocks), "%s", name);
        cr_expect(eq(int, attribute(38, i), models[i].l2), "%s", name);
        cr_expect(eq(int, attribute(40, i), models[i].engines), "%s", name);
    }
}

/* What must be so on any device of CUDA, whatever the figures are. */
static void expect_of_any(int i)
{
    for (int number = 1; number < MOCK__N_ATTRIBUTES; number++)
        attribute(number, i);
    cr_expect(eq(int, attribute(111, i) + attribute(97, i), attribute(81, i)),
              "device %d: a block can have all of the shared memory but the system's", i);
    cr_expect(le(int, attribute(8, i), attribute(97, i)), "device %d: shared memory", i);
    cr_expect(eq(int, attribute(39, i) % attribute(10, i), 0), "device %d: warps", i);
    cr_expect(ge(int, attribute(39, i), attribute(1, i)), "device %d: the largest block fits", i);
    cr_expect(le(int, attribute(106, i) * attribute(10, i), attribute(39, i)),
              "device %d: blocks of a warp fit", i);
    cr_expect(eq(int, attribute(12, i), attribute(82, i)), "device %d: registers", i);
    cr_expect(eq(int, attribute(82, i), 65536), "device %d: registers", i);
    cr_expect(eq(int, attribute(37, i) % 64, 0), "device %d: bus", i);
    cr_expect(eq(int, attribute(95, i), 1), "device %d: cooperative launches", i);
}

/* What follows from the capability, and from the kind of board. */
static void expect_of_capability(int i)
{
    const int capability = attribute(75, i) * 10 + attribute(76, i);
    const bool of_the_host = attribute(18, i);

    cr_expect(eq(int, attribute(111, i), capability >= 80 ? 1024 : 0), "device %d: reserve", i);
    cr_expect(eq(int, attribute(107, i), capability >= 80), "device %d: compression", i);
    cr_expect(eq(int, attribute(108, i) > 0, capability >= 80), "device %d: persisting L2", i);
    cr_expect(eq(int, attribute(109, i) > 0, capability >= 80), "device %d: its window", i);
    cr_expect(le(int, attribute(108, i) / 3 * 4, attribute(38, i)), "device %d: L2", i);
    cr_expect(eq(int, attribute(120, i), capability >= 90), "device %d: clusters", i);
    cr_expect(eq(int, attribute(127, i), capability >= 90), "device %d: TMA", i);
    cr_expect(eq(int, attribute(126, i), capability >= 90 ? 4 : 1), "device %d: domains", i);
    cr_expect(eq(int, attribute(128, i), attribute(119, i) >> 3 & 1), "device %d: fabric", i);
    cr_expect(eq(int, attribute(139, i) & 0xffff, of_the_host ? 0 : 0x10de), "device %d: vendor",
              i);
    cr_expect(eq(int, attribute(89, i), !of_the_host), "device %d: managed memory", i);
    cr_expect(eq(int, attribute(99, i), 1), "device %d: registers the host's memory", i);
    cr_expect(eq(int, attribute(116, i), attribute(124, i)), "device %d: reached by others", i);
}

Test(profile, the_attributes_of_a_model_agree_with_each_other)
{
    initialise(ALL);
    for (size_t i = 0; i < N_MODELS; i++) {
        expect_of_any((int) i);
        expect_of_capability((int) i);
    }
}

/* Whether code for a target is taken by a device: 0, or the driver's error. */
static int load_for(const char *target, int device)
{
    char ptx[128];
    CUcontext context;
    CUmodule module;

    snprintf(ptx, sizeof(ptx),
             ".version 8.8\n.target %s\n.address_size 64\n"
             ".visible .entry k() { ret; }\n",
             target);
    OK(mock_cuDevicePrimaryCtxRetain(&context, device));
    OK(mock_cuCtxSetCurrent(context));
    return (int) mock_cuModuleLoadData(&module, ptx);
}

/* A suffix is for one device, or for its family. */
Test(profile, code_for_a_target_runs_on_devices_that_have_it)
{
    static const struct {
        const char *target;
        int taken[5];
    } cases[] = {
        {"sm_70", {1, 1, 1, 1, 1}},   {"sm_75", {0, 1, 1, 1, 1}},   {"sm_86", {0, 1, 1, 1, 1}},
        {"sm_87", {0, 1, 1, 1, 1}},   {"sm_89", {0, 0, 1, 1, 1}},   {"sm_90", {0, 0, 1, 1, 1}},
        {"sm_90a", {0, 0, 1, 0, 0}},  {"sm_100", {0, 0, 0, 1, 1}},  {"sm_100a", {0, 0, 0, 1, 0}},
        {"sm_100f", {0, 0, 0, 1, 0}}, {"sm_103", {0, 0, 0, 0, 1}},  {"sm_120", {0, 0, 0, 0, 1}},
        {"sm_120a", {0, 0, 0, 0, 1}}, {"sm_120f", {0, 0, 0, 0, 1}}, {"sm_121", {0, 0, 0, 0, 0}},
    };
    const int no_image = CUDA_ERROR_INVALID_PTX;

    initialise("v100,orin,h200,b200,rtx5090");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (int k = 0; k < 5; k++)
            cr_expect(eq(int, load_for(cases[i].target, k), cases[i].taken[k] ? 0 : no_image),
                      "%s on device %d", cases[i].target, k);
}

/* The driver is the newest one that has the devices. */
Test(profile, a_driver_that_still_has_the_v100)
{
    int version = 0, n = 0;

    initialise("rtx5090,v100");
    OK(mock_cuDriverGetVersion(&version));
    cr_expect(eq(int, version, 13000));
    OK(mock_cuDeviceGetCount(&n));
    cr_expect(eq(int, n, 2));
}

Test(profile, a_driver_that_has_no_v100_any_more, .init = cr_redirect_stderr)
{
    int n = 0;

    setenv("CUSHIM_MOCK_DRIVER_VERSION", "13.1", 1);
    initialise("v100,h200,v100");
    OK(mock_cuDeviceGetCount(&n));
    cr_expect(eq(int, n, 1));
    cr_expect(eq(int, attribute(75, 0), 9));
    fflush(stderr);
    cr_expect_stderr_eq_str("cushim mock: a driver of CUDA 13.1 has no Tesla V100-SXM2-16GB any "
                            "more, so it is not among "
                            "the devices; the last one that has it is of CUDA 13.0: choose that "
                            "(driver_version), or no "
                            "driver\n");
}

Test(profile, a_driver_that_has_none_of_the_devices, .init = cr_redirect_stderr)
{
    setenv("CUSHIM_MOCK_DRIVER_VERSION", "13.5", 1);
    setenv("CUSHIM_MOCK_DEVICES", "v100", 1);
    EXPECT(CUDA_ERROR_NO_DEVICE, mock_cuInit(0));
    cr_expect(
        eq(str, S(cushim_mock_error_text()), S("the driver is too new for all of the devices")));
    fflush(stderr);
    cr_expect_stderr_eq_str(
        "cushim mock: a driver of CUDA 13.5 has no Tesla V100-SXM2-16GB any more, so there is no "
        "device; the last one that has it is of CUDA 13.0: choose that (driver_version), or no "
        "driver\n");
}

Test(profile, every_attribute_has_a_name_of_its_own)
{
    static const struct {
        const char *name;
        int number;
    } some[] = {
        {"max_threads_per_block", 1},
        {"multiprocessor_count", 16},
        {"compute_capability_major", 75},
        {"max_shared_memory_per_block_optin", 97},
        {"cluster_launch", 120},
        {"only_partial_host_native_atomic_supported", 147},
        {"", 0},
        {"MULTIPROCESSOR_COUNT", 0},
        {"abacus", 0},
    };

    for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
        cr_expect(eq(int, mock__attribute_find(some[i].name), some[i].number), "%s", some[i].name);
}

static void uuid_of(int device, char text[33])
{
    CUuuid uuid;

    OK(mock_cuDeviceGetUuid(&uuid, device));
    for (int i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned char) uuid.bytes[i]);
}

Test(profile, ids_are_the_same_in_every_run_and_tell_devices_apart)
{
    char a[33], b[33], c[33], bus[32];

    initialise("h200,h200,a100");
    uuid_of(0, a);
    uuid_of(1, b);
    uuid_of(2, c);
    cr_expect(ne(int, strncmp(a, b, 4), 0), "%s %s", a, b);
    cr_expect(ne(int, strncmp(a, c, 4), 0), "%s %s", a, c);
    cr_expect(eq(str, a, S("afcd1d7b39a820e2c15c0289ec2d0a91")));
    OK(mock_cuDeviceGetPCIBusId(bus, sizeof(bus), 2));
    cr_expect(eq(str, bus, S("0000:00:08.0")));
}

/* The T4 keeps no shared memory for the system: nothing may be divided by what is used. */
Test(profile, occupancy_without_shared_memory)
{
    const char *ptx =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";
    CUcontext context;
    CUmodule module;
    CUfunction function;
    int blocks = 0;

    initialise("t4");
    OK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuModuleLoadData(&module, ptx));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 128, 0));
    cr_expect(eq(int, blocks, 8));
    OK(mock_cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32, 0));
    cr_expect(eq(int, blocks, 16));
}

static int blocks_of(CUfunction function, int threads, size_t dynamic)
{
    int blocks = -1;

    OK(mock_cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, dynamic));
    return blocks;
}

/* A share of shared memory that is preferred is kept; a multiprocessor has it in a few sizes. */
Test(profile, occupancy_follows_the_device)
{
    const char *ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                      ".visible .entry k() { bar.sync 0; ret; }\n"
                      ".visible .entry many() { bar.sync 7; ret; }\n";
    const int carveout = CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;

    initialise(ALL);
    for (size_t k = 0; k < N_MODELS; k++) {
        const int i = (int) k, capability = models[i].major * 10 + models[i].minor;
        const bool one = (capability > 80 && capability < 90) || capability > 100;
        CUcontext context;
        CUmodule module;
        CUfunction function, many;

        OK(mock_cuDevicePrimaryCtxRetain(&context, i));
        OK(mock_cuCtxSetCurrent(context));
        OK(mock_cuModuleLoadData(&module, ptx));
        OK(mock_cuModuleGetFunction(&function, module, "k"));
        OK(mock_cuModuleGetFunction(&many, module, "many"));
        cr_expect(eq(int, blocks_of(function, 32, 0), models[i].blocks), "%s", models[i].name);
        cr_expect(eq(int, blocks_of(function, 1024, 0), models[i].threads / 1024), "%s",
                  models[i].name);
        cr_expect(eq(int, blocks_of(many, 32, 0), models[i].blocks *(one ? 1 : 2) / 8), "%s",
                  models[i].name);
        OK(mock_cuFuncSetAttribute(function, (CUfunction_attribute) carveout, 0));
        cr_expect(eq(int, blocks_of(function, 32, 16384), capability == 75 ? 2 : 1), "%s",
                  models[i].name);
        OK(mock_cuFuncSetAttribute(function, (CUfunction_attribute) carveout, -1));
        OK(mock_cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_L1));
        cr_expect(eq(int, blocks_of(function, 32, 16384), capability == 75 ? 2 : 1), "%s",
                  models[i].name);
    }
}

/*
 * The count of registers is an estimate: it makes the answers of the calculator what a device would
 * say, but keeps no block from being launched.
 */
Test(profile, registers_count_where_a_program_asks)
{
    char ptx[16384];
    int n = snprintf(ptx, sizeof(ptx),
                     ".version 7.0\n.target sm_70\n.address_size 64\n"
                     ".visible .entry k(.param .u64 p) {\n.reg .b32 %%r<120>;\n.reg .b64 %%p;\n"
                     "ld.param.u64 %%p, [p];\n");
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory;
    int grid = 0, block = 0, registers = 0;

    for (int i = 0; i < 120; i++)
        n += snprintf(ptx + n, sizeof(ptx) - (size_t) n, "ld.global.u32 %%r%d, [%%p+%d];\n", i,
                      4 * i);
    for (int i = 0; i < 120; i++)
        n += snprintf(ptx + n, sizeof(ptx) - (size_t) n, "st.global.u32 [%%p+%d], %%r%d;\n", 4 * i,
                      i);
    snprintf(ptx + n, sizeof(ptx) - (size_t) n, "ret; }\n");
    initialise("h200");
    OK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuModuleLoadData(&module, ptx));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
    cr_expect(registers > 120 && registers <= 128, "%d", registers);
    cr_expect(eq(int, blocks_of(function, 128, 0), 4));
    cr_expect(eq(int, blocks_of(function, 1024, 0), 1));
    OK(mock_cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 0));
    cr_expect(eq(int, block, 512));
    cr_expect(eq(int, grid, 132));
    OK(mock_cuMemAlloc_v2(&memory, 4096));
    OK(mock_cuMemsetD8_v2(memory, 0, 4096));
    OK(mock_cuLaunchCooperativeKernel(function, 132, 1, 1, 1024, 1, 1, 0, NULL,
                                      (void *[]){&memory}));
}
