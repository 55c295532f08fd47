/* SPDX-License-Identifier: MIT */
/* The functions that folders call in folders above them: see base/upcalls.h. */
#include "mock/base/upcalls.h"

#include "base/env.h"
#include "mock/allocation/array.h"
#include "mock/allocation/mem_pool.h"
#include "mock/allocation/memory.h"
#include "mock/base/finding.h"
#include "mock/check/access.h"
#include "mock/check/host_guard.h"
#include "mock/check/host_region.h"
#include "mock/check/host_watch.h"
#include "mock/config/config.h"
#include "mock/exports/leaks.h"
#include "mock/launch/control.h"
#include "mock/launch/launch.h"
#include "mock/module/kernels.h"
#include "mock/module/module.h"
#include "mock/node/graph_conditional.h"
#include "mock/node/graph_exec.h"
#include "mock/node/graph_kernel.h"
#include "mock/node/graph_params.h"
#include "mock/queue/forget.h"
#include "mock/queue/schedule.h"
#include "mock/stream/event.h"
#include "mock/stream/stream.h"
#include "mock/texture/texture.h"

static void start(const struct mock__config *config)
{
    mock__findings_start();
    mock__host_watch_start(mock__findings_wanted() || (mock__checking() && config->watch_host));
    mock__kernels_load(cushim__env("CUSHIM_MOCK_KERNELS"));
    mock__schedule_seed(mock__seed());
}

static void context_end(struct mock__context *context)
{
    /* Modules first, as they own variables in the memory that goes last. */
    mock__modules_destroy(context);
    mock__events_destroy(context);
    mock__streams_destroy(context);
    mock__execs_invalidate(context);
    mock__textures_destroy(context);
    mock__arrays_destroy(context);
    mock__memory_free_all(context);
    mock__ctx_events_finish(context);
}

static CUresult alloc_work(struct mock__context *context, size_t bytes,
                           struct mock__work **ret_work, CUdeviceptr *ret_address)
{
    const CUresult result = mock__alloc_work(context, bytes, "cuMemAllocAsync", ret_work);

    if (result == CUDA_SUCCESS)
        *ret_address = mock__address_of_work(*ret_work);
    return result;
}

static CUresult free_work(CUgraph graph, CUdeviceptr address, struct mock__work **ret_work)
{
    return mock__describe_free(&(struct mock__free_params){address, graph}, ret_work);
}

const struct mock__upcalls mock__upcalls = {
    .start = start,
    .context_begin = mock__streams_begin,
    .context_end = context_end,
    .module_end = mock__references_destroy,
    .idle = mock__pools_trim,
    .watch = mock__host_watch_arm,
    .watch_submitted = mock__host_watch_submitted,
    .watch_end = mock__host_watch_done,
    .host_knows = mock__host_watch_behind,
    .slot_watched = mock__host_watches_slot,
    .kernel_running = mock__kernel_running,
    .findings_asked = mock__host_watch_report,
    .find_leaks = mock__leaks_find,
    .host_map = mock__host_map,
    .host_unmap = mock__host_unmap,
    .registered = mock__host_guard_add,
    .unregistered = mock__host_guard_remove,
    .entered = mock__host_guard_look,
    .guard_begin = mock__host_guard_begin,
    .guard_end = mock__host_guard_end,
    .memory_forget = mock__access_forget,
    .alloc_work = alloc_work,
    .free_work = free_work,
    .kernel_priority = mock__kernel_default_priority,
    .condition_address = mock__condition_address,
    .forked = mock__work_forget,
};
