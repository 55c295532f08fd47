/* SPDX-License-Identifier: MIT */
/*
 * What an operation (op.h) gives: memory of a device, data of the host, a list of outputs, or
 * nothing.
 *
 * Callbacks of operations get the outputs of the operations before them, and a future (future.h)
 * returns that of the whole operation. When an operation has been submitted, its outputs exist, but
 * the device may still be working on the memory: it may be used in further work at once, because
 * cushim orders work by the memory that it uses.
 *
 * An output belongs to the operation or the future that gave it. The functions below must not be
 * called for one output from two threads at the same time. They need no driver, and a callback of
 * an operation may call them.
 */
#ifndef CUSHIM_OUTPUT_H
#define CUSHIM_OUTPUT_H

#include <cushim/slice.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An output. Its address is valid as long as what gave it says. */
typedef struct cushim_output cushim_output;

/** What is in an output. */
enum cushim_output_kind {
    CUSHIM_OUTPUT_NOTHING = 0,
    CUSHIM_OUTPUT_SLICE = 1,  /* memory that the operations have made, or were given */
    CUSHIM_OUTPUT_MEMORY = 2, /* memory that belongs to the program: cushim_op_borrow() */
    CUSHIM_OUTPUT_DATA = 3,   /* a pointer to data of the host: cushim_op_value() */
    CUSHIM_OUTPUT_LIST = 4,   /* outputs of several operations, or the arguments of a launch */
};

/** Returns what is in an output. For NULL it is CUSHIM_OUTPUT_NOTHING. */
CUSHIM_API enum cushim_output_kind cushim_output_kind(const cushim_output *output);

/** Returns the number of outputs in a list, and 0 for all other outputs and for NULL. */
CUSHIM_API size_t cushim_output_length(const cushim_output *output);

/**
 * Returns one output of a list, counted from 0. It belongs to the list. The result is NULL, and the
 * thread's last error is set, if the output is not a list or the list is shorter.
 */
CUSHIM_API cushim_output *cushim_output_item(const cushim_output *output, size_t index);

/**
 * Returns the view of the memory in an output. It is valid as long as the output. It is not
 * writable if the output is shared (cushim_op_share()). The result is CUSHIM_ERROR_INVALID_ARGUMENT
 * if there is no memory in it, or more than one piece. A list with one piece of memory stands for
 * that.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_output_view(const cushim_output *output,
                                                           cushim_view *ret_view);

/**
 * Returns the pointer in an output of kind CUSHIM_OUTPUT_DATA, which belongs to the output. For all
 * other outputs the result is NULL, and the thread's last error is set.
 */
CUSHIM_API void *cushim_output_data(const cushim_output *output);

/**
 * Takes the slice out of an output, which is empty afterwards. The caller frees the slice. The
 * result is CUSHIM_ERROR_INVALID_ARGUMENT if no slice is in it, CUSHIM_ERROR_BUSY if the output is
 * shared (cushim_op_unshare()), and CUSHIM_ERROR_STALE_HANDLE if it was taken before. A list with
 * one slice stands for that.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_output_take_slice(cushim_output *output,
                                                                 cushim_slice *ret_slice);

/**
 * Takes the pointer out of an output of kind CUSHIM_OUTPUT_DATA, which is empty afterwards. The
 * caller then releases the data: the function that was given with it is not called. Errors are
 * those of cushim_output_take_slice().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_output_take_data(cushim_output *output,
                                                                void **ret_data);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_output_take_slice(...)                                                              \
    (cushim_source_location(CUSHIM_HERE), cushim_output_take_slice(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
