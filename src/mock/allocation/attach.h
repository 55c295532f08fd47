/* SPDX-License-Identifier: MIT */
/* Which streams may use managed memory on a device. Callers hold the lock. */
#ifndef CUSHIM_MOCK_ALLOCATION_ATTACH_H
#define CUSHIM_MOCK_ALLOCATION_ATTACH_H

struct mock__memory;
struct mock__work;

/* The work that runs uses managed memory: a finding if that is attached to somebody else. */
void mock__attach_check(const struct mock__work *work, const struct mock__memory *memory);

#endif
