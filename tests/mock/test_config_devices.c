/* SPDX-License-Identifier: MIT */
/* The devices and the driver that a configuration makes: peers, versions, and which are visible. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "configs.h"

TestSuite(config_devices, .init = clean);

static int peer_access(int a, int b)
{
    int can = -1;

    OK(mock_cuDeviceCanAccessPeer(&can, a, b));
    return can;
}

static int p2p(int which, int a, int b)
{
    int value = -1;

    OK(mock_cuDeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute) which, a, b));
    return value;
}

Test(config_devices, peers_by_model)
{
    OK(configure("devices = h200,h200,t4,t4,rtx4090,rtx4090"));
    OK(mock_cuInit(0));
    cr_expect(eq(int, peer_access(0, 1), 1));
    cr_expect(eq(int, peer_access(1, 0), 1));
    cr_expect(eq(int, peer_access(0, 0), 0), "not with itself");
    cr_expect(eq(int, peer_access(0, 2), 0), "not across models");
    cr_expect(eq(int, peer_access(2, 3), 1));
    cr_expect(eq(int, peer_access(4, 5), 0), "GeForce boards have none");
    cr_expect(eq(int, p2p(2, 0, 1), 1));
    cr_expect(eq(int, p2p(3, 0, 1), 1), "atomics over NVLink");
    cr_expect(eq(int, p2p(3, 2, 3), 0), "no atomics over PCIe");
    cr_expect(eq(int, p2p(4, 2, 3), 1));
    cr_expect(eq(int, p2p(2, 4, 5), 0));
    cr_expect(eq(int, p2p(1, 0, 1), 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuDeviceGetP2PAttribute(&(int){0}, (CUdevice_P2PAttribute) 6, 0, 1));
}

Test(config_devices, peers_by_topology)
{
    CUcontext contexts[3];

    OK(configure("devices = h200,h200,rtx4090\npeer 0 1 = no\npeer 2 1 = yes"));
    OK(mock_cuInit(0));
    cr_expect(eq(int, peer_access(0, 1), 0));
    cr_expect(eq(int, peer_access(1, 2), 1));
    cr_expect(eq(int, peer_access(2, 1), 1));
    for (int i = 0; i < 3; i++)
        OK(mock_cuDevicePrimaryCtxRetain(&contexts[i], i));
    OK(mock_cuCtxSetCurrent(contexts[1]));
    EXPECT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, mock_cuCtxEnablePeerAccess(contexts[0], 0));
    EXPECT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, mock_cuCtxEnablePeerAccess(contexts[1], 0));
    EXPECT(CUDA_SUCCESS, mock_cuCtxEnablePeerAccess(contexts[2], 0));
    EXPECT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, mock_cuCtxEnablePeerAccess(contexts[2], 0));
    EXPECT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, mock_cuCtxDisablePeerAccess(contexts[0]));
    EXPECT(CUDA_SUCCESS, mock_cuCtxDisablePeerAccess(contexts[2]));
}

static CUresult find(const char *name, int version)
{
    void *found = NULL;

    return mock_cuGetProcAddress(name, &found, version, 0);
}

Test(config_devices, an_older_driver_lacks_what_came_later)
{
    int value = 0;

    setenv("CUSHIM_MOCK_DRIVER_VERSION", "11.4", 1);
    cr_expect(eq(int, driver_version(), 11040));
    OK(mock_cuInit(0));
    EXPECT(CUDA_SUCCESS, find("cuLaunchKernel", 11040));
    EXPECT(CUDA_ERROR_NOT_FOUND, find("cuLaunchKernelEx", 11040));
    EXPECT(CUDA_ERROR_INVALID_VALUE, find("cuLaunchKernelEx", 11060));
    EXPECT(CUDA_ERROR_NOT_FOUND, find("cuLibraryLoadData", 11040));
    EXPECT(CUDA_SUCCESS, find("cuGetProcAddress", 11040));
    EXPECT(CUDA_SUCCESS, mock_cuDeviceGetAttribute(
                             &value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuDeviceGetAttribute(&value, (CUdevice_attribute) 120, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuDeviceGetAttribute(&value, (CUdevice_attribute) 147, 0));
}

#if CUDA_VERSION >= 12000
Test(config_devices, the_second_proc_address_says_so_too)
{
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    void *found = GARBAGE;

    setenv("CUSHIM_MOCK_DRIVER_VERSION", "12.0", 1);
    OK(mock_cuGetProcAddress_v2("cuCtxCreate", &found, 12000, 0, &status));
    cr_expect(eq(ptr, found, (void *) (uintptr_t) mock_cuCtxCreate_v3));
    OK(mock_cuGetProcAddress_v2("cuGraphAddNode", &found, 12000, 0, &status));
    cr_expect(eq(int, (int) status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
    cr_expect(eq(ptr, found, NULL));
    OK(mock_cuGetProcAddress_v2("cuGraphAddNode", &found, 11040, 0, &status));
    cr_expect(eq(int, (int) status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND), "of no version at all");
}
#endif

/* The T4s' ordinals are 0 and 1, the A100's 2; each case says which of them are seen. */
static const struct {
    const char *list;
    const char *seen; /* places, in order */
} visible[] = {
    {"0,1,2", "012"},
    {"2,0", "20"},
    {"1", "1"},
    {"2,1,0", "210"},
    {"0,3,1", "0"},
    {"0,-1,1", "0"},
    {"-1", ""},
    {"", ""},
    {" ", ""},
    {",0", ""},
    {"0,,1", "0"},
    {"0,", "0"},
    {" 1 , 0", "10"},
    {"1gpu,0", "10"},
    {"abc", ""},
    {"0,abc,1", "0"},
    {"0,0", ""},
    {"0,1,0", ""},
    {"0,3,0", "0"},
    {"none", ""},
    {"007", ""},
    {"02", "2"},
    {"99999999999999999999", ""},
    {"GPU-A,GPU-C", "02"},
    {"GPU-C,GPU-A,GPU-B", "201"},
    {"GPU-A", "0"},
    {"GPU-A,GPU-A", ""},
    {"  GPU-B", ""},
    {"GPU-B, GPU-A", "10"},
    {"-0", "0"},
    {"4294967297", "1"},
    {"GPU-A,1", "0"},
    {"1,GPU-A", "1"},
    {"GPU-", ""},
    {"GPU-A,GPU-0000,GPU-B", "0"},
    {"MIG-A", ""},
    {"0,MIG-A", "0"},
    {"MIG-GPU-A/0/0", ""},
    {"gpu-A", ""},
};

/* GPU-A, GPU-B and GPU-C stand for the beginnings of the three devices' UUIDs. */
static void write_list(const char *pattern, const struct mock__config *config, char list[128])
{
    size_t n = 0;

    for (const char *c = pattern; *c; c++) {
        if (*c >= 'A' && *c <= 'C' && c > pattern && c[-1] == '-') {
            char uuid[MOCK__UUID_TEXT];

            mock__profile_uuid_text(&config->devices[*c - 'A'], uuid);
            n += (size_t) snprintf(list + n, 128 - n, "%.8s", uuid + 4);
        } else {
            list[n++] = *c;
        }
    }
    list[n] = '\0';
}

Test(config_devices, visible_devices)
{
    struct mock__config config = {.n_devices = 3};

    cr_assert(mock__profile_make("t4", 2, 0, &config.devices[0]));
    cr_assert(mock__profile_make("t4", 2, 1, &config.devices[1]));
    cr_assert(mock__profile_make("a100", 4, 2, &config.devices[2]));
    for (size_t i = 0; i < sizeof(visible) / sizeof(*visible); i++) {
        int places[MOCK__MAX_DEVICES];
        char list[128], seen[MOCK__MAX_DEVICES + 1] = "";
        int n;

        write_list(visible[i].list, &config, list);
        n = mock__visible(list, &config, places);
        for (int k = 0; k < n; k++)
            seen[k] = (char) ('0' + places[k]);
        cr_expect(eq(str, seen, S(visible[i].seen)), "'%s'", list);
    }
}

Test(config_devices, hidden_devices_are_gone)
{
    char bus[32];
    CUuuid uuid, first;
    int n = 0;

    OK(configure("devices = t4,h200,h200\npeer 1 2 = no\npeer 0 2 = yes"));
    setenv("CUDA_VISIBLE_DEVICES", "2,0", 1);
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    OK(mock_cuInit(0));
    cr_expect(eq(int, device_count(), 2));
    cr_expect(eq(int, attribute(75, 0), 9));
    cr_expect(eq(int, attribute(75, 1), 7));
    cr_expect(eq(int, peer_access(0, 1), 1), "the topology is of the devices, not of the ordinals");
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuDeviceGet(&n, 2));
    OK(mock_cuDeviceGetPCIBusId(bus, sizeof(bus), 0));
    cr_expect(eq(str, bus, S("0000:00:08.0")), "a device stays where it is");
    OK(mock_cuDeviceGetByPCIBusId(&n, bus));
    cr_expect(eq(int, n, 0));
    OK(mock_cuDeviceGetUuid(&uuid, 0));
    OK(mock_cuDeviceGetUuid(&first, 1));
    cr_expect(ne(int, memcmp(&uuid, &first, sizeof(uuid)), 0));
}

Test(config_devices, no_visible_device, .init = clean_and_quiet)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    EXPECT(CUDA_ERROR_NO_DEVICE, mock_cuInit(0));
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    EXPECT(CUDA_ERROR_NO_DEVICE, mock_cuInit(0));
    fflush(stderr);
    cr_expect_stderr_eq_str("cushim mock: there is no device, as CUDA_VISIBLE_DEVICES, which is '', "
                            "hides it: without the variable all are visible\n");
    setenv("CUDA_VISIBLE_DEVICES", "0", 1);
    EXPECT(CUDA_SUCCESS, mock_cuInit(0));
}

Test(config_devices, those_of_the_host_have_half_of_what_is_free)
{
    const size_t memory = (size_t) sysconf(_SC_PHYS_PAGES) * (size_t) sysconf(_SC_PAGESIZE);
    size_t first, second;
    CUcontext context;
    CUdeviceptr address;

    OK(configure("devices = ci,h200,ci"));
    OK(mock_cuInit(0));
    OK(mock_cuDeviceTotalMem_v2(&first, 0));
    OK(mock_cuDeviceTotalMem_v2(&second, 2));
    cr_expect(eq(sz, first, second));
    cr_expect(gt(sz, first, 0));
    cr_expect(le(sz, first, memory / 2));
    cr_expect(eq(int, peer_access(0, 1), 1), "they are of one model");
    OK(mock_cuDevicePrimaryCtxRetain(&context, 0));
    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuMemAlloc_v2(&address, first / 2));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuMemAlloc_v2(&address, first));
}

Test(config_devices, memory_of_the_host_may_be_set)
{
    size_t bytes, t4, host;

    OK(configure("devices = ci,t4,t4,ci\ndevice.0.memory = 3GiB\ndevice.2.memory = host"));
    OK(mock_cuInit(0));
    OK(mock_cuDeviceTotalMem_v2(&bytes, 0));
    cr_expect(eq(sz, bytes, (size_t) 3 << 30));
    OK(mock_cuDeviceTotalMem_v2(&t4, 1));
    cr_expect(eq(sz, t4, 15655829504));
    OK(mock_cuDeviceTotalMem_v2(&bytes, 2));
    OK(mock_cuDeviceTotalMem_v2(&host, 3));
    cr_expect(eq(sz, bytes, host < t4 ? host : t4));
}
