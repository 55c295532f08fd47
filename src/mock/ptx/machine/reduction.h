/* SPDX-License-Identifier: MIT */
/* The operations of red, sured and bulk copies. */
#ifndef CUSHIM_MOCK_PTX_MACHINE_REDUCTION_H
#define CUSHIM_MOCK_PTX_MACHINE_REDUCTION_H

enum ptx__reduction {
    PTX__REDUCE_NOTHING, /* the value replaces the old one */
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
