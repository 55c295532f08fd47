/* SPDX-License-Identifier: MIT */
/*
 * The default stream of driver functions.
 *
 * A _ptds or _ptsz function differs from the one without the suffix in this alone: its default
 * stream is the calling thread's, not the legacy one. So these functions are generated
 * (tools/gen_mock.py): each calls the other one between mock__per_thread_begin() and
 * mock__per_thread_end(). The generated file sees no headers of CUDA, and this one includes none.
 */
#ifndef CUSHIM_MOCK_BASE_DEFAULT_STREAM_H
#define CUSHIM_MOCK_BASE_DEFAULT_STREAM_H

#include <stdbool.h>

/*
 * In between, the default stream of the calling thread's driver functions is its own. Pairs nest: a
 * replacement kernel that runs in a thread that waits may call such a function, too. It fails.
 */
void mock__per_thread_begin(void);
void mock__per_thread_end(void);

/* Tells whether the default stream of the function that runs is the calling thread's. */
bool mock__per_thread(void);

#endif
