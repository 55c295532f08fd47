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

/* Keeps what went wrong, once. */
CUresult corpus_told(struct corpus_device *device, const char *call, CUresult result);

#define CORPUS_TRY(device, cu, call)                                                               \
    do {                                                                                           \
        const CUresult try_result = corpus_told(device, #call, (cu)->call);                        \
        if (try_result != CUDA_SUCCESS)                                                            \
            return try_result;                                                                     \
    } while (0)

/* A texture or surface on the device, with what is behind it; zeros where there is none. */
struct corpus_placed {
    CUarray array;
    CUmipmappedArray levels;
    CUdeviceptr memory;
    CUtexObject texture;
    CUsurfObject surface;
};

/* texture_device.c: of a buffer whose bytes are given; and those bytes back. */
CUresult corpus_image_make(struct corpus_device *device, CUmodule module,
                           const struct corpus_buffer *buffer, void *host,
                           struct corpus_placed *ret_placed);
CUresult corpus_image_read(struct corpus_device *device, const struct corpus_buffer *buffer,
                           const struct corpus_placed *placed, void *host);
void corpus_image_free(struct corpus_device *device, struct corpus_placed *placed);

/* The compute capability of device 0, as 90. */
CUresult corpus_capability(struct corpus_device *device, int *ret_capability);

/* Loads the module, launches, and reads every buffer into `actual`. The result that counts
 * for the case is that of the synchronisation: ret_result. */
CUresult corpus_execute(struct corpus_device *device, const char *ptx, const struct corpus_run *run,
                        void *const *actual, CUresult *ret_result);

#endif
