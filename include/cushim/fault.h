/* SPDX-License-Identifier: MIT */
/*
 * Injected faults: hooks that make chosen calls fail or take longer, for tests. They work with real
 * drivers and with the mock.
 *
 *     cushim_faults faults;
 *     CUSHIM_TRY(cushim_faults_create(NULL, &faults));
 *     CUSHIM_TRY(cushim_faults_add(faults, "cuMemAlloc*", cushim_fault(.result = 2, .nth = 2)));
 *     struct cushim_hooks hooks = cushim_faults_hooks(faults);
 *     CUSHIM_TRY(cushim_interpose(driver, &hooks, 1, &faulty));
 *     ...                                  the second allocation fails: out of memory
 *     CUSHIM_TRY(cushim_faults_injected(faults, NULL, &n));
 *
 * Slices (slice.h) come from cuMemAllocAsync() on devices with memory pools, which the name
 * "cuMemAlloc" alone does not match. cushim_faults_injected() tells whether a rule was hit.
 *
 * Rules can also be text, for files and the environment (cushim_faults_read()):
 *
 *     cuMemAlloc* nth=2 result=out_of_memory; cuMemcpy* delay=2ms; device_lost after=50
 *
 * Environment (ignored in a set-user-ID program). The value is rules as text, or @ and the path of
 * a file with rules:
 *
 *   CUSHIM_FAULTS        for every driver, NVRTC and nvJitLink that cushim opens. If the
 *                        rules are not valid, cushim_open() fails with
 *                        CUSHIM_ERROR_INVALID_ARGUMENT and says why: no program runs
 *                        without the faults it was to have. The calls that cushim_open()
 *                        makes itself (cuInit, cuDriverGetVersion) have none.
 *   CUSHIM_MOCK_FAULTS   for the mock, however it is opened. If the rules are not valid, a
 *                        line on standard error says why, and cuInit() answers
 *                        CUDA_ERROR_INVALID_VALUE.
 *
 * The effect of a fault. Most functions are not called, and the rule's result is returned. A
 * function that frees an object (...Free, ...Destroy, ...Unload, ...Release, ...Unregister,
 * ...Unmap, ...) or that waits (...Synchronize) is called, and then its result is replaced. So a
 * program that treats the object as freed after the error leaks nothing, and a program that stops
 * waiting after the error frees nothing that is still in use. The errors of a real driver in such
 * functions are similar: they come from work that failed before.
 *
 * Calls that do not go through the table have no faults: the program may have got their addresses
 * from cuGetProcAddress() of an interposed driver or from dlsym(). CUSHIM_MOCK_FAULTS applies to
 * such calls of the mock as well.
 *
 * All functions here are thread-safe, and so are the hooks.
 */
#ifndef CUSHIM_FAULT_H
#define CUSHIM_FAULT_H

#include <cushim/interpose.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The maximum number of rules of one cushim_faults. */
#define CUSHIM_FAULTS_MAX 64

/**
 * A set of rules, and counts of their hits. Freed by cushim_faults_free(). Its hooks may still be
 * in place then, and inject nothing.
 */
CUSHIM__HANDLE(cushim_faults, cushim_faults_free)

/** Parameters of cushim_faults_create(). A field that is zero selects its default. */
struct cushim_faults_params {
    size_t size; /* sizeof the structure; the macro cushim_faults_params() sets it */

    /** The seed for rules with a probability. With the same seed, the same calls are hit. */
    uint64_t seed;
};

/** Writes parameters in place: cushim_faults_create(cushim_faults_params(.seed = 7), &faults). */
#define cushim_faults_params(...) CUSHIM__IN_PLACE(cushim_faults_params, __VA_ARGS__)

/**
 * One rule: which calls are hit, and what happens to them. A call is hit if all conditions of the
 * rule hold; a condition that is zero is not checked. result or delay_ns must be set.
 *
 * nth and every count the calls of all functions of the rule together. They count only calls for
 * which the conditions above_bytes and after_launches hold.
 */
struct cushim_fault {
    size_t size; /* sizeof the structure; the macro cushim_fault() sets it */

    /**
     * The result of a call that is hit, from 1 to 9999: a CUresult, or an nvrtcResult or
     * nvJitLinkResult for a function of that library. If it is 0, the library answers after
     * delay_ns.
     */
    int result;

    uint64_t nth;   /* hits only call n; the first is 1. Not together with every */
    uint64_t every; /* hits every k-th call: k, 2k, 3k, ... */

    /**
     * The share of calls that are hit, above 0 and at most 1. Whether call i of a function is hit
     * depends only on the seed, the rule's number, the function and i. It does not depend on time
     * or on calls of other functions.
     */
    double probability;

    /**
     * Hits only allocations of more bytes than this. Functions that do not allocate are never hit.
     * The rule knows all versions and stream variants of cuMemAlloc, cuMemAllocPitch (width times
     * height), cuMemAllocHost, cuMemHostAlloc, cuMemAllocManaged, cuMemAllocAsync,
     * cuMemAllocFromPoolAsync and cuMemCreate.
     */
    uint64_t above_bytes;

    /**
     * Hits only calls after this number of launches, of kernels (by any function) and of graphs
     * together. Later launches are hit as well.
     */
    uint64_t after_launches;

    /**
     * The delay of a call that is hit, in nanoseconds. The calling thread waits before it calls the
     * driver; if the function is called and its result replaced, the thread waits after the call.
     * So an asynchronous copy is submitted late. The duration in a trace does not include the
     * delay.
     */
    uint64_t delay_ns;

    /**
     * If true, the first hit loses the device, as a fault in a kernel does. From then on, every
     * function that fails on a real driver with a lost device returns the same result, in all
     * threads and contexts, until cushim_faults_reset(). Error names, versions, cuInit,
     * cuGetProcAddress, properties of devices, the stack of contexts, and destroying and resetting
     * contexts still work. Not allowed for functions of NVRTC and nvJitLink.
     *
     * Work that the driver had already accepted still runs.
     */
    bool sticky;

    uint64_t count; /* the maximum number of hits. Not together with sticky */
};

/** Writes a rule in place: cushim_faults_add(faults, "cuInit", cushim_fault(.result = 100)). */
#define cushim_fault(...) CUSHIM__IN_PLACE(cushim_fault, __VA_ARGS__)

/**
 * Creates a set without rules. params may be NULL. The caller frees it with cushim_faults_free().
 * Thread-safe, as all functions here are.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_faults_create(const struct cushim_faults_params *params, cushim_faults *ret_faults);

/**
 * Adds a rule, which applies from the next call on. Rules are checked in the order in which they
 * were added. Delays of several rules add up. When a rule answers a call, later rules do not see
 * it. function is
 *
 *   a base name        all versions and stream variants: "cuMemcpyHtoD"
 *   an exported name   that function alone: "cuMemcpyHtoD_v2_ptds"; the first
 *                      version of a function that has more is "cuMemAlloc_v1"
 *   a family           all exported names that begin so: "cuMemcpy*", "nvrtc*",
 *                      "nvJitLink*".
 *                      "*" and "cu*" are the driver's, without cuInit,
 *                      cuDriverGetVersion, cuGetErrorName, cuGetErrorString,
 *                      cuGetProcAddress and cuGetExportTable, which want naming
 *   "device_lost"      every function that a driver refuses once a device is lost;
 *                      the rule is sticky, and its result is 719
 *                      CUDA_ERROR_LAUNCH_FAILED unless it says another
 *
 * The result is CUSHIM_ERROR_UNKNOWN_SYMBOL for a name that is none of these,
 * CUSHIM_ERROR_INVALID_ARGUMENT for a rule that could never have its effect, and CUSHIM_ERROR_LIMIT
 * for more than CUSHIM_FAULTS_MAX rules.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_faults_add(cushim_faults faults,
                                                          const char *function,
                                                          const struct cushim_fault *fault);

/**
 * Adds rules from a text, with one rule in each line or several separated by ";". "#" begins a
 * comment. A rule is a function, as for cushim_faults_add(), followed by conditions and effects:
 *
 *     result=NUMBER or NAME    "2", "CUDA_ERROR_OUT_OF_MEMORY" or "out_of_memory"
 *     nth=N   every=N   count=N   probability=0.01
 *     above=BYTES              "1048576", or with KiB, MiB, GiB or TiB: "1GiB"
 *     after=LAUNCHES
 *     delay=TIME               with ns, us, ms or s: "2ms"
 *     sticky
 *
 * "seed=N" without a function sets the seed. If one rule is not valid, no rule is added, and the
 * error text names the line and the word. The results are those of cushim_faults_add().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_faults_read(cushim_faults faults, const char *text);

/**
 * Adds rules from a file, in the format of cushim_faults_read(). The result is CUSHIM_ERROR_SYSTEM
 * if the file cannot be read.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_faults_read_file(cushim_faults faults,
                                                                const char *path);

/**
 * Returns the hooks that inject the faults. If the handle is not valid, the hooks do nothing. In an
 * array with other hooks, the hooks before these see the calls and results of the program, and the
 * hooks after these see the calls that reach the driver.
 */
CUSHIM_API struct cushim_hooks cushim_faults_hooks(cushim_faults faults);

/**
 * Returns how many calls of a function were hit by any rule: answered, replaced or delayed.
 * function is as for cushim_faults_add(), except that "device_lost" is not allowed, or NULL for all
 * functions.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_faults_injected(cushim_faults faults,
                                                               const char *function,
                                                               uint64_t *ret_count);

/**
 * Resets all counts to 0, and restores a lost device. The rules stay. The same calls then get the
 * same faults again.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_faults_reset(cushim_faults faults);

#ifdef __cplusplus
}
#endif

#endif
