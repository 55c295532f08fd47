/* SPDX-License-Identifier: MIT */
/* Runs forms by the driver. Built with FORMS_DRIVER it is the driver that the program is linked
 * with, so that the same code asks hardware. */
#ifndef CUSHIM_TESTS_PTX_FORMS_RUN_H
#define CUSHIM_TESTS_PTX_FORMS_RUN_H

#include <stdint.h>

#include "forms.h"

enum { FORMS_VALUES = 8192 };

void forms_begin(void);
void forms_end(void);

/* 0, or what the driver says that refuses the kernel. The results lie where forms_result() says. */
int forms_run(const struct form *form);
const uint64_t *forms_result(void);

/* Source `o` of a form, of each thread. */
const uint64_t *forms_source(const struct form *form, unsigned o);

/* 90 for 9.0 */
unsigned forms_capability(void);

/* Prints how far approximate results are off; not 0 if any is too far. */
int forms_judge_approximate(const struct form *forms, size_t n);

/* What the driver says of its device, in a line that ends. */
void forms_print_device(void);

#endif
