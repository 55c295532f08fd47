/* SPDX-License-Identifier: MIT */
/*
 * What the generated definitions of functions call, which see no headers of CUDA.
 */
#ifndef CUSHIM_MOCK_EXPORTS_UNSUPPORTED_H
#define CUSHIM_MOCK_EXPORTS_UNSUPPORTED_H

#include "base/publish.h"

/*
 * The result of a function without an implementation: CUDA_ERROR_NOT_SUPPORTED, or the error of
 * every driver function in this state, such as before cuInit().
 */
CUSHIM__HIDDEN int mock__unsupported(void);

/*
 * Comes before the first version of a function with addresses or sizes of 32 bits. It is for
 * contexts of that time: CUDA_ERROR_INVALID_CONTEXT in any other one. Returns CUDA_SUCCESS if it
 * may run.
 */
CUSHIM__HIDDEN int mock__refuse_narrow(void);

#endif
