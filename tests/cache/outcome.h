/* SPDX-License-Identifier: MIT */
/* The tests of the cache under Criterion: an NVRTC, a folder, and what compilations did: outcome.c.
 */
#ifndef CUSHIM_TESTS_CACHE_OUTCOME_H
#define CUSHIM_TESTS_CACHE_OUTCOME_H

#include "../support/assertions.h"
#include "cache.h"

extern cushim_nvrtc nvrtc;
extern char folder[64];
extern char log_text[4096]; /* the last message of the log */

void open_nvrtc(const char *path, cushim_nvrtc *ret_nvrtc);
void setup(void);
void teardown(void);

enum outcome { HIT, MISS, BYPASS, FAILED };

/* Compiles with the NVRTC and the folder, and returns what that added to the counts. */
enum outcome outcome_of(const char *source, const struct cushim_compile_params *given);

#define OUTCOME(source, ...) outcome_of(source, cushim_compile_params(__VA_ARGS__))
#define LIST(...)            ((const char *const[]){__VA_ARGS__, NULL})

#endif
