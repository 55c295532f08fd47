/* SPDX-License-Identifier: MIT */
/*
 * Types with the binary layout of structures that the driver takes by value. The letters are those
 * of the signature column in loader/cuda.symbols.
 */
#ifndef CUSHIM_BASE_ABI_H
#define CUSHIM_BASE_ABI_H

#include <stdint.h>

/* 'm': CUmemLocation, two ints. */
struct cushim__arg8 {
    int32_t a, b;
};

/*
 * 'H': CUipcMemHandle, CUipcEventHandle and CUeglFrame. Every ABI passes structures of this size in
 * memory.
 */
struct cushim__arg64 {
    uint64_t v[8];
};

#endif
