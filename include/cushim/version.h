/* SPDX-License-Identifier: MIT */
/* The version of cushim, and the macros that every public header needs. */
#ifndef CUSHIM_VERSION_H
#define CUSHIM_VERSION_H

#define CUSHIM_VERSION_MAJOR 0
#define CUSHIM_VERSION_MINOR 1
#define CUSHIM_VERSION_PATCH 0

/*
 * CUSHIM_API marks the functions that the shared library exports. A program that links the static
 * library has nothing to define: default visibility is harmless there. CUSHIM_CHECKED marks those
 * whose result tells whether they failed: a compiler warns where it is dropped.
 */
#if defined(__GNUC__)
#define CUSHIM_API          __attribute__((visibility("default")))
#define CUSHIM_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define CUSHIM_CHECKED      __attribute__((warn_unused_result))
#else
#define CUSHIM_CHECKED
#define CUSHIM_API
#define CUSHIM_PRINTF(f, a)
#endif

/*
 * Writes a structure in place. Its first field is its size, so that a program and this library may
 * have been compiled with different versions of a header. Fields that are left out are zero, which
 * g++ would name one by one with -Wextra if this were no system header.
 */
#pragma GCC system_header
#ifdef __cplusplus
#define CUSHIM__SIZED(type, ...) (__extension__ type{.size = sizeof(type), __VA_ARGS__})
#else
#define CUSHIM__SIZED(type, ...) ((struct type){.size = sizeof(struct type), __VA_ARGS__})
#endif

/*
 * Writes such a structure, and gives its address: for the rest of the block in C, and for the rest
 * of the full expression, such as a call, in C++. So in C++ it is an argument of a call, and not
 * the value of a variable.
 */
#ifdef __cplusplus
#define CUSHIM__IN_PLACE(type, ...)                                                                \
    (&static_cast<const type &>(__extension__ type{.size = sizeof(type), __VA_ARGS__}))
#else
#define CUSHIM__IN_PLACE(type, ...) (&(const struct type){.size = sizeof(struct type), __VA_ARGS__})
#endif

#endif
