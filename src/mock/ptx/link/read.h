/* SPDX-License-Identifier: MIT */
/* From PTX texts to a checked module, linked and laid out. */
#ifndef CUSHIM_MOCK_PTX_LINK_READ_H
#define CUSHIM_MOCK_PTX_LINK_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "mock/ptx/syntax/log.h"

/*
 * Reads n texts, each of a length, as the units of one module for a device of a capability such
 * as 90. The module is to be finished in any case; it is whole only when the answer is PTX_OK.
 */
enum ptx__status ptx__read(const char *const *texts, const size_t *lengths, size_t n,
                           int capability, struct ptx__module *module, struct ptx__log *log);

/*
 * Reads one text that is to be linked with others: what it declares and does not define is not
 * looked for, and no usage are found.
 */
enum ptx__status ptx__read_part(const char *text, size_t length, int capability,
                                struct ptx__module *module, struct ptx__log *log);

void ptx__finish(struct ptx__module *module);

/* A kernel or a function by its name, or an alias of it; PTX_NONE if there is none. */
uint32_t ptx__function_find(const struct ptx__module *module, const char *name);

#endif
