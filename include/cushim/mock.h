/* SPDX-License-Identifier: MIT */
/*
 * The control interface of the mock, a CUDA driver whose devices are software.
 *
 * A program that only runs on the mock does not need this header: it opens the mock as its driver
 * and calls the driver's functions. This header is for tests, and for programs that configure the
 * mock or provide replacement kernels. libcushim-mock exports the functions, together with those of
 * the driver. A program that calls them links both libraries: -lcushim -lcushim-mock. In a build
 * folder, libcushim-mock is in src/mock. cushim_open() with the library "mock" then opens this same
 * library.
 *
 * Environment. cuInit() reads these variables; in a set-user-ID program they are ignored.
 * docs/mock.md has the details and examples.
 *
 *   CUSHIM_MOCK_DEVICES   the devices, as models separated by commas: "h200,a100". The
 *                         models are h200, a100, t4, rtx4090, ci and those that docs/mock.md
 *                         lists. Default: one h200.
 *   CUSHIM_MOCK_CONFIG    a file with more: memory, names, attributes, topology.
 *   CUSHIM_MOCK_DRIVER_VERSION
 *                         the CUDA version of the driver, such as "11.4". Default: 13.5.
 *   CUSHIM_MOCK_SEED      the seed for choices that CUDA leaves undefined.
 *   CUSHIM_MOCK_IMAGE_LIMIT
 *                         the maximum size of a file of code, or of a decompressed text, such
 *                         as "2GiB". Default: 512 MiB.
 *   CUDA_VISIBLE_DEVICES  as on a driver.
 *   CUSHIM_MOCK_CHECK     1 prints the findings at exit (see the end of this header), and also
 *                         watches accesses of the host; 0 turns all checks off.
 *   CUSHIM_MOCK_TRACE     a file for a trace of all calls, as with CUSHIM_TRACE (trace.h).
 *   CUSHIM_MOCK_FAULTS    faults to inject, as with CUSHIM_FAULTS (fault.h).
 *   CUSHIM_MOCK_KERNELS   plug-ins with kernels, as paths separated by colons. If one
 *                         cannot be loaded, a line on standard error says so.
 *
 *   CUSHIM_MOCK_PTX_WORKERS
 *                         how many host threads at most run the blocks of a kernel; more than
 *                         256 count as 256, and more than 65535 is not valid. Default, also for
 *                         0: one for each processor that the thread may run on, of which a
 *                         container often has few, whatever its share of their time. With a
 *                         seed, and for launches with fewer than 4096 threads, it is one thread.
 *   CUSHIM_MOCK_PTX_STEPS how often a warp may jump backwards before its loop counts as
 *                         endless. A call counts as 16 jumps. 0 means no limit. Default: 2^31.
 *   CUSHIM_MOCK_PTX_CPU   the instruction set of the host that the engine may use: base, avx2,
 *                         or best, which is the best one of this processor.
 *   CUSHIM_MOCK_PTX_COMPILE 0, 1 or always: whether kernels become machine code, see
 *                         docs/mock.md. Default: 1, those that do much work.
 *
 * If a variable has a value that is not valid, cuInit() fails and writes a line to standard error.
 *
 * The mock executes kernels from the PTX of their module. A program can register a replacement
 * kernel: a C function under the name of a kernel. A launch then calls that function instead. The
 * name is the one in the PTX: it is mangled, unless the kernel is extern "C". A module with an
 * instruction that the mock cannot execute is not loaded: the result is CUDA_ERROR_NOT_SUPPORTED,
 * and the JIT log names the instruction and its line. Such a module can be loaded if replacement
 * kernels for all its kernels were registered before.
 */
#ifndef CUSHIM_MOCK_H
#define CUSHIM_MOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cushim/fault.h>
#include <cushim/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The configuration of the mock. If a field is zero, the environment decides; if the environment
 * does not set it either, the mock uses its default. The strings are copied.
 *
 * The file and settings have the same grammar, with lines such as
 *
 *     # a comment has a line of its own
 *     devices = h200,t4
 *     driver_version = 11.4
 *     seed = 7
 *     device.1.memory = 8GiB
 *     device.1.name = Tesla T4, half
 *     device.1.compute_capability = 7.2
 *     device.1.multiprocessor_count = 20
 *     peer 0 1 = no
 *     watch_host = yes
 *
 * If two sources contradict each other, the later one in this order counts: the file of
 * CUSHIM_MOCK_CONFIG, the other variables, and then file, settings, devices, driver_version and
 * seed of this structure.
 */
struct cushim_mock_config {
    size_t size; /* sizeof the structure; the macro cushim_mock_config() sets it */

    const char *devices;  /* "h200,h200" */
    int driver_version;   /* as cuDriverGetVersion() answers it: 11040 is CUDA 11.4 */
    uint64_t seed;        /* 0 means no seed */
    const char *file;     /* the path of a file with lines as above */
    const char *settings; /* lines as in such a file */
};

/** Writes a configuration in place: cushim_mock_configure(cushim_mock_config(.seed = 7)). */
#define cushim_mock_config(...) CUSHIM__IN_PLACE(cushim_mock_config, __VA_ARGS__)

/**
 * Sets the configuration of the mock, and replaces that of an earlier call. NULL removes it. The
 * function must be called before cuInit(). Thread-safe.
 *
 * The result is CUSHIM_ERROR_BUSY after cuInit() has succeeded, CUSHIM_ERROR_INVALID_ARGUMENT if
 * cuInit() would fail with this configuration, and CUSHIM_ERROR_NO_MEMORY if the host is out of
 * memory. A call that fails changes nothing, and cushim_mock_error_text() names the line and the
 * word that are wrong.
 *
 * cuInit() detects a wrong configuration in the environment. It then writes a line to standard
 * error and returns CUDA_ERROR_INVALID_VALUE, because many programs silently continue without a GPU
 * after CUDA_ERROR_NO_DEVICE. It returns CUDA_ERROR_NO_DEVICE if CUDA_VISIBLE_DEVICES selects no
 * device.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_mock_configure(const struct cushim_mock_config *config);

/**
 * Returns a sentence about the last cushim_mock_ function that failed in the calling thread, or ""
 * if none has failed. A cuInit() that fails because of the configuration counts as such a function,
 * and the first one that succeeds sets the text to "". The string is valid until the next such call
 * of the thread.
 */
CUSHIM_API const char *cushim_mock_error_text(void);

/**
 * Returns the functions for a library of an older driver version, such as cushim/11.4/libcuda.so.1.
 * Such a library calls this when it is loaded. The mock then has that driver version, whatever the
 * configuration says; if several of them are loaded, the first one counts. Programs do not call
 * this function.
 */
CUSHIM_API const void *cushim_mock_front(int driver_version);

/**
 * Makes calls of the mock's driver functions fail or take longer, for all callers in this process.
 * The rules are those of fault.h.
 *
 *     cushim_mock_fail("cuMemAllocAsync", cushim_fault(.nth = 2, .result = 2));
 *
 * function and fault are as for cushim_faults_add(). Rules are checked after those of
 * CUSHIM_MOCK_FAULTS, in the order in which they were added, and each counts calls from then on.
 * They need no driver handle, so they are for tests of programs that open their driver themselves.
 * For tests that pass a driver handle to the tested code, use cushim_faults_create().
 *
 * The mock has no NVRTC and no nvJitLink, so a rule that names only functions of these is refused
 * with CUSHIM_ERROR_INVALID_ARGUMENT. Otherwise the result is CUSHIM_ERROR_UNKNOWN_SYMBOL,
 * CUSHIM_ERROR_INVALID_ARGUMENT or CUSHIM_ERROR_LIMIT as for cushim_faults_add(), with an
 * explanation in cushim_mock_error_text(), and CUSHIM_ERROR_NO_MEMORY if the host is out of memory.
 * Thread-safe, and may be called before cuInit().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_mock_fail(const char *function,
                                                         const struct cushim_fault *fault);

/**
 * Removes all rules of cushim_mock_fail(), and restores a device that such a rule has lost. The
 * rules of CUSHIM_MOCK_FAULTS stay. A call that runs at the same time may still be hit.
 * Thread-safe.
 */
CUSHIM_API void cushim_mock_faults_clear(void);

/** One launch, as its kernel sees it. It is valid while the kernel runs. */
struct cushim_mock_launch {
    const char *kernel;      /* the name of the kernel */
    void *user;              /* the pointer with which the kernel was registered */
    int device;              /* the device's ordinal */
    unsigned grid[3];        /* blocks in x, y and z */
    unsigned block[3];       /* threads of a block in x, y and z */
    size_t shared_bytes;     /* the dynamic shared memory that the launch asked for */
    size_t n_args;           /* how many arguments there are */
    const size_t *arg_bytes; /* the size of each */
};

/**
 * A replacement kernel: a C function that replaces a kernel. It is called once for each launch, not
 * once for each thread of the launch, when all earlier work of the stream is done. It runs in a
 * host thread: one of the program that waits for the work or queries it, or one of the mock.
 * args[i] points to a copy of argument i, aligned as the PTX declares it:
 *
 *     const unsigned n = *(const unsigned *) args[3];
 *
 * A pointer argument holds a device address, which is never valid on the host.
 * cushim_mock_pointer() returns the host pointer for it.
 *
 * Only one kernel runs at a time. It may start host threads if it waits for their end. It must not
 * call functions of the driver: in the host thread of the kernel they return
 * CUDA_ERROR_NOT_PERMITTED, and in other host threads they wait until the kernel has ended. So a
 * kernel that waits for such a thread never ends. The functions of this header do not wait for the
 * kernel, in any host thread.
 */
typedef void (*cushim_mock_kernel_fn)(const struct cushim_mock_launch *launch, void *const *args);

/**
 * Returns the host pointer for the device memory [device_address, device_address + bytes), which
 * the kernel may read and write. It must be called while a kernel runs, by the kernel or by a host
 * thread that works for it; at any other time the result is NULL. The pointer is valid until the
 * kernel ends.
 *
 * The result is NULL if the range is not inside one live allocation that the device can use. The
 * launch then fails like an illegal access on hardware: the call that launched it still succeeds,
 * and every later use of the context returns 700 CUDA_ERROR_ILLEGAL_ADDRESS until the context is
 * destroyed. So a kernel that gets NULL should return.
 */
CUSHIM_API void *cushim_mock_pointer(uint64_t device_address, size_t bytes);

/**
 * Returns the host pointer for device memory that the kernel only reads. Otherwise like
 * cushim_mock_pointer(). With this information the mock can detect data races between kernels of
 * different streams, and reads of memory that nothing has written.
 */
CUSHIM_API const void *cushim_mock_input(uint64_t device_address, size_t bytes);

/**
 * Returns the host pointer for device memory of which the kernel writes all bytes and reads none.
 * Otherwise like cushim_mock_pointer(). With this information the mock can detect data races
 * between kernels of different streams, and reads of memory that nothing has written.
 */
CUSHIM_API void *cushim_mock_output(uint64_t device_address, size_t bytes);

/**
 * Sets the value of a conditional node's handle, as cudaGraphSetConditional() does in a kernel of
 * the device. It must be called while a kernel runs that a graph launched, like
 * cushim_mock_pointer(). If the graph has no conditional node with this handle, or no graph
 * launched the kernel, the launch fails with 700 CUDA_ERROR_ILLEGAL_ADDRESS, and there is a
 * finding. At any other time it does nothing.
 */
CUSHIM_API void cushim_mock_set_condition(uint64_t handle, unsigned value);

/**
 * Makes the running launch fail with a CUresult, such as 719 CUDA_ERROR_LAUNCH_FAILED for a trap or
 * 716 CUDA_ERROR_MISALIGNED_ADDRESS. The context is then in the same state as after an illegal
 * access: every later use of it returns the result. Only the first failure of a launch counts. The
 * call does nothing if no kernel runs or if result is 0.
 */
CUSHIM_API void cushim_mock_kernel_fail(int result);

/**
 * One thread of a launch, in cushim_mock_for_each_thread(). It is valid until its function returns.
 */
struct cushim_mock_thread {
    const struct cushim_mock_launch *launch;
    unsigned block_index[3];
    unsigned thread_index[3];
    void *runner; /* internal data of the mock */
};

/**
 * Runs one thread of a launch. data is the pointer that cushim_mock_for_each_thread() was called
 * with.
 */
typedef void (*cushim_mock_thread_fn)(const struct cushim_mock_thread *thread, void *data);

/**
 * Calls fn for every thread of the launch, block by block. Inside a block x changes first, then y,
 * then z. It is for kernels that are written for one thread, as in CUDA C++:
 *
 *     static void sum(const struct cushim_mock_thread *t, void *data)
 *     {
 *         struct sum *s = data;
 *         float *partial = cushim_mock_shared(t, "partial", BLOCK * sizeof(float));
 *         const unsigned i = t->thread_index[0];
 *
 *         partial[i] = s->in[t->block_index[0] * BLOCK + i];
 *         for (unsigned half = BLOCK / 2; half; half /= 2) {
 *             cushim_mock_barrier(t);
 *             if (i < half)
 *                 partial[i] += partial[i + half];
 *         }
 *         if (!i)
 *             s->out[t->block_index[0]] = partial[0];
 *     }
 *
 * The threads run one after another in the calling thread of the host. Each runs until it returns
 * or reaches a barrier. A thread that waits at a barrier has its own stack of 256 KiB. fn must not
 * end with longjmp() or an exception.
 *
 * This function must be called while a kernel runs, by the kernel or by a host thread that works
 * for it.
 */
CUSHIM_API void cushim_mock_for_each_thread(const struct cushim_mock_launch *launch,
                                            cushim_mock_thread_fn fn, void *data);

/**
 * Returns a variable in the shared memory of the thread's block, as __shared__ declares it. There
 * is one variable for each name, which the first call makes and all threads of the block share. It
 * exists until the block ends, and name must be valid until then. Its first contents are bytes that
 * are not sensible numbers, because nothing has written them.
 *
 * If name is NULL, the result is the dynamic shared memory of the launch (extern __shared__), and
 * bytes is the part that the thread uses, or 0.
 *
 * The result is NULL, and the launch fails, if the variable or the dynamic shared memory is smaller
 * than bytes, if the block has not enough shared memory left, or if the caller is not a thread of
 * cushim_mock_for_each_thread(). The thread should then return.
 */
CUSHIM_API void *cushim_mock_shared(const struct cushim_mock_thread *thread, const char *name,
                                    size_t bytes);

/**
 * A barrier: waits until all threads of the block that have not returned have reached it, like
 * __syncthreads() on devices from compute capability 7.0 on. Only a thread of
 * cushim_mock_for_each_thread() may call it, directly or in functions that it calls.
 *
 * If threads of a block wait at different barriers, they pass them together, as on hardware. The
 * mock reports this as a finding that names two of the threads and both source locations.
 */
#define cushim_mock_barrier(thread) cushim_mock_barrier_at((thread), __FILE__, __LINE__)

/**
 * The function behind cushim_mock_barrier(): a barrier whose source location is the given file and
 * line.
 */
CUSHIM_API void cushim_mock_barrier_at(const struct cushim_mock_thread *thread, const char *file,
                                       int line);

/**
 * Registers a replacement kernel under the name of a kernel. The name is copied. Each launch passes
 * user to the function, so user must be valid as long as the function is registered. If the name is
 * registered already, the new function replaces the old one, also for modules that are already
 * loaded. If fn is NULL, the name is removed.
 *
 * The result is CUSHIM_ERROR_INVALID_ARGUMENT if name is NULL or empty, and CUSHIM_ERROR_NO_MEMORY
 * if the host is out of memory; cushim_mock_error_text() says so in a sentence. Thread-safe, and
 * may be called before cuInit().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_mock_register_kernel(const char *name,
                                                                    cushim_mock_kernel_fn fn,
                                                                    void *user);

/**
 * One kernel of a plug-in. A plug-in exports an array with the name cushim_mock_kernels, which ends
 * with an entry of zeros. The mock uses the functions until the process ends, so it never unloads a
 * plug-in.
 *
 *     const struct cushim_mock_kernel cushim_mock_kernels[] = {
 *         {"vector_add", vector_add, NULL},
 *         {NULL, NULL, NULL},
 *     };
 *
 * A plug-in is a separate shared library that is linked with libcushim-mock.
 */
struct cushim_mock_kernel {
    const char *name;
    cushim_mock_kernel_fn fn;
    void *user;
};

/** The array that a plug-in defines and exports, see struct cushim_mock_kernel. */
CUSHIM_API extern const struct cushim_mock_kernel cushim_mock_kernels[];

/*
 * What the program has done so far. Work is counted when it is done, not when it is submitted, so a
 * test must synchronise before it reads the counts.
 */
struct cushim_mock_counts {
    uint64_t live_allocations, live_bytes; /* device and managed memory that exists now */
    uint64_t peak_bytes;                   /* the maximum of live_bytes so far */
    uint64_t launches;                     /* kernels */
    uint64_t host_calls;                   /* host functions and callbacks */
    uint64_t memsets, copies;
    uint64_t bytes_to_device, bytes_to_host, bytes_on_device, bytes_on_host; /* copied */
    uint64_t waits;       /* calls that wait for a stream, an event or a context */
    uint64_t reserved[8]; /* 0 */
};

/** Returns the counts since the process began. Thread-safe. */
CUSHIM_API struct cushim_mock_counts cushim_mock_stats(void);

/*
 * Findings: errors of the program that the mock detects. It checks every copy, memset and kernel:
 *
 *     CUSHIM_MOCK_CHECK=1   prints the findings, and objects that were not freed, at exit
 *     CUSHIM_MOCK_CHECK=0   turns all checks off
 *     CUSHIM_MOCK_SUPPRESS  patterns for findings that are not kept, such as "leak: event*"
 *
 * A finding does not change the results of the driver's functions. There is one exception: a kernel
 * that would never end, by a loop or at a barrier, fails with 702 CUDA_ERROR_LAUNCH_TIMEOUT.
 *
 * With CUSHIM_MOCK_CHECK=1 or "watch_host = yes", the mock also detects accesses of the host to
 * memory of unfinished work. For this it protects pages and handles SIGSEGV; docs/mock.md describes
 * what it can detect. A stream that waits for a value that nothing writes is also reported on
 * standard error at once, because the program may never end.
 */

/** The kind of a finding. */
enum cushim_mock_finding_kind {
    CUSHIM_MOCK_DATA_RACE = 0,          /* two unordered accesses, one a write, not both atomic */
    CUSHIM_MOCK_OUT_OF_BOUNDS = 1,      /* an access outside of every allocation */
    CUSHIM_MOCK_USE_AFTER_FREE = 2,     /* an access to an allocation that was freed */
    CUSHIM_MOCK_DOUBLE_FREE = 3,        /* an allocation freed a second time */
    CUSHIM_MOCK_UNINITIALISED_READ = 4, /* a read of memory that nothing has written */
    CUSHIM_MOCK_LEAK = 5,               /* an object that was never freed */
    CUSHIM_MOCK_STUCK = 6,              /* a stream waits for a value that nothing writes */
    CUSHIM_MOCK_HOST_ACCESS = 7,        /* the host uses memory before a copy is done */
    CUSHIM_MOCK_BARRIER = 8,            /* threads do not meet at one barrier: see docs/mock.md */
    CUSHIM_MOCK_MISALIGNED_ACCESS = 9,  /* an address that is not aligned to the access */
    CUSHIM_MOCK_ENDLESS_LOOP = 10,      /* a kernel that does not end */
    CUSHIM_MOCK_KERNEL_FAULT = 11,      /* a trap, a failed assertion, a wrong call, ... */
    CUSHIM_MOCK_ATTACHMENT = 12,        /* managed memory is used where it is not attached */
    CUSHIM_MOCK_HOST_MEMORY = 13,       /* the host has no memory for what is written */
};

/** One finding. The text belongs to the mock. */
struct cushim_mock_finding {
    enum cushim_mock_finding_kind kind;
    const char *text;     /* a sentence with the work, the access and the allocation */
    unsigned count;       /* how often a finding with the same text occurred */
    uint64_t reserved[4]; /* 0 */
};

/**
 * Returns the number of findings. If ret_findings is not NULL, it gets an array of them, in the
 * order in which they were found. The array belongs to the mock, and is valid until
 * cushim_mock_findings_clear(). The mock keeps at most 1000 findings. Thread-safe.
 */
CUSHIM_API size_t cushim_mock_findings(const struct cushim_mock_finding **ret_findings);

/**
 * Gives a label to an object, or to the allocation that contains an address. Findings then contain
 * the label:
 *
 *     cushim_mock_label(weights, "weights");
 *     cushim_mock_label((uintptr_t) stream, "upload");
 *
 * The label is copied. Findings contain its first 31 bytes where they name the work of a stream,
 * and its first 32 bytes everywhere else. If label is NULL, the label is removed. The label is also
 * removed when the object is destroyed, but findings about freed memory still contain it.
 *
 * The result is CUSHIM_ERROR_INVALID_ARGUMENT if there is no such object or allocation, and
 * CUSHIM_ERROR_NO_MEMORY if the host is out of memory; cushim_mock_error_text() says so in a
 * sentence. Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_mock_label(uint64_t handle_or_address,
                                                          const char *label);

/**
 * Returns how kernels that are PTX run in this process, in a few words for people: interpreted, or
 * also compiled, by which library, or why not. CUSHIM_MOCK_PTX_COMPILE has a part in it. The first
 * call may load LLVM's library, which takes some 50 ms. The string is valid until the process ends.
 * Thread-safe.
 */
CUSHIM_API const char *cushim_mock_kernels_text(void);

/**
 * Tells whether the mock looks for mistakes: CUSHIM_MOCK_CHECK=0 turns that off. cushim itself
 * asks, because it keeps no freed memory for later slices while the mock looks for its use
 * (memory.h). To be called after cuInit(), which reads the variable. Thread-safe.
 */
CUSHIM_API bool cushim_mock_checks(void);

/** Removes all findings. Arrays of cushim_mock_findings() become invalid. Thread-safe. */
CUSHIM_API void cushim_mock_findings_clear(void);

/**
 * Searches for objects that would be leaks if the process ended now: memory, streams, events,
 * modules, contexts, and primary contexts that are retained. Each becomes a finding. Returns how
 * many of these findings are new. Thread-safe.
 */
CUSHIM_API size_t cushim_mock_leaks(void);

#ifdef __cplusplus
}
#endif

#endif
