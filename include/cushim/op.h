/* SPDX-License-Identifier: MIT */
/*
 * Operations: work for a device that is described first, and submitted later as a whole.
 *
 *     cushim_op x = cushim_op_from(host_x, n);
 *     cushim_op y = cushim_op_from(host_y, n);
 *     cushim_op s = cushim_op_launch(saxpy, cushim_for_elements(n), CUSHIM_VALUE(a),
 *                                    CUSHIM_OP_IN(x), CUSHIM_OP_INOUT(y), CUSHIM_VALUE(n));
 *     cushim_op result = cushim_op_to_host(cushim_op_output(s, 2), host_y, n);
 *
 *     CUSHIM_TRY(cushim_op_submit(result, policy, &future));
 *     CUSHIM_TRY(cushim_future_wait(future, CUSHIM_FOREVER));
 *
 * Describing calls no driver. When an operation is submitted (future.h), its steps are submitted to
 * a stream, each after the operations that it takes. An operation gives an output (output.h), which
 * the operation that takes it uses.
 *
 * Ownership. A function that takes an operation consumes it: the handle is freed when the call
 * returns, also if the call fails. So each operation runs at most once. cushim_op_free() frees an
 * operation that is not needed any more, with all that it has taken. cushim_op_share() makes an
 * operation that several others can take.
 *
 * Data of the host is given with a function that releases it. If such a function frees what has
 * data of its own, that data is released as soon as the function has returned.
 *
 * Errors. A function that describes always returns an operation. If it fails, it returns one that
 * fails with its error when it is submitted, and the sentence names the step:
 *
 *     step 4 of 6, launch of saxpy (train.c:88): ...; steps 5 to 6 did not run
 *
 * Only when no handle can be made is the result zero, which fails like a handle that was freed. A
 * step that fails stops the operation: no later step runs, and everything that was made is freed.
 *
 * Callbacks of this header run in the thread that submits, in the middle of the submission. They
 * may describe and submit further work, but must not wait for a future: that fails with
 * CUSHIM_ERROR_BUSY. All functions are thread-safe, and may be called from any thread.
 */
#ifndef CUSHIM_OP_H
#define CUSHIM_OP_H

#include <cushim/graph.h>
#include <cushim/launch.h>
#include <cushim/output.h>
#include <cushim/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An operation. Freed by cushim_op_free(), unless another function consumes it. cushim_op_retain()
 * makes another handle; only an operation of cushim_op_share() can be used by both.
 */
CUSHIM__HANDLE(cushim_op, cushim_op_free)

/**
 * Where the steps of an operation run. Callbacks get it; it is valid until they return, and the
 * program does not free what is in it.
 */
struct cushim_exec {
    size_t size;          /* of the structure, in this version of the library */
    cushim_stream stream; /* to which the steps are submitted */
    cushim_pool pool;     /* from which the operation allocates; zero: the device's */
    bool recording;       /* the steps are recorded for a graph, and do not run now */
};

/* --- operations that need no other --- */

/**
 * An operation that gives a pointer. release(data) is called once, when nothing needs the data any
 * more: also if the operation never runs, or this call fails. release may be NULL.
 */
CUSHIM_API cushim_op cushim_op_value(void *data, void (*release)(void *data));

/**
 * An operation that fails with a status and a sentence, for callbacks. The text is copied; if it is
 * NULL, it is that of the status. CUSHIM_OK becomes CUSHIM_ERROR_INVALID_ARGUMENT.
 */
CUSHIM_API cushim_op cushim_op_failed(cushim_status status, const char *text);

/**
 * An operation that gives a slice of the program. It takes the slice over in every case: *slice
 * becomes zero.
 */
CUSHIM_API cushim_op cushim_op_take(cushim_slice *slice);

/**
 * An operation that gives memory of the program, which keeps it: a view of a slice, of pinned
 * memory or of unified memory. The memory is kept alive by the operation, too. cushim_op_borrow(x)
 * takes a slice or a view.
 */
CUSHIM_API cushim_op cushim_op_borrow_view(cushim_view view);
#define cushim_op_borrow(x) cushim_op_borrow_view(CUSHIM_VIEW(x))

/**
 * An operation that gives what is in an output, of any kind, which is empty afterwards; for
 * callbacks that go on with what they got. What is shared stays shared. NULL gives nothing.
 */
CUSHIM_API cushim_op cushim_op_from_output(cushim_output *output);

/**
 * An operation that allocates a slice of length elements with element_bytes bytes each, from the
 * pool that was chosen with the stream. The contents are undefined. It fails as
 * cushim_slice_alloc() does. CUSHIM_ELEMENT(type) gives the bytes and the type of elements.
 */
CUSHIM_API cushim_op cushim_op_alloc(size_t element_bytes, size_t length);

/** An operation that allocates a slice as cushim_op_alloc() does, and sets all bytes to 0. */
CUSHIM_API cushim_op cushim_op_zeros(size_t element_bytes, size_t length);

/**
 * An operation that allocates a slice and copies elements from host memory into it. The host's
 * memory is read during the submission, and must be valid until then. Up to 16 MiB are copied
 * without waiting for the device; more is copied in pieces, and the submission waits for them.
 * Larger data that must not be waited for is put into pinned memory (pinned.h) and copied by
 * cushim_op_copy_of(). cushim_op_from(pointer, length) takes the element's size from a pointer.
 */
CUSHIM_API cushim_op cushim_op_from_host(const void *host, size_t element_bytes, size_t length);
#define cushim_op_from(pointer, length)                                                            \
    cushim_op_from_host(pointer, CUSHIM__ELEMENT_OF(pointer), length)

/**
 * An operation that copies memory of the program into a new slice. The memory is kept alive, and is
 * read when the stream comes to it. cushim_op_copy_of(x) takes a slice or a view.
 */
CUSHIM_API cushim_op cushim_op_copy_of_view(cushim_view view);
#define cushim_op_copy_of(x) cushim_op_copy_of_view(CUSHIM_VIEW(x))

/**
 * An operation that launches a graph (graph.h), which it keeps. It gives nothing. New inputs are
 * copied to the memory of the graph before, in an operation that cushim_op_all() puts in front.
 */
CUSHIM_API cushim_op cushim_op_graph(cushim_graph graph);

/**
 * An operation that calls make(exec, user) during the submission, and continues with the operation
 * that it returns. make() may submit work to exec->stream itself. If it returns zero, the operation
 * fails with the thread's last error. user must be valid until the operation is submitted or freed.
 */
CUSHIM_API cushim_op cushim_op_call(cushim_op (*make)(const struct cushim_exec *exec, void *user),
                                    void *user);

/* --- operations on memory --- */

/**
 * Fills the memory that an operation gives with copies of an element, and gives the memory on. The
 * element is copied now. cushim_op_fill(op, value) takes a value of the type of the elements.
 */
CUSHIM_API cushim_op cushim_op_fill_elements(cushim_op op, const void *element, size_t bytes);
#ifndef __cplusplus
#define cushim_op_fill(op, ...)                                                                    \
    cushim_op_fill_elements(op, (__typeof__(__VA_ARGS__)[1]){__VA_ARGS__},                         \
                            CUSHIM__ELEMENT_OF((__typeof__(__VA_ARGS__) *) 0))
#endif

/** Copies the memory that `from` gives to that of `to`, as cushim_slice_copy(), and gives `to` on.
 */
CUSHIM_API cushim_op cushim_op_copy(cushim_op to, cushim_op from);

/**
 * Copies the memory that an operation gives into a new slice, and gives a list: the memory itself,
 * and the new slice.
 */
CUSHIM_API cushim_op cushim_op_clone(cushim_op op);

/**
 * Copies the memory that an operation gives to host memory, and gives the memory on. The host's
 * memory is written by the call that reports the end of the operation: cushim_future_poll() or a
 * wait. It is not written after the future was freed, so it must be valid until then. Up to 16 MiB
 * are copied without waiting; for more, the submission waits until the copy is done. If the copy is
 * in a shared operation (cushim_op_share()), the future of the operation that ran it writes, and no
 * other. A callback of an operation that frees a future does not wait for another thread that is
 * inside of cushim_future_submit() with it: until that returns, a copy of more than 16 MiB may
 * still be written. cushim_op_to_host(op, pointer, length) takes the element's size from the
 * pointer.
 */
CUSHIM_API cushim_op cushim_op_to_host_elements(cushim_op op, void *host, size_t element_bytes,
                                                size_t length);
#define cushim_op_to_host(op, pointer, length)                                                     \
    cushim_op_to_host_elements(op, pointer, CUSHIM__ELEMENT_OF(pointer), length)

/* --- operations one after the other --- */

/**
 * Calls next(exec, output, user) when op was submitted, and continues with the operation that it
 * returns, on the same stream. The device may not have done the work yet. next() may take slices
 * and data out of the output; the rest is freed when it returns. If next() returns zero, the
 * operation fails with the thread's last error. It is not called if op fails. user must be valid
 * until the operation is submitted or freed.
 */
CUSHIM_API cushim_op cushim_op_then(cushim_op op,
                                    cushim_op (*next)(const struct cushim_exec *exec,
                                                      cushim_output *output, void *user),
                                    void *user);

/** Calls next() with the list of the outputs of n operations: cushim_op_all(), and then it. */
CUSHIM_API cushim_op cushim_op_then_all(const cushim_op *ops, size_t n,
                                        cushim_op (*next)(const struct cushim_exec *exec,
                                                          cushim_output *output, void *user),
                                        void *user);

/**
 * Calls map(output, user, &data) when op was submitted, and gives that pointer instead of the
 * output, which is freed. release(data), unless NULL, is called once when nothing needs the data
 * any more. If map() fails, it returns the status, and the operation fails with it.
 */
CUSHIM_API cushim_op cushim_op_map(cushim_op op,
                                   cushim_status (*map)(cushim_output *output, void *user,
                                                        void **ret_data),
                                   void *user, void (*release)(void *data));

/** Calls inspect(output, user) when op was submitted, and gives the output on. */
CUSHIM_API cushim_op cushim_op_inspect(cushim_op op,
                                       void (*inspect)(const cushim_output *output, void *user),
                                       void *user);

/**
 * Lets the stream call function(user) when the device has done op, as cushim_stream_host_function()
 * does, and gives the output of op on. user must be valid until the function was called, or the
 * operation has failed or is freed.
 */
CUSHIM_API cushim_op cushim_op_host_function(cushim_op op, void (*function)(void *user),
                                             void *user);

/**
 * Keeps data of the host until the device has done the whole operation: then release(data) is
 * called, once, in the thread that reports the end or frees the future, or in a later call of
 * cushim. It is also called if the operation fails or never runs, or this call fails. Gives the
 * output of op on.
 */
CUSHIM_API cushim_op cushim_op_hold(cushim_op op, void *data, void (*release)(void *data));

/**
 * Runs op on a certain stream, which may be one of another device. What takes the output comes
 * after it. The stream is kept. A step that takes memory which an operation has made on another
 * device gets a copy on its own, and the log says so (level info); memory of the program
 * (cushim_op_borrow()) is copied only for steps that read it, and a step that writes it fails with
 * CUSHIM_ERROR_FOREIGN_CONTEXT.
 */
CUSHIM_API cushim_op cushim_op_on(cushim_op op, cushim_stream stream);

/* --- several operations --- */

/**
 * Joins n operations, which run in their order, and gives the list of their outputs. They run on
 * the same stream, unless the policy spreads them (policy.h). Consumes all of them. If one fails,
 * those after it do not run. Lists can be in lists up to 1000 deep; deeper ones fail with
 * CUSHIM_ERROR_LIMIT. The array may be freed after the call.
 */
CUSHIM_API cushim_op cushim_op_all(const cushim_op *ops, size_t n);

/** Calls cushim_op_all() with the operations that are its arguments: cushim_op_zip(a, b, c). */
#ifndef __cplusplus
#define cushim_op_zip(...)                                                                         \
    cushim_op_all((const cushim_op[]){__VA_ARGS__},                                                \
                  sizeof((const cushim_op[]){__VA_ARGS__}) / sizeof(cushim_op))
#endif

/**
 * Splits an operation that gives a list into n operations, one for each output, and writes them to
 * an array. The operation itself runs once, when the first of them runs. They may be submitted
 * separately and by different threads, and each may be freed without running. If the list has
 * another length, all of them fail. Always writes n operations, as all functions that describe.
 */
CUSHIM_API void cushim_op_unzip(cushim_op op, size_t n, cushim_op *ret_ops);

/**
 * Gives one output of the list that op gives, counted from 0; the others are freed. A launch gives
 * one output for each argument, values included: that of CUSHIM_VALUE() gives nothing, and counts.
 */
CUSHIM_API cushim_op cushim_op_output(cushim_op op, size_t index);

/** Gives the first output of the list that op gives; the others are freed. */
CUSHIM_API cushim_op cushim_op_first(cushim_op op);

/** Gives the last output of the list that op gives; the others are freed. */
CUSHIM_API cushim_op cushim_op_last(cushim_op op);

/**
 * Makes an operation that several others can take: each takes a handle of its own, which
 * cushim_op_retain() makes. The operation runs once, when the first of them runs, and all get the
 * same output, which they may read only. If it fails, all of them fail with its error. Any threads
 * may run them at the same time.
 */
CUSHIM_API cushim_op cushim_op_share(cushim_op op);

/**
 * Makes the output of a shared operation the caller's own again. When it runs, it fails with
 * CUSHIM_ERROR_BUSY if there is another handle of the shared operation, another operation has taken
 * it and has not run, or a future has its output, or a part of it.
 */
CUSHIM_API cushim_op cushim_op_unshare(cushim_op op);

/* --- tilings --- */

/**
 * A division of memory into disjoint tiles. The memory is an array of shape[0] * shape[1] *
 * shape[2] elements, of which x, shape[0], varies fastest. A tile has tile[0] * tile[1] * tile[2]
 * elements, or fewer at the edges. The first numbers of both arrays must be given; a zero in the
 * others means 1. A launch on tiles has one block for each tile: block (x, y, z) works on tile (x,
 * y, z), and writes nothing else.
 */
struct cushim_tiling {
    size_t size; /* sizeof the structure; the macro cushim_tiling() sets it */

    bool at_most;    /* a launch may have fewer blocks than there are tiles */
    size_t shape[3]; /* elements */
    size_t tile[3];  /* elements */
};

/** Writes a tiling in place: cushim_op_partition(x, cushim_tiling(.shape = {n}, .tile = {64})). */
#define cushim_tiling(...) CUSHIM__IN_PLACE(cushim_tiling, __VA_ARGS__)

/**
 * Divides the memory that op gives into tiles. A launch that takes it without a grid gets its grid
 * from the first such argument that is not at_most; a launch with a grid fails unless the grid is
 * that of each tiling, or at most that. The size of a block is the launch's own, and is not
 * compared with that of a tile. Fails if the memory has another number of elements, and with
 * CUSHIM_ERROR_BUSY if op is shared: tiles are written.
 */
CUSHIM_API cushim_op cushim_op_partition(cushim_op op, const struct cushim_tiling *tiling);

/** Gives memory that was divided into tiles as one piece again. */
CUSHIM_API cushim_op cushim_op_unpartition(cushim_op op);

/* --- launches --- */

/**
 * Arguments of cushim_op_launch() for memory that an operation gives. The launch consumes the
 * operation. They are as CUSHIM_IN(), CUSHIM_OUT(), CUSHIM_INOUT() and CUSHIM_SAME() are for
 * existing memory, which a launch takes, too: it keeps that memory alive until it is submitted.
 * CUSHIM_OP_IN() alone is allowed for an operation that is shared. Memory of the program that is of
 * another device than the stream is named by CUSHIM_OP_IN(cushim_op_borrow(x)), which copies it.
 * CUSHIM_OP_SAME(i) is the memory of argument i, counted from 0, once more.
 */
#define CUSHIM_OP_IN(op)    cushim__argument_view(CUSHIM_INTENT_IN, #op, cushim__op_view(op))
#define CUSHIM_OP_OUT(op)   cushim__argument_view(CUSHIM_INTENT_OUT, #op, cushim__op_view(op))
#define CUSHIM_OP_INOUT(op) cushim__argument_view(CUSHIM_INTENT_INOUT, #op, cushim__op_view(op))
#define CUSHIM_OP_SAME(i)   cushim__argument_same(i)

static inline cushim_view cushim__op_view(cushim_op op)
{
    return cushim__whole(op.id);
}

static inline struct cushim_argument cushim__argument_same(size_t index)
{
    struct cushim_argument argument =
        cushim__argument_view(CUSHIM_INTENT_SAME, "the same", cushim__whole(0));

    argument.view.offset = index;
    return argument;
}

/**
 * An operation that launches a kernel as cushim_launch_arguments() does, with the same checks.
 * Configuration and arguments are copied now, and operations among the arguments are consumed. What
 * the options point to, such as .ret_start, must be valid until the operation is submitted. It
 * gives a list with one output for each argument: memory, or nothing for a value. The kernel's
 * module must live until the operation is submitted.
 */
CUSHIM_API cushim_op cushim_op_launch_arguments(cushim_function function,
                                                const struct cushim_launch_config *config,
                                                const struct cushim_argument *arguments, size_t n);

/** Describes a launch as cushim_launch() makes one: cushim_op_launch(function, config,
 * argument...). */
#ifndef __cplusplus
#define cushim_op_launch(function, ...)                                                            \
    CUSHIM__OP_LAUNCH(function, __VA_ARGS__, CUSHIM__NO_ARGUMENT)
#define CUSHIM__OP_LAUNCH(function, config, ...)                                                   \
    cushim_op_launch_arguments((function),                                                         \
                               (struct cushim_launch_config[1]){cushim__config_of(config)},        \
                               CUSHIM__ARGUMENTS(__VA_ARGS__))
#endif

/* --- graphs --- */

/**
 * Records an operation into a graph, and consumes it. Nothing runs. What the operation allocates is
 * memory of an arena that the graph keeps (arena.h), so results go to memory of the program
 * (cushim_op_borrow()): a slice that the operation gives is freed. It must not copy to or from
 * memory of the host that is not pinned, allocate from a pool, or be on another stream
 * (cushim_op_on()). A shared operation that was recorded has not run: it fails where others take
 * it. The caller frees the graph. A failed step leaves no recording.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_op_record(cushim_op op, cushim_context context,
                                                         cushim_graph *ret_graph);

/**
 * Sets the source location of an operation, "folder/train.c:88", for messages, and returns the
 * operation. The macros below call it. The text is copied.
 */
CUSHIM_API cushim_op cushim_op_at(cushim_op op, const char *place);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define CUSHIM__OP(call)                cushim_op_at(call, CUSHIM_HERE)
#define cushim_op_value(...)            CUSHIM__OP(cushim_op_value(__VA_ARGS__))
#define cushim_op_failed(...)           CUSHIM__OP(cushim_op_failed(__VA_ARGS__))
#define cushim_op_take(...)             CUSHIM__OP(cushim_op_take(__VA_ARGS__))
#define cushim_op_borrow_view(...)      CUSHIM__OP(cushim_op_borrow_view(__VA_ARGS__))
#define cushim_op_from_output(...)      CUSHIM__OP(cushim_op_from_output(__VA_ARGS__))
#define cushim_op_alloc(...)            CUSHIM__OP(cushim_op_alloc(__VA_ARGS__))
#define cushim_op_zeros(...)            CUSHIM__OP(cushim_op_zeros(__VA_ARGS__))
#define cushim_op_from_host(...)        CUSHIM__OP(cushim_op_from_host(__VA_ARGS__))
#define cushim_op_copy_of_view(...)     CUSHIM__OP(cushim_op_copy_of_view(__VA_ARGS__))
#define cushim_op_graph(...)            CUSHIM__OP(cushim_op_graph(__VA_ARGS__))
#define cushim_op_call(...)             CUSHIM__OP(cushim_op_call(__VA_ARGS__))
#define cushim_op_fill_elements(...)    CUSHIM__OP(cushim_op_fill_elements(__VA_ARGS__))
#define cushim_op_copy(...)             CUSHIM__OP(cushim_op_copy(__VA_ARGS__))
#define cushim_op_clone(...)            CUSHIM__OP(cushim_op_clone(__VA_ARGS__))
#define cushim_op_to_host_elements(...) CUSHIM__OP(cushim_op_to_host_elements(__VA_ARGS__))
#define cushim_op_then(...)             CUSHIM__OP(cushim_op_then(__VA_ARGS__))
#define cushim_op_then_all(...)         CUSHIM__OP(cushim_op_then_all(__VA_ARGS__))
#define cushim_op_map(...)              CUSHIM__OP(cushim_op_map(__VA_ARGS__))
#define cushim_op_inspect(...)          CUSHIM__OP(cushim_op_inspect(__VA_ARGS__))
#define cushim_op_host_function(...)    CUSHIM__OP(cushim_op_host_function(__VA_ARGS__))
#define cushim_op_hold(...)             CUSHIM__OP(cushim_op_hold(__VA_ARGS__))
#define cushim_op_on(...)               CUSHIM__OP(cushim_op_on(__VA_ARGS__))
#define cushim_op_all(...)              CUSHIM__OP(cushim_op_all(__VA_ARGS__))
#define cushim_op_output(...)           CUSHIM__OP(cushim_op_output(__VA_ARGS__))
#define cushim_op_first(...)            CUSHIM__OP(cushim_op_first(__VA_ARGS__))
#define cushim_op_last(...)             CUSHIM__OP(cushim_op_last(__VA_ARGS__))
#define cushim_op_share(...)            CUSHIM__OP(cushim_op_share(__VA_ARGS__))
#define cushim_op_unshare(...)          CUSHIM__OP(cushim_op_unshare(__VA_ARGS__))
#define cushim_op_partition(...)        CUSHIM__OP(cushim_op_partition(__VA_ARGS__))
#define cushim_op_unpartition(...)      CUSHIM__OP(cushim_op_unpartition(__VA_ARGS__))
#define cushim_op_launch_arguments(...) CUSHIM__OP(cushim_op_launch_arguments(__VA_ARGS__))
#define cushim_op_unzip(...)            (cushim_source_location(CUSHIM_HERE), cushim_op_unzip(__VA_ARGS__))
#define cushim_op_record(...)           (cushim_source_location(CUSHIM_HERE), cushim_op_record(__VA_ARGS__))
#define cushim_op_free(...)             (cushim_source_location(CUSHIM_HERE), cushim_op_free(__VA_ARGS__))
#endif

#ifdef __cplusplus
}

/* CUSHIM_IN(op) and its like. */
template <class T = void> static inline cushim_view cushim__view_of(cushim_op)
{
    static_assert(sizeof(T *) == 0,
                  "an operation is no memory: write CUSHIM_OP_IN() or its like, for "
                  "cushim_op_launch()");
    return cushim_view();
}

/* In C++ these are functions, because an expression cannot make an array there. */
template <class... Arguments>
static inline cushim_op cushim_op_launch(cushim_function function,
                                         const struct cushim_launch_config &config,
                                         const Arguments &...arguments)
{
    const struct cushim_argument all[] = {arguments..., cushim_argument()};

    return (cushim_op_launch_arguments) (function, &config, all, sizeof...(arguments));
}

template <class... Operations> static inline cushim_op cushim_op_zip(const Operations &...ops)
{
    const cushim_op all[] = {ops..., cushim_op()};

    return (cushim_op_all) (all, sizeof...(ops));
}

template <class T> static inline cushim_op cushim_op_fill(cushim_op op, const T &value)
{
    return (cushim_op_fill_elements) (op, &value, CUSHIM__ELEMENT_OF(&value));
}
#endif

#endif
