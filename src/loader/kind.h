/* SPDX-License-Identifier: MIT */
/* The kinds of library that the loader finds: libcuda, libnvrtc and libnvJitLink. */
#ifndef CUSHIM_LOADER_KIND_H
#define CUSHIM_LOADER_KIND_H

#include "loader/library.h"

extern const struct cushim__kind cushim__kind_cuda;      /* kind_cuda.c */
extern const struct cushim__kind cushim__kind_nvrtc;     /* kind_nvrtc.c */
extern const struct cushim__kind cushim__kind_nvjitlink; /* kind_nvjitlink.c */

enum { CUSHIM__KINDS = CUSHIM_LIBRARY_NVJITLINK + 1 };

/*
 * The multiarch triplet: distributions of the Debian family install libraries in a folder with this
 * name.
 */
#if defined(__x86_64__)
#define CUSHIM__MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define CUSHIM__MULTIARCH "aarch64-linux-gnu"
#elif defined(__powerpc64__)
#define CUSHIM__MULTIARCH "powerpc64le-linux-gnu"
#else
#define CUSHIM__MULTIARCH "unknown-linux-gnu"
#endif

#endif
