/* SPDX-License-Identifier: MIT */
/* mma and wmma, but for those of matrix_exact.c. */
#ifndef CUSHIM_MOCK_PTX_EXEC_MMA_H
#define CUSHIM_MOCK_PTX_EXEC_MMA_H

#include "mock/ptx/exec/product.h"

const struct ptx__op *ptx__mma(struct ptx__warp *warp, const struct ptx__op *op,
                               const struct ptx__arithmetic *arithmetic);

#endif
