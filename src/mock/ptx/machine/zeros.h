/* SPDX-License-Identifier: MIT */
/*
 * Zeroed memory for what a launch may use only a small part of. The system gives large amounts, so
 * that the parts that are not used take no time.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_ZEROS_H
#define CUSHIM_MOCK_PTX_MACHINE_ZEROS_H

#include <stdbool.h>
#include <stddef.h>

/* NULL if there is no memory. */
void *ptx__zeros_new(size_t bytes);

/* bytes is what it was made with. NULL is freed, too. */
void ptx__zeros_free(void *zeros, size_t bytes);

/*
 * Tells whether it is worth while to make memory zero again instead, of which so much was used, and
 * then takes it, for the next one that wants as much: the system takes long to give pages of it. A
 * few are kept, until there are others.
 */
bool ptx__zeros_kept(size_t bytes, size_t used);
void ptx__zeros_keep(void *zeros, size_t bytes);

#endif
