/* SPDX-License-Identifier: MIT */
/*
 * The devices of a driver, and their properties.
 *
 * A device is named by its ordinal, a number from 0 to the count of devices minus 1. The functions
 * here need no context and create none. Ordinals depend on CUDA_VISIBLE_DEVICES and
 * CUDA_DEVICE_ORDER; the UUID of a device never changes.
 *
 * All functions are thread-safe. They return 101 CUDA_ERROR_INVALID_DEVICE for an ordinal that does
 * not exist, and CUSHIM_ERROR_INVALID_ARGUMENT for an output that is NULL.
 */
#ifndef CUSHIM_DEVICE_H
#define CUSHIM_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the number of devices. A count of 0 is not an error. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_device_count(cushim_driver driver, int *ret_count);

/**
 * Copies the name of a device, such as "NVIDIA H200", into buffer, which has size bytes. The text
 * ends with a NUL. A name that is too long is cut off.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_device_name(cushim_driver driver, int device,
                                                           char *buffer, size_t size);

/** The UUID of a device: 16 bytes that are the same in every process and for every ordinal. */
struct cushim_uuid {
    unsigned char bytes[16];
};

/** Returns the UUID of a device. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_device_uuid(cushim_driver driver, int device,
                                                           struct cushim_uuid *ret_uuid);

/**
 * Returns the size of a device's memory in bytes. cushim_context_memory() returns how much is free.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_device_memory(cushim_driver driver, int device,
                                                             size_t *ret_bytes);

/**
 * Returns a device attribute. attribute is the driver's number: CU_DEVICE_ATTRIBUTE_WARP_SIZE is
 * 10. The result is 1 CUDA_ERROR_INVALID_VALUE for a number that this driver does not know. If the
 * attribute tells whether the device has a feature, a program can take that error for "no".
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_device_attribute(cushim_driver driver, int device,
                                                                int attribute, int *ret_value);

/** Returns the compute capability of a device: 9 and 0 for compute capability 9.0. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_device_compute_capability(cushim_driver driver,
                                                                         int device, int *ret_major,
                                                                         int *ret_minor);

/**
 * Copies the PCI bus id of a device, such as "0000:3b:00.0", into buffer, which has size bytes.
 * size should be at least 13. If the text does not fit, the driver decides between a shortened text
 * and 1 CUDA_ERROR_INVALID_VALUE.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_device_pci_id(cushim_driver driver, int device,
                                                             char *buffer, size_t size);

/** Returns the ordinal of the device with a PCI bus id, such as "0000:3b:00.0". */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_device_by_pci_id(cushim_driver driver,
                                                                const char *pci_id,
                                                                int *ret_device);

/**
 * Tells whether kernels on device can use the memory of peer once cushim_context_enable_peer() has
 * allowed it. Both are ordinals.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_device_can_access_peer(cushim_driver driver,
                                                                      int device, int peer,
                                                                      bool *ret_can);

#ifdef __cplusplus
}
#endif

#endif
