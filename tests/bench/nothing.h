/* SPDX-License-Identifier: MIT */
/* A driver that does nothing, but says what it is asked. nothing.c has it. */
#ifndef BENCH_NOTHING_H
#define BENCH_NOTHING_H

/* A resolver for cushim_open(). */
void *nothing_resolve(const char *symbol, void *user);

#endif
