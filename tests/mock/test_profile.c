/* SPDX-License-Identifier: MIT */
/* The models of device: what each of them answers. */
#include <stdio.h>
#include <string.h>

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

static const struct {
    const char *key, *name;
    size_t bytes;
    int major, minor, multiprocessors, threads, shared, optin, blocks, l2, engines;
} models[] = {
    {"h200", "NVIDIA H200", 150109880320, 9, 0, 132, 2048, 233472, 232448, 32, 62914560, 3},
    {"a100", "NVIDIA A100-SXM4-40GB", 42298834944, 8, 0, 108, 2048, 167936, 166912, 32, 41943040,
     3},
    {"t4", "Tesla T4", 15655829504, 7, 5, 40, 1024, 65536, 65536, 16, 4194304, 3},
    {"rtx4090", "NVIDIA GeForce RTX 4090", 25250627584, 8, 9, 128, 1536, 102400, 101376, 24,
     75497472, 2},
};

Test(profile, each_model_is_what_it_is)
{
    initialise("h200,a100,t4,rtx4090");
    for (int i = 0; i < 4; i++) {
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
        cr_expect(eq(int, attribute(16, i), models[i].multiprocessors), "%s", name);
        cr_expect(eq(int, attribute(39, i), models[i].threads), "%s", name);
        cr_expect(eq(int, attribute(81, i), models[i].shared), "%s", name);
        cr_expect(eq(int, attribute(97, i), models[i].optin), "%s", name);
        cr_expect(eq(int, attribute(106, i), models[i].blocks), "%s", name);
        cr_expect(eq(int, attribute(38, i), models[i].l2), "%s", name);
        cr_expect(eq(int, attribute(40, i), models[i].engines), "%s", name);
    }
}

/* What must be so on any device, whatever the figures are. */
Test(profile, the_attributes_of_a_model_agree_with_each_other)
{
    initialise("h200,a100,t4,rtx4090");
    for (int i = 0; i < 4; i++) {
        for (int number = 1; number < MOCK__N_ATTRIBUTES; number++)
            attribute(number, i);
        cr_expect(eq(int, attribute(111, i) + attribute(97, i), attribute(81, i)),
                  "device %d: a block can have all of the shared memory but the system's", i);
        cr_expect(le(int, attribute(108, i), attribute(38, i)), "device %d: L2", i);
        cr_expect(eq(int, attribute(120, i), attribute(75, i) >= 9), "device %d: clusters", i);
        cr_expect(eq(int, attribute(127, i), attribute(75, i) >= 9), "device %d: TMA", i);
        cr_expect(eq(int, attribute(39, i) % attribute(10, i), 0), "device %d: warps", i);
        cr_expect(eq(int, attribute(139, i) & 0xffff, 0x10de), "device %d: vendor", i);
    }
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
