/* SPDX-License-Identifier: MIT */
/* Leaks: things that the program has not given back. Callers hold the lock. */
#ifndef CUSHIM_MOCK_EXPORTS_LEAKS_H
#define CUSHIM_MOCK_EXPORTS_LEAKS_H

/* Adds a finding for each object that still exists (exports/leaks.c). */
void mock__leaks_find(void);

#endif
