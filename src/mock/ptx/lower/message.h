/* SPDX-License-Identifier: MIT */
/* Whether a kernel and the host may exchange messages while the kernel runs. */
#ifndef CUSHIM_MOCK_PTX_LOWER_MESSAGE_H
#define CUSHIM_MOCK_PTX_LOWER_MESSAGE_H

#include <stdbool.h>

struct ptx__module;

/*
 * Tells whether a kernel of the module may exchange messages with the host while it runs. This
 * takes volatile accesses, or accesses that are ordered for the whole system.
 */
bool ptx__has_messages(const struct ptx__module *module);

#endif
