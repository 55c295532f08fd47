/* SPDX-License-Identifier: MIT */
/*
 * The library of the device's runtime, libcudadevrt.a, which is machine code. In its place there is
 * PTX of our own for what it has for cooperative groups. Nothing here is shared between threads.
 */
#ifndef CUSHIM_MOCK_PTX_CONTAINER_DEVICE_RUNTIME_H
#define CUSHIM_MOCK_PTX_CONTAINER_DEVICE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

/* Tells whether an archive is that library: it has the member of that name. */
bool ptx__is_device_runtime(const void *archive, size_t size);

/* The text in its place: device_runtime.ptx. */
extern const char ptx__device_runtime[];

#endif
