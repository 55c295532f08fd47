/* SPDX-License-Identifier: MIT */
/*
 * Launching kernels.
 *
 *     CUSHIM_TRY(cushim_launch(stream, saxpy, cushim_for_elements(n),
 *                              CUSHIM_VALUE(a), CUSHIM_IN(x), CUSHIM_INOUT(y), CUSHIM_VALUE(n)));
 *
 * Each argument has an intent, which tells what the kernel does with it: it gets a value, reads
 * memory, writes all of it, or both. The intents decide what a launch waits for. A kernel runs
 * after all earlier work, in any stream, that wrote the memory it reads, and after all earlier work
 * that used the memory it writes. So the intents must be true. Memory reached in another way needs
 * cushim_slice_use() before the launch and cushim_slice_used() after it (slice.h).
 *
 * cushim checks a launch before it calls the driver. The number and the sizes of the arguments must
 * match the kernel's parameters. Grid, block and shared memory must be within the limits of the
 * device and the kernel. Stream, kernel and memory must belong to one context. Memory that the
 * kernel writes must not overlap another argument, unless that says so (CUSHIM_SAME()). The error
 * text names the kernel, the argument (counted from 0) and both sizes:
 *
 *     saxpy: argument 3 (n) is 4 bytes, the kernel's parameter is 8
 *
 * cushim cannot check whether a value of the right size has the right type.
 *
 * A launch without options takes the fast path as long as its memory stays on one stream: it makes
 * one call of the driver, records no event and allocates nothing. When memory moves from one stream
 * to another, each such change costs an event and a wait. So a program need not put many kernels
 * into one stream for speed, and need not manage events itself.
 *
 * Do not use these functions for kernels whose pointers are inside of buffers and whose intents are
 * not known. Launch such a kernel with cuLaunchKernel() through the table (table.h), and call
 * cushim_slice_use() before and cushim_slice_used() after it for each slice that the kernel uses.
 *
 * A launch returns when the kernel is submitted. The values of its arguments are copied before it
 * returns. Memory that is freed while the kernel runs stays allocated until the kernel has ended. A
 * launch with no elements, or with an empty grid, succeeds and does nothing. All functions are
 * thread-safe, and need no current context.
 */
#ifndef CUSHIM_LAUNCH_H
#define CUSHIM_LAUNCH_H

#include <cushim/launch_options.h>
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
    CUSHIM_INTENT_SAME = 4,  /* gets memory that another argument names, whose intent counts */
};

/**
 * One argument of a launch. The macros below make it. It owns nothing: the value and the name must
 * be valid until the launch, or cushim_launcher_push(), returns. The macros ensure this, also if
 * the value is an expression.
 */
struct cushim_argument {
    const char *name; /* for messages */
    enum cushim_intent intent;
    size_t bytes;      /* the size of a value */
    const void *value; /* the address of a value */
    cushim_view view;  /* the memory, for the other intents */
};

/*
 * Makes an argument for memory. The kernel's parameter gets the device address of the view's first
 * byte.
 */
static inline struct cushim_argument cushim__argument_view(enum cushim_intent intent,
                                                           const char *name, cushim_view view)
{
    struct cushim_argument argument;

    argument.name = name;
    argument.intent = intent;
    argument.bytes = sizeof(uint64_t);
    argument.value = NULL;
    /* Field by field, which compilers write in place; a structure they copy through memory. */
    argument.view.object = view.object;
    argument.view.offset = view.offset;
    argument.view.length = view.length;
    argument.view.element = view.element;
    argument.view.writable = view.writable;
    argument.view.type = view.type;
    cushim__clear_reserved(&argument.view);
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
 * An argument for memory that the kernel reads (IN), writes without reading (OUT), or both (INOUT).
 * memory is a slice, pinned memory, unified memory or a view. A view that is not writable is only
 * allowed for IN.
 */
#define CUSHIM_IN(memory)  cushim__argument_view(CUSHIM_INTENT_IN, #memory, CUSHIM_VIEW(memory))
#define CUSHIM_OUT(memory) cushim__argument_view(CUSHIM_INTENT_OUT, #memory, CUSHIM_VIEW(memory))
#define CUSHIM_INOUT(memory)                                                                       \
    cushim__argument_view(CUSHIM_INTENT_INOUT, #memory, CUSHIM_VIEW(memory))

/**
 * An argument for a kernel that gets the same memory twice, such as one that works in place:
 *
 *     cushim_launch(stream, add, cushim_for_elements(n), CUSHIM_INOUT(x), CUSHIM_SAME(x),
 *                   CUSHIM_SAME(x), CUSHIM_VALUE(n))
 *
 * memory must be inside of the memory of another argument of the launch. The intent of that
 * argument says what the kernel does with it: if the kernel reads and writes the memory, that is
 * CUSHIM_INOUT(), also where its parameters are an input and an output. The kernel must be made for
 * such use: if it writes an element, no other thread of it may read that element.
 */
#define CUSHIM_SAME(memory) cushim__argument_view(CUSHIM_INTENT_SAME, #memory, CUSHIM_VIEW(memory))

/**
 * An argument for a value: a number, or a structure with the same layout as in the kernel. The
 * value has the size of its type, so the literal 1 is an int; write (size_t) 1 for a parameter of
 * type size_t. A pointer is not accepted, because it is nearly always one of the host: memory of
 * the device that cushim does not know is written as CUSHIM_VALUE((uint64_t) pointer), and nothing
 * orders the launch with other work on it.
 */
#define CUSHIM__NO_VALUE                                                                           \
    "a handle or a pointer is no value: write CUSHIM_IN() or its like, or (uint64_t) pointer"
#ifndef __cplusplus
#define CUSHIM_VALUE(...)                                                                          \
    cushim__argument_value(#__VA_ARGS__, (__typeof__(__VA_ARGS__)[1]){__VA_ARGS__},                \
                           CUSHIM__VALUE_BYTES(__VA_ARGS__))
/* The size of a value, which is neither a handle nor a pointer. Short, because assert() writes it.
 */
#define CUSHIM__VALUE_BYTES(...)                                                                   \
    (sizeof(struct {                                                                               \
         _Static_assert(CUSHIM__IS_VALUE((__typeof__(__VA_ARGS__) *) 0), CUSHIM__NO_VALUE);        \
         char unused;                                                                              \
     }) *                                                                                          \
     sizeof(__VA_ARGS__))
/* 5 is the class of pointers. The types are spelled as pointers: not all are known here. */
#define CUSHIM__IS_VALUE(p)                                                                        \
    _Generic(p, cushim_slice * : 0, cushim_pinned * : 0, cushim_unified * : 0, cushim_view * : 0,  \
             struct cushim_field * : 0, cushim_stream * : 0, cushim_context * : 0,                 \
             cushim_event * : 0, cushim_function * : 0, cushim_module * : 0,                       \
             struct cushim_graph * : 0, struct cushim_pool * : 0, struct cushim_kernel * : 0,      \
             struct cushim_arena * : 0, struct cushim_op * : 0, struct cushim_policy * : 0,        \
             struct cushim_future * : 0, default                                                   \
             : __builtin_classify_type(*p) != 5)
/* Those that this header does not declare. */
struct cushim_field;
struct cushim_graph;
struct cushim_pool;
struct cushim_arena;
struct cushim_kernel;
struct cushim_op;
struct cushim_policy;
struct cushim_future;
#endif

/**
 * An argument for a value whose size is known only at run time, as in bindings for other languages
 * and interpreters. The bytes at the address are read by the launch, or when the argument is pushed
 * to a launcher. They need no alignment.
 */
#define CUSHIM_BYTES(address, bytes) cushim__argument_value(#address, (address), (bytes))

/**
 * The shape of a launch: either grid and block, or elements. A launch with elements and anything of
 * a grid or a block fails with CUSHIM_ERROR_INVALID_ARGUMENT. A zero in grid[1], grid[2], block[1]
 * or block[2] means 1. If both grid[0] and elements are 0, the launch does nothing and succeeds;
 * but a block with a grid of three zeros was forgotten to be given one, and fails with
 * CUSHIM_ERROR_INVALID_ARGUMENT. Where a number of blocks that was computed can be 0, write
 * .grid = {blocks, 1, 1}.
 */
struct cushim_launch_config {
    size_t size; /* sizeof the structure; the macro cushim_launch_config() sets it */

    unsigned grid[3];    /* blocks */
    unsigned block[3];   /* threads of a block */
    size_t shared_bytes; /* dynamic shared memory of a block */
    /**
     * The number of elements, with one thread for each in x. cushim then chooses grid and block,
     * which must be 0. The grid is a multiple of the clusters, if there are any.
     */
    size_t elements;
    const struct cushim_launch_options *options;
};

/**
 * Writes a shape in place: cushim_launch(stream, f, cushim_launch_config(.grid = {8}, .block =
 * {64}), ...).
 */
#define cushim_launch_config(...) CUSHIM__SIZED(cushim_launch_config, __VA_ARGS__)

/**
 * Returns a shape with at least one thread for each of n elements. The last block may have more
 * threads than elements are left, so the kernel must compare its index with n. A block has 256
 * threads, or fewer if the kernel does not allow so many.
 */
static inline struct cushim_launch_config cushim_for_elements(size_t n)
{
    struct cushim_launch_config config;

    __builtin_memset(&config, 0, sizeof(config));
    config.size = sizeof(config);
    config.elements = n;
    return config;
}

/* A number is no configuration; without this function it would be the first field of one. */
static inline struct cushim_launch_config cushim__config_of(struct cushim_launch_config config)
{
    return config;
}

/*
 * The number of blocks that n threads need. A number that is too large for a grid is rejected by
 * the launch.
 */
static inline unsigned cushim__blocks(size_t n, unsigned threads)
{
    const size_t blocks = n / threads + (n % threads != 0);

    return blocks < 0xffffffffu ? (unsigned) blocks : 0xffffffffu;
}

/**
 * Returns a shape with at least one thread for each element of a field of width times height
 * elements. A block has 16 by 16 threads. Blocks at the edges may have more threads than elements
 * are left, so the kernel must compare its indices with width and height.
 */
static inline struct cushim_launch_config cushim_for_2d(size_t width, size_t height)
{
    struct cushim_launch_config config;

    __builtin_memset(&config, 0, sizeof(config));
    config.size = sizeof(config);
    config.grid[0] = height ? cushim__blocks(width, 16) : 0;
    config.grid[1] = height ? cushim__blocks(height, 16) : 1;
    config.block[0] = config.block[1] = 16;
    return config;
}

/**
 * Returns a shape with at least one thread for each element of a field of width times height times
 * depth elements. A block has 8 by 8 by 4 threads. Blocks at the edges may have more threads than
 * elements are left, so the kernel must compare its indices with width, height and depth.
 */
static inline struct cushim_launch_config cushim_for_3d(size_t width, size_t height, size_t depth)
{
    struct cushim_launch_config config;

    __builtin_memset(&config, 0, sizeof(config));
    config.size = sizeof(config);
    config.grid[0] = height && depth ? cushim__blocks(width, 8) : 0;
    config.grid[1] = height ? cushim__blocks(height, 8) : 1;
    config.grid[2] = depth ? cushim__blocks(depth, 4) : 1;
    config.block[0] = config.block[1] = 8;
    config.block[2] = 4;
    return config;
}

/**
 * Launches a kernel on a stream with an array of n arguments. The macro cushim_launch() makes the
 * array. The call returns when the kernel is submitted.
 *
 * The result is CUSHIM_ERROR_INVALID_ARGUMENT if a check fails that the top of this header
 * describes, CUSHIM_ERROR_FOREIGN_CONTEXT if stream, kernel and memory belong to different
 * contexts, CUSHIM_ERROR_OVERLAP if memory that the kernel writes overlaps another argument,
 * CUSHIM_ERROR_READ_ONLY if it is not writable, and otherwise the result of the driver. If the
 * kernel fails while it runs, a later call returns the error, such as the one that waits for the
 * kernel.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_launch_arguments(
    cushim_stream stream, cushim_function function, const struct cushim_launch_config *config,
    const struct cushim_argument *arguments, size_t n);

/**
 * Launches a kernel: cushim_launch(stream, function, config, argument...). config is a struct
 * cushim_launch_config: cushim_for_elements(n), cushim_launch_config(...), or a variable. Each
 * argument is one of the macros above, and there may be none. See cushim_launch_arguments() for the
 * results.
 */
#ifndef __cplusplus
#define cushim_launch(stream, function, ...)                                                       \
    CUSHIM__LAUNCH(stream, function, __VA_ARGS__, CUSHIM__NO_ARGUMENT)
/*
 * This is a function call, as the other elements are: with a constant, the compiler would clear the
 * whole array first.
 */
#define CUSHIM__NO_ARGUMENT cushim__argument_value("", "", 0)
#define CUSHIM__LAUNCH(stream, function, config, ...)                                              \
    cushim_launch_arguments((stream), (function),                                                  \
                            (struct cushim_launch_config[1]){cushim__config_of(config)},           \
                            CUSHIM__ARGUMENTS(__VA_ARGS__))
/* Makes the array, and its length without the last element. */
#define CUSHIM__ARGUMENTS(...)                                                                     \
    (const struct cushim_argument[]){__VA_ARGS__},                                                 \
        sizeof((const struct cushim_argument[]){__VA_ARGS__}) / sizeof(struct cushim_argument) - 1
#endif

/**
 * A launcher keeps a kernel and its arguments, for several launches. It is for argument lists that
 * are not known when the program is compiled, and for kernels that are launched often with nearly
 * the same arguments. It is not faster than cushim_launch(), which also allocates nothing.
 *
 * Several threads may use one launcher. Each call is atomic: a launch uses either all arguments of
 * a push or none of them. A launcher names memory by its handle and does not keep it alive. After
 * the memory is freed, a launch fails with CUSHIM_ERROR_STALE_HANDLE until the argument is
 * replaced.
 *
 * A push copies the arguments, including the bytes of values. Freed by cushim_launcher_free().
 */
CUSHIM__HANDLE(cushim_launcher, cushim_launcher_free)

/**
 * Creates a launcher for one kernel. It does not keep the kernel's module: after the module is
 * freed (cushim_module_free()), launches fail with CUSHIM_ERROR_STALE_HANDLE.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_launcher_create(cushim_function function,
                                                               cushim_launcher *ret_launcher);

/**
 * Appends n arguments to those of a launcher. If the call fails, it adds none of them. The macro
 * cushim_launcher_push() makes the array.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_launcher_push_arguments(
    cushim_launcher launcher, const struct cushim_argument *arguments, size_t n);
#ifndef __cplusplus
#define cushim_launcher_push(launcher, ...)                                                        \
    cushim_launcher_push_arguments((launcher), CUSHIM__ARGUMENTS(__VA_ARGS__, CUSHIM__NO_ARGUMENT))
#endif

/**
 * Replaces the argument of a launcher at an index, counted from 0. The new argument may have
 * another intent. The launcher copies it.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_launcher_set(cushim_launcher launcher, size_t index,
                                                            struct cushim_argument argument);

/** Removes all arguments of a launcher. */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_launcher_clear(cushim_launcher launcher);

/**
 * Launches the kernel of a launcher on a stream, with the arguments that were pushed. The launcher
 * keeps them. The results are those of cushim_launch_arguments().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_launcher_launch_config(
    cushim_launcher launcher, cushim_stream stream, const struct cushim_launch_config *config);

/**
 * Calls cushim_launcher_launch_config() with a configuration that is written in place:
 * cushim_launcher_launch(launcher, stream, cushim_for_elements(n)).
 */
#ifndef __cplusplus
#define cushim_launcher_launch(launcher, stream, ...)                                              \
    cushim_launcher_launch_config(                                                                 \
        (launcher), (stream), (struct cushim_launch_config[1]){cushim__config_of(__VA_ARGS__)})
#endif

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_launcher_create(...)                                                                \
    (cushim_source_location(CUSHIM_HERE), cushim_launcher_create(__VA_ARGS__))
#define cushim_launcher_free(...)                                                                  \
    (cushim_source_location(CUSHIM_HERE), cushim_launcher_free(__VA_ARGS__))
#define cushim_launcher_retain(...)                                                                \
    (cushim_source_location(CUSHIM_HERE), cushim_launcher_retain(__VA_ARGS__))
#endif

#ifdef __cplusplus
}

/*
 * In C++ these are functions of the same names, because an expression cannot make an array there.
 */
/* Whether a type is that of a handle, or a view or a field, which CUSHIM_IN() and its like take. */
template <class T> struct cushim__is_handle {
    template <class U> static char ask(typename U::cushim__handle_mark *);
    template <class U> static long ask(...);
    static const bool value = sizeof(ask<T>(0)) == sizeof(char);
};
template <class T> struct cushim__is_pointer {
    static const bool value = false;
};
template <class T> struct cushim__is_pointer<T *> {
    static const bool value = true;
};
template <class T, size_t n> struct cushim__is_pointer<T[n]> {
    static const bool value = true;
};

template <class T>
static inline struct cushim_argument cushim__argument_of(const char *name, const T &value)
{
    static_assert(!cushim__is_handle<T>::value && !cushim__is_pointer<T>::value, CUSHIM__NO_VALUE);
    static_assert(__is_trivially_copyable(T),
                  "a kernel gets the bytes of a value, and this type cannot be copied as bytes");

    return cushim__argument_value(name, &value, sizeof(T));
}

#define CUSHIM_VALUE(...) cushim__argument_of(#__VA_ARGS__, __VA_ARGS__)

template <class... Arguments>
static inline CUSHIM_CHECKED cushim_status cushim_launch(cushim_stream stream,
                                                         cushim_function function,
                                                         const struct cushim_launch_config &config,
                                                         const Arguments &...arguments)
{
    const struct cushim_argument all[] = {arguments..., cushim_argument()};

    return cushim_launch_arguments(stream, function, &config, all, sizeof...(arguments));
}

static inline CUSHIM_CHECKED cushim_status cushim_launcher_launch(
    cushim_launcher launcher, cushim_stream stream, const struct cushim_launch_config &config)
{
    return cushim_launcher_launch_config(launcher, stream, &config);
}

template <class... Arguments>
static inline CUSHIM_CHECKED cushim_status cushim_launcher_push(cushim_launcher launcher,
                                                                const Arguments &...arguments)
{
    const struct cushim_argument all[] = {arguments..., cushim_argument()};

    return cushim_launcher_push_arguments(launcher, all, sizeof...(arguments));
}
#endif

#endif
