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
 * one program at a time. So keep images instead of compiling the same source again, or let a cache
 * on disk keep them, also for the next run of the program: .cache = "/home/me/.cache/my-program".
 */
#ifndef CUSHIM_COMPILE_H
#define CUSHIM_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

    bool line_info; /* --generate-line-info: source lines for profilers and the mock's findings */
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

    /**
     * A folder that keeps images, so that the same compilation is done only once: see "The cache"
     * below. If it is NULL, the environment variable CUSHIM_CACHE names the folder; if that is not
     * set either, or if this is "", nothing is kept.
     */
    const char *cache;

    /**
     * How many bytes of images the folder keeps. If it is 0, CUSHIM_CACHE_BYTES says so, a number
     * that may end with K, M or G; otherwise it is 256 MiB. The images that were not used for
     * longest are removed.
     */
    uint64_t cache_bytes;
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

/*
 * The cache. An image is found again if all is the same that can change it: the source, the name,
 * the options, the name expressions, the kind of image, the NVRTC (its version, and the size and
 * time of its files), and each header that may have been read: those in memory, and those in files,
 * wherever NVRTC may look for them, and whether they are there. So a header that is changed, added
 * or removed makes a new image. Images with debug information, line information, LTO-IR and
 * OptiX-IR contain the current folder, so for them that counts, too. The log and the lowered names
 * are kept with the image.
 *
 * A program is compiled without the cache, and the log says why (CUSHIM_LOG_INFO), if it cannot be
 * known what the result depends on: if a macro makes the name of a header, if __has_include() asks
 * for such a name, if the text contains __DATE__, __TIME__ or __TIMESTAMP__, trigraphs or import
 * declarations, if an option is unknown or names other files (such as those for precompiled
 * headers), if variables for NVRTC's parts are set (NVRTC_..., NVVM_..., EDG_...), or if hooks or a
 * resolver stand for NVRTC. Comments and lines that a condition leaves out count, too.
 *
 * Any number of processes may use a folder at the same time, and may end at any time: a file is
 * complete before it gets its name. A file that is damaged is not used, but made anew. If the disk
 * is full, or cannot be written, programs are compiled as without a cache. The limit may be
 * exceeded while images are being written.
 *
 * Whoever can write to the folder chooses what runs. So it is made for its user alone (mode 0700),
 * and the call fails with CUSHIM_ERROR_INVALID_ARGUMENT if the folder belongs to another user, if
 * others may write to it, or if its name is a symbolic link. Delete the folder to empty the cache.
 *
 * In the folder that CUSHIM_CACHE names, the mock keeps the machine code that it makes of kernels,
 * too (docs/mock.md). It counts as images do.
 */

/** What the cache did for this process since it began, all folders and threads together. */
struct cushim_cache_counts {
    size_t size;       /* the caller sets it to the size of the structure */
    uint64_t hits;     /* images that were found */
    uint64_t misses;   /* images that were not found; they were compiled */
    uint64_t bypasses; /* compilations that could not use the cache, although one was named */
    uint64_t damaged;  /* files that were damaged; these are misses, too */
    uint64_t stored;   /* images that were written */
    uint64_t removed;  /* images that were removed to keep to the limit */
};

/**
 * Returns the counts. The caller sets .size before, so that a program and a library of different
 * versions agree on the fields:
 *
 *     struct cushim_cache_counts counts = {.size = sizeof(counts)};
 *
 *     CUSHIM_TRY(cushim_compile_cache_counts(&counts));
 *
 * Fields that this library does not know become 0. Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_compile_cache_counts(struct cushim_cache_counts *ret_counts);

/** A folder of the cache, as it is now. */
struct cushim_cache_state {
    size_t size;            /* the caller sets it to the size of the structure */
    uint64_t limit;         /* how many bytes are kept, unless .cache_bytes says so; 0: no folder */
    uint64_t images;        /* how many there are */
    uint64_t bytes;         /* how many bytes they have */
    const char *unwritable; /* why no image can be kept, in static memory; NULL if one can be */
};

/**
 * Looks at a folder of the cache; if folder is NULL, at the one that CUSHIM_CACHE names, if any.
 * The caller sets ret_state->size, as for cushim_compile_cache_counts(). Nothing is made and
 * nothing removed; a folder that is absent has no images.
 *
 * The result is CUSHIM_ERROR_INVALID_ARGUMENT for a folder or a limit that cushim_compile()
 * refuses, and CUSHIM_ERROR_SYSTEM if the folder cannot be opened, so that cushim_compile() does
 * not use it. Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_compile_cache_look(const char *folder, struct cushim_cache_state *ret_state);

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
