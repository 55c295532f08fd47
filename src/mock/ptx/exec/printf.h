/* SPDX-License-Identifier: MIT */
/* printf() of one lane of a kernel, into a text. The caller prints it under grid->lock. */
#ifndef CUSHIM_MOCK_PTX_EXEC_PRINTF_H
#define CUSHIM_MOCK_PTX_EXEC_PRINTF_H

#include "mock/ptx/machine/warp.h"

struct ptx__printing {
    struct ptx__warp *warp;
    const struct ptx__op *op;
    unsigned lane;
    uint64_t format, arguments; /* generic addresses of the format and of the arguments */
    unsigned n_arguments;       /* how many arguments were used */
    size_t length;
    char text[4096];
};

/* Returns false after a fault by a wrong address, which is reported. */
bool ptx__print(struct ptx__printing *printing);

/*
 * Reads the text at a generic address, up to the size. Returns false after a fault, which is
 * reported.
 */
bool ptx__text_at(struct ptx__warp *warp, const struct ptx__op *op, unsigned lane, uint64_t address,
                  char *text, size_t size);

#endif
