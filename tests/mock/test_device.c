/* SPDX-License-Identifier: MIT */
#include <criterion/redirect.h>
#include <string.h>

#include <cushim/mock.h>

#include "support.h"

#define S(text) ((char *) (text))

TestSuite(device);

Test(device, nothing_works_before_init)
{
    CUcontext context;
    CUdevice device;
    int n;

    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuDeviceGetCount(&n));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuDeviceGetCount(NULL));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuDeviceGet(&device, 0));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuCtxGetCurrent(&context));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuMemFree_v2(0));
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuStreamSynchronize(NULL));
    EXPECT(CUDA_SUCCESS, mock_cuDriverGetVersion(&n));
    cr_expect(eq(int, n, 13050));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDriverGetVersion(NULL));
}

Test(device, init_takes_no_flags_and_may_be_repeated)
{
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuInit(1));
    EXPECT(CUDA_SUCCESS, mock_cuInit(0));
    EXPECT(CUDA_SUCCESS, mock_cuInit(0));
}

Test(device, without_a_list_there_is_one)
{
    int n = 0;

    unsetenv("CUSHIM_MOCK_DEVICES");
    OK(mock_cuInit(0));
    OK(mock_cuDeviceGetCount(&n));
    cr_expect(eq(int, n, 1));
}

Test(device, an_unknown_kind_is_an_error, .init = cr_redirect_stderr)
{
    setenv("CUSHIM_MOCK_DEVICES", "h200,abacus", 1);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuInit(0));
    fflush(stderr);
    cr_expect_stderr_eq_str("cushim mock: CUSHIM_MOCK_DEVICES: there is no device 'abacus'; "
                            "there are " KINDS "\n");
    cr_expect(eq(str, S(cushim_mock_error_text()),
                 S("CUSHIM_MOCK_DEVICES: there is no device 'abacus'; there are " KINDS)));
    setenv("CUSHIM_MOCK_DEVICES", "h200", 1);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    EXPECT(CUDA_ERROR_NO_DEVICE, mock_cuInit(0));
    cr_expect(eq(str, S(cushim_mock_error_text()), S("CUDA_VISIBLE_DEVICES hides all devices")));
    unsetenv("CUDA_VISIBLE_DEVICES");
    EXPECT(CUDA_SUCCESS, mock_cuInit(0));
    cr_expect(eq(str, S(cushim_mock_error_text()), S("")));
}

Test(device, get)
{
    CUdevice device = -1;
    int n = 0;

    start();
    OK(mock_cuDeviceGetCount(&n));
    cr_expect(eq(int, n, 2));
    OK(mock_cuDeviceGet(&device, 1));
    cr_expect(eq(int, device, 1));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuDeviceGet(&device, 2));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuDeviceGet(&device, -1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDeviceGet(NULL, 0));
}

Test(device, name)
{
    char name[64], untouched = 'x';

    start();
    OK(mock_cuDeviceGetName(name, sizeof(name), 0));
    cr_expect(eq(str, name, S("NVIDIA H200")));
    OK(mock_cuDeviceGetName(name, 4, 0));
    cr_expect(eq(str, name, S("NVI")));
    OK(mock_cuDeviceGetName(name, 1, 0));
    cr_expect(eq(str, name, S("")));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDeviceGetName(&untouched, 0, 0));
    cr_expect(eq(chr, untouched, 'x'));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDeviceGetName(NULL, 4, 0));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuDeviceGetName(name, 4, 99));
}

Test(device, attributes)
{
    int value = 0, major = 0, minor = -1;

    start();
    OK(mock_cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    cr_expect(eq(int, value, 32));
    OK(mock_cuDeviceGetAttribute(&value, (CUdevice_attribute) 147, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDeviceGetAttribute(&value, (CUdevice_attribute) 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuDeviceGetAttribute(&value, (CUdevice_attribute) 148, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDeviceGetAttribute(&value, (CUdevice_attribute) -1, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    OK(mock_cuDeviceComputeCapability(&major, &minor, 1));
    cr_expect(eq(int, major, 9));
    cr_expect(eq(int, minor, 0));
}

/* A driver knows the attributes of its own time. */
Test(device, attributes_of_an_old_driver)
{
    int value = -1;

    setenv("CUSHIM_MOCK_DRIVER_VERSION", "11.1", 1);
    start();
    OK(mock_cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuDeviceGetAttribute(&value,
                                     CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0));
    EXPECT(
        CUDA_ERROR_INVALID_VALUE,
        mock_cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, 0));
}

Test(device, memory_and_uuid)
{
    size_t bytes = 0;
    CUuuid a, b;

    start();
    OK(mock_cuDeviceTotalMem_v2(&bytes, 0));
    cr_expect(eq(sz, bytes, 150109880320));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDeviceTotalMem_v2(NULL, 0));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuDeviceTotalMem_v2(&bytes, -3));
    OK(mock_cuDeviceGetUuid(&a, 0));
    OK(mock_cuDeviceGetUuid(&b, 1));
    cr_expect(ne(int, memcmp(&a, &b, sizeof(a)), 0), "two devices have one id");
}

Test(device, pci)
{
    char id[32];
    CUdevice device = -1;

    start();
    OK(mock_cuDeviceGetPCIBusId(id, sizeof(id), 1));
    cr_expect(eq(str, id, S("0000:00:07.0")));
    OK(mock_cuDeviceGetByPCIBusId(&device, id));
    cr_expect(eq(int, device, 1));
    OK(mock_cuDeviceGetByPCIBusId(&device, "00:06"));
    cr_expect(eq(int, device, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDeviceGetPCIBusId(id, 3, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDeviceGetByPCIBusId(&device, "zzzz"));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuDeviceGetByPCIBusId(&device, "0000:55:00.0"));
}

Test(device, peers)
{
    int value = -1;

    start();
    OK(mock_cuDeviceCanAccessPeer(&value, 0, 1));
    cr_expect(eq(int, value, 1));
    OK(mock_cuDeviceCanAccessPeer(&value, 0, 0));
    cr_expect(eq(int, value, 0));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuDeviceCanAccessPeer(&value, 0, 2));
    OK(mock_cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
    cr_expect(eq(int, value, 1));
}
