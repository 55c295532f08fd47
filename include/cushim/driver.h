/* SPDX-License-Identifier: MIT */
/*
 * Finding and opening libcuda, libnvrtc and libnvJitLink at run time.
 *
 * cushim searches for a library in these places, in this order, unless the parameters or the
 * environment name it:
 *
 *   libcuda    one that the process has loaded already; libcuda.so.1 by the
 *              dynamic linker's search; then /usr/lib/wsl/lib,
 *              /run/opengl-driver/lib, the multiarch folder and its nvidia/ and
 *              tegra/, /usr/lib64, /usr/local/nvidia/lib64
 *   libnvrtc   one that is loaded already; libnvrtc.so.13, .12, .11.2, .11.1,
 *              .11.0 by the dynamic linker's search; then the folders of
 *              CUDA_PATH, CUDA_HOME and /usr/local/cuda, and those of Python
 *              wheels below VIRTUAL_ENV and CONDA_PREFIX
 *   libnvJitLink   the same, with the names libnvJitLink.so.13 and .12
 *
 * Environment (ignored in a set-user-ID program):
 *
 *   CUSHIM_LIBCUDA, CUSHIM_LIBNVRTC,  what to open instead; the same words as
 *   CUSHIM_LIBNVJITLINK               cushim_open_params.library
 *   CUSHIM_FAULTS                     faults to inject into every driver (see fault.h)
 *   CUSHIM_TRACE                      a file that gets the trace of every call
 *                                     made through tables (see trace.h)
 *
 * A candidate is rejected, and the next one is tried, if it is not a library for this machine, if
 * it is the toolkit's stub library or cushim itself, or if it does not have the few functions that
 * cushim always needs. report.h describes the search report, which lists all candidates.
 *
 * A library that was accepted stays loaded until the process ends, and so do its tables. Closing a
 * handle frees only the handle.
 */
#ifndef CUSHIM_DRIVER_H
#define CUSHIM_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include <cushim/handle.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A handle of a driver. Freed by cushim_close(). */
CUSHIM__HANDLE(cushim_driver, cushim_close)

/** A handle of an NVRTC. Freed by cushim_nvrtc_close(). */
CUSHIM__HANDLE(cushim_nvrtc, cushim_nvrtc_close)

/** A handle of an nvJitLink. Freed by cushim_nvjitlink_close(). */
CUSHIM__HANDLE(cushim_nvjitlink, cushim_nvjitlink_close)

/** The libraries that cushim opens. */
enum cushim_library {
    CUSHIM_LIBRARY_CUDA = 0,
    CUSHIM_LIBRARY_NVRTC = 1,
    CUSHIM_LIBRARY_NVJITLINK = 2,
};

/**
 * Returns the address of a function by its exported name, such as "cuMemAlloc_v2", or NULL if there
 * is none. cushim calls it only while the library is opened.
 */
typedef void *(*cushim_resolver)(const char *symbol, void *user);

/**
 * Parameters of cushim_open(), cushim_nvrtc_open() and cushim_nvjitlink_open(). A field that is
 * zero selects its default.
 */
struct cushim_open_params {
    size_t size; /* sizeof the structure; the macro cushim_open_params() sets it */

    /**
     * The library to open: words separated by ":", which are tried in this order.
     *
     *   a path with a "/"  that file, and nothing else
     *   a name             as the dynamic linker finds it
     *   mock               the software device (libcuda only)
     *   none               nothing: the program runs as if there were no library
     *   auto               the whole search
     *
     * A path cannot contain ":". Words after "none" are not tried.
     *
     * So "/opt/compat/libcuda.so.575.57.08" opens that driver or fails, and
     * "/opt/compat/libcuda.so.575.57.08:auto" falls back to the installed one. If it is NULL or "",
     * the environment decides (CUSHIM_LIBCUDA, CUSHIM_LIBNVRTC, CUSHIM_LIBNVJITLINK), and otherwise
     * the word is "auto".
     */
    const char *library;

    /**
     * If it is not NULL, this function returns the library's functions, and cushim does not search
     * for a library.
     */
    cushim_resolver resolver;
    void *resolver_user;

    /**
     * If true, cuInit() is not called: the driver is only loaded. This is for programs that fork
     * before they use the GPU, and for tools that only inspect the driver.
     */
    bool load_only;

    /** A label for this handle in messages, or NULL. The text is copied. */
    const char *label;
};

/** Writes parameters in place: cushim_open(cushim_open_params(.library = "mock"), &driver). */
#define cushim_open_params(...) CUSHIM__IN_PLACE(cushim_open_params, __VA_ARGS__)

/**
 * Finds a driver, loads it, looks up its functions, and initialises it. The caller closes the
 * handle with cushim_close(). params may be NULL. Thread-safe.
 *
 * A library is loaded only once, even if several threads open it at the same time, and all its
 * handles have the same table. Closing a handle does not unload the library.
 *
 * The result is CUSHIM_ERROR_NO_DRIVER if no driver was found (the error text lists what was
 * tried), the driver's result if cuInit() failed (100 CUDA_ERROR_NO_DEVICE on a machine with a
 * driver but no GPU), and CUSHIM_ERROR_FORKED in a child of a process that had initialised this
 * driver.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_open(const struct cushim_open_params *params,
                                                    cushim_driver *ret_driver);

/**
 * Finds an NVRTC, loads it, and looks up its functions. The caller closes the handle with
 * cushim_nvrtc_close(). NVRTC needs no initialisation, so params->load_only has no effect. params
 * may be NULL. The result is CUSHIM_ERROR_NO_NVRTC if none was found; the error text lists what was
 * tried. Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_nvrtc_open(const struct cushim_open_params *params,
                                                          cushim_nvrtc *ret_nvrtc);

/**
 * Finds an nvJitLink, loads it, and looks up its functions, as cushim_nvrtc_open() does with an
 * NVRTC. The caller closes the handle with cushim_nvjitlink_close(). The result is
 * CUSHIM_ERROR_NO_NVJITLINK if none was found. Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_nvjitlink_open(const struct cushim_open_params *params, cushim_nvjitlink *ret_nvjitlink);

/** Returns the CUDA version that a driver implements, as 1000 * major + 10 * minor. Thread-safe. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_driver_version(cushim_driver driver,
                                                              int *ret_version);

/** Returns the CUDA version of an NVRTC, as 1000 * major + 10 * minor. Thread-safe. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_nvrtc_version(cushim_nvrtc nvrtc, int *ret_version);

/** Returns the CUDA version of an nvJitLink, as 1000 * major + 10 * minor. Thread-safe. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_nvjitlink_version(cushim_nvjitlink nvjitlink,
                                                                 int *ret_version);

/**
 * Returns the path of the driver's file. It is "" if a resolver took the place of a file, and NULL
 * if the handle is not valid. The string is static. Thread-safe.
 */
CUSHIM_API const char *cushim_driver_path(cushim_driver driver);

/**
 * Returns the path of the NVRTC's file. It is "" if a resolver took the place of a file, and NULL
 * if the handle is not valid. The string is static. Thread-safe.
 */
CUSHIM_API const char *cushim_nvrtc_path(cushim_nvrtc nvrtc);

/** Returns the path of the nvJitLink's file, as cushim_nvrtc_path() does. Thread-safe. */
CUSHIM_API const char *cushim_nvjitlink_path(cushim_nvjitlink nvjitlink);

/**
 * Tells whether the driver has a function. symbol is an exported name, such as "cuLaunchKernelEx"
 * or "cuMemAlloc_v2". If the result is false, the calling thread's last error gives the reason:
 * this version of the driver does not have the function, or no function of that name is known.
 * Thread-safe.
 */
CUSHIM_API bool cushim_driver_has(cushim_driver driver, const char *symbol);

/**
 * Tells whether the NVRTC has a function. symbol is an exported name, such as "nvrtcGetCUBIN". If
 * the result is false, the calling thread's last error gives the reason: this version does not have
 * the function, or no function of that name is known. Thread-safe.
 */
CUSHIM_API bool cushim_nvrtc_has(cushim_nvrtc nvrtc, const char *symbol);

/**
 * Tells whether the nvJitLink has a function, by its name without a version, such as
 * "nvJitLinkGetLinkedPtx". Otherwise like cushim_nvrtc_has(). Thread-safe.
 */
CUSHIM_API bool cushim_nvjitlink_has(cushim_nvjitlink nvjitlink, const char *symbol);

/** A function of a table, without its real type. */
typedef void (*cushim_entry)(void);

/*
 * The functions below return tables without types. Programs call cushim_cuda() (table.h),
 * cushim_nvrtc_table() (nvrtc_table.h) and cushim_nvjitlink_table() (nvjitlink_table.h) instead.
 * rows.h has the places of all functions, such as CUSHIM_ROW_nvJitLinkCreate.
 *
 * rows is the number of rows with which the caller was compiled, and the table has at least that
 * many. No entry is NULL. If the handle is not valid, all functions of the table return 303
 * CUDA_ERROR_SHARED_OBJECT_INIT_FAILED.
 */
CUSHIM_API const cushim_entry *cushim_driver_functions(cushim_driver driver, size_t rows);
CUSHIM_API const cushim_entry *cushim_nvrtc_functions(cushim_nvrtc nvrtc, size_t rows);
CUSHIM_API const cushim_entry *cushim_nvjitlink_functions(cushim_nvjitlink nvjitlink, size_t rows);

#ifdef __cplusplus
}
#endif

#endif
