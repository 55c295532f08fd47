/* SPDX-License-Identifier: MIT */
/* The lists of functions that hooks see: those of the driver, of NVRTC and of nvJitLink. */
#ifndef CUSHIM_INTERPOSE_LISTS_H
#define CUSHIM_INTERPOSE_LISTS_H

#include <cushim/driver.h>
#include <cushim/rows.h>

#include "base/rows.h"

enum { CUSHIM__LISTS = CUSHIM_LIBRARY_NVJITLINK + 1 };

/* The functions of all lists are numbered one after another, in the order of the libraries. */
enum {
    CUSHIM__FIRST_NVRTC = CUSHIM_CUDA_ROWS,
    CUSHIM__FIRST_NVJITLINK = CUSHIM__FIRST_NVRTC + CUSHIM_NVRTC_ROWS,
    CUSHIM__ALL_ROWS = CUSHIM__FIRST_NVJITLINK + CUSHIM_NVJITLINK_ROWS,
};

struct cushim__list {
    const struct cushim__rows *rows;
    size_t first;        /* the number of the first function */
    const char *word;    /* "nvrtc": the library's name in traces */
    const char *prefix;  /* "nvrtc": how the names of the functions begin */
    const char *results; /* "NVRTC_ERROR_": how the names of most results begin */
    const char *(*result_name)(int result); /* NULL for a number that is not defined */
};

/* By enum cushim_library. */
extern const struct cushim__list cushim__lists[CUSHIM__LISTS];

/* Returns the list of the function with this number. */
const struct cushim__list *cushim__list_at(size_t number);

#endif
