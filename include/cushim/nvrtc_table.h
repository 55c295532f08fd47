/* SPDX-License-Identifier: MIT */
/*
 * NVRTC's table: a structure with a typed pointer for each function of NVRTC. This header needs
 * nvrtc.h, which CUDA ships in a separate package, and no library. The comment of table.h about
 * entries applies to this table as well.
 *
 *     const struct cushim_nvrtc_api *rtc = cushim_nvrtc_table(nvrtc);
 *     nvrtcResult r = rtc->nvrtcCompileProgram(program, n, options);
 *
 * nvrtc.h does not define its version. This header assumes that it is the version of cuda.h. If it
 * is not, define CUSHIM_NVRTC_VERSION (12040 for 12.4) before including this header.
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

/*
 * The table names functions that nvrtc.h marks as deprecated. That must not cause warnings in a
 * program that does not use them.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <cushim/nvrtc_api.h>
#pragma GCC diagnostic pop

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the table of an NVRTC. It is never NULL, and is valid until the process ends.
 * Thread-safe.
 */
static inline const struct cushim_nvrtc_api *cushim_nvrtc_table(cushim_nvrtc nvrtc)
{
    return (const struct cushim_nvrtc_api *) cushim_nvrtc_functions(nvrtc, CUSHIM_NVRTC_ROWS);
}

#ifdef __cplusplus
}
#endif

#endif
