/* SPDX-License-Identifier: MIT */
/*
 * What devices there are, and what they can do.
 *
 * A device is named by its ordinal: 0 up to, and not including, the count. Asking needs
 * no context and starts none. Ordinals follow CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER; what
 * names a device for good is its UUID.
 *
 * All functions are thread-safe. 101 CUDA_ERROR_INVALID_DEVICE for an ordinal that does not
 * exist, CUSHIM_ERROR_INVALID_ARGUMENT for an output that is NULL.
 */
#ifndef CUSHIM_DEVICE_H
#define CUSHIM_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How many devices there are. 0 is no error. */
CUSHIM_API cushim_status cushim_device_count(cushim_driver driver, int *ret_count);

/**
 * The name, such as "NVIDIA H200", copied into size bytes of buffer and ended with a zero; what
 * does not fit is left out.
 */
CUSHIM_API cushim_status cushim_device_name(cushim_driver driver, int device, char *buffer,
                                            size_t size);

/** 16 bytes that are the same in every process, whatever the ordinal. */
struct cushim_uuid {
    unsigned char bytes[16];
};

CUSHIM_API cushim_status cushim_device_uuid(cushim_driver driver, int device,
                                            struct cushim_uuid *ret_uuid);

/** The device's memory in bytes. How much is free is cushim_context_memory()'s to say. */
CUSHIM_API cushim_status cushim_device_memory(cushim_driver driver, int device, size_t *ret_bytes);

/**
 * An attribute, by the driver's number: CU_DEVICE_ATTRIBUTE_WARP_SIZE is 10. 1
 * CUDA_ERROR_INVALID_VALUE for a number that this driver does not know, which for a question of the
 * kind "can it" is as good as no.
 */
CUSHIM_API cushim_status cushim_device_attribute(cushim_driver driver, int device, int attribute,
                                                 int *ret_value);

/** 9 and 0 for a device of compute capability 9.0. */
CUSHIM_API cushim_status cushim_device_compute_capability(cushim_driver driver, int device,
                                                          int *ret_major, int *ret_minor);

/**
 * Where the device is on the bus, as "0000:3b:00.0", copied into size bytes of buffer, 13 at
 * least: 1 CUDA_ERROR_INVALID_VALUE or a shortened text, as the driver likes, if it does not
 * fit.
 */
CUSHIM_API cushim_status cushim_device_pci_id(cushim_driver driver, int device, char *buffer,
                                              size_t size);

/** The ordinal of the device at a place on the bus. */
CUSHIM_API cushim_status cushim_device_by_pci_id(cushim_driver driver, const char *pci_id,
                                                 int *ret_device);

/** Can kernels on device use memory of peer, after cushim_context_enable_peer()? */
CUSHIM_API cushim_status cushim_device_can_access_peer(cushim_driver driver, int device, int peer,
                                                       bool *ret_can);

#ifdef __cplusplus
}
#endif

#endif
