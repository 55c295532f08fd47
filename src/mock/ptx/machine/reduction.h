/* SPDX-License-Identifier: MIT */
/* What red, sured and bulk copies make of what is in memory and a value. */
#ifndef CUSHIM_MOCK_PTX_MACHINE_REDUCTION_H
#define CUSHIM_MOCK_PTX_MACHINE_REDUCTION_H

enum ptx__reduction {
    PTX__REDUCE_NOTHING, /* it is replaced */
    PTX__REDUCE_ADD,
    PTX__REDUCE_MIN,
    PTX__REDUCE_MAX,
    PTX__REDUCE_INC,
    PTX__REDUCE_DEC,
    PTX__REDUCE_AND,
    PTX__REDUCE_OR,
    PTX__REDUCE_XOR,
};

#endif
