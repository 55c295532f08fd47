/* SPDX-License-Identifier: MIT */
/*
 * Hooks around the functions of a table.
 *
 * cushim_interpose() makes a second driver handle in front of an open one. The table of the new
 * handle calls hooks before and after every function. A hook that runs before may answer the call
 * instead of the driver. One hook sees all functions, with their names and row numbers, so a call
 * log, call counts or injected faults each need only one small function. Hooks work with real
 * drivers and with the mock.
 *
 * A table that is not interposed has no extra cost. An interposed table without hooks, or whose
 * handle was closed, costs one more load, test and jump for each call.
 */
#ifndef CUSHIM_INTERPOSE_H
#define CUSHIM_INTERPOSE_H

#include <stddef.h>
#include <stdint.h>

#include <cushim/driver.h>
#include <cushim/rows.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How many drivers, NVRTCs and nvJitLinks, each, one process can interpose at the same time. */
#define CUSHIM_INTERPOSE_MAX 4

/** One call, as its hooks see it. It is valid while the hook runs. */
struct cushim_call {
    enum cushim_library library;
    unsigned row;     /* enum cushim_cuda_row, cushim_nvrtc_row or cushim_nvjitlink_row */
    const char *name; /* the exported name: "cuMemAlloc_v2" */

    /**
     * The arguments: args[i] points to argument i, whose type is signature[i]: 'p' pointer, 'l'
     * 64-bit integer, 'i' 32-bit integer or enum, 'h' 16-bit, 'b' 8-bit, 'f' float, 'm'
     * CUmemLocation, 'H' a 64-byte structure. A hook before the call may change them.
     */
    void *const *args;
    const char *signature;
    size_t n_args;

    /**
     * The result of the call: a CUresult, an nvrtcResult, an nvJitLinkResult, or for
     * nvrtcGetErrorString a pointer. The hook before sets it if it answers the call; the hook after
     * may change it.
     */
    intptr_t result;

    uint64_t thread;      /* the calling thread's id in the operating system */
    uint64_t start_ns;    /* CLOCK_MONOTONIC after the hooks before have run */
    uint64_t duration_ns; /* the time in the function itself; 0 in a hook before */
    bool answered;        /* a hook before has answered: the driver was not called */
};

/**
 * A pair of hooks. Either may be NULL. A hook runs in the thread of the call, so several threads
 * may run it at the same time. If a hook itself calls a function of the table, no hooks run for
 * that call.
 *
 * A hook runs inside of a call of the driver, so it cannot use contexts, streams and other objects
 * of cushim: such calls fail in it with 800 CUDA_ERROR_NOT_PERMITTED. Objects that it frees are
 * freed later, by the next call of cushim in any thread outside of a hook.
 */
struct cushim_hooks {
    /**
     * Runs before the call. If it returns true, the driver is not called, and the result is
     * call->result.
     */
    bool (*before)(struct cushim_call *call, void *user);
    /** Runs after every call for which the hook before of this pair has run. */
    void (*after)(struct cushim_call *call, void *user);
    void *user;
};

/**
 * Opens an interposed handle in front of a driver. Hooks before run in the order of the array, up
 * to the first one that answers. Hooks after run in reverse order. The array is copied. The user
 * data of the hooks must live until the new handle is closed. The caller closes the handle with
 * cushim_close().
 *
 * cushim_close() on the new handle removes the hooks, and returns when no thread runs one of them
 * any more. The interposed table then passes calls on to the driver unchanged. A later
 * cushim_interpose() for another driver may use the table again if no other is free. Closing the
 * handle from inside a hook fails with a message in the log, and the handle stays open.
 *
 * The result is CUSHIM_ERROR_LIMIT if CUSHIM_INTERPOSE_MAX drivers are interposed already.
 * Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_interpose(cushim_driver driver,
                                                         const struct cushim_hooks *hooks,
                                                         size_t n_hooks, cushim_driver *ret_driver);

/**
 * Opens an interposed handle in front of an NVRTC. Otherwise like cushim_interpose(); the caller
 * closes the handle with cushim_nvrtc_close(). The limit CUSHIM_INTERPOSE_MAX applies to drivers
 * and to NVRTCs separately. Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_interpose_nvrtc(cushim_nvrtc nvrtc,
                                                               const struct cushim_hooks *hooks,
                                                               size_t n_hooks,
                                                               cushim_nvrtc *ret_nvrtc);

/**
 * Opens an interposed handle in front of an nvJitLink. Otherwise like cushim_interpose_nvrtc(); the
 * caller closes the handle with cushim_nvjitlink_close(). The names are those without a version,
 * such as "nvJitLinkCreate". Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_interpose_nvjitlink(cushim_nvjitlink nvjitlink,
                                                                   const struct cushim_hooks *hooks,
                                                                   size_t n_hooks,
                                                                   cushim_nvjitlink *ret_nvjitlink);

#ifdef __cplusplus
}
#endif

#endif
