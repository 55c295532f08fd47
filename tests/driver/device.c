/* SPDX-License-Identifier: MIT */
/* Devices, and the state of a primary context that nobody has retained. */
#include "ask.h"

#include <string.h>

static void ask_get(void)
{
    CUdevice device = -1;
    int count = 0;

    CALL(cuDeviceGetCount, (&count));
    ASK("get_neg", cuDeviceGet, (&device, -1));
    ASK("get_count", cuDeviceGet, (&device, count));
    ASK("get_null", cuDeviceGet, (NULL, 0));
    ASK("get0", cuDeviceGet, (&device, 0));
    report("get0_v", device);
}

static void ask_name(void)
{
    char name[256];

    memset(name, 'x', sizeof(name));
    ASK("name_len1", cuDeviceGetName, (name, 1, 0));
    report("name_len1_c0", name[0]);
    memset(name, 'x', sizeof(name));
    ASK("name_len4", cuDeviceGetName, (name, 4, 0));
    report("name_len4_c3", name[3]);
    ASK("name_null", cuDeviceGetName, (NULL, 4, 0));
    ASK("name_baddev", cuDeviceGetName, (name, 64, 99));
}

static void ask_attributes(void)
{
    int value = -7;

    ASK("attr_ok", cuDeviceGetAttribute, (&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    report("warp", value);
    ASK("attr_maxthreads", cuDeviceGetAttribute,
        (&value, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0));
    report("maxthreads", value);
    ASK("attr_0", cuDeviceGetAttribute, (&value, 0, 0));
    ASK("attr_neg", cuDeviceGetAttribute, (&value, -1, 0));
    ASK("attr_9999", cuDeviceGetAttribute, (&value, 9999, 0));
    ASK("attr_null", cuDeviceGetAttribute, (NULL, 1, 0));
    ASK("attr_baddev", cuDeviceGetAttribute, (&value, 1, 77));
}

static void ask_memory_and_uuid(void)
{
    size_t bytes;
    CUuuid uuid;

    ASK("mem_null", cuDeviceTotalMem_v2, (NULL, 0));
    ASK("mem_bad", cuDeviceTotalMem_v2, (&bytes, -3));
    ASK("uuid", cuDeviceGetUuid_v2, (&uuid, 0));
    ASK("uuid_null", cuDeviceGetUuid_v2, (NULL, 0));
}

static void ask_pci(void)
{
    CUdevice device = -1;
    char text[256];

    ASK("pci", cuDeviceGetPCIBusId, (text, 64, 0));
    ASK("pci_short", cuDeviceGetPCIBusId, (text, 3, 0));
    CALL(cuDeviceGetPCIBusId, (text, 64, 0));
    ASK("bypci", cuDeviceGetByPCIBusId, (&device, text));
    report("bypci_v", device);
    ASK("bypci_bad", cuDeviceGetByPCIBusId, (&device, "zzzz"));
}

static void ask_capability_and_peers(void)
{
    CUmemoryPool pool;
    int major, minor, access = -1;

    ASK("cc", cuDeviceComputeCapability, (&major, &minor, 0));
    ASK("peer_self", cuDeviceCanAccessPeer, (&access, 0, 0));
    report("peer_self_v", access);
    ASK("peer_bad", cuDeviceCanAccessPeer, (&access, 0, 99));
    ASK("mempool", cuDeviceGetDefaultMemPool, (&pool, 0));
}

static void ask_primary_context(void)
{
    unsigned flags = 99;
    int active = -1;

    ASK("prim_state", cuDevicePrimaryCtxGetState, (0, &flags, &active));
    report("prim_active", active);
    report("prim_flags", flags);
    ASK("prim_setflags", cuDevicePrimaryCtxSetFlags_v2, (0, CU_CTX_SCHED_BLOCKING_SYNC));
    ASK("prim_setflags_bad", cuDevicePrimaryCtxSetFlags_v2, (0, 0xffff0000u));
    ASK("prim_state2", cuDevicePrimaryCtxGetState, (0, &flags, &active));
    report("prim_flags2", flags);
    ASK("prim_release_none", cuDevicePrimaryCtxRelease_v2, (0));
    ASK("prim_reset", cuDevicePrimaryCtxReset_v2, (0));
}

static void ask_attribute_values(void)
{
    static const int attributes[] = {
        1,  2,  3,  4,  5,  6,  7,  8,  9,   10,  11,  12,  13,  14,  15,  16,  31,  33,
        35, 36, 37, 38, 39, 40, 41, 75, 76,  78,  79,  80,  81,  82,  83,  84,  85,  86,
        87, 88, 89, 90, 91, 95, 96, 97, 100, 101, 102, 105, 106, 108, 111, 115, 120, 124,
    };

    for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
        int value = -1;

        CALL(cuDeviceGetAttribute, (&value, (CUdevice_attribute) attributes[i], 0));
        report_numbered(value, "attr%03d", attributes[i]);
    }
}

void ask_device(void)
{
    int value = 0;

    CALL(cuInit, (0));
    ask_get();
    ask_name();
    ask_attributes();
    ask_memory_and_uuid();
    ask_pci();
    ask_capability_and_peers();
    ask_primary_context();
    ASK("exec_affinity", cuDeviceGetExecAffinitySupport, (&value, 0, 0));
    ask_attribute_values();
}
