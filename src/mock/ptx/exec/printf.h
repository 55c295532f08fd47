/* SPDX-License-Identifier: MIT */
/* printf() of kernels: one lane's, into a text. The caller prints it, under grid->lock. */
#ifndef CUSHIM_MOCK_PTX_EXEC_PRINTF_H
#define CUSHIM_MOCK_PTX_EXEC_PRINTF_H

#include "mock/ptx/machine/warp.h"

struct ptx__printing {
    struct ptx__warp *warp;
    const struct ptx__op *op;
    unsigned lane;
    uint64_t format, arguments; /* generic addresses: of the format, of the arguments' bytes */
    unsigned n_arguments;       /* that it took */
    size_t length;
    char text[4096];
};

/* False: an address led nowhere, and a fault was told. */
bool ptx__print(struct ptx__printing *printing);

/* The text at a generic address, cut to the size. False: a fault was told. */
bool ptx__text_at(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane, uint64_t address,
                  char *text, size_t size);

#endif
