/* SPDX-License-Identifier: MIT */
/* The counts that cushim_mock_stats() returns. */
#ifndef CUSHIM_MOCK_BASE_STATS_H
#define CUSHIM_MOCK_BASE_STATS_H

#include <cushim/mock.h>

/* Counters, which the code increments where the counted event happens. Protected by the lock. */
extern struct cushim_mock_counts mock__stats;

/* Count memory of the device that was allocated, or freed. */
void mock__stats_came(size_t bytes);
void mock__stats_went(size_t bytes);

#endif
