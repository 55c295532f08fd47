/* SPDX-License-Identifier: MIT */
/*
 * What a module is made from: PTX text, several linked ones, or a fat binary with PTX in it.
 * Callers hold the lock.
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

/* A kernel as launches and questions see it. */
struct mock__entry {
    const char *name;
    struct mock__parameter *parameters;
    size_t n_parameters;
    size_t parameter_bytes;
    size_t shared_bytes, local_bytes;
    size_t max_threads;               /* .maxntid or .reqntid as one number, 0 if it says neither */
    unsigned registers;               /* an estimate */
    unsigned cluster[3], max_cluster; /* as its text says, or 0 */
    bool must_cluster;                /* a launch without clusters fails */
    uint32_t function;                /* its number in the module */
};

struct mock__ptx {
    struct ptx__module module;
    struct mock__entry *entries; /* its kernels */
    size_t n_entries;
    /* By name, what a program may ask for: entries, and variables that have memory. */
    struct ptx__name_index entries_by_name, variables_by_name;
    bool unread; /* it has instructions that are not executed, and host functions instead */
};

/*
 * The text that an image holds for a device of a capability such as 90, to be freed. What has
 * no PTX for it is refused with CUDA_ERROR_NO_BINARY_FOR_GPU. A size of SIZE_MAX says that the
 * image does: a text ends with a NUL, and a fat binary has its size in it.
 */
CUresult mock__image_text(const void *image, size_t size, int capability, char **ret_text);

/*
 * All bytes of a file, which a NUL follows, to be freed; call is who wants them. What is no regular
 * file is not read, and answers as on hardware, but for a pipe, which a driver would wait for:
 * CUDA_ERROR_FILE_NOT_FOUND for what is not there or may not be read, CUDA_ERROR_OUT_OF_MEMORY for
 * a folder, CUDA_ERROR_INVALID_IMAGE for pipes, devices and what the kernel makes up.
 */
CUresult mock__image_file(const char *path, const char *call, char **ret_bytes, size_t *ret_size);

/* One text from several, each of which is read by itself; NULL if there is no memory. */
char *mock__join_texts(const char *const *texts, size_t n, size_t *ret_length);

/*
 * Reads a text. Answers what a driver does: CUDA_ERROR_INVALID_IMAGE for what is no PTX at all,
 * CUDA_ERROR_INVALID_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION. What has instructions that
 * are not executed is CUDA_ERROR_NOT_SUPPORTED, unless host functions stand for all of its
 * kernels. ptx and log are to be finished in any case.
 */
CUresult mock__ptx_read(const char *text, int capability, struct mock__ptx *ptx,
                        struct ptx__log *log);

/* Do host functions stand for all kernels, so that the instructions do not matter? */
bool mock__stood_for(const struct mock__ptx *ptx);

/* As mock__ptx_read(), of a text that needs others, which are not looked for. */
CUresult mock__ptx_read_part(const char *text, int capability, struct mock__ptx *ptx,
                             struct ptx__log *log);

/* What was said first of a text that was not taken. */
const char *mock__first_error(const struct ptx__log *log);

void mock__ptx_finish(struct mock__ptx *ptx);

#endif
