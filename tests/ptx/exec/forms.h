/* SPDX-License-Identifier: MIT */
/* The list of forms. */
#ifndef CUSHIM_TESTS_PTX_FORMS_H
#define CUSHIM_TESTS_PTX_FORMS_H

#include <stddef.h>

enum { MOST_FORMS = 1200 };

struct form {
    char name[64];
    char operands[8];                  /* the result's class and those of the sources */
    const char *more, *before, *after; /* operands behind them, and instructions around it */
};

size_t list_forms(struct form *forms);

#endif
