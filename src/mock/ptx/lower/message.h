/* SPDX-License-Identifier: MIT */
#ifndef CUSHIM_MOCK_PTX_LOWER_MESSAGE_H
#define CUSHIM_MOCK_PTX_LOWER_MESSAGE_H

#include <stdbool.h>

struct ptx__module;

/*
 * May a kernel of the module exchange messages with the host while it runs? That takes accesses
 * that are volatile, or ordered for the whole system.
 */
bool ptx__has_messages(const struct ptx__module *module);

#endif
