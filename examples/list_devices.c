/* SPDX-License-Identifier: MIT */
/*
 * list_devices: prints the properties of each GPU, with the driver's own functions.
 *
 * Exit status: 0 if there is a driver, 1 if there is none or it fails.
 */
#include <stdio.h>

#include <cushim/cushim.h>
#include <cushim/table.h>

static int attribute(const struct cushim_cuda_api *cu, CUdevice device, CUdevice_attribute which)
{
    int value = 0;

    return cu->cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : -1;
}

static CUresult print_device(const struct cushim_cuda_api *cu, int ordinal)
{
    char name[256] = "";
    size_t bytes = 0;
    CUdevice device;
    CUresult result = cu->cuDeviceGet(&device, ordinal);

    if (result == CUDA_SUCCESS)
        result = cu->cuDeviceGetName(name, sizeof(name), device);
    if (result == CUDA_SUCCESS)
        result = cu->cuDeviceTotalMem(&bytes, device);
    if (result != CUDA_SUCCESS)
        return result;
    printf("%d  %s  sm_%d%d  %zu MiB  %d multiprocessors\n", ordinal, name,
           attribute(cu, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
           attribute(cu, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), bytes >> 20,
           attribute(cu, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    return CUDA_SUCCESS;
}

int main(void)
{
    CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
    const struct cushim_cuda_api *cu;
    CUresult result;
    int count = 0;

    if (cushim_open(NULL, &driver) != CUSHIM_OK) {
        fprintf(stderr, "list_devices: %s\n", cushim_error_text());
        return 1;
    }
    cu = cushim_cuda(driver);
    result = cu->cuDeviceGetCount(&count);
    for (int i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = print_device(cu, i);
    if (result != CUDA_SUCCESS)
        fprintf(stderr, "list_devices: %s\n", cushim_status_text((int) result));
    return result != CUDA_SUCCESS;
}
