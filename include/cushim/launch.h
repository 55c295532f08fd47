/* SPDX-License-Identifier: MIT */
/*
 * Launching kernels.
 *
 *     CUSHIM_TRY(cushim_launch(stream, saxpy, cushim_for_elements(n),
 *                              CUSHIM_VALUE(a), CUSHIM_IN(x), CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
 *
 * An argument says what the kernel does with it: gets a value, reads memory, writes all of it, or
 * both. From that the launch knows what it has to wait for: a kernel runs after whatever
 * wrote what it reads, and after whatever used what it writes, on whichever stream that
 * was submitted. So the intents have to be true. Memory that a kernel reaches in other ways,
 * through a pointer in a structure, say, is declared with cushim_slice_used().
 *
 * Before the driver is called, everything that can be known is checked: how many arguments
 * there are and their sizes, against the kernel's own parameters; grid, block and shared memory,
 * against the device and the kernel; stream, kernel and memory, for being of one context; and
 * memory that is written, for not overlapping any other argument. The error text names the
 * kernel, the argument, counted from 0, and both sizes:
 *
 *     saxpy: argument 3 (n) is 4 bytes, the kernel's parameter is 8
 *
 * What cannot be known is whether a value of the right size has the right type.
 *
 * A launch without options is one call of the driver, besides the question which context is
 * current, as long as its memory stays on one stream: no event is recorded and nothing is
 * allocated. Work that moves memory between streams costs an event and a wait for each hand-over.
 * So there is no reason to give many kernels one stream for speed, and none to keep events by hand.
 *
 * When not to use this: for kernels that get pointers inside of buffers, and that nobody
 * can tell the intent of, write the launch with cuLaunchKernel() through the table, between
 * cushim_slice_use() and cushim_slice_used() for each slice that it touches.
 *
 * A launch returns when the kernel was submitted. Values were copied by then, and memory that is
 * freed while the kernel runs is kept until it has ended. An empty grid is a launch that
 * succeeds and does nothing. All functions are thread-safe, and need no context to be current.
 */
#ifndef CUSHIM_LAUNCH_H
#define CUSHIM_LAUNCH_H

#include <cushim/event.h>
#include <cushim/module.h>
#include <cushim/slice.h>
#include <cushim/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a kernel does with an argument. */
enum cushim_intent {
    CUSHIM_INTENT_VALUE = 0, /* gets a copy */
    CUSHIM_INTENT_IN = 1,    /* reads memory */
    CUSHIM_INTENT_OUT = 2,   /* writes memory, and reads nothing that was there */
    CUSHIM_INTENT_INOUT = 3, /* reads and writes it */
};

/**
 * One argument. The macros below make it. It does not own anything: the value and the name have to
 * live until the launch, or the push, returns. For the macros that is always so, also where
 * the value is an expression.
 */
struct cushim_argument {
    const char *name; /* for messages */
    enum cushim_intent intent;
    size_t bytes;      /* of a value */
    const void *value; /* where it is */
    cushim_view view;  /* of memory */
};

/* The kernel's parameter gets a device address: that of the view's first byte. */
static inline struct cushim_argument cushim__argument_view(enum cushim_intent intent,
                                                           const char *name, cushim_view view)
{
    struct cushim_argument argument;

    argument.name = name;
    argument.intent = intent;
    argument.bytes = sizeof(uint64_t);
    argument.value = NULL;
    argument.view = view;
    return argument;
}

static inline struct cushim_argument cushim__argument_value(const char *name, const void *value,
                                                            size_t bytes)
{
    struct cushim_argument argument;

    argument.name = name;
    argument.intent = CUSHIM_INTENT_VALUE;
    argument.bytes = bytes;
    argument.value = value;
    argument.view.object = 0;
    return argument;
}

/**
 * Memory that the kernel reads, writes, or both: slices and views alike. A view that is not
 * writable can only be read.
 */
#define CUSHIM_IN(memory)    CUSHIM__MEMORY(CUSHIM_INTENT_IN, memory)
#define CUSHIM_OUT(memory)   CUSHIM__MEMORY(CUSHIM_INTENT_OUT, memory)
#define CUSHIM_INOUT(memory) CUSHIM__MEMORY(CUSHIM_INTENT_INOUT, memory)

#define CUSHIM__MEMORY(intent, memory) cushim__argument_view((intent), #memory, CUSHIM_VIEW(memory))

/**
 * A value: a number, or a structure that has the layout of the kernel's. Its size is that of
 * its type, so a literal 1 is an int; write (size_t) 1 where the kernel has size_t.
 */
#ifndef __cplusplus
#define CUSHIM_VALUE(...)                                                                          \
    cushim__argument_value(#__VA_ARGS__, (__typeof__(__VA_ARGS__)[1]){__VA_ARGS__},                \
                           sizeof(__VA_ARGS__))
#endif

/**
 * A value by its address, for what has its size at run time only: bindings for other languages, and
 * interpreters. The bytes are read when it is launched, or pushed to a launcher. Their alignment
 * does not matter.
 */
#define CUSHIM_BYTES(address, bytes) cushim__argument_value(#address, (address), (bytes))

/**
 * A window of memory that the second-level cache treats in its own way, while this kernel runs:
 * data that is read again and again can be made to stay, at the cost of everything else. The
 * context's limit for persisting lines has to be set before it has any effect
 * (cushim_context_set_limit()). Shares are 0 to 1.
 */
struct cushim_access_window {
    cushim_view view;
    float hit_ratio; /* the share of accesses that get hit; the others get miss */
    enum {
        CUSHIM_ACCESS_NORMAL = 0,
        CUSHIM_ACCESS_STREAMING = 1,  /* is the first to leave the cache */
        CUSHIM_ACCESS_PERSISTING = 2, /* stays there; not for miss */
    } hit,
        miss;
};

/**
 * An event that the launch records. It must have been made without timing. It is reached before
 * the kernel has ended, so waiting for it says nothing about the memory that the kernel
 * writes: cushim goes on treating that as in use, and who reads it by other means has to
 * know what the kernel promises.
 */
struct cushim_launch_event {
    cushim_event event;
    int flags;           /* of cuEventRecordWithFlags(), but not EXTERNAL */
    bool at_block_start; /* programmatic events: each block triggers it when it begins */
};

/** How the host waits for a kernel, with the driver's numbers. */
enum cushim_wait_policy {
    CUSHIM_WAIT_UNSET = 0,
    CUSHIM_WAIT_AUTO = 1,
    CUSHIM_WAIT_SPIN = 2,
    CUSHIM_WAIT_YIELD = 3,
    CUSHIM_WAIT_BLOCKING = 4,
};

/** How clusters are spread over the device, with the driver's numbers. */
enum cushim_cluster_scheduling {
    CUSHIM_CLUSTER_DEFAULT = 0,
    CUSHIM_CLUSTER_SPREAD = 1,
    CUSHIM_CLUSTER_LOAD_BALANCING = 2,
};

/** Which kernels' memory a kernel's fences wait for. */
enum cushim_sync_domain {
    CUSHIM_SYNC_DOMAIN_UNSET = 0,
    CUSHIM_SYNC_DOMAIN_DEFAULT = 1,
    CUSHIM_SYNC_DOMAIN_REMOTE = 2,
};

/** The physical domains that the two logical ones stand for. */
struct cushim_sync_domain_map {
    unsigned char local, remote;
};

/** A launch attribute that has no field here: a CUlaunchAttributeID, and up to 64 bytes of value.
 */
struct cushim_launch_attribute {
    int id;
    const void *value;
    size_t bytes;
};

/**
 * What a launch may ask for beyond its shape. Zero, or NULL, is not asking. These are the
 * attributes of cuLaunchKernelEx(), which is used for them alone and came with CUDA 11.8; the
 * later ones name their version. A driver that is too old answers
 * 302 CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, or 1 CUDA_ERROR_INVALID_VALUE.
 */
struct cushim_launch_options {
    /** All blocks run at the same time, so that they may wait for each other. Any driver. */
    bool cooperative;

    /**
     * Times the kernel: two events are made, recorded before and after it, and given to the
     * caller, who frees them. cushim_event_elapsed() has the time. Any driver.
     */
    cushim_event *ret_start, *ret_end;

    const struct cushim_access_window *access_window;
    enum cushim_wait_policy wait_policy;

    /** Blocks of a cluster in x, y and z; x 0: no clusters. They divide the grid. */
    unsigned cluster[3];
    enum cushim_cluster_scheduling cluster_scheduling;
    /** A cluster's size that is preferred where it fits, a multiple of cluster. CUDA 12.8. */
    unsigned preferred_cluster[3];

    /**
     * The kernel may begin before the one before it in the stream has ended, if that one says
     * so; it then has to wait inside, by griddepcontrol, for what it depends on.
     */
    bool programmatic_serialization;
    /** Recorded when all blocks have triggered it. */
    const struct cushim_launch_event *programmatic_event;
    /** Recorded when all blocks have begun. CUDA 12.3. */
    const struct cushim_launch_event *completion_event;

    const int *priority; /* as a stream's */
    enum cushim_sync_domain sync_domain;
    const struct cushim_sync_domain_map *sync_domain_map;

    /**
     * In a stream that is being captured: the node can be changed by kernels. Its
     * CUgraphDeviceNode goes to *ret_device_node. CUDA 12.4.
     */
    void **ret_device_node;

    const int
        *shared_carveout; /* percent of the L1 cache that should be shared memory. CUDA 12.5 */
    bool nvlink_centric;  /* spread blocks for the use of NVLink. CUDA 13.0 */

    const struct cushim_launch_attribute *attributes; /* any others */
    size_t n_attributes;
};

/** Options in place: .options = cushim_launch_options(.cooperative = true). */
#define cushim_launch_options(...) (&(const struct cushim_launch_options){__VA_ARGS__})

/**
 * The shape of a launch. Zeros in grid[1], grid[2], block[1] and block[2] are ones. If grid[0] is 0
 * and elements, too, there is nothing to do, and nothing is done.
 */
struct cushim_launch_config {
    unsigned grid[3];    /* blocks */
    unsigned block[3];   /* threads of a block */
    size_t shared_bytes; /* dynamic shared memory of a block */
    /** Instead of grid and block: one thread for each of so many elements, in x. */
    size_t elements;
    const struct cushim_launch_options *options;
};

/** A shape in place: cushim_launch(stream, f, cushim_launch_config(.grid = {8}, .block = {64}),
 * ...). */
#ifndef __cplusplus
#define cushim_launch_config(...) ((struct cushim_launch_config){__VA_ARGS__})
#endif

/**
 * One thread for each of n elements, at least: the last block may have threads for elements that
 * are not there, so the kernel compares its index with n. Blocks have 256 threads, or what
 * the kernel allows if that is less.
 */
static inline struct cushim_launch_config cushim_for_elements(size_t n)
{
    struct cushim_launch_config config;

    __builtin_memset(&config, 0, sizeof(config));
    config.elements = n;
    return config;
}

/* How many blocks of so many threads it takes; what is too many for a grid is refused later. */
static inline unsigned cushim__blocks(size_t n, unsigned threads)
{
    const size_t blocks = n / threads + (n % threads != 0);

    return blocks < 0xffffffffu ? (unsigned) blocks : 0xffffffffu;
}

/** The same for a field of width times height elements, in blocks of 16 by 16 threads. */
static inline struct cushim_launch_config cushim_for_2d(size_t width, size_t height)
{
    struct cushim_launch_config config;

    __builtin_memset(&config, 0, sizeof(config));
    config.grid[0] = height ? cushim__blocks(width, 16) : 0;
    config.grid[1] = cushim__blocks(height, 16);
    config.block[0] = config.block[1] = 16;
    return config;
}

/** The same for three dimensions, in blocks of 8 by 8 by 4 threads. */
static inline struct cushim_launch_config cushim_for_3d(size_t width, size_t height, size_t depth)
{
    struct cushim_launch_config config;

    __builtin_memset(&config, 0, sizeof(config));
    config.grid[0] = height && depth ? cushim__blocks(width, 8) : 0;
    config.grid[1] = cushim__blocks(height, 8);
    config.grid[2] = cushim__blocks(depth, 4);
    config.block[0] = config.block[1] = 8;
    config.block[2] = 4;
    return config;
}

/**
 * Launches a kernel on a stream, with n arguments. The macro cushim_launch() makes the array.
 *
 * CUSHIM_ERROR_INVALID_ARGUMENT for what is described at the top of this page; after that, what
 * the driver answers. CUSHIM_ERROR_FOREIGN_CONTEXT where stream, kernel and memory are of
 * different contexts, CUSHIM_ERROR_OVERLAP and CUSHIM_ERROR_READ_ONLY for memory that is written. A
 * kernel that fails while it runs is told by a later call, such as the one that waits for it.
 */
CUSHIM_API cushim_status cushim_launch_arguments(cushim_stream stream, cushim_function function,
                                                 const struct cushim_launch_config *config,
                                                 const struct cushim_argument *arguments, size_t n);

/**
 * cushim_launch(stream, function, config, argument...): config is a struct cushim_launch_config,
 * such as cushim_for_elements(n), and an argument is one of the macros above. There may be none.
 */
#ifndef __cplusplus
#define cushim_launch(stream, function, ...)                                                       \
    CUSHIM__LAUNCH(stream, function, __VA_ARGS__, CUSHIM__NO_ARGUMENT)
/* A call like the others: a constant would have the compiler clear the whole array first. */
#define CUSHIM__NO_ARGUMENT cushim__argument_value("", "", 0)
#define CUSHIM__LAUNCH(stream, function, config, ...)                                              \
    cushim_launch_arguments((stream), (function), (struct cushim_launch_config[1]){config},        \
                            CUSHIM__ARGUMENTS(__VA_ARGS__))
/* The array, and its length without the last one. */
#define CUSHIM__ARGUMENTS(...)                                                                     \
    (const struct cushim_argument[]){__VA_ARGS__},                                                 \
        sizeof((const struct cushim_argument[]){__VA_ARGS__}) / sizeof(struct cushim_argument) - 1
#endif

/**
 * A launch that is put together step by step, and used again: for argument lists that are not
 * known when the program is compiled, and for kernels that are launched often with nearly the same
 * arguments. It costs no less than cushim_launch(), which also allocates nothing.
 *
 * Several threads may use one launcher. Each call is one step: a launch sees all of a push or
 * nothing of it. Memory is named by its handle, and so may be freed while the launcher is there;
 * then launching fails with CUSHIM_ERROR_STALE_HANDLE until the argument is replaced.
 *
 * Arguments are copied when they are pushed, values with their bytes. Freed by
 * cushim_launcher_free().
 */
CUSHIM__HANDLE(cushim_launcher, cushim_launcher_free)

/** For one kernel. It does not keep the kernel's module: see cushim_module_free(). */
CUSHIM_API cushim_status cushim_launcher_create(cushim_function function,
                                                cushim_launcher *ret_launcher);

/** Adds arguments, after those that are there. Nothing is added where this fails. */
CUSHIM_API cushim_status cushim_launcher_push_arguments(cushim_launcher launcher,
                                                        const struct cushim_argument *arguments,
                                                        size_t n);
#ifndef __cplusplus
#define cushim_launcher_push(launcher, ...)                                                        \
    cushim_launcher_push_arguments((launcher), CUSHIM__ARGUMENTS(__VA_ARGS__, CUSHIM__NO_ARGUMENT))
#endif

/** Puts another argument in the place of one, counted from 0. It may be of another kind. */
CUSHIM_API cushim_status cushim_launcher_set(cushim_launcher launcher, size_t index,
                                             struct cushim_argument argument);

/** Forgets all arguments. */
CUSHIM_API cushim_status cushim_launcher_clear(cushim_launcher launcher);

/** Launches with the arguments that are there. They stay. */
CUSHIM_API cushim_status cushim_launcher_launch(cushim_launcher launcher, cushim_stream stream,
                                                struct cushim_launch_config config);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_launcher_create(...)                                                                \
    (cushim_source_location(CUSHIM_HERE), cushim_launcher_create(__VA_ARGS__))
#define cushim_launcher_free(...)                                                                  \
    (cushim_source_location(CUSHIM_HERE), cushim_launcher_free(__VA_ARGS__))
#endif

#ifdef __cplusplus
}

/* In C++ the same words are functions, because an array cannot be made in an expression there. */
template <class T>
static inline struct cushim_argument cushim__argument_of(const char *name, const T &value)
{
    return cushim__argument_value(name, &value, sizeof(T));
}

#define CUSHIM_VALUE(...) cushim__argument_of(#__VA_ARGS__, __VA_ARGS__)

template <class... Arguments>
static inline cushim_status cushim_launch(cushim_stream stream, cushim_function function,
                                          const struct cushim_launch_config &config,
                                          const Arguments &...arguments)
{
    const struct cushim_argument all[] = {arguments..., cushim_argument()};

    return cushim_launch_arguments(stream, function, &config, all, sizeof...(arguments));
}

template <class... Arguments>
static inline cushim_status cushim_launcher_push(cushim_launcher launcher,
                                                 const Arguments &...arguments)
{
    const struct cushim_argument all[] = {arguments..., cushim_argument()};

    return cushim_launcher_push_arguments(launcher, all, sizeof...(arguments));
}
#endif

#endif
