/* SPDX-License-Identifier: MIT */
/*
 * One number that calls look at, instead of several conditions that hardly ever hold: how many host
 * functions and hooks run now, in all threads, how many objects are to be freed that were freed in
 * one of them, and how often the process was forked by one that used a driver. While it is not 0,
 * calls look more closely. It is defined in status.c.
 */
#ifndef CUSHIM_BASE_ATTENTION_H
#define CUSHIM_BASE_ATTENTION_H

#include <stdatomic.h>
#include <stdbool.h>

extern atomic_uint cushim__attention __attribute__((visibility("hidden")));

/* Relaxed order suffices: a thread always sees the host function, or the hook, that it runs itself.
 */
static inline bool cushim__attention_needed(void)
{
    return __builtin_expect(atomic_load_explicit(&cushim__attention, memory_order_relaxed) != 0, 0);
}

#endif
