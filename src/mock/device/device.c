/* SPDX-License-Identifier: MIT */
/* cuDevice*, except cuDevicePrimaryCtx*, which is in device_primary_ctx.c. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "mock/allocation/array.h"
#include "mock/allocation/mem_pool.h"
#include "mock/base/state.h"
#include "mock/stream/capture.h"

/* An initialised driver, and a device by its ordinal. */
#define ENTER_DEVICE(device, ordinal)                                                              \
    MOCK__ENTER();                                                                                 \
    struct mock__device *device = mock__device_find(ordinal);                                      \
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_DEVICE)

CUresult mock_cuDeviceGet(CUdevice *device, int ordinal)
{
    MOCK__ENTER();
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(mock__device_find(ordinal), CUDA_ERROR_INVALID_DEVICE);
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult mock_cuDeviceGetCount(int *count)
{
    MOCK__ENTER();
    MOCK__REQUIRE(count, CUDA_ERROR_INVALID_VALUE);
    *count = mock__device_count();
    return CUDA_SUCCESS;
}

CUresult mock_cuDeviceGetName(char *name, int len, CUdevice dev)
{
    ENTER_DEVICE(device, dev);
    MOCK__REQUIRE(name && len, CUDA_ERROR_INVALID_VALUE);
    snprintf(name, len < 0 ? INT_MAX : (size_t) len, "%s", device->profile->name);
    return CUDA_SUCCESS;
}

CUresult mock_cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    ENTER_DEVICE(device, dev);
    MOCK__REQUIRE(uuid, CUDA_ERROR_INVALID_VALUE);
    memcpy(uuid->bytes, device->profile->uuid, sizeof(uuid->bytes));
    return CUDA_SUCCESS;
}

CUresult mock_cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    ENTER_DEVICE(device, dev);
    MOCK__REQUIRE(bytes, CUDA_ERROR_INVALID_VALUE);
    *bytes = device->profile->total_bytes;
    return CUDA_SUCCESS;
}

/* The first version has 32 bits for it. */
CUresult mock_cuDeviceTotalMem(unsigned int *bytes, CUdevice dev)
{
    size_t all = 0;

    MOCK__TRY(mock_cuDeviceTotalMem_v2(bytes ? &all : NULL, dev));
    *bytes = all < UINT_MAX ? (unsigned) all : UINT_MAX;
    return CUDA_SUCCESS;
}

CUresult mock_cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format,
                                                 unsigned numChannels, CUdevice dev)
{
    ENTER_DEVICE(device, dev);
    MOCK__REQUIRE(maxWidthInElements && mock__array_element(format, numChannels),
                  CUDA_ERROR_INVALID_VALUE);
    *maxWidthInElements =
        (size_t) mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    return CUDA_SUCCESS;
}

CUresult mock_cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    /* As a number: a caller may be newer or older than the toolkit of the build. */
    const int number = (int) attrib;

    ENTER_DEVICE(device, dev);
    MOCK__REQUIRE(pi && number > 0 && number < MOCK__N_ATTRIBUTES &&
                      mock__attribute_since(number) <= mock__driver_version(),
                  CUDA_ERROR_INVALID_VALUE);
    *pi = mock__attribute(device, attrib);
    return CUDA_SUCCESS;
}

static void pci_bus_id(const struct mock__device *device, char *text, size_t size)
{
    snprintf(text, size, "%04x:%02x:%02x.0",
             (unsigned) mock__attribute(device, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
             (unsigned) mock__attribute(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
             (unsigned) mock__attribute(device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
}

CUresult mock_cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    char text[48];

    ENTER_DEVICE(device, dev);
    pci_bus_id(device, text, sizeof(text));
    MOCK__REQUIRE(pciBusId && len > (int) strlen(text), CUDA_ERROR_INVALID_VALUE);
    memcpy(pciBusId, text, strlen(text) + 1);
    return CUDA_SUCCESS;
}

/* "domain:bus:device.function", where the domain and the function may be left out. */
static bool normalise_pci_bus_id(const char *given, char *text, size_t size)
{
    unsigned domain = 0, bus, slot;
    int end = 0;

    if (sscanf(given, "%x:%x:%x%n", &domain, &bus, &slot, &end) != 3) {
        domain = 0;
        if (sscanf(given, "%x:%x%n", &bus, &slot, &end) != 2)
            return false;
    }
    if (given[end] && strcmp(given + end, ".0"))
        return false;
    snprintf(text, size, "%04x:%02x:%02x.0", domain, bus, slot);
    return true;
}

CUresult mock_cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
    char wanted[48], text[48];

    MOCK__ENTER();
    MOCK__REQUIRE(dev && pciBusId && normalise_pci_bus_id(pciBusId, wanted, sizeof(wanted)),
                  CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < mock__device_count(); i++) {
        pci_bus_id(mock__device_find(i), text, sizeof(text));
        if (!strcmp(text, wanted)) {
            *dev = i;
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_INVALID_DEVICE;
}

CUresult mock_cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    ENTER_DEVICE(device, dev);
    MOCK__REQUIRE(major && minor, CUDA_ERROR_INVALID_VALUE);
    *major = mock__attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = mock__attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return CUDA_SUCCESS;
}

CUresult mock_cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
    ENTER_DEVICE(device, dev);
    MOCK__REQUIRE(prop, CUDA_ERROR_INVALID_VALUE);
    *prop = (CUdevprop){
        .maxThreadsPerBlock = mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .maxThreadsDim = {mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                          mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                          mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
        .maxGridSize = {mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                        mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                        mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
        .sharedMemPerBlock =
            mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        .totalConstantMemory = mock__attribute(device, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
        .SIMDWidth = mock__attribute(device, CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        .memPitch = mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAX_PITCH),
        .regsPerBlock = mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
        .clockRate = mock__attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        .textureAlign = mock__attribute(device, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
    };
    return CUDA_SUCCESS;
}

CUresult mock_cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    const struct mock__device *peer;

    ENTER_DEVICE(device, dev);
    peer = mock__device_find(peerDev);
    MOCK__REQUIRE(peer, CUDA_ERROR_INVALID_DEVICE);
    MOCK__REQUIRE(canAccessPeer, CUDA_ERROR_INVALID_VALUE);
    *canAccessPeer = mock__config_peers(device->profile, peer->profile);
    return CUDA_SUCCESS;
}

/* By number: toolkits before 13.0 do not name the last. */
static int p2p_attribute(int number, const struct mock__profile *a, const struct mock__profile *b)
{
    const bool peers = mock__config_peers(a, b);

    switch (number) {
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        return peers;
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
        return peers && a->link == MOCK__NVLINK && b->link == MOCK__NVLINK;
    default: /* the rank of the only link is 0; and atomics are all there or none */
        return 0;
    }
}

CUresult mock_cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                      CUdevice dstDevice)
{
    const int number = (int) attrib;
    const struct mock__device *peer;

    MOCK__REQUIRE(value, CUDA_ERROR_INVALID_VALUE);
    ENTER_DEVICE(device, srcDevice);
    peer = mock__device_find(dstDevice);
    MOCK__REQUIRE(peer && srcDevice != dstDevice, CUDA_ERROR_INVALID_DEVICE);
    MOCK__REQUIRE(number >= CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK &&
                      number <= (mock__driver_version() < 13000 ? 4 : 5),
                  CUDA_ERROR_INVALID_VALUE);
    *value = p2p_attribute(number, device->profile, peer->profile);
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 11040
CUresult mock_cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev)
{
    (void) type;
    ENTER_DEVICE(device, dev);
    MOCK__REQUIRE(pi, CUDA_ERROR_INVALID_VALUE);
    /* Needs a server that shares the device among processes. */
    *pi = 0;
    return CUDA_SUCCESS;
}
#endif

CUresult mock_cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
    MOCK__ENTER();
    return mock__pool_get(dev, true, pool_out);
}

CUresult mock_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
    MOCK__ENTER();
    MOCK__REQUIRE(mock__device_find(dev), CUDA_ERROR_INVALID_VALUE);
    return mock__pool_get(dev, false, pool);
}

CUresult mock_cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    MOCK__REQUIRE(mock__device_find(dev), CUDA_ERROR_INVALID_VALUE);
    return mock__pool_set(dev, pool);
}

/* NvSciSync is a library of embedded systems, whose objects a device of the mock does not know. */
CUresult mock_cuDeviceGetNvSciSyncAttributes(void *nvSciSyncAttrList, CUdevice dev, int flags)
{
    const int known = CUDA_NVSCISYNC_ATTR_SIGNAL | CUDA_NVSCISYNC_ATTR_WAIT;

    MOCK__ENTER();
    MOCK__REQUIRE(nvSciSyncAttrList, CUDA_ERROR_INVALID_HANDLE);
    MOCK__REQUIRE(mock__device_find(dev), CUDA_ERROR_INVALID_DEVICE);
    MOCK__REQUIRE(flags && !(flags & ~known), CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_NOT_SUPPORTED;
}
