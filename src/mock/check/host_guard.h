/* SPDX-License-Identifier: MIT */
/*
 * Lets work use memory that the program has registered, and has then unmapped or protected, without
 * ending the process. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_CHECK_HOST_GUARD_H
#define CUSHIM_MOCK_CHECK_HOST_GUARD_H

#include <stdbool.h>

struct mock__memory;
struct mock__work;

/* Tell the guard which memory is registered. Add and remove it with the registration. */
void mock__host_guard_add(const struct mock__memory *memory);
void mock__host_guard_remove(const struct mock__memory *memory);

/*
 * Reserves the addresses of registered memory that the program has unmapped. Each driver function
 * calls this at its beginning, and looks at a few registrations in turn.
 */
void mock__host_guard_look(void);

/*
 * Call these before and after each piece of work that may use such memory, in the thread that does
 * it. any_memory: the work may use any of it, so all registrations are looked at first, and not a
 * few in turn.
 */
void mock__host_guard_begin(bool any_memory);
void mock__host_guard_end(const struct mock__work *work);

/*
 * The calling thread takes part in the work that runs now, until that ends. Needs no lock, but the
 * work must not end meanwhile.
 */
void mock__host_guard_join(void);

#endif
