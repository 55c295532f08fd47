/* SPDX-License-Identifier: MIT */
/*
 * What the environment asks for, once for the process: to record, or to replay.
 */
#ifndef CUSHIM_STANDIN_NVRTC_SESSION_H
#define CUSHIM_STANDIN_NVRTC_SESSION_H

#include "standin/nvrtc/program.h"

/* Returns what NVRTC says of itself, or NULL after a message if nothing can be answered. */
const struct answers *session_says(void);

/*
 * Answers a compilation: sets program->answer, or program->miss to a log. Returns the result of
 * nvrtcCompileProgram().
 */
int session_compile(struct program *program, int n, const char *const *options);

#endif
