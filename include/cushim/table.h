/* SPDX-License-Identifier: MIT */
/*
 * The driver's table: a structure with a typed pointer for each function of the driver. This header,
 * nvrtc_table.h and nvjitlink_table.h need CUDA's headers (11.3 or later). The other headers of
 * cushim do not, and CUDA's libraries are never needed for building.
 *
 *     const struct cushim_cuda_api *cu = cushim_cuda(driver);
 *     CUresult r = cu->cuMemAlloc(&p, n);
 *
 * cuda.h redirects names (cuMemAlloc means cuMemAlloc_v2, and in
 * per-thread-default-stream mode cuMemcpy means cuMemcpy_ptds). The redirection
 * picks the right entry by itself. The first version of a redirected function is
 * called cuMemAlloc_v1.
 *
 * An entry is never NULL. A function that the driver does not have returns 302
 * CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, or 303 CUDA_ERROR_SHARED_OBJECT_INIT_FAILED if there
 * is no driver. cushim_error_text() then tells what the function needs. cushim_driver_has() checks
 * for a function without calling it.
 *
 * If CUDA's headers are too old to declare a function, its entry in the table has the type
 * cushim_entry. The functions of cudaGL.h, cudaEGL.h, cudaVDPAU.h and cudaProfiler.h have their
 * types if cudaGLTypedefs.h and the corresponding headers are included before this one.
 *
 * In per-thread-default-stream mode cu->cuGetProcAddress is the driver's own function. A program
 * that wants per-thread variants from it must pass CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM.
 * cuda.h adds this flag in an inline function, which a table cannot contain.
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

/**
 * Returns the table of a driver. It is never NULL, and is valid until the process ends.
 * Thread-safe.
 */
static inline const struct cushim_cuda_api *cushim_cuda(cushim_driver driver)
{
    return (const struct cushim_cuda_api *) cushim_driver_functions(driver, CUSHIM_CUDA_ROWS);
}

#ifdef __cplusplus
}
#endif

#endif
