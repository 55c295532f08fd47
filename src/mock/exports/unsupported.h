/* SPDX-License-Identifier: MIT */
/*
 * The functions that nothing implements. Their generated definitions call this one, and see no
 * headers of CUDA.
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
 * The result of a first version with addresses or sizes of 32 bits. It is for contexts of that time; what
 * makes contexts today makes none, as on hardware.
 */
CUSHIM__HIDDEN int mock__narrow(void);

#endif
