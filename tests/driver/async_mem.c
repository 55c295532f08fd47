/* SPDX-License-Identifier: MIT */
/* Stream-ordered memory, and pools. */
#include "ask.h"

static CUdeviceptr ask_alloc(CUstream stream)
{
    CUdeviceptr p = 0, q = 0;

    ASK("alloc0", cuMemAllocAsync, (&p, 0, stream));
    report("alloc0_null", !p);
    ASK("alloc", cuMemAllocAsync, (&p, 100, stream));
    report("align", (long long) (p % 512));
    ASK("alloc_huge", cuMemAllocAsync, (&q, (size_t) 1 << 46, stream));
    ASK("alloc_nullout", cuMemAllocAsync, (NULL, 8, stream));
    return p;
}

static void ask_free(CUdeviceptr p, CUstream stream)
{
    const char bytes[16] = {1};

    ASK("freeasync_null", cuMemFreeAsync, (0, stream));
    ASK("freeasync_interior", cuMemFreeAsync, (p + 8, stream));
    ASK("copyasync", cuMemcpyHtoDAsync_v2, (p, bytes, sizeof(bytes), stream));
    ASK("freeasync", cuMemFreeAsync, (p, stream));
    ASK("freeasync_twice", cuMemFreeAsync, (p, stream));
    ASK("copy_after_free", cuMemcpyHtoDAsync_v2, (p, bytes, sizeof(bytes), stream));
    ASK("sync", cuStreamSynchronize, (stream));
}

/* Memory that is freed otherwise than it was allocated. */
static void ask_mixed(CUstream stream, CUstream other)
{
    CUdeviceptr p = 0;

    CALL(cuMemAllocAsync, (&p, 100, stream));
    wait_for(stream);
    ASK("syncfree_of_async", cuMemFree_v2, (p));
    allocate(&p, 100);
    ASK("asyncfree_of_sync", cuMemFreeAsync, (p, stream));
    CALL(cuMemAllocAsync, (&p, 100, stream));
    ASK("free_on_other_stream", cuMemFreeAsync, (p, other));
    wait_for(other);
}

static void ask_pool(void)
{
    CUmemoryPool pool = NULL;
    cuuint64_t threshold = 9;

    ASK("pool", cuDeviceGetMemPool, (&pool, 0));
    ASK("pool_attr", cuMemPoolGetAttribute, (pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    report("pool_threshold", (long long) threshold);
    threshold = 1 << 20;
    ASK("pool_set", cuMemPoolSetAttribute, (pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    ASK("pool_attr_bad", cuMemPoolGetAttribute, (pool, 99, &threshold));
    ASK("pool_trim", cuMemPoolTrimTo, (pool, 0));
}

void ask_async_mem(void)
{
    CUstream stream = NULL, other;

    begin();
    ASK("stream", cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));
    other = new_stream();
    ask_free(ask_alloc(stream), stream);
    ask_mixed(stream, other);
    ask_pool();
    ASK("memset_async", cuMemsetD8Async, (0x10, 1, 4, stream));
}
