/* SPDX-License-Identifier: MIT */
/* The functions of the host that are registered as kernels. */
#ifndef CUSHIM_MOCK_MODULE_KERNELS_H
#define CUSHIM_MOCK_MODULE_KERNELS_H

#include <stdbool.h>

#include <cushim/mock.h>

/* Loads plug-ins, given as paths with colons between them. NULL loads none. */
void mock__kernels_load(const char *paths);

/* The host function registered under a name. Has a lock of its own. */
bool mock__kernel_find(const char *name, struct cushim_mock_kernel *ret_kernel);

#endif
