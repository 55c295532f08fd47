/* SPDX-License-Identifier: MIT */
/*
 * Policies. A policy chooses the stream on which an operation (op.h) runs, when the operation is
 * scheduled or submitted (future.h).
 *
 *     CUSHIM_TRY(cushim_policy_round_robin(context, cushim_policy_params(.streams = 8), &policy));
 *     CUSHIM_TRY(cushim_op_submit(operation, policy, &future));
 *
 * A policy does not order operations: cushim orders work by the memory that it uses, whatever the
 * streams are. A policy lives as long as its handle and the operations that are scheduled with it.
 * All functions are thread-safe.
 */
#ifndef CUSHIM_POLICY_H
#define CUSHIM_POLICY_H

#include <cushim/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A policy. Freed by cushim_policy_free(). */
CUSHIM__HANDLE(cushim_policy, cushim_policy_free)

/** Parameters of a policy. A field that is zero selects its default. */
struct cushim_policy_params {
    size_t size; /* sizeof the structure; the macro cushim_policy_params() sets it */

    /** How many streams a round robin makes; 0: 4. At most 1024. */
    size_t streams;
    /**
     * The memory pool from which operations allocate, or zero: that of the device. It is chosen
     * when an operation is scheduled. The policy keeps the pool.
     */
    cushim_pool pool;
    /**
     * If true, the operations that cushim_op_all() joins get streams of their own: the first one
     * stays on the stream of the whole, and each of the others asks the policy. What takes their
     * outputs comes after all of them.
     */
    bool spread;
    /** The policy's label in messages, or NULL. The text is copied. */
    const char *label;
};

/** Writes the parameters in place. */
#define cushim_policy_params(...) CUSHIM__IN_PLACE(cushim_policy_params, __VA_ARGS__)

/**
 * Makes streams in a context, and returns a policy that takes them in turn. params may be NULL. The
 * result is CUSHIM_ERROR_INVALID_ARGUMENT for more than 1024 streams, and
 * CUSHIM_ERROR_FOREIGN_CONTEXT if the pool belongs to another context.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_policy_round_robin(
    cushim_context context, const struct cushim_policy_params *params, cushim_policy *ret_policy);

/**
 * Returns a policy that always takes the same stream, which it keeps. params may be NULL; .streams
 * is 0 or 1.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_policy_single(
    cushim_stream stream, const struct cushim_policy_params *params, cushim_policy *ret_policy);

/**
 * Returns a policy of the program. next(user, &stream) is called for each operation that is
 * scheduled, by the thread that schedules it and by several threads at the same time. It returns
 * CUSHIM_OK and a stream that is not freed before the operation is submitted, or the status of what
 * failed. release(user), unless NULL, is called once when the policy is not needed any more, or
 * when this call fails. params may be NULL; .streams must be 0.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_policy_custom(cushim_status (*next)(void *user, cushim_stream *ret_stream), void *user,
                     void (*release)(void *user), const struct cushim_policy_params *params,
                     cushim_policy *ret_policy);

/**
 * Returns the stream that the policy takes next. It belongs to the policy, or to the program. If
 * the function of a program fails, the result is its status; if it returns no stream, that of the
 * handle; and if it returns a stream that belongs to another context than the policy's pool,
 * CUSHIM_ERROR_FOREIGN_CONTEXT.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_policy_next(cushim_policy policy,
                                                           cushim_stream *ret_stream);

/**
 * Returns another handle of the default policy, which the caller frees: that of the calling thread
 * if it has set one, and otherwise that of the process. That of the process is made at first use: a
 * round robin of 4 streams in the primary context of device 0, of the driver that cushim_open()
 * finds. It is kept, with its driver and context, until cushim_policy_set_default() gets zero: a
 * program that looks for leaks in the driver at its end calls that before. The list of what is not
 * freed (object.h) needs no such call: it has neither the default policies nor what they keep, and
 * comes when the program has closed its own drivers.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_policy_default(cushim_policy *ret_policy);

/**
 * Sets the default policy of the process, which keeps it. With zero, the process has none, and gets
 * a new one when it is needed.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_policy_set_default(cushim_policy policy);

/**
 * Sets the default policy of the calling thread, which keeps it until the thread ends. With zero,
 * the thread has that of the process.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_policy_set_thread_default(cushim_policy policy);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_policy_round_robin(...)                                                             \
    (cushim_source_location(CUSHIM_HERE), cushim_policy_round_robin(__VA_ARGS__))
#define cushim_policy_single(...)                                                                  \
    (cushim_source_location(CUSHIM_HERE), cushim_policy_single(__VA_ARGS__))
#define cushim_policy_custom(...)                                                                  \
    (cushim_source_location(CUSHIM_HERE), cushim_policy_custom(__VA_ARGS__))
#define cushim_policy_default(...)                                                                 \
    (cushim_source_location(CUSHIM_HERE), cushim_policy_default(__VA_ARGS__))
#define cushim_policy_free(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_policy_free(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
