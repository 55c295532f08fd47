/* SPDX-License-Identifier: MIT */
/*
 * CUDA C++ to machine code or PTX while the program runs, through NVRTC.
 *
 * NVRTC is a compiler in a library. It needs no GPU and no driver, and is found as
 * driver.h describes; a program that compiles nothing never loads it. Where there
 * is none, cushim_compile() returns CUSHIM_ERROR_NO_NVRTC, and the error text says what
 * was tried.
 *
 * The result is an image: bytes, the compiler's log, and the names of what was asked for by
 * expression. module.h loads an image into a context; cushim_module_compile() does both.
 *
 *     cushim_image image;
 *
 *     cushim_compile(source, cushim_compile_params(.arch = "90", .fmad = CUSHIM_OFF), &image);
 *
 * Compiling takes from tens of milliseconds to seconds, and NVRTC does one program at
 * a time in older versions: keep images rather than compiling the same source again.
 */
#ifndef CUSHIM_COMPILE_H
#define CUSHIM_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A compiled program. Freed by cushim_image_free(). Used from any thread. */
CUSHIM__HANDLE(cushim_image, cushim_image_free)

/** What an image holds. */
enum cushim_image_kind {
    /** PTX text, which the driver compiles for its device: the default. */
    CUSHIM_IMAGE_PTX = 0,
    /** Machine code for one architecture, a cubin. It takes an arch "sm_...". NVRTC 11.1. */
    CUSHIM_IMAGE_CUBIN = 1,
    /** What the linker optimises across programs, see cushim_linker. NVRTC 12.0. */
    CUSHIM_IMAGE_LTOIR = 2,
    /** The input of OptiX. No module can be loaded from it. NVRTC 12.0. */
    CUSHIM_IMAGE_OPTIXIR = 3,
};

/** A choice that can be left to others. */
enum cushim_choice {
    CUSHIM_DEFAULT = 0, /* as NVRTC does when it is not told */
    CUSHIM_ON = 1,
    CUSHIM_OFF = 2,
};

/** A header that is not a file: what #include <name> and #include "name" find. */
struct cushim_header {
    const char *name;
    const char *text;
};

/**
 * How to compile. Zero means the default everywhere. Lists end with NULL, or with an
 * entry whose name is NULL:
 *
 *     .include_paths = (const char *const[]){"/opt/include", NULL}
 *
 * Nothing is kept: what the pointers lead to may go after the call.
 */
struct cushim_compile_params {
    cushim_nvrtc nvrtc; /* which NVRTC; zero opens the one that cushim_nvrtc_open(NULL) does */
    enum cushim_image_kind kind; /* what the image is to hold */

    /** The program's name in messages and in __FILE__: "kernel.cu" without. */
    const char *name;

    /**
     * The architecture, as NVRTC spells it: "compute_90", "sm_90a". A number alone, "90a",
     * gets the prefix that suits the kind: sm_ for a cubin, compute_ otherwise. NULL is NVRTC's own
     * default, the oldest that it knows; cushim_module_compile() takes the context's device.
     */
    const char *arch;

    enum cushim_choice ftz; /* --ftz: small numbers of single precision become 0; default off */
    enum cushim_choice prec_sqrt; /* --prec-sqrt: square roots round correctly; default on */
    enum cushim_choice prec_div;  /* --prec-div: divisions round correctly; default on */
    enum cushim_choice fmad;      /* --fmad: a * b + c may be rounded once; default on */

    /** --use_fast_math: all four for speed, and functions such as __sinf() for sinf(). */
    bool fast_math;

    /** --maxrregcount: the most registers that a thread may use; 0 is no limit. */
    int max_registers;

    bool
        line_info; /* --generate-line-info: source lines for profilers; costs nothing at run time */
    bool device_debug; /* --device-debug: for debuggers; turns optimisation off */

    const char *std; /* --std: the language, "c++14", "c++17", "c++20" */

    const char *const *include_paths;    /* folders that #include searches, in order */
    const char *const *definitions;      /* macros, "NAME" or "NAME=VALUE" */
    const struct cushim_header *headers; /* headers in memory, found before folders are searched */

    /**
     * What cushim_image_lowered_name() is to be asked for later, written as in C++:
     * "scale<float>", "&counter". Naming a template's instance here is also what makes NVRTC
     * compile it. Not needed for functions declared extern "C".
     */
    const char *const *name_expressions;

    /** More options, as they are, after all others. docs.nvidia.com/cuda/nvrtc lists them. */
    const char *const *options;
};

/** Parameters in place: cushim_compile(source, cushim_compile_params(.arch = "90"), &image). */
#define cushim_compile_params(...) (&(const struct cushim_compile_params){__VA_ARGS__})

/**
 * Compiles a source text of CUDA C++. params may be NULL. Thread-safe.
 *
 * A program with mistakes returns CUSHIM_STATUS_NVRTC(6), NVRTC_ERROR_COMPILATION, and
 * a wrong option CUSHIM_STATUS_NVRTC(5): the error text has the compiler's first error,
 * and cushim_error_log() all that it said. CUSHIM_ERROR_MISSING_SYMBOL where this
 * NVRTC cannot make that kind of image, CUSHIM_ERROR_NO_NVRTC where there is none.
 */
CUSHIM_API cushim_status cushim_compile(const char *source,
                                        const struct cushim_compile_params *params,
                                        cushim_image *ret_image);

/**
 * The image's bytes. ret_bytes may be NULL. PTX ends with a NUL that *ret_bytes does not
 * count, so it can be used as a string. NULL for a handle that is not valid. The memory
 * belongs to the image and goes with it: do not free it in one thread while another reads.
 */
CUSHIM_API const void *cushim_image_data(cushim_image image, size_t *ret_bytes);

CUSHIM_API cushim_status cushim_image_kind(cushim_image image, enum cushim_image_kind *ret_kind);

/**
 * What the compiler said, warnings mostly; "" if it said nothing, NULL for a handle that is
 * not valid. The memory belongs to the image.
 */
CUSHIM_API const char *cushim_image_log(cushim_image image);

/**
 * The name that a name expression has in the image, such as "_Z5scaleIfEvPT_S0_j" for
 * "scale<float>". It belongs to the image. 500 CUDA_ERROR_NOT_FOUND for an expression that
 * was not among the parameters. A module that is made from an image finds its functions by
 * either name.
 */
CUSHIM_API cushim_status cushim_image_lowered_name(cushim_image image, const char *expression,
                                                   const char **ret_name);

/**
 * The architectures that this NVRTC compiles for, ascending, as compute capabilities times ten:
 * 75, 80, 90, 120. Writes up to capacity of them to archs, which may be NULL with capacity 0, and
 * their number to *ret_count. nvrtc zero is the default one. CUSHIM_ERROR_MISSING_SYMBOL
 * before NVRTC 11.2.
 */
CUSHIM_API cushim_status cushim_compile_architectures(cushim_nvrtc nvrtc, int *archs,
                                                      size_t capacity, size_t *ret_count);

#ifdef __cplusplus
}
#endif

#endif
