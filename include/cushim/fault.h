/* SPDX-License-Identifier: MIT */
/*
 * Faults on demand: hooks that make calls fail, or last longer, when and where a
 * test says. They stand in front of a real driver as well as of the mock.
 *
 *     cushim_faults faults;
 *     cushim_faults_create(NULL, &faults);
 *     cushim_faults_add(faults, "cuMemAlloc", cushim_fault(.nth = 2, .result = 2));
 *     struct cushim_hooks hooks = cushim_faults_hooks(faults);
 *     cushim_interpose(driver, &hooks, 1, &faulty);
 *     ...                                  the second allocation fails: out of memory
 *     cushim_faults_injected(faults, NULL, &n);
 *
 * The same as text, for files and the environment (cushim_faults_read()):
 *
 *     cuMemAlloc nth=2 result=out_of_memory; cuMemcpy* delay=2ms; device_lost after=50
 *
 * Environment (ignored in a set-user-ID program), rules as text, or @ and a file of them:
 *
 *   CUSHIM_FAULTS        for every driver and NVRTC that cushim opens. If the rules are
 *                        not valid, cushim_open() fails with
 *                        CUSHIM_ERROR_INVALID_ARGUMENT and says why: no program runs
 *                        without the faults it was to have. The calls that cushim_open()
 *                        makes itself (cuInit, cuDriverGetVersion) have none.
 *   CUSHIM_MOCK_FAULTS   for the mock, whoever opens it. If the rules are not valid, a
 *                        line on standard error says why, and cuInit() answers
 *                        CUDA_ERROR_INVALID_VALUE.
 *
 * What a fault does. Most functions are not called: the rule's result is the answer.
 * A function that gives something back (...Free, ...Destroy, ...Unload, ...Release,
 * ...Unregister, ...Unmap, ...) or that waits (...Synchronize) is called all the same, and
 * then its result is replaced. So a program that takes the error for the
 * end of the object leaks nothing, and one that takes it for the end of the waiting
 * frees nothing that is still in use. A driver's own errors there are of this kind
 * too: they tell of work that failed before.
 *
 * What has no faults: pointers that the program got past the table, from
 * cuGetProcAddress() of an interposed driver or by dlsym(). The mock's own
 * CUSHIM_MOCK_FAULTS reaches those as well.
 *
 * All functions here are thread-safe, and so are the hooks.
 */
#ifndef CUSHIM_FAULT_H
#define CUSHIM_FAULT_H

#include <cushim/interpose.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How many rules one cushim_faults has at most. */
#define CUSHIM_FAULTS_MAX 64

/**
 * A set of rules and what became of them. Freed by cushim_faults_free(); hooks that are
 * still in place then inject nothing.
 */
CUSHIM__HANDLE(cushim_faults, cushim_faults_free)

/** Zero means the default everywhere. */
struct cushim_faults_params {
    /** Decides which calls a probability hits. The same seed hits the same ones. */
    uint64_t seed;
};

/**
 * One rule: what happens, and when. A call is hit when all that is said holds;
 * what is zero is not asked. Either result or delay_ns must be there.
 *
 * nth and every count the calls that the rule looks at: of all functions
 * that it was added for together, those beyond above_bytes, once after_launches is over.
 */
struct cushim_fault {
    /**
     * The answer: a CUresult, or an nvrtcResult if the function is one of NVRTC; 1 to
     * 9999. 0 lets the driver answer, after delay_ns.
     */
    int result;

    uint64_t nth;   /* only the n-th call; the first is 1. Not together with every */
    uint64_t every; /* each k-th call: the k-th, the 2k-th, ... */

    /**
     * The share of calls, above 0 and at most 1. Whether the i-th call of a function is
     * hit depends on the seed, the rule's number, the function and i, and on nothing
     * else: not on the calls of other functions, nor on time.
     */
    double probability;

    /**
     * Only allocations of more bytes than this; functions that allocate none are left
     * out. Known are all versions and stream variants of cuMemAlloc,
     * cuMemAllocPitch (width times height), cuMemAllocHost, cuMemHostAlloc,
     * cuMemAllocManaged, cuMemAllocAsync, cuMemAllocFromPoolAsync and cuMemCreate.
     */
    uint64_t above_bytes;

    /**
     * Only once so many launches were asked for: of kernels, by any function,
     * and of graphs. The launches after that are hit as well.
     */
    uint64_t after_launches;

    /**
     * How long a call waits, in nanoseconds, in the calling thread, before the driver
     * gets it; a function that is called before its result is replaced waits
     * afterwards. An asynchronous copy is thus handed over late. Not part of the duration
     * that a trace shows.
     */
    uint64_t delay_ns;

    uint64_t count; /* hits at most so many calls. Not together with sticky */

    /**
     * The first hit loses the device, as a fault of a kernel does: from then
     * on, every function that a driver refuses after that answers the same result, in
     * all threads and contexts, until cushim_faults_reset(). Error names, versions,
     * cuInit, cuGetProcAddress, what is known of devices, the stack of contexts, and
     * destroying and resetting contexts still work. Not for NVRTC.
     *
     * Work that was under way goes on underneath.
     */
    bool sticky;
};

/** A rule in place: cushim_faults_add(faults, "cuInit", cushim_fault(.result = 100)). */
#define cushim_fault(...) (&(const struct cushim_fault){__VA_ARGS__})

/** Makes a set without rules. params may be NULL. */
CUSHIM_API cushim_status cushim_faults_create(const struct cushim_faults_params *params,
                                              cushim_faults *ret_faults);

/**
 * Adds a rule; it holds from the next call on. Rules are asked in the order in which they
 * were added: delays add up, and a call that one of them answers is not seen by
 * those behind. function is
 *
 *   a base name        all versions and stream variants: "cuMemcpyHtoD"
 *   an exported name   that function alone: "cuMemcpyHtoD_v2_ptds"; the first
 *                      version of a function that has more is "cuMemAlloc_v1"
 *   a family           all exported names that begin so: "cuMemcpy*", "nvrtc*".
 *                      "*" and "cu*" are the driver's, without cuInit,
 *                      cuDriverGetVersion, cuGetErrorName, cuGetErrorString,
 *                      cuGetProcAddress and cuGetExportTable, which want naming
 *   "device_lost"      every function that a driver refuses once a device is lost;
 *                      the rule is sticky, and its result is 719
 *                      CUDA_ERROR_LAUNCH_FAILED unless it says another
 *
 * Returns CUSHIM_ERROR_UNKNOWN_SYMBOL for a name that is none of these,
 * CUSHIM_ERROR_INVALID_ARGUMENT for a rule that could never do what it says,
 * CUSHIM_ERROR_LIMIT beyond CUSHIM_FAULTS_MAX rules.
 */
CUSHIM_API cushim_status cushim_faults_add(cushim_faults faults, const char *function,
                                           const struct cushim_fault *fault);

/**
 * Adds rules from a text: one a line, or several separated by ";". "#" begins a comment. A
 * rule is a function, as above, and what is to hold:
 *
 *     result=NUMBER or NAME    "2", "CUDA_ERROR_OUT_OF_MEMORY" or "out_of_memory"
 *     nth=N   every=N   count=N   probability=0.01
 *     above=BYTES              "1048576", or with KiB, MiB, GiB or TiB: "1GiB"
 *     after=LAUNCHES
 *     delay=TIME               with ns, us, ms or s: "2ms"
 *     sticky
 *
 * "seed=N" as a rule of its own sets the seed. All rules are added, or none: then the
 * error text names the line and the word. Statuses as of cushim_faults_add().
 */
CUSHIM_API cushim_status cushim_faults_read(cushim_faults faults, const char *text);

/** The same from a file. CUSHIM_ERROR_SYSTEM if it cannot be read. */
CUSHIM_API cushim_status cushim_faults_read_file(cushim_faults faults, const char *path);

/**
 * The hooks that inject; hooks that do nothing if the handle is not valid. In an array with
 * others, those before them see what the program sees, and those behind them see
 * what the driver is asked.
 */
CUSHIM_API struct cushim_hooks cushim_faults_hooks(cushim_faults faults);

/**
 * How many calls of a function were hit: answered, replaced or delayed, by any rule. function as
 * for cushim_faults_add(), but for "device_lost"; NULL for all.
 */
CUSHIM_API cushim_status cushim_faults_injected(cushim_faults faults, const char *function,
                                                uint64_t *ret_count);

/**
 * Begins anew: the rules stay, all that was counted is forgotten, a lost device is back.
 * The same calls then meet the same faults.
 */
CUSHIM_API cushim_status cushim_faults_reset(cushim_faults faults);

#ifdef __cplusplus
}
#endif

#endif
