/* SPDX-License-Identifier: MIT */
/*
 * NVRTC's table: every function, typed, through a pointer. It needs NVRTC's header,
 * which comes in a package of its own, and no library. table.h says what holds for
 * tables.
 *
 *     const struct cushim_nvrtc_api *rtc = cushim_nvrtc_table(nvrtc);
 *     nvrtcResult r = rtc->nvrtcCompileProgram(program, n, options);
 *
 * nvrtc.h does not say its version. It is taken to be that of cuda.h beside it;
 * where it is another, define CUSHIM_NVRTC_VERSION (12040 for 12.4) before.
 */
#ifndef CUSHIM_NVRTC_TABLE_H
#define CUSHIM_NVRTC_TABLE_H

#include <nvrtc.h>

#include <cushim/driver.h>
#include <cushim/rows.h>

#ifndef CUSHIM_NVRTC_VERSION
#include <cuda.h>
#define CUSHIM_NVRTC_VERSION CUDA_VERSION
#endif

/* In C++ an unqualified name would change its meaning inside the struct. */
#ifdef __cplusplus
#define CUSHIM__TYPE(function) __typeof__(&::function)
#else
#define CUSHIM__TYPE(function) __typeof__(&function)
#endif

/* The table has functions that nvrtc.h calls deprecated; the program may not use them. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <cushim/nvrtc_api.h>
#pragma GCC diagnostic pop

#undef CUSHIM__TYPE

#ifdef __cplusplus
extern "C" {
#endif

/** The table of an open NVRTC. Never NULL. Valid until the process ends. */
static inline const struct cushim_nvrtc_api *cushim_nvrtc_table(cushim_nvrtc nvrtc)
{
    return (const struct cushim_nvrtc_api *) cushim_nvrtc_functions(nvrtc, CUSHIM_NVRTC_ROWS);
}

#ifdef __cplusplus
}
#endif

#endif
