/* SPDX-License-Identifier: MIT */
/*
 * The source of a module: PTX text, several linked texts, or a fat binary with PTX in it. Callers
 * hold the lock.
 */
#ifndef CUSHIM_MOCK_MODULE_MODULE_IMAGE_H
#define CUSHIM_MOCK_MODULE_MODULE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/functions.h"
#include "mock/ptx/link/read.h"
#include "mock/ptx/syntax/name_index.h"

struct mock__parameter {
    size_t offset, size, alignment;
};

/* The properties of a kernel for launches and queries. */
struct mock__entry {
    const char *name;
    struct mock__parameter *parameters;
    size_t n_parameters;
    size_t parameter_bytes;
    size_t shared_bytes, local_bytes;
    size_t max_threads;               /* the product of .maxntid or .reqntid, 0 if there is
                                         neither */
    unsigned registers;               /* an estimate */
    unsigned barriers;                /* of a block */
    unsigned cluster[3], max_cluster; /* from the text, or 0 */
    bool must_cluster;                /* a launch without clusters fails */
    uint32_t function;                /* its number in the module */
};

struct mock__ptx {
    struct ptx__module module;
    struct mock__entry *entries; /* the kernels */
    size_t n_entries;
    /* The names that a program may look up: kernels, and variables that have memory. */
    struct ptx__name_index entries_by_name, variables_by_name;
    bool unread; /* some instructions cannot be executed; all kernels are replaced */
};

/*
 * Returns the text in an image for a device of a capability such as 90. The caller frees it.
 * CUDA_ERROR_NO_BINARY_FOR_GPU if there is no PTX for it. With a size of SIZE_MAX the image ends by
 * itself: a text ends with a NUL, and a fat binary contains its size.
 */
CUresult mock__image_text(const void *image, size_t size, int capability, char **ret_text);

/*
 * Returns the contents of a file, followed by a NUL. The caller frees them. call is the driver
 * function, for hints. Only regular files are read. The other results are those of hardware, except
 * for a pipe, for which a driver would wait: CUDA_ERROR_FILE_NOT_FOUND for a file that does not
 * exist or cannot be read, CUDA_ERROR_OUT_OF_MEMORY for a folder, CUDA_ERROR_INVALID_IMAGE for
 * pipes, devices and files that the kernel generates.
 */
CUresult mock__image_file(const char *path, const char *call, char **ret_bytes, size_t *ret_size);

/*
 * Reads a text. The results are those of a driver: CUDA_ERROR_INVALID_IMAGE if it is not PTX,
 * CUDA_ERROR_INVALID_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION. CUDA_ERROR_NOT_SUPPORTED if some
 * instructions are not executed, unless replacement kernels exist for all kernels. The caller must
 * finish ptx and log in any case.
 */
CUresult mock__ptx_read(const char *text, int capability, struct mock__ptx *ptx,
                        struct ptx__log *log);

/* Tells whether all kernels have replacement kernels, so that the instructions do not matter. */
bool mock__all_replaced(const struct mock__ptx *ptx);

/* Returns the driver's result for one of reading a text, after a hint if that helps. */
CUresult mock__ptx_result(enum ptx__status status, int capability, const struct ptx__log *log);

/* Returns the first error for a text that was refused. */
const char *mock__first_error(const struct ptx__log *log);

void mock__ptx_finish(struct mock__ptx *ptx);

#endif
