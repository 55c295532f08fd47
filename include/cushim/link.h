/* SPDX-License-Identifier: MIT */
/*
 * The driver's linker, which makes one image of several pieces of device code.
 *
 * A piece may call functions and use variables that other pieces define. In PTX they are declared
 * with .extern, and NVRTC makes such pieces with --relocatable-device-code=true. The result is an
 * image with machine code for the context's device, which cushim_module_load_image() loads.
 */
#ifndef CUSHIM_LINK_H
#define CUSHIM_LINK_H

#include <cushim/module.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The format of a piece, with the driver's numbers. */
enum cushim_link_kind {
    CUSHIM_LINK_CUBIN = 0,
    CUSHIM_LINK_PTX = 1,
    CUSHIM_LINK_FATBINARY = 2,
    CUSHIM_LINK_OBJECT = 3,  /* a host object with embedded device code */
    CUSHIM_LINK_LIBRARY = 4, /* an archive of such objects, such as libcudadevrt.a */
};

/** One piece: an image, or bytes in memory. */
struct cushim_link_input {
    cushim_image image;         /* an image, or zero if data is used */
    enum cushim_link_kind kind; /* the format of data; PTX need not end with a NUL */
    const void *data;
    size_t bytes;
    const char *name; /* the piece's name in the linker's messages; may be NULL */
};

/**
 * Links n_inputs pieces to one image. The inputs need to be valid only during the call. params
 * contains options of the driver's compiler, as for cushim_module_load(); it may be NULL. The
 * caller frees the image with cushim_image_free().
 *
 * If a definition is missing or exists twice, the result is 218 CUDA_ERROR_INVALID_PTX or 209
 * CUDA_ERROR_NO_BINARY_FOR_GPU, depending on the inputs. The error text then contains the linker's
 * first error, and cushim_error_log() returns the complete log. On success, cushim_image_log()
 * returns the log. Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_link(cushim_context context,
                                                    const struct cushim_link_input *inputs,
                                                    size_t n_inputs,
                                                    const struct cushim_module_params *params,
                                                    cushim_image *ret_image);

#ifdef __cplusplus
}
#endif

#endif
