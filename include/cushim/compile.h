/* SPDX-License-Identifier: MIT */
/*
 * Compiling CUDA C++ to PTX or machine code at run time, with NVRTC.
 *
 * NVRTC is a compiler in a library. It needs no GPU and no driver. cushim searches for it as
 * driver.h describes, and loads it when the program compiles for the first time. If none is found,
 * cushim_compile() returns CUSHIM_ERROR_NO_NVRTC, and the error text lists what was tried.
 *
 * The result is an image: bytes, the compiler's log, and the names of name expressions.
 * cushim_module_load_image() loads an image into a context; cushim_module_compile() compiles and
 * loads in one call.
 *
 *     cushim_image image;
 *
 *     CUSHIM_TRY(cushim_compile(source, cushim_compile_params(.arch = "90"), &image));
 *
 * Compiling takes from tens of milliseconds to seconds, and older versions of NVRTC compile only
 * one program at a time. So keep images instead of compiling the same source again.
 */
#ifndef CUSHIM_COMPILE_H
#define CUSHIM_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An image: a compiled program. Freed by cushim_image_free(). Any thread may use it. */
CUSHIM__HANDLE(cushim_image, cushim_image_free)

/** The format of an image. */
enum cushim_image_kind {
    /** PTX text, which the driver compiles for its device: the default. */
    CUSHIM_IMAGE_PTX = 0,
    /** A cubin: machine code for one architecture, which arch must name as "sm_...". NVRTC 11.1. */
    CUSHIM_IMAGE_CUBIN = 1,
    /** LTO-IR, which the driver's linker optimises across several programs. NVRTC 12.0. */
    CUSHIM_IMAGE_LTOIR = 2,
    /** OptiX-IR, the input of OptiX. It cannot be loaded as a module. NVRTC 12.0. */
    CUSHIM_IMAGE_OPTIXIR = 3,
};

/** A setting that is on, off, or left to NVRTC. */
enum cushim_choice {
    CUSHIM_DEFAULT = 0, /* NVRTC's own default */
    CUSHIM_ON = 1,
    CUSHIM_OFF = 2,
};

/** A header in memory, which #include <name> and #include "name" find. */
struct cushim_header {
    const char *name;
    const char *text;
};

/**
 * Parameters of cushim_compile(), and of cushim_module_compile(), which has other defaults for kind
 * and arch (module.h). A field that is zero selects its default. A list ends with NULL, or with an
 * entry whose name is NULL:
 *
 *     .include_paths = (const char *const[]){"/opt/include", NULL}
 *
 * All pointers need to be valid only during the call.
 */
struct cushim_compile_params {
    size_t size; /* sizeof the structure; the macro cushim_compile_params() sets it */

    cushim_nvrtc nvrtc;          /* the NVRTC to use; zero: as cushim_nvrtc_open() with NULL */
    enum cushim_image_kind kind; /* the format of the image */

    /** The program's name in messages and in __FILE__. If it is NULL, the name is "kernel.cu". */
    const char *name;

    /**
     * The architecture, as NVRTC names it: "compute_90" or "sm_90a". A number without a prefix,
     * such as "90a", gets the prefix for the kind of image: sm_ for a cubin, and compute_
     * otherwise. If it is NULL, cushim_compile() uses NVRTC's own default, which is the oldest
     * architecture that it supports, and cushim_module_compile() uses the architecture of the
     * context's device.
     */
    const char *arch;

    enum cushim_choice ftz;       /* --ftz: subnormal floats become 0; default off */
    enum cushim_choice prec_sqrt; /* --prec-sqrt: square roots round correctly; default on */
    enum cushim_choice prec_div;  /* --prec-div: divisions round correctly; default on */
    enum cushim_choice fmad;      /* --fmad: a * b + c may be rounded once; default on */

    /**
     * --use_fast_math: sets the four choices above for speed, and replaces functions such as sinf()
     * by __sinf().
     */
    bool fast_math;

    /** --maxrregcount: the maximum number of registers of a thread; 0 means no limit. */
    int max_registers;

    bool line_info;    /* --generate-line-info: source lines for profilers and the mock's findings */
    bool device_debug; /* --device-debug: for debuggers; turns optimisation off */

    const char *std; /* --std: the language, "c++14", "c++17", "c++20" */

    const char *const *include_paths;    /* folders that #include searches, in order */
    const char *const *definitions;      /* macros, "NAME" or "NAME=VALUE" */
    const struct cushim_header *headers; /* headers in memory; they come before the folders */

    /**
     * Name expressions: functions and variables as C++ names them, such as "scale<float>" or
     * "&counter", for cushim_image_lowered_name(). NVRTC compiles an instance of a template only if
     * it is named here. Functions that are declared extern "C" need no name expression.
     */
    const char *const *name_expressions;

    /**
     * More options, which NVRTC gets unchanged and after all others. docs.nvidia.com/cuda/nvrtc
     * lists them.
     */
    const char *const *options;
};

/**
 * Writes parameters in place: cushim_compile(source, cushim_compile_params(.arch = "90"), &image).
 */
#define cushim_compile_params(...) CUSHIM__IN_PLACE(cushim_compile_params, __VA_ARGS__)

/**
 * Compiles CUDA C++ source text to an image. params may be NULL. The caller frees the image with
 * cushim_image_free(). Thread-safe.
 *
 * The result is CUSHIM_STATUS_NVRTC(6), NVRTC_ERROR_COMPILATION, for a program with errors, and
 * CUSHIM_STATUS_NVRTC(5), NVRTC_ERROR_INVALID_OPTION, for a wrong option. The error text then
 * contains the compiler's first error, and cushim_error_log() returns the complete log. The result
 * is CUSHIM_ERROR_MISSING_SYMBOL if this NVRTC cannot make that kind of image, and
 * CUSHIM_ERROR_NO_NVRTC if no NVRTC was found.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_compile(const char *source,
                                                       const struct cushim_compile_params *params,
                                                       cushim_image *ret_image);

/**
 * Returns the bytes of an image, and their number if ret_bytes is not NULL. PTX ends with a NUL,
 * which *ret_bytes does not count, so it can be used as a string. The result is NULL if the handle
 * is not valid. The memory belongs to the image: no thread may free the image while another reads
 * the bytes.
 */
CUSHIM_API const void *cushim_image_data(cushim_image image, size_t *ret_bytes);

/** Returns the format of an image. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_image_kind(cushim_image image,
                                                          enum cushim_image_kind *ret_kind);

/**
 * Returns the log of the compiler or linker that made the image, which mostly contains warnings. It
 * is "" if nothing was written, and NULL if the handle is not valid. The string belongs to the
 * image.
 */
CUSHIM_API const char *cushim_image_log(cushim_image image);

/**
 * Returns the name that a name expression has in the image, such as "_Z5scaleIfEvPT_S0_j" for
 * "scale<float>". The string belongs to the image. The result is 500 CUDA_ERROR_NOT_FOUND if the
 * expression was not among the parameters of cushim_compile(). cushim_module_function() finds
 * functions by either name.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_image_lowered_name(cushim_image image,
                                                                  const char *expression,
                                                                  const char **ret_name);

/**
 * Returns the architectures for which an NVRTC compiles, in ascending order, as compute
 * capabilities times ten: 75, 80, 90, 120. Writes up to capacity of them to archs, and the number
 * of all to *ret_count. archs may be NULL if capacity is 0. If nvrtc is zero, the call uses the
 * default NVRTC. The result is CUSHIM_ERROR_MISSING_SYMBOL before NVRTC 11.2. Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_compile_architectures(cushim_nvrtc nvrtc, int *archs,
                                                                     size_t capacity,
                                                                     size_t *ret_count);

#ifdef __cplusplus
}
#endif

#endif
