/* SPDX-License-Identifier: MIT */
/* The registered replacement kernels: functions of the program that replace kernels. */
#ifndef CUSHIM_MOCK_MODULE_KERNELS_H
#define CUSHIM_MOCK_MODULE_KERNELS_H

#include <stdbool.h>

#include <cushim/mock.h>

/* Loads plug-ins from paths separated by colons. NULL loads none. */
void mock__kernels_load(const char *paths);

/* Returns the replacement kernel that is registered under a name. It has its own lock. */
bool mock__kernel_find(const char *name, struct cushim_mock_kernel *ret_kernel);

#endif
