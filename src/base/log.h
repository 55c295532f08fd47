/* SPDX-License-Identifier: MIT */
/* The log: messages of the library for the callback of the program, or for standard error. */
#ifndef CUSHIM_BASE_LOG_H
#define CUSHIM_BASE_LOG_H

#include <stdbool.h>

#include <cushim/log.h>

/*
 * Tells whether messages of this level are wanted. It costs little, so callers use it before they
 * make a long message.
 */
bool cushim__log_wants(enum cushim_log_level level);

void cushim__log(enum cushim_log_level level, const char *format, ...) CUSHIM_PRINTF(2, 3);

/* Replaces the callback. Returns when no thread is inside the old one any more. */
void cushim__log_set(enum cushim_log_level level, cushim_log_fn fn, void *user);

#endif
