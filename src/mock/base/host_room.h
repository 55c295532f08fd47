/* SPDX-License-Identifier: MIT */
/*
 * Whether the host has the memory that devices are written to. A device may have more than the
 * host: allocations take nothing until they are written. If what is written is about to be more
 * than the host has, the program is told, before the system ends it without a word.
 *
 * Bytes are counted; the system is asked only when so many have come together that they matter.
 * Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_BASE_HOST_ROOM_H
#define CUSHIM_MOCK_BASE_HOST_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most memory of devices is in this file. */
void mock__host_room_file(int fd);

/*
 * For devices that have no more than the host can give: tells whether the host can give so many
 * bytes besides what is allocated already; and how much that is at most.
 */
bool mock__host_room_for(uint64_t allocated, uint64_t bytes);
uint64_t mock__host_room_left(uint64_t allocated);

/* All of these bytes of the host are written next. */
void mock__host_room_write(const void *to, size_t bytes);

/* A kernel runs that may write to so many bytes; and has ended. */
void mock__host_room_kernel(size_t bytes);
void mock__host_room_kernel_end(void);

#endif
