/* SPDX-License-Identifier: MIT */
/*
 * The handler of SIGSEGV. It is installed when a function is added for the first time. The
 * functions may run at any point of the program, also while the mock holds its lock. So they take
 * no lock and allocate nothing.
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
    bool reads, writes;      /* both are set if the processor does not tell */
    bool of_another_process; /* a child of fork() */
};

/*
 * Handles one fault. Returns true if the access can be tried again. After false, the next function
 * is called.
 */
typedef bool mock__segv_fn(const struct mock__segv *segv);

/*
 * Adds a function to those that the handler calls. If none of them returns true, the program's own
 * handler is called. Callers hold the lock. Returns false if the handler cannot be installed.
 */
bool mock__segv_ask(mock__segv_fn *fn);

#endif
