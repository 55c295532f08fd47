/* SPDX-License-Identifier: MIT */
/* One case on one device. */
#ifndef CUSHIM_TESTS_CORPUS_DEVICE_H
#define CUSHIM_TESTS_CORPUS_DEVICE_H

#include <cushim/table.h>

#include "corpus.h"

struct corpus_device {
    const struct cushim_cuda_api *cu;
    int jit_level;  /* the driver's compiler's, 0 to 4; below 0, its default */
    char text[512]; /* what went wrong: the call, its result, the compiler's log */
};

/* The compute capability of device 0, as 90. */
CUresult corpus_capability(struct corpus_device *device, int *ret_capability);

/* Loads the module, launches, and reads every buffer into `actual`. The result that counts
 * for the case is that of the synchronisation: ret_result. */
CUresult corpus_execute(struct corpus_device *device, const char *ptx, const struct corpus_run *run,
                        void *const *actual, CUresult *ret_result);

#endif
