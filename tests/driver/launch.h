/* SPDX-License-Identifier: MIT */
/* What the parts of the group "launch" share. */
#ifndef CUSHIM_TESTS_DRIVER_LAUNCH_H
#define CUSHIM_TESTS_DRIVER_LAUNCH_H

#include "ask.h"

struct subject {
    CUfunction addk, nop;
    CUdeviceptr memory;
    CUstream stream;
};

/* The arguments of "addk". */
struct arguments {
    CUdeviceptr p;
    unsigned v, n;
};

/* As a launch takes them. */
#define POINTERS(arguments) ((void *[]){&(arguments)->p, &(arguments)->v, &(arguments)->n})

/* cuLaunchKernelEx() with each attribute. */
void ask_launch_attributes(const struct subject *subject);

#endif
