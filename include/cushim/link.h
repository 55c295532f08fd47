/* SPDX-License-Identifier: MIT */
/*
 * Linkers, which make one image of several pieces of device code: the driver's, and nvJitLink.
 *
 * A piece may call functions and use variables that other pieces define. In PTX they are declared
 * with .extern, and NVRTC makes such pieces with --relocatable-device-code=true. The result of
 * cushim_link() is an image with machine code for the context's device, which
 * cushim_module_load_image() loads. cushim_link_lto() needs no context and no driver, takes LTO-IR,
 * too, and makes machine code or PTX.
 */
#ifndef CUSHIM_LINK_H
#define CUSHIM_LINK_H

#include <cushim/driver.h>
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
    CUSHIM_LINK_LTOIR = 5,   /* for cushim_link_lto() only */
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

/** Parameters of cushim_link_lto(). A field that is zero selects its default. */
struct cushim_lto_params {
    size_t size; /* sizeof the structure; the macro cushim_lto_params() sets it */

    cushim_nvjitlink
        nvjitlink; /* the nvJitLink to use; zero: as cushim_nvjitlink_open() with NULL */

    /**
     * CUSHIM_IMAGE_PTX or CUSHIM_IMAGE_CUBIN. PTX can be made only if all inputs are LTO-IR. The
     * mock runs PTX.
     */
    enum cushim_image_kind kind;

    /** The architecture, such as "90" or "sm_90a". It must be given. */
    const char *arch;

    const char *name; /* the result's name in messages; NULL: "linked" */

    /**
     * More options, which nvJitLink gets unchanged and after its own, ending with NULL:
     * docs.nvidia.com/cuda/nvjitlink lists them. cushim gives -arch, -ptx, and -lto if an input is
     * LTO-IR; for fat binaries, objects and archives with LTO-IR inside, "-lto" has to be here.
     */
    const char *const *options;
};

/** Writes parameters in place: cushim_lto_params(.arch = "90"). */
#define cushim_lto_params(...) CUSHIM__IN_PLACE(cushim_lto_params, __VA_ARGS__)

/**
 * Links n_inputs pieces to one image with nvJitLink, which optimises pieces of LTO-IR as if they
 * were one program. NVRTC makes LTO-IR with .kind = CUSHIM_IMAGE_LTOIR and the option
 * --relocatable-device-code=true. The inputs need to be valid only during the call. The caller
 * frees the image with cushim_image_free().
 *
 * nvJitLink is at least as new as the NVRTC that made the LTO-IR, and should be of the same major
 * version. It does not check LTO-IR for damage: what a program reads from elsewhere can crash it.
 *
 * The result is CUSHIM_ERROR_NO_NVJITLINK if no nvJitLink was found, and
 * CUSHIM_STATUS_NVJITLINK(result) if it refuses the inputs or the options. The error text then
 * contains the linker's first error, and cushim_error_log() returns the complete log. On success,
 * cushim_image_log() returns the log. Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_link_lto(const struct cushim_link_input *inputs,
                                                        size_t n_inputs,
                                                        const struct cushim_lto_params *params,
                                                        cushim_image *ret_image);

#ifdef __cplusplus
}
#endif

#endif
