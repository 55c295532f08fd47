/* SPDX-License-Identifier: MIT */
/*
 * The driver's linker: several pieces of code into one image.
 *
 * A piece may call functions and use variables that others define: .extern in PTX, and what
 * NVRTC makes with --relocatable-device-code=true. The result is machine code for the
 * context's device, as an image that cushim_module_load_image() loads.
 */
#ifndef CUSHIM_LINK_H
#define CUSHIM_LINK_H

#include <cushim/module.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a piece is, with the driver's numbers. */
enum cushim_link_kind {
    CUSHIM_LINK_CUBIN = 0,
    CUSHIM_LINK_PTX = 1,
    CUSHIM_LINK_FATBINARY = 2,
    CUSHIM_LINK_OBJECT = 3,  /* a host object with code of the device in it */
    CUSHIM_LINK_LIBRARY = 4, /* an archive of such objects, such as libcudadevrt.a */
};

/** One piece. */
struct cushim_link_input {
    cushim_image image;         /* what a compiler made, or */
    enum cushim_link_kind kind; /* bytes of this kind; PTX need not end with a NUL */
    const void *data;
    size_t bytes;
    const char *name; /* in the linker's messages, may be NULL */
};

/**
 * Links. The inputs are copied or used up before it returns. params gives the options of the
 * driver's compiler, as for a module; it may be NULL.
 *
 * A definition that is missing, or is there twice, is an error of the driver's: 218
 * CUDA_ERROR_INVALID_PTX or 209 CUDA_ERROR_NO_BINARY_FOR_GPU, depending on the inputs. The error
 * text has the linker's first error, and cushim_error_log() everything; cushim_image_log() has what
 * was said on success. Thread-safe.
 */
CUSHIM_API cushim_status cushim_link(cushim_context context, const struct cushim_link_input *inputs,
                                     size_t n_inputs, const struct cushim_module_params *params,
                                     cushim_image *ret_image);

#ifdef __cplusplus
}
#endif

#endif
