/* SPDX-License-Identifier: MIT */
/*
 * What all handles have in common.
 *
 * An object of cushim is named by a small value, such as cushim_driver. Copies
 * of a handle name the same object; exactly one of them frees it. Zero names
 * nothing. A handle whose object was freed, or of another kind, is detected and
 * answered with CUSHIM_ERROR_STALE_HANDLE or CUSHIM_ERROR_WRONG_HANDLE, from any
 * thread: the number holds a slot, a generation and the kind.
 *
 * The function that frees takes the handle's address, zeroes the handle, and
 * does nothing on a zero one.
 */
#ifndef CUSHIM_HANDLE_H
#define CUSHIM_HANDLE_H

#include <stdint.h>

#include <cushim/status.h>

/** The handle that names nothing, as an initialiser. */
#ifdef __cplusplus
#define CUSHIM_NONE                                                                                \
    {                                                                                              \
    }
#else
#define CUSHIM_NONE                                                                                \
    {                                                                                              \
        0                                                                                          \
    }
#endif

/**
 * Declares a handle type and the function that frees it. The function returns
 * nothing that a caller has to act on: its errors go to the log.
 */
#define CUSHIM__HANDLE(type, destroy)                                                              \
    typedef struct type {                                                                          \
        uint64_t id;                                                                               \
    } type;                                                                                        \
    CUSHIM_API void destroy(type *handle);                                                         \
    static inline void type##__scoped(type *handle)                                                \
    {                                                                                              \
        destroy(handle);                                                                           \
    }

/**
 * A variable that frees its object when it goes out of scope:
 *
 *     CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
 */
#define CUSHIM_SCOPED(type) __attribute__((cleanup(type##__scoped))) type

#endif
