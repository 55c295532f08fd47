/* SPDX-License-Identifier: MIT */
/*
 * Finding and opening libcuda and libnvrtc at run time.
 *
 * Where a library is looked for, unless the parameters or the environment name
 * it:
 *
 *   libcuda    one that the process has loaded already; libcuda.so.1 by the
 *              dynamic linker's search; then /usr/lib/wsl/lib,
 *              /run/opengl-driver/lib, the multiarch folder and its nvidia/ and
 *              tegra/, /usr/lib64, /usr/local/nvidia/lib64
 *   libnvrtc   one that is loaded already; libnvrtc.so.13, .12, .11.2, .11.1,
 *              .11.0 by the dynamic linker's search; then the folders of
 *              CUDA_PATH, CUDA_HOME and /usr/local/cuda, and those of Python
 *              wheels below VIRTUAL_ENV and CONDA_PREFIX
 *
 * Environment (ignored in a set-user-ID program):
 *
 *   CUSHIM_LIBCUDA, CUSHIM_LIBNVRTC   what to open instead; the same words as
 *                                     cushim_open_params.library
 *   CUSHIM_FAULTS                     faults to inject into every driver (see fault.h)
 *   CUSHIM_TRACE                      a file that gets the trace of every call
 *                                     made through tables (see interpose.h)
 *
 * A candidate is rejected, and the next one tried, when it is not a library for
 * this machine, when it is the toolkit's stub or cushim itself, or when it lacks
 * the few functions nothing works without. See report.h for what was tried.
 *
 * A library that was accepted stays loaded until the process ends: closing a
 * handle only gives the handle back. Tables live as long.
 */
#ifndef CUSHIM_DRIVER_H
#define CUSHIM_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/handle.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open driver. Freed by cushim_close(). */
CUSHIM__HANDLE(cushim_driver, cushim_close)

/** An open NVRTC. Freed by cushim_nvrtc_close(). */
CUSHIM__HANDLE(cushim_nvrtc, cushim_nvrtc_close)

/** The libraries that cushim opens. */
enum cushim_library {
    CUSHIM_LIBRARY_CUDA = 0,
    CUSHIM_LIBRARY_NVRTC = 1,
};

/**
 * Answers where a function is, by its exported name ("cuMemAlloc_v2"); NULL if
 * there is none. Called while the library is opened, and not afterwards.
 */
typedef void *(*cushim_resolver)(const char *symbol, void *user);

/** How to open a library. Zero means the default everywhere. */
struct cushim_open_params {
    /**
     * What to open: words separated by ":", tried in turn.
     *
     *   a path with a "/"  that file, and nothing else
     *   a name             as the dynamic linker finds it
     *   mock               the software device (libcuda only)
     *   none               nothing: the program runs as if there were no library
     *   auto               the whole search
     *
     * A path cannot contain ":". What follows "none" is not tried.
     *
     * So "/opt/compat/libcuda.so.575.57.08" opens that driver or fails, and
     * "/opt/compat/libcuda.so.575.57.08:auto" falls back to the installed one.
     * NULL or "" asks the environment; where that says nothing, it means "auto".
     */
    const char *library;

    /** If set, functions come from here, and no library is looked for. */
    cushim_resolver resolver;
    void *resolver_user;

    /**
     * Do not call cuInit(). The driver is then only loaded, not started: for
     * programs that fork before they use the GPU, and for tools that only look.
     */
    bool load_only;

    /** A name for this handle in messages. Copied. */
    const char *label;
};

/** Parameters in place: cushim_open(cushim_open_params(.library = "mock"), &driver). */
#define cushim_open_params(...) (&(const struct cushim_open_params){__VA_ARGS__})

/**
 * Finds a driver, loads it, resolves its functions, and initialises it.
 *
 * The same library is loaded and resolved once, however many threads open it at
 * the same time: every handle leads to the same table. Closing a handle never
 * unloads it.
 *
 * Returns CUSHIM_ERROR_NO_DRIVER if there is none (the error text says what was
 * tried), the driver's result if cuInit() failed (100 CUDA_ERROR_NO_DEVICE on a
 * machine with a driver and no GPU), CUSHIM_ERROR_FORKED in a child of a process
 * that had initialised this driver. Thread-safe. params may be NULL.
 */
CUSHIM_API cushim_status cushim_open(const struct cushim_open_params *params,
                                     cushim_driver *ret_driver);

/** The same for NVRTC; there is nothing to initialise, and load_only changes nothing. */
CUSHIM_API cushim_status cushim_nvrtc_open(const struct cushim_open_params *params,
                                           cushim_nvrtc *ret_nvrtc);

/** The CUDA version that the library implements, as 1000 * major + 10 * minor. */
CUSHIM_API cushim_status cushim_driver_version(cushim_driver driver, int *ret_version);
CUSHIM_API cushim_status cushim_nvrtc_version(cushim_nvrtc nvrtc, int *ret_version);

/**
 * The file that was opened; the empty string where a resolver stands in for one.
 * NULL for a handle that is not valid. The string is static.
 */
CUSHIM_API const char *cushim_driver_path(cushim_driver driver);
CUSHIM_API const char *cushim_nvrtc_path(cushim_nvrtc nvrtc);

/**
 * Does the driver have this function? symbol is an exported name, such as
 * "cuLaunchKernelEx" or "cuMemAlloc_v2". Where the answer is no, the thread's
 * last error says why: not that driver's version, or no such function at all.
 */
CUSHIM_API bool cushim_driver_has(cushim_driver driver, const char *symbol);
CUSHIM_API bool cushim_nvrtc_has(cushim_nvrtc nvrtc, const char *symbol);

/** A function of a table whose type is not known here. */
typedef void (*cushim_entry)(void);

/*
 * The tables, without their types: cushim_cuda() of table.h and
 * cushim_nvrtc_table() of nvrtc_table.h are what programs call.
 *
 * rows is the number of rows that the caller was compiled with. The result has at
 * least as many, and no entry is ever NULL: for a handle that is not valid, it is
 * a table whose functions all answer 303 CUDA_ERROR_SHARED_OBJECT_INIT_FAILED.
 */
CUSHIM_API const cushim_entry *cushim_driver_functions(cushim_driver driver, size_t rows);
CUSHIM_API const cushim_entry *cushim_nvrtc_functions(cushim_nvrtc nvrtc, size_t rows);

#ifdef __cplusplus
}
#endif

#endif
