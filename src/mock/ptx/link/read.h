/* SPDX-License-Identifier: MIT */
/* Reads PTX texts to a checked module, linked and laid out. */
#ifndef CUSHIM_MOCK_PTX_LINK_READ_H
#define CUSHIM_MOCK_PTX_LINK_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "mock/ptx/syntax/log.h"

/*
 * Reads n texts as the units of one module, for a device of a capability such as 90. The caller
 * must finish the module in any case; it is complete only if the result is PTX_OK.
 */
enum ptx__status ptx__read(const char *const *texts, const size_t *lengths, size_t n,
                           int capability, struct ptx__module *module, struct ptx__log *log);

/*
 * Reads one text that will be linked with others: declarations without definitions are allowed, and
 * the resource usage is not computed.
 */
enum ptx__status ptx__read_part(const char *text, size_t length, int capability,
                                struct ptx__module *module, struct ptx__log *log);

void ptx__finish(struct ptx__module *module);

/*
 * Returns a kernel or a function by its name, or by the name of an alias; PTX_NONE if there is
 * none.
 */
uint32_t ptx__function_find(const struct ptx__module *module, const char *name);

#endif
