/* SPDX-License-Identifier: MIT */
/*
 * What the environment asks for, once for the process: to record, to replay, or only to pass on to
 * the real NVRTC; and whether programs get PTX where they ask for machine code.
 */
#ifndef CUSHIM_STANDIN_NVRTC_SESSION_H
#define CUSHIM_STANDIN_NVRTC_SESSION_H

#include <cushim/driver.h>

#include "standin/nvrtc/program.h"

/* Returns what NVRTC says of itself, or NULL after a message if nothing can be answered. */
const struct answers *session_says(void);

/*
 * Answers a compilation: sets program->answer, or program->miss to a log. Returns the result of
 * nvrtcCompileProgram().
 */
int session_compile(struct program *program, int n, const char *const *options);

/* Returns a function of the real NVRTC, or NULL if it has none or there is none. */
cushim_entry session_real(const char *symbol, unsigned row);

/* Tells whether machine code is to be replaced by PTX, for the mock. */
bool session_keeps_ptx(void);

#endif
