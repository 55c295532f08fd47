/* SPDX-License-Identifier: MIT */
/*
 * The driver's table: every function, typed, through a pointer. This header needs
 * CUDA's headers (11.3 or later), as does nvrtc_table.h; no other header of cushim
 * does, and nothing needs CUDA's libraries.
 *
 *     const struct cushim_cuda_api *cu = cushim_cuda(driver);
 *     CUresult r = cu->cuMemAlloc(&p, n);
 *
 * cuda.h redirects names (cuMemAlloc means cuMemAlloc_v2, and in
 * per-thread-default-stream mode cuMemcpy means cuMemcpy_ptds). The redirection
 * picks the right entry by itself. The first version of a redirected function is
 * called cuMemAlloc_v1.
 *
 * An entry is never NULL. A function that the driver does not have returns
 * 302 CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, or 303 where there is no driver
 * at all, and cushim_error_text() then says what it needs; cushim_driver_has()
 * asks beforehand.
 *
 * A function that the CUDA headers at hand are too old to declare is in the
 * table all the same, as a cushim_entry. Functions of cudaGL.h, cudaEGL.h,
 * cudaVDPAU.h and cudaProfiler.h are typed if cudaGLTypedefs.h and its like are
 * included before this header.
 *
 * In per-thread-default-stream mode cu->cuGetProcAddress is the driver's own
 * function: give it CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM yourself where
 * you want per-thread variants (cuda.h adds that in an inline function, which a
 * table has no place for).
 */
#ifndef CUSHIM_TABLE_H
#define CUSHIM_TABLE_H

#include <cuda.h>
#if CUDA_VERSION < 11030
#error "cushim/table.h needs the headers of CUDA 11.3 or later"
#endif
#include <cudaTypedefs.h>

#include <cushim/driver.h>
#include <cushim/rows.h>

#include <cushim/cuda_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The table of an open driver. Never NULL. Valid until the process ends. */
static inline const struct cushim_cuda_api *cushim_cuda(cushim_driver driver)
{
    return (const struct cushim_cuda_api *) cushim_driver_functions(driver, CUSHIM_CUDA_ROWS);
}

#ifdef __cplusplus
}
#endif

#endif
