/* SPDX-License-Identifier: MIT */
/*
 * The control interface of the mock, the CUDA device in software.
 *
 * A program that is to run on the mock needs none of this: it opens the mock as its
 * driver and calls cu* functions. This header is for those who give the mock its
 * kernels. Its functions are exported by libcushim-mock, beside the driver's.
 *
 * Environment, read by cuInit() and ignored in a set-user-ID program. docs/mock.md has
 * the details and examples.
 *
 *   CUSHIM_MOCK_DEVICES   the devices, as kinds separated by commas: "h200,a100". There
 *                         are h200, a100, t4 and rtx4090. Without it there is one "h200".
 *   CUSHIM_MOCK_CONFIG    a file with more: memory, names, attributes, topology.
 *   CUSHIM_MOCK_DRIVER_VERSION
 *                         the CUDA version of the driver, such as "11.4"; else 13.0.
 *   CUSHIM_MOCK_SEED      what choices that CUDA leaves open are drawn from.
 *   CUSHIM_MOCK_IMAGE_LIMIT
 *                         the most bytes of a file of code, or of a text that is decompressed,
 *                         such as "2GiB"; else 512 MiB.
 *   CUDA_VISIBLE_DEVICES  as on a driver.
 *   CUSHIM_MOCK_CHECK     1 prints what the mock found wrong with the program at exit, see the
 *                         end of this header, and watches the host's own accesses as well;
 *                         0 looks for nothing.
 *   CUSHIM_MOCK_TRACE     a file that gets the trace of every call, as CUSHIM_TRACE.
 *   CUSHIM_MOCK_FAULTS    faults to inject, as CUSHIM_FAULTS (see fault.h).
 *   CUSHIM_MOCK_KERNELS   plug-ins with kernels, as paths separated by colons. One
 *                         that cannot be loaded costs a line on standard error.
 *
 *   CUSHIM_MOCK_PTX_WORKERS
 *                         how many threads run the blocks of a kernel; else one a processor, and
 *                         one alone where there is a seed.
 *   CUSHIM_MOCK_PTX_STEPS how often a warp may jump backwards before its loop is taken to be
 *                         endless, a call counting as 16 jumps; 0: as often as it likes.
 *   CUSHIM_MOCK_PTX_CPU   base or avx2: no better instructions of the host than these;
 *                         best: the best ones.
 *
 * With a value that a variable cannot have, cuInit() fails and says so on standard error.
 *
 * Kernels run from the PTX that their module is loaded from. A host function that is
 * registered under a kernel's name takes the place of that: a launch then calls it. So a name
 * is what links the two, and it is the name as the PTX has it: mangled, unless the kernel
 * is extern "C". A module with an instruction that is not executed here is not loaded:
 * CUDA_ERROR_NOT_SUPPORTED, and the JIT log names the instruction and its line. It is loaded
 * where host functions of all its kernels were registered before.
 */
#ifndef CUSHIM_MOCK_H
#define CUSHIM_MOCK_H

#include <stddef.h>
#include <stdint.h>

#include <cushim/fault.h>
#include <cushim/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What the mock is to be. Zeros leave a field to the environment, and what the environment
 * does not say to the mock. The strings are copied.
 *
 * All forms of configuration share one grammar; lines of the file, and of settings, are
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
 * Where two of them contradict each other the later one counts, in this order: the file
 * of CUSHIM_MOCK_CONFIG, the other variables, then file, settings, devices,
 * driver_version and seed of this structure.
 */
struct cushim_mock_config {
    const char *devices;  /* "h200,h200" */
    int driver_version;   /* as cuDriverGetVersion() answers it: 11040 is CUDA 11.4 */
    uint64_t seed;        /* 0 is no seed */
    const char *file;     /* the path of a file as described above */
    const char *settings; /* the lines of such a file themselves */
};

/**
 * Says what the mock is to be, in the place of what an earlier call said; NULL takes that
 * back. To be called before cuInit().
 *
 * CUSHIM_ERROR_BUSY once cuInit() has succeeded. CUSHIM_ERROR_INVALID_ARGUMENT if cuInit()
 * would fail with it, and CUSHIM_ERROR_NO_MEMORY: then everything is as before the call, and
 * cushim_mock_error_text() names the line and the word that are wrong. Thread-safe.
 *
 * A wrong configuration that comes from the environment is found by cuInit(), which then
 * writes a line to standard error and answers CUDA_ERROR_INVALID_VALUE, for
 * CUDA_ERROR_NO_DEVICE would let a program go on quietly without its GPU. It answers
 * CUDA_ERROR_NO_DEVICE where CUDA_VISIBLE_DEVICES leaves no device.
 */
CUSHIM_API cushim_status cushim_mock_configure(const struct cushim_mock_config *config);

/**
 * A sentence about the last cushim_mock_ function that failed in this thread, "" if none
 * did. Valid until the thread's next failure.
 */
CUSHIM_API const char *cushim_mock_error_text(void);

/**
 * Where the libraries of older driver versions, cushim/11.4/libcuda.so.1 and the like, get
 * their functions. They call it when they are loaded, and so make the mock a driver of that
 * version, whatever else says; of several, the first. Nothing for programs.
 */
CUSHIM_API const void *cushim_mock_front(int driver_version);

/**
 * Makes calls of the mock's functions fail, or last longer: the rules of fault.h, in front of
 * the driver's exported functions, for whoever calls them in this process.
 *
 *     cushim_mock_fail("cuMemAllocAsync", cushim_fault(.nth = 2, .result = 2));
 *
 * function and fault are as for cushim_faults_add(). Rules are asked after those of
 * CUSHIM_MOCK_FAULTS, in the order in which they were added, and count from then on. They need no
 * driver handle, so they serve tests of programs that open their driver themselves;
 * cushim_faults_create() serves those that hand a driver to what they test.
 *
 * CUSHIM_ERROR_UNKNOWN_SYMBOL, CUSHIM_ERROR_INVALID_ARGUMENT and CUSHIM_ERROR_LIMIT as of
 * cushim_faults_add(), with the sentence in cushim_mock_error_text(); CUSHIM_ERROR_NO_MEMORY.
 * Thread-safe, and may be called before cuInit().
 */
CUSHIM_API cushim_status cushim_mock_fail(const char *function, const struct cushim_fault *fault);

/**
 * Takes back what cushim_mock_fail() asked for, a device that it lost included; the rules of
 * CUSHIM_MOCK_FAULTS stay. A call that is under way may still be hit. Thread-safe.
 */
CUSHIM_API void cushim_mock_faults_clear(void);

/** One launch, as its kernel sees it. Valid while the kernel runs. */
struct cushim_mock_launch {
    const char *kernel;      /* the name it was launched under */
    void *user;              /* what the kernel was registered with */
    int device;              /* the device's ordinal */
    unsigned grid[3];        /* blocks in x, y and z */
    unsigned block[3];       /* threads of a block in x, y and z */
    size_t shared_bytes;     /* the dynamic shared memory that the launch asked for */
    size_t n_args;           /* how many arguments there are */
    const size_t *arg_bytes; /* the size of each */
};

/**
 * A kernel. Called once a launch, not once a thread, when its stream's turn comes: in a
 * thread that waits for work or asks about it, or in one of the mock's own. args[i]
 * points to a copy of the i-th argument, aligned as the PTX declares it:
 *
 *     const unsigned n = *(const unsigned *) args[3];
 *
 * An argument that is a pointer holds a device address, and a device address is never
 * a pointer of the host: cushim_mock_pointer() makes one of it.
 *
 * Only one kernel runs at a time. It may start threads of its own if it waits for
 * them. It must not call functions of the driver: in its own thread they answer
 * CUDA_ERROR_NOT_PERMITTED, in another they wait for the kernel to end.
 */
typedef void (*cushim_mock_kernel_fn)(const struct cushim_mock_launch *launch, void *const *args);

/**
 * Where the bytes of [device_address, device_address + bytes) are on the host.
 *
 * NULL if the range is not inside one live allocation that the device can use. The
 * launch then fails as an illegal access does on hardware: the launching call still
 * succeeds, every later use of the context answers CUDA_ERROR_ILLEGAL_ADDRESS (700), and
 * only destroying the context helps. So a kernel that gets NULL just returns.
 *
 * To be called while a kernel runs, by it or by a thread that works for it; NULL at
 * any other time. The result is valid until the kernel ends.
 */
CUSHIM_API void *cushim_mock_pointer(uint64_t device_address, size_t bytes);

/**
 * The same for bytes that the kernel only reads, or only writes (all of them). Saying so
 * lets the mock tell whether kernels in two streams get in each other's way, and whether
 * a kernel reads what nothing has written; cushim_mock_pointer() is taken to read and
 * write.
 */
CUSHIM_API const void *cushim_mock_input(uint64_t device_address, size_t bytes);
CUSHIM_API void *cushim_mock_output(uint64_t device_address, size_t bytes);

/**
 * Makes the running launch fail with a CUresult of the caller's choice, such as 719
 * CUDA_ERROR_LAUNCH_FAILED for a trap or 716 for a misaligned address; then
 * everything is as after an illegal access. The first failure of a launch counts.
 * Does nothing while no kernel runs, and for a result of 0.
 */
CUSHIM_API void cushim_mock_kernel_fail(int result);

/** One thread of a launch. */
struct cushim_mock_thread {
    const struct cushim_mock_launch *launch;
    unsigned block_index[3];
    unsigned thread_index[3];
    void *runner; /* the mock's own */
};

typedef void (*cushim_mock_thread_fn)(const struct cushim_mock_thread *thread, void *data);

/**
 * Calls fn for every thread of the launch: block by block, and x before y before z inside
 * each. For kernels that are written as a kernel is, for one thread:
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
 * Threads run one at a time, and a thread runs until it returns or comes to a barrier. All
 * are run by the caller's thread, each on a stack of its own of a quarter of a MiB once it
 * waits. fn must not leave by longjmp() or an exception.
 *
 * To be called while a kernel runs, by it or by a thread that works for it.
 */
CUSHIM_API void cushim_mock_for_each_thread(const struct cushim_mock_launch *launch,
                                            cushim_mock_thread_fn fn, void *data);

/**
 * Memory that the threads of a block share, until the block ends: for each name one variable,
 * made by the first thread that asks, as __shared__ declares it. name must live as long as the
 * block. It begins with bytes that are no sensible numbers, as nothing has written it.
 *
 * name NULL is the dynamic shared memory, as much as the launch asked for (extern
 * __shared__); bytes is how much of it the thread uses, 0 if it does not matter.
 *
 * NULL, and the launch fails, if the variable, or the dynamic memory, is smaller than bytes, if
 * the device's blocks have no more, or if the caller is no thread of
 * cushim_mock_for_each_thread(). Then the thread just returns.
 */
CUSHIM_API void *cushim_mock_shared(const struct cushim_mock_thread *thread, const char *name,
                                    size_t bytes);

/**
 * Waits until all threads of the block that have not returned have come here: __syncthreads(), as
 * devices have it from compute capability 7.0 on. To be called by a thread of
 * cushim_mock_for_each_thread(), itself or in functions that it calls.
 *
 * Threads that wait at different barriers pass them together, as on hardware, with whatever data
 * there is; that is a finding that names two of the threads and both places.
 */
#define cushim_mock_barrier(thread) cushim_mock_barrier_at((thread), __FILE__, __LINE__)

/** The same for a barrier that is said to be at a line of a file. */
CUSHIM_API void cushim_mock_barrier_at(const struct cushim_mock_thread *thread, const char *file,
                                       int line);

/**
 * Registers the host function of a kernel. The name is copied; user is handed to the
 * kernel in its launch and must live as long as it is registered. A name that is
 * registered already gets the new function, also in modules that are loaded; fn NULL
 * takes the name out.
 *
 * CUSHIM_ERROR_INVALID_ARGUMENT for a NULL or empty name, CUSHIM_ERROR_NO_MEMORY.
 * Thread-safe, and may be called before cuInit().
 */
CUSHIM_API cushim_status cushim_mock_register_kernel(const char *name, cushim_mock_kernel_fn fn,
                                                     void *user);

/**
 * What a plug-in exports: an array of this name, ended by an entry of zeros. The
 * functions stay in use until the process ends, so a plug-in is never unloaded.
 *
 *     const struct cushim_mock_kernel cushim_mock_kernels[] = {
 *         {"vector_add", vector_add, NULL},
 *         {NULL, NULL, NULL},
 *     };
 *
 * The plug-in is a shared library of its own, linked with libcushim-mock.
 */
struct cushim_mock_kernel {
    const char *name;
    cushim_mock_kernel_fn fn;
    void *user;
};

CUSHIM_API extern const struct cushim_mock_kernel cushim_mock_kernels[];

/*
 * What the program did so far, counted when it is done, not when it is submitted: so a test
 * synchronises first.
 */
struct cushim_mock_counts {
    uint64_t live_allocations, live_bytes; /* device and managed memory that is there now */
    uint64_t peak_bytes;                   /* the most that was there at a time */
    uint64_t launches;                     /* kernels */
    uint64_t host_calls;                   /* host functions and callbacks */
    uint64_t memsets, copies;
    uint64_t bytes_to_device, bytes_to_host, bytes_on_device, bytes_on_host; /* copied */
    uint64_t waits; /* calls that wait for a stream, an event or a context */
};

/** The counts since the process began. Thread-safe. */
CUSHIM_API struct cushim_mock_counts cushim_mock_stats(void);

/*
 * What the mock found wrong with the program. It watches every copy, memset and kernel:
 *
 *     CUSHIM_MOCK_CHECK=1   prints the findings, and what was never freed, at exit
 *     CUSHIM_MOCK_CHECK=0   watches nothing
 *
 * A finding changes no result: the driver's answer is what a driver answers. The exception is a
 * barrier that the threads of a block do not reach together, which fails the launch.
 *
 * What the host itself does to memory of work that it has not waited for is watched with
 * CUSHIM_MOCK_CHECK=1 or "watch_host = yes", by protecting pages and handling SIGSEGV; docs/mock.md
 * says what that sees. A stream that waits for a value that nobody writes is told of on standard
 * error as well, at once, since the program may never get to its end.
 */

enum cushim_mock_finding_kind {
    CUSHIM_MOCK_DATA_RACE = 0,          /* two accesses that nothing orders, one a write */
    CUSHIM_MOCK_OUT_OF_BOUNDS = 1,      /* bytes outside of every allocation */
    CUSHIM_MOCK_USE_AFTER_FREE = 2,     /* bytes of an allocation that was freed */
    CUSHIM_MOCK_DOUBLE_FREE = 3,        /* an allocation freed a second time */
    CUSHIM_MOCK_UNINITIALISED_READ = 4, /* device memory read that nothing has written */
    CUSHIM_MOCK_LEAK = 5,               /* an object that was never given back */
    CUSHIM_MOCK_STUCK = 6,              /* a stream that waits for a value nobody writes */
    CUSHIM_MOCK_HOST_ACCESS = 7,        /* the host uses memory before a copy is done with it */
    CUSHIM_MOCK_BARRIER = 8,            /* threads of a block at different barriers, or too few */
    CUSHIM_MOCK_MISALIGNED_ACCESS = 9,  /* an address that is no multiple of what it is used as */
    CUSHIM_MOCK_ENDLESS_LOOP = 10,      /* a kernel that does not end */
    CUSHIM_MOCK_KERNEL_FAULT = 11,      /* trap, a failed assertion, a call of no function, ... */
    CUSHIM_MOCK_ATTACHMENT = 12,        /* managed memory used where it is not attached */
};

struct cushim_mock_finding {
    enum cushim_mock_finding_kind kind;
    const char *text; /* who did what to which allocation */
    unsigned count;   /* how often, word for word */
};

/**
 * How many findings there are; and, unless ret_findings is NULL, where they are, in the order
 * in which they were found. The array belongs to the mock, and is valid until
 * cushim_mock_findings_clear(). At most 1000 are kept. Thread-safe.
 */
CUSHIM_API size_t cushim_mock_findings(const struct cushim_mock_finding **ret_findings);

/**
 * Gives an object, or the allocation that an address is in, a name that findings say:
 *
 *     cushim_mock_label(weights, "weights");
 *     cushim_mock_label((uintptr_t) stream, "upload");
 *
 * The label is copied (the first 31 bytes are said for a stream, 32 for memory, 64 for others);
 * NULL takes it away. It goes with the object; findings about memory that was freed still say it.
 *
 * CUSHIM_ERROR_INVALID_ARGUMENT if nothing is there, CUSHIM_ERROR_NO_MEMORY. Thread-safe.
 */
CUSHIM_API cushim_status cushim_mock_label(uint64_t handle_or_address, const char *label);

/** Forgets the findings so far. Thread-safe. */
CUSHIM_API void cushim_mock_findings_clear(void);

/**
 * Looks for what is there now and would be a leak if the process ended: memory, streams, events,
 * modules, contexts, primary contexts that are retained. Each becomes a finding; the result is
 * how many are new. Thread-safe.
 */
CUSHIM_API size_t cushim_mock_leaks(void);

#ifdef __cplusplus
}
#endif

#endif
