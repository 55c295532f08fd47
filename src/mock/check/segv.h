/* SPDX-License-Identifier: MIT */
/*
 * The handler of SIGSEGV, which is there once somebody wants it. The functions that it calls run in
 * the midst of anything, the mock with its lock included: they take no lock and allocate nothing.
 */
#ifndef CUSHIM_MOCK_CHECK_SEGV_H
#define CUSHIM_MOCK_CHECK_SEGV_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* One access to memory that faulted. */
struct mock__segv {
    uintptr_t address;
    bool is_there;           /* there is memory, but it is protected */
    bool reads, writes;      /* both, where the processor does not say */
    bool of_another_process; /* a child of fork() */
};

/* Returns true if the access is to be tried again. Else others are asked. */
typedef bool mock__segv_fn(const struct mock__segv *segv);

/*
 * Makes the handler ask a function, too, whom the program's own handler follows. Callers hold the
 * lock. False if there is no handler.
 */
bool mock__segv_ask(mock__segv_fn *fn);

#endif
