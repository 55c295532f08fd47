/* SPDX-License-Identifier: MIT */
/* Which streams may use managed memory of a device. Callers hold the lock. */
#ifndef CUSHIM_MOCK_ALLOCATION_STREAM_ATTACH_H
#define CUSHIM_MOCK_ALLOCATION_STREAM_ATTACH_H

struct mock__memory;
struct mock__work;

/*
 * Called when work uses managed memory. It is a finding if the memory is attached to another stream
 * or to the host.
 */
void mock__attach_check(const struct mock__work *work, const struct mock__memory *memory);

#endif
