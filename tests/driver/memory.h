/* SPDX-License-Identifier: MIT */
/* The part of the group "memory" that is about memory of the host. */
#ifndef CUSHIM_TESTS_DRIVER_MEMORY_H
#define CUSHIM_TESTS_DRIVER_MEMORY_H

#include "ask.h"

/* p is device memory, buffer is memory that the driver knows nothing of. */
void ask_host_memory(CUdeviceptr p, char *buffer);

#endif
