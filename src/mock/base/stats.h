/* SPDX-License-Identifier: MIT */
#ifndef CUSHIM_MOCK_BASE_STATS_H
#define CUSHIM_MOCK_BASE_STATS_H

#include <cushim/mock.h>

/* What is counted, where it happens. Guarded by the lock. */
extern struct cushim_mock_counts mock__stats;

/* Memory of the device came, or went. */
void mock__stats_came(size_t bytes);
void mock__stats_went(size_t bytes);

#endif
