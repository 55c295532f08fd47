/* SPDX-License-Identifier: MIT */
#include <cushim/device.h>

#include <limits.h>
#include <string.h>

#include "core/object/scope.h"

/* Enters the driver and returns its CUdevice for an ordinal. */
static cushim_status enter(cushim_driver driver, int device, const char *call,
                           struct cushim__scope *scope, CUdevice *ret_device)
{
    cushim_status status;

    CUSHIM_TRY(cushim__driver_enter(driver.id, call, scope));
    status = CU_CALL(scope, cuDeviceGet, (ret_device, device));
    return status ? cushim__scope_leave(scope, status) : CUSHIM_OK;
}

cushim_status cushim_device_count(cushim_driver driver, int *ret_count)
{
    CHECK_OUTPUT(ret_count);
    return CU_CALL_IN(cushim__driver_enter(driver.id, __func__, &scope), cuDeviceGetCount,
                      (ret_count));
}

static int int_size(size_t size)
{
    return size < INT_MAX ? (int) size : INT_MAX;
}

cushim_status cushim_device_name(cushim_driver driver, int device, char *buffer, size_t size)
{
    CUdevice cu = 0;

    CHECK_OUTPUT(buffer);
    return CU_CALL_IN(enter(driver, device, __func__, &scope, &cu), cuDeviceGetName,
                      (buffer, int_size(size), cu));
}

cushim_status cushim_device_uuid(cushim_driver driver, int device, struct cushim_uuid *ret_uuid)
{
    struct cushim__cu_uuid uuid;
    cushim_status status;
    CUdevice cu = 0;

    CHECK_OUTPUT(ret_uuid);
    status = CU_CALL_IN(enter(driver, device, __func__, &scope, &cu), cuDeviceGetUuid, (&uuid, cu));
    if (!status)
        memcpy(ret_uuid->bytes, uuid.bytes, sizeof(ret_uuid->bytes));
    return status;
}

cushim_status cushim_device_memory(cushim_driver driver, int device, size_t *ret_bytes)
{
    CUdevice cu = 0;

    CHECK_OUTPUT(ret_bytes);
    return CU_CALL_IN(enter(driver, device, __func__, &scope, &cu), cuDeviceTotalMem_v2,
                      (ret_bytes, cu));
}

cushim_status cushim_device_attribute(cushim_driver driver, int device, int attribute,
                                      int *ret_value)
{
    CUdevice cu = 0;

    CHECK_OUTPUT(ret_value);
    return CU_CALL_IN(enter(driver, device, __func__, &scope, &cu), cuDeviceGetAttribute,
                      (ret_value, attribute, cu));
}

cushim_status cushim_device_compute_capability(cushim_driver driver, int device, int *ret_major,
                                               int *ret_minor)
{
    int major = 0, minor = 0;
    struct cushim__scope scope;
    cushim_status status;
    CUdevice cu = 0;

    CHECK_OUTPUT(ret_major);
    CHECK_OUTPUT(ret_minor);
    CUSHIM_TRY(enter(driver, device, __func__, &scope, &cu));
    status = CU_CALL(&scope, cuDeviceGetAttribute,
                     (&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, cu));
    if (!status)
        status = CU_CALL(&scope, cuDeviceGetAttribute,
                         (&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, cu));
    if (!status) {
        *ret_major = major;
        *ret_minor = minor;
    }
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_device_pci_id(cushim_driver driver, int device, char *buffer, size_t size)
{
    CUdevice cu = 0;

    CHECK_OUTPUT(buffer);
    return CU_CALL_IN(enter(driver, device, __func__, &scope, &cu), cuDeviceGetPCIBusId,
                      (buffer, int_size(size), cu));
}

cushim_status cushim_device_by_pci_id(cushim_driver driver, const char *pci_id, int *ret_device)
{
    struct cushim__scope scope;
    cushim_status status;
    CUdevice cu = 0;

    CHECK_OUTPUT(ret_device);
    if (!pci_id)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: pci_id is NULL", __func__);
    CUSHIM_TRY(cushim__driver_enter(driver.id, __func__, &scope));
    status = CU_CALL(&scope, cuDeviceGetByPCIBusId, (&cu, pci_id));
    if (!status)
        *ret_device = cu; /* a CUdevice is the ordinal */
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_device_can_access_peer(cushim_driver driver, int device, int peer,
                                            bool *ret_can)
{
    struct cushim__scope scope;
    CUdevice cu = 0, cu_peer = 0;
    cushim_status status;
    int can = 0;

    CHECK_OUTPUT(ret_can);
    CUSHIM_TRY(enter(driver, device, __func__, &scope, &cu));
    status = CU_CALL(&scope, cuDeviceGet, (&cu_peer, peer));
    if (!status)
        status = CU_CALL(&scope, cuDeviceCanAccessPeer, (&can, cu, cu_peer));
    if (!status)
        *ret_can = can != 0;
    return cushim__scope_leave(&scope, status);
}
