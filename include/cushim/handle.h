/* SPDX-License-Identifier: MIT */
/*
 * Properties that all handles share.
 *
 * A handle is a small value, such as a cushim_driver, that names an object of cushim. Copies of a
 * handle name the same object, and exactly one of them is freed. Handles that separate calls
 * returned are freed each, even if they name the same object. The handle zero names no object.
 * cushim detects wrong handles in every thread, because the number contains a slot, a generation
 * and the kind of the object: a handle of a freed object is answered with
 * CUSHIM_ERROR_STALE_HANDLE, and a handle of another kind with CUSHIM_ERROR_WRONG_HANDLE.
 *
 * A process can have 1048576 handles at the same time, of all kinds together. A function that would
 * make another one fails with CUSHIM_ERROR_LIMIT.
 *
 * A function that frees an object takes the address of the handle and sets the handle to zero. If
 * the handle is zero already, the function does nothing.
 */
#ifndef CUSHIM_HANDLE_H
#define CUSHIM_HANDLE_H

#include <stdint.h>

#include <cushim/status.h>

/**
 * The handle that names no object: cushim_slice x = CUSHIM_NONE. In C it is an initialiser. In C++
 * it may be assigned as well.
 */
#ifdef __cplusplus
extern "C++" {
struct cushim__none {
    template <typename handle> operator handle() const
    {
        return handle();
    }
};
}
#define CUSHIM_NONE (cushim__none())
#else
#define CUSHIM_NONE                                                                                \
    {                                                                                              \
        0                                                                                          \
    }
#endif

/**
 * Declares a handle type and the function that frees its object. That function returns nothing:
 * errors of freeing go to the log (log.h), and the caller need not handle them. They never change
 * the last error of the thread (cushim_error_text()).
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
 * Declares a variable whose object is freed when the variable goes out of scope:
 *
 *     CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
 */
#define CUSHIM_SCOPED(type) __attribute__((cleanup(type##__scoped))) type

#endif
