/* SPDX-License-Identifier: MIT */
/* Sleeping until a word in memory changes. Mutexes, conditions and waits are made of it. */
#ifndef CUSHIM_BASE_WORD_H
#define CUSHIM_BASE_WORD_H

#include <stdatomic.h>
#include <stdint.h>

/* A time of the monotonic clock in nanoseconds that never comes. */
#define CUSHIM__NEVER UINT64_MAX

/*
 * Sleeps while the word has a value, at most until a time. It may also return early: the caller
 * looks at the word again. The thread's errno stays as it was.
 */
void cushim__word_sleep(atomic_uint *word, unsigned value, uint64_t until);

/*
 * Wakes at most so many threads that sleep on the word. Its memory may be another one's by now: the
 * address is only a number here. The thread's errno stays as it was.
 */
void cushim__word_wake(atomic_uint *word, int threads);

#endif
