/* SPDX-License-Identifier: MIT */
/*
 * Hooks around the functions of a table.
 *
 * cushim_interpose() makes a second driver handle in front of an open one. Its
 * table calls hooks before and after every function; a hook before may answer in
 * the driver's place. Hooks see all functions at once, by name and row number, so
 * a call log, call counts and injected faults are each one small function. They
 * work on a real driver and on the mock alike.
 *
 * A table that nobody interposes costs nothing. An interposed one without hooks, and one
 * whose handle was closed, costs a load, a test and a jump more a call.
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

/** How many drivers can be interposed at the same time in one process. */
#define CUSHIM_INTERPOSE_MAX 4

/** One call, as its hooks see it. Valid while the hook runs. */
struct cushim_call {
    enum cushim_library library;
    unsigned row;     /* enum cushim_cuda_row or cushim_nvrtc_row */
    const char *name; /* the exported name: "cuMemAlloc_v2" */

    /**
     * The arguments: args[i] points to the i-th, whose kind is signature[i]:
     * 'p' pointer, 'l' 64-bit integer, 'i' 32-bit integer or enum, 'h' 16-bit,
     * 'b' 8-bit, 'f' float, 'm' CUmemLocation, 'H' a 64-byte structure.
     * A hook before the call may change them.
     */
    void *const *args;
    const char *signature;
    size_t n_args;

    /**
     * What the call returns: a CUresult or nvrtcResult, or, for
     * nvrtcGetErrorString, a pointer. A hook before that answers sets it; a hook
     * after may change it.
     */
    intptr_t result;

    uint64_t thread;      /* the calling thread's id in the operating system */
    uint64_t start_ns;    /* CLOCK_MONOTONIC when the call began, after the hooks before */
    uint64_t duration_ns; /* how long the function itself took; 0 in a hook before */
    bool answered;        /* a hook before answered: the driver was not called */
};

/**
 * A pair of hooks. Either may be NULL. They run in the calling thread and, from several
 * threads, at the same time. A call that a hook itself makes through the table is
 * passed on without hooks.
 */
struct cushim_hooks {
    /** Returns true to answer in the driver's place with call->result. */
    bool (*before)(struct cushim_call *call, void *user);
    /** Sees every call that the hook before of this pair saw. */
    void (*after)(struct cushim_call *call, void *user);
    void *user;
};

/**
 * Opens an interposed handle in front of driver. Hooks before run in the order of the
 * array, up to the first that answers; hooks after run in reverse. The array is copied;
 * what the users point to must live until the handle is closed.
 *
 * cushim_close() on the new handle takes the hooks out: it returns when no
 * thread is inside one any more. The interposed table then passes calls on unchanged, until
 * a later cushim_interpose() for another driver has no other place left than its.
 * Closing from inside a hook is refused with a message in the log, and the
 * handle stays open.
 *
 * Returns CUSHIM_ERROR_LIMIT if CUSHIM_INTERPOSE_MAX drivers are interposed already.
 * Thread-safe.
 */
CUSHIM_API cushim_status cushim_interpose(cushim_driver driver, const struct cushim_hooks *hooks,
                                          size_t n_hooks, cushim_driver *ret_driver);

/** The same for NVRTC. Both kinds count towards CUSHIM_INTERPOSE_MAX separately. */
CUSHIM_API cushim_status cushim_interpose_nvrtc(cushim_nvrtc nvrtc,
                                                const struct cushim_hooks *hooks, size_t n_hooks,
                                                cushim_nvrtc *ret_nvrtc);

#ifdef __cplusplus
}
#endif

#endif
