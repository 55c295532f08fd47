/* SPDX-License-Identifier: MIT */
/*
 * How much memory the host can still give to this process: what is free on the machine, or in the
 * group of processes that this one belongs to, such as a container, if that is less.
 */
#ifndef CUSHIM_MOCK_CONFIG_HOST_MEMORY_H
#define CUSHIM_MOCK_CONFIG_HOST_MEMORY_H

#include <stdint.h>

/* Returns UINT64_MAX where the system does not tell. */
uint64_t mock__host_memory_free(void);

/* The same, of files below another folder than "". */
uint64_t mock__host_memory_free_below(const char *root);

#endif
