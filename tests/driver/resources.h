/* SPDX-License-Identifier: MIT */
/* What the groups about device resources and green contexts share. */
#ifndef CUSHIM_TESTS_DRIVER_RESOURCES_H
#define CUSHIM_TESTS_DRIVER_RESOURCES_H

#include "ask.h"

/* The multiprocessors of device 0. */
CUdevResource whole_device(void);

/* A part of at least so many multiprocessors of device 0, and the rest. */
CUdevResource part_of_device(unsigned count, CUdevResource *ret_rest);

/* The descriptor of one resource; NULL if there is none. */
CUdevResourceDesc describe(CUdevResource *resource);

/* "key: kind, multiprocessors, least size of a part, alignment" */
void report_resource(const char *key, const CUdevResource *resource);

#endif
