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

/*
 * The texts in its place: device_runtime.ptx is for cooperative groups, device_launches.ptx for kernels
 * that launch kernels, with device_answers.ptx, device_words.ptx, device_functions.ptx and
 * device_copies.ptx behind it.
 */
extern const char ptx__device_runtime[];
extern const char ptx__device_launches[];

/* Tells whether a text uses the second. */
bool ptx__uses_launches(const char *text);

#endif
