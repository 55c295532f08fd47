/* SPDX-License-Identifier: MIT */
/*
 * Memory and semaphores of other interfaces, such as Vulkan. That interface exports them, for
 * example as file descriptors. This process imports them, and makes slices of the memory:
 *
 *     CUSHIM_TRY(cushim_external_memory_import(
 *         context, cushim_external_memory_params(.type = CUSHIM_EXTERNAL_MEMORY_OPAQUE_FD,
 *                                                .fd = fd, .bytes = bytes),
 *         &memory));
 *     CUSHIM_TRY(cushim_external_memory_slice(stream, memory, 0, CUSHIM_ELEMENT(float), n, &x));
 *
 * cushim orders the work of this process on the slices. It knows nothing of the work of the other
 * interface, which semaphores order: it signals one that this process waits for, and the other way
 * round. As for all work that cushim does not see, the memory that a semaphore is about is declared
 * (slice.h):
 *
 *     CUSHIM_TRY(cushim_stream_wait_external(stream, ready, value));
 *     CUSHIM_TRY(cushim_slice_used(stream, x, true));
 *     ... work on x, which comes after the wait, in any stream ...
 *     CUSHIM_TRY(cushim_slice_use(stream, x, true, &address));
 *     CUSHIM_TRY(cushim_stream_signal_external(stream, done, value));
 *
 * Who owns what is imported: a file descriptor belongs to the driver when the import has succeeded,
 * and then must not be used or closed any more. When it has failed, the descriptor stays the
 * caller's. What is given by .handle and .name always stays the caller's.
 *
 * All functions are thread-safe; see object.h.
 */
#ifndef CUSHIM_EXTERNAL_H
#define CUSHIM_EXTERNAL_H

#include <cushim/slice.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Memory of another interface. Freed by cushim_external_memory_free(). */
CUSHIM__HANDLE(cushim_external_memory, cushim_external_memory_free)

/** A semaphore of another interface. Freed by cushim_external_semaphore_free(). */
CUSHIM__HANDLE(cushim_external_semaphore, cushim_external_semaphore_free)

/** What stands for memory, with the driver's numbers. Others go to the driver as they are. */
enum cushim_external_memory_type {
    CUSHIM_EXTERNAL_MEMORY_OPAQUE_FD = 1, /* .fd */
    CUSHIM_EXTERNAL_MEMORY_NVSCIBUF = 8,  /* .handle: the NvSciBufObj */
    CUSHIM_EXTERNAL_MEMORY_DMABUF_FD = 9, /* .fd. CUDA 13.0 */
};

/** Parameters of cushim_external_memory_import(). */
struct cushim_external_memory_params {
    size_t size; /* sizeof the structure; the macro sets it */
    int type;    /* of enum cushim_external_memory_type, or another number of the driver */
    /**
     * For the types with a file descriptor, which is greater than 0. A successful import takes it:
     * it is then the driver's, and the program must neither use nor close it. If the import fails,
     * it stays the program's, which closes it.
     */
    int fd;
    /** For the other types: the handle, or NULL if name is given. */
    const void *handle;
    const void *name;
    uint64_t bytes;    /* of all of the memory, not 0 */
    bool dedicated;    /* the memory is that of one resource, as the exporting interface says */
    const char *label; /* the label in messages, or NULL. The text is copied */
};

/** Writes the parameters in place. */
#define cushim_external_memory_params(...)                                                         \
    CUSHIM__IN_PLACE(cushim_external_memory_params, __VA_ARGS__)

/**
 * Imports memory into a context. The caller frees it with cushim_external_memory_free(). The driver
 * answers with 999 CUDA_ERROR_UNKNOWN, 304 CUDA_ERROR_OPERATING_SYSTEM or 801
 * CUDA_ERROR_NOT_SUPPORTED for what it cannot import.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_external_memory_import(
    cushim_context context, const struct cushim_external_memory_params *params,
    cushim_external_memory *ret_memory);

/**
 * Makes a slice of length elements with element_bytes bytes each, which begins at byte offset of
 * the memory. Work in other streams comes after what is in the stream now. The caller frees the
 * slice with cushim_slice_free(), which waits for all work on it. The memory lives as long as its
 * slices. Slices that overlap are not ordered with each other: make one slice, and views of it. The
 * result is CUSHIM_ERROR_INVALID_ARGUMENT if the slice is not inside of the memory.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_external_memory_slice(cushim_stream stream, cushim_external_memory memory, uint64_t offset,
                             size_t element_bytes, size_t length, cushim_slice *ret_slice);

/** What stands for a semaphore, with the driver's numbers. Others go to the driver as they are. */
enum cushim_external_semaphore_type {
    CUSHIM_EXTERNAL_SEMAPHORE_OPAQUE_FD = 1,   /* .fd; it is signalled and not, and has no value */
    CUSHIM_EXTERNAL_SEMAPHORE_TIMELINE_FD = 9, /* .fd; it has a value that grows. CUDA 11.2 */
};

/** Parameters of cushim_external_semaphore_import(), as those of memory. */
struct cushim_external_semaphore_params {
    size_t size; /* sizeof the structure; the macro sets it */
    int type;    /* of enum cushim_external_semaphore_type, or another number of the driver */
    int fd;      /* as that of memory: a successful import takes it */
    const void *handle;
    const void *name;
    const char *label;
};

/** Writes the parameters in place. */
#define cushim_external_semaphore_params(...)                                                      \
    CUSHIM__IN_PLACE(cushim_external_semaphore_params, __VA_ARGS__)

/**
 * Imports a semaphore into a context. The caller frees it with cushim_external_semaphore_free(),
 * which waits until the work of the streams that used it is done. Semaphores with a fence value are
 * supported, and those without a value; for keyed mutexes and NvSciSync, use the table (table.h):
 * the result is CUSHIM_ERROR_INVALID_ARGUMENT for their types 6, 7 and 8.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_external_semaphore_import(
    cushim_context context, const struct cushim_external_semaphore_params *params,
    cushim_external_semaphore *ret_semaphore);

/**
 * Signals a semaphore when all work that is in the stream now is done; with its value, if it has
 * one. The stream must belong to the context of the semaphore; otherwise the result is
 * CUSHIM_ERROR_FOREIGN_CONTEXT. This cannot be recorded into a graph.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_signal_external(
    cushim_stream stream, cushim_external_semaphore semaphore, uint64_t value);

/**
 * Makes later work in the stream wait until the semaphore is signalled, or until it has at least
 * that value. The calling thread does not wait. value is 0 for a semaphore without one. Otherwise
 * like cushim_stream_signal_external().
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_stream_wait_external(
    cushim_stream stream, cushim_external_semaphore semaphore, uint64_t value);

#ifndef CUSHIM_NO_SOURCE_LOCATIONS
#define cushim_external_memory_import(...)                                                         \
    (cushim_source_location(CUSHIM_HERE), cushim_external_memory_import(__VA_ARGS__))
#define cushim_external_memory_slice(...)                                                          \
    (cushim_source_location(CUSHIM_HERE), cushim_external_memory_slice(__VA_ARGS__))
#define cushim_external_memory_free(...)                                                           \
    (cushim_source_location(CUSHIM_HERE), cushim_external_memory_free(__VA_ARGS__))
#define cushim_external_memory_retain(...)                                                         \
    (cushim_source_location(CUSHIM_HERE), cushim_external_memory_retain(__VA_ARGS__))
#define cushim_external_semaphore_import(...)                                                      \
    (cushim_source_location(CUSHIM_HERE), cushim_external_semaphore_import(__VA_ARGS__))
#define cushim_external_semaphore_free(...)                                                        \
    (cushim_source_location(CUSHIM_HERE), cushim_external_semaphore_free(__VA_ARGS__))
#define cushim_external_semaphore_retain(...)                                                      \
    (cushim_source_location(CUSHIM_HERE), cushim_external_semaphore_retain(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
