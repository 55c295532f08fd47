/* SPDX-License-Identifier: MIT */
/*
 * Properties that all handles share.
 *
 * A handle is a small value, such as a cushim_driver, that names an object of cushim. Copies of a
 * handle name the same object, and exactly one of them is freed. Handles that separate calls
 * returned are freed each, even if they name the same object. cushim_handle_retain() makes another
 * handle of an object. The handle zero names no object.
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

#include <stddef.h>
#include <stdint.h>

#include <cushim/status.h>

/**
 * The handle that names no object: cushim_slice x = CUSHIM_NONE. In C it is an initialiser, and as
 * an argument of a call it is written (cushim_slice) CUSHIM_NONE. In C++ it may be assigned as
 * well.
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

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes another handle of the object of a handle, which is freed as the first one is. The object
 * lives until both are freed, in either order. id is the number in the handle, and *ret_id the
 * number of the new handle. Each kind of handle that has a function to free it has one for this,
 * too:
 *
 *     cushim_status cushim_slice_retain(cushim_slice slice, cushim_slice *ret_slice);
 *
 * So a library can keep an object that the program may free at any time. Both handles name the same
 * memory, or stream, and the same label. The result is CUSHIM_ERROR_WRONG_HANDLE for functions and
 * kernels, which live as long as their module or code library. Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_handle_retain(uint64_t id, uint64_t *ret_id);

#ifdef __cplusplus
}
#endif

/* By this type templates know handles, views and fields in C++. */
#ifdef __cplusplus
#define CUSHIM__HANDLE_MARK typedef void cushim__handle_mark;
#else
#define CUSHIM__HANDLE_MARK
#endif

/**
 * Declares a handle type, the function that frees its object, and the one that makes another handle
 * (cushim_handle_retain()). The function that frees returns nothing: errors of freeing go to the
 * log (log.h), and the caller need not handle them. They never change the last error of the thread
 * (cushim_error_text()).
 */
#define CUSHIM__HANDLE(type, destroy)                                                              \
    typedef struct type {                                                                          \
        uint64_t id;                                                                               \
        CUSHIM__HANDLE_MARK                                                                        \
    } type;                                                                                        \
    CUSHIM_API void destroy(type *handle);                                                         \
    static inline CUSHIM_CHECKED cushim_status type##_retain(type handle, type *ret_handle)        \
    {                                                                                              \
        return cushim_handle_retain(handle.id, ret_handle ? &ret_handle->id : NULL);               \
    }                                                                                              \
    static inline void type##__scoped(type *handle)                                                \
    {                                                                                              \
        destroy(handle);                                                                           \
    }

/**
 * Declares a variable whose object is freed when the variable goes out of scope:
 *
 *     CUSHIM_SCOPED(cushim_driver) driver = CUSHIM_NONE;
 *
 * The variable must be initialised: whatever is in it then is freed.
 */
#define CUSHIM_SCOPED(type) __attribute__((cleanup(type##__scoped))) type

#endif
