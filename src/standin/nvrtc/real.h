/* SPDX-License-Identifier: MIT */
/* The real NVRTC, whose answers are recorded. */
#ifndef CUSHIM_STANDIN_NVRTC_REAL_H
#define CUSHIM_STANDIN_NVRTC_REAL_H

#include <cushim/driver.h>

#include "standin/nvrtc/program.h"

/* Its table, whose functions are called by their rows (cushim/rows.h). */
struct real {
    const cushim_entry *table;
    cushim_nvrtc nvrtc; /* never closed: its functions may be called until the process ends */
};

/*
 * Opens the NVRTC that CUSHIM_NVRTC_REAL names, or else the one that cushim finds without
 * CUSHIM_LIBNVRTC, and asks what it says of itself. On failure returns false and writes the reason.
 */
bool real_open(struct real *ret_real, struct answers *ret_says, struct cushim__str *why);

/*
 * Compiles a program, and fills the answer with the result, what was made and the log. Returns
 * false if this is no answer to the program, but another failure of NVRTC, such as out of memory:
 * the result and the log are filled then, too.
 */
bool real_compile(const struct real *real, const struct program *program, int n,
                  const char *const *options, struct cushim__arena *arena, struct answer *answer);

#endif
