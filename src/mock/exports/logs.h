/* SPDX-License-Identifier: MIT */
/* Hooks around the exported functions, for logs.c; exports.c has them. */
#ifndef CUSHIM_MOCK_EXPORTS_LOGS_H
#define CUSHIM_MOCK_EXPORTS_LOGS_H

#include <cushim/interpose.h>

/* Puts hooks around all that are there. Thread-safe. */
void mock__hook_calls(const struct cushim_hooks *hooks);

#endif
