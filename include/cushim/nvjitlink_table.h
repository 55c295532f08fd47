/* SPDX-License-Identifier: MIT */
/*
 * nvJitLink's table: a structure with a typed pointer for each function of nvJitLink. This header
 * needs nvJitLink.h, which CUDA ships in a separate package since 12.0, and no library. The comment
 * of table.h about entries applies to this table as well.
 *
 *     const struct cushim_nvjitlink_api *link = cushim_nvjitlink_table(nvjitlink);
 *     nvJitLinkResult r = link->nvJitLinkCreate(&handle, n, options);
 *
 * The entries have the names without a version, which nvJitLink.h declares unless
 * NVJITLINK_NO_INLINE is defined: it must not be.
 *
 * nvJitLink.h does not define its version. This header assumes that it is the version of cuda.h. If
 * it is not, define CUSHIM_NVJITLINK_VERSION (12040 for 12.4) before including this header.
 */
#ifndef CUSHIM_NVJITLINK_TABLE_H
#define CUSHIM_NVJITLINK_TABLE_H

#include <nvJitLink.h>

#include <cushim/driver.h>
#include <cushim/rows.h>

#ifdef NVJITLINK_NO_INLINE
#error "nvjitlink_table.h needs the names without a version: do not define NVJITLINK_NO_INLINE"
#endif

#ifndef CUSHIM_NVJITLINK_VERSION
#include <cuda.h>
#define CUSHIM_NVJITLINK_VERSION CUDA_VERSION
#endif

#include <cushim/nvjitlink_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the table of an nvJitLink. It is never NULL, and is valid until the process ends.
 * Thread-safe.
 */
static inline const struct cushim_nvjitlink_api *cushim_nvjitlink_table(cushim_nvjitlink nvjitlink)
{
    return (const struct cushim_nvjitlink_api *) cushim_nvjitlink_functions(nvjitlink,
                                                                            CUSHIM_NVJITLINK_ROWS);
}

#ifdef __cplusplus
}
#endif

#endif
