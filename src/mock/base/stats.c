/* SPDX-License-Identifier: MIT */
#include "mock/base/stats.h"

#include "mock/base/state.h"

struct cushim_mock_counts mock__stats;

void mock__stats_came(size_t bytes)
{
    mock__stats.live_allocations++;
    mock__stats.live_bytes += bytes;
    if (mock__stats.peak_bytes < mock__stats.live_bytes)
        mock__stats.peak_bytes = mock__stats.live_bytes;
}

void mock__stats_went(size_t bytes)
{
    mock__stats.live_allocations--;
    mock__stats.live_bytes -= bytes;
}

struct cushim_mock_counts cushim_mock_stats(void)
{
    struct cushim_mock_counts stats;

    mock__control_lock();
    stats = mock__stats;
    mock__control_unlock();
    return stats;
}
