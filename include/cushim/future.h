/* SPDX-License-Identifier: MIT */
/*
 * Futures: operations (op.h) that were scheduled or submitted, and their results.
 *
 *     CUSHIM_TRY(cushim_op_submit(operation, policy, &future));
 *     event.data.ptr = job;
 *     epoll_ctl(loop, EPOLL_CTL_ADD, cushim_future_fd(future), &event);
 *     ...
 *     switch (cushim_future_poll(future)) { // CUSHIM_OK, CUSHIM_PENDING, or what went wrong
 *
 * A future is pending until the device has done all work of its operation. Then it has a result: an
 * output (output.h), or an error. The end is noticed by one function that the driver calls at the
 * end of the stream, and never by waiting. If the device fails, drivers may not call that function;
 * then a thread of this library notices the error, within a tenth of a second.
 *
 * Freeing a future does not wait for the device, and does not stop it: memory and held data live
 * until the device is done with them. It waits for a thread that is submitting the future, except
 * in a callback of an operation, which might wait for itself: then the submission goes on, and its
 * result is dropped at its end. All functions are thread-safe, with one exception: the output of a
 * future is used by one thread at a time.
 */
#ifndef CUSHIM_FUTURE_H
#define CUSHIM_FUTURE_H

#include <cushim/op.h>
#include <cushim/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A future. Freed by cushim_future_free() at any time. */
CUSHIM__HANDLE(cushim_future, cushim_future_free)

/** What is said of work that is not done: 600 CUDA_ERROR_NOT_READY. It is no error. */
#define CUSHIM_PENDING 600

/** A time limit of a wait that has none. */
#define CUSHIM_FOREVER UINT64_MAX

/**
 * Chooses stream and pool for an operation, and does nothing else: no work is submitted. An
 * operation whose description failed fails here. policy may be zero: then it is the default policy
 * (cushim_policy_default()). Consumes the operation, also if the call fails. The caller frees the
 * future.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_op_schedule(cushim_op op, cushim_policy policy,
                                                           cushim_future *ret_future);

/**
 * Submits the operation of a future that was scheduled. The call returns when the work is
 * submitted. If a step fails, the call returns its error, and that is also the future's result. The
 * result is CUSHIM_ERROR_BUSY if it was submitted before, and CUSHIM_ERROR_CANCELLED if it was
 * cancelled.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_future_submit(cushim_future future);

/**
 * Schedules and submits an operation. If a step fails, the call returns its error and makes no
 * future. Consumes the operation in every case. policy may be zero here, too: cushim_policy_free()
 * sets a handle to zero, so an operation that is submitted with a policy that was freed goes to the
 * default policy, and is no error. That needs a driver that cushim_open() finds by itself.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_op_submit(cushim_op op, cushim_policy policy,
                                                         cushim_future *ret_future);

/**
 * Submits an operation to a certain stream. Otherwise like cushim_op_submit(). The result is
 * CUSHIM_ERROR_CAPTURING for a recorder (graph.h), and for a stream that the program captures by
 * the driver's own functions.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_op_submit_on(cushim_op op, cushim_stream stream,
                                                            cushim_future *ret_future);

/**
 * Submits an operation to a stream, or to one of the default policy if the stream is zero, and
 * waits until the stream is done, also if a step fails. ret_future may be NULL, if the output is
 * not needed; it has its result already. An error of the wait comes before that of a step.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_op_run(cushim_op op, cushim_stream stream,
                                                      cushim_future *ret_future);

/**
 * Returns CUSHIM_OK if the operation is done, CUSHIM_PENDING if it is not, and otherwise its error,
 * which also becomes the thread's last error, each time. CUSHIM_PENDING does not change the
 * thread's last error. A future that was not submitted is an error, CUSHIM_ERROR_BUSY: it would be
 * pending for ever. A future keeps its result: every later call returns it again.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_future_poll(cushim_future future);

/**
 * Waits until the operation is done, at most so many nanoseconds (CUSHIM_FOREVER), and returns its
 * result as cushim_future_poll() does. CUSHIM_PENDING after that time does not change the thread's
 * last error. The result is CUSHIM_ERROR_BUSY in callbacks of operations.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_future_wait(cushim_future future,
                                                           uint64_t nanoseconds);

/**
 * Waits until all of n futures are done, at most so many nanoseconds. Returns CUSHIM_OK if all
 * succeeded, the error of the first one in the array that failed, or CUSHIM_PENDING.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_future_wait_all(const cushim_future *futures,
                                                               size_t n, uint64_t nanoseconds);

/**
 * Waits until one of n futures is done, at most so many nanoseconds, and returns its index and its
 * result. One that was not submitted counts as done, with CUSHIM_ERROR_BUSY. To tell a failed wait
 * from a failed future, set *ret_index to SIZE_MAX before. Of several that are done it is the first
 * in the array. With CUSHIM_PENDING, and if the wait itself fails, *ret_index is not written. n
 * must not be 0.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_future_wait_any(const cushim_future *futures,
                                                               size_t n, uint64_t nanoseconds,
                                                               size_t *ret_index);

/**
 * Returns a file descriptor that is readable as soon as the future has a result, for poll() and
 * epoll. It belongs to the future, which closes it; the program neither reads nor closes it. Every
 * call returns the same one. The result is -1, and the thread's last error is set, if there is
 * none.
 */
CUSHIM_API int cushim_future_fd(cushim_future future);

/**
 * Calls notify(user) once, when the future gets its result; at once, in the calling thread, if it
 * has one: so it never comes too late. A thread of the driver may call it: then functions of cushim
 * fail in it with 800 CUDA_ERROR_NOT_PERMITTED, so it wakes an event loop, where the program polls
 * the future. A later call replaces the function; NULL removes it. When that call returns, the old
 * function is not called any more and no thread is inside it. The same holds after
 * cushim_future_free(), unless the function itself makes these calls, which it may.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_future_notify(cushim_future future,
                                                             void (*notify)(void *user),
                                                             void *user);

/**
 * Gives up an operation that was not submitted, and frees it. Its result is CUSHIM_ERROR_CANCELLED
 * then. The result of this call is CUSHIM_ERROR_BUSY if it was submitted: nothing stops the device.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_future_cancel(cushim_future future);

/**
 * Returns the output of a future that is done with CUSHIM_OK. It belongs to the future and is valid
 * until that is freed. Slices and data are taken out of it by the functions of output.h. The result
 * is that of cushim_future_poll() otherwise.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_future_output(cushim_future future,
                                                             cushim_output **ret_output);

/**
 * Takes the slice that an operation gave out of its future; the caller frees it. It need not be
 * done: later work on the slice comes after it. A second call fails with CUSHIM_ERROR_STALE_HANDLE.
 * Errors are those of cushim_output_take_slice() and, if the operation has failed, its own.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_future_take_slice(cushim_future future,
                                                                 cushim_slice *ret_slice);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_op_schedule(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_op_schedule(__VA_ARGS__))
#define cushim_op_submit(...) (cushim_source_location(CUSHIM_HERE), cushim_op_submit(__VA_ARGS__))
#define cushim_op_submit_on(...)                                                                   \
    (cushim_source_location(CUSHIM_HERE), cushim_op_submit_on(__VA_ARGS__))
#define cushim_op_run(...) (cushim_source_location(CUSHIM_HERE), cushim_op_run(__VA_ARGS__))
#define cushim_future_take_slice(...)                                                              \
    (cushim_source_location(CUSHIM_HERE), cushim_future_take_slice(__VA_ARGS__))
#define cushim_future_free(...)                                                                    \
    (cushim_source_location(CUSHIM_HERE), cushim_future_free(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
