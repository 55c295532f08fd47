/* SPDX-License-Identifier: MIT */
/* Contexts: the thread's stack of them, their settings, and the primary one's life. */
#include "ask.h"

#include "kernels.ptx.h"

/* What needs a context, where there is none. */
static void ask_without_context(void)
{
    CUcontext context = (CUcontext) 1;
    CUdevice device = -1;

    ASK("cur_none", cuCtxGetCurrent, (&context));
    report("cur_none_isnull", !context);
    ASK("cur_nullarg", cuCtxGetCurrent, (NULL));
    ASK("dev_none", cuCtxGetDevice, (&device));
    ASK("pop_none", cuCtxPopCurrent_v2, (&context));
    ASK("push_null", cuCtxPushCurrent_v2, (NULL));
    ASK("set_null", cuCtxSetCurrent, (NULL));
    ASK("sync_none", cuCtxSynchronize, ());
}

static void ask_objects_without_context(void)
{
    size_t bytes = 0;
    CUdeviceptr p;
    CUstream stream;
    CUevent event;
    CUmodule module;

    ASK("alloc_none", cuMemAlloc_v2, (&p, 16));
    ASK("free0_none", cuMemFree_v2, (0));
    ASK("free_garbage_none", cuMemFree_v2, (0x1234));
    ASK("stream_none", cuStreamCreate, (&stream, 0));
    ASK("event_none", cuEventCreate, (&event, 0));
    ASK("modload_none", cuModuleLoadData, (&module, kernels_ptx));
    ASK("memgetinfo_none", cuMemGetInfo_v2, (&bytes, &bytes));
}

static CUcontext ask_create(void)
{
    CUcontext context = NULL, current = NULL;

    ASK("destroy_null", cuCtxDestroy_v2, (NULL));
    ASK("create_badflags", cuCtxCreate_v2, (&context, 0x7, 0));
    ASK("create_badflags2", cuCtxCreate_v2, (&context, 0x10000, 0));
    ASK("create_baddev", cuCtxCreate_v2, (&context, 0, 99));
    ASK("create_null", cuCtxCreate_v2, (NULL, 0, 0));
    ASK("create", cuCtxCreate_v2, (&context, CU_CTX_SCHED_YIELD | CU_CTX_MAP_HOST, 0));
    CALL(cuCtxGetCurrent, (&current));
    report("create_makes_current", current == context);
    return context;
}

static void ask_properties(CUcontext context)
{
    unsigned long long id = 0;
    unsigned value = 0;
    CUdevice device = -1;

    ASK("getflags", cuCtxGetFlags, (&value));
    report("flags", value);
    ASK("getdevice", cuCtxGetDevice, (&device));
    report("device", device);
    ASK("apiver", cuCtxGetApiVersion, (context, &value));
    report("apiver_v", value);
    ASK("apiver_null", cuCtxGetApiVersion, (NULL, &value));
    ASK("getid", cuCtxGetId, (context, &id));
    report("id_nonzero", id != 0);
}

static void ask_priorities(void)
{
    int least = -99, greatest = -99;

    ASK("prio", cuCtxGetStreamPriorityRange, (&least, &greatest));
    report("prio_least", least);
    report("prio_greatest", greatest);
    ASK("prio_null", cuCtxGetStreamPriorityRange, (NULL, NULL));
}

static void ask_cache(void)
{
    CUfunc_cache cache = (CUfunc_cache) 99;

    ASK("cachecfg", cuCtxGetCacheConfig, (&cache));
    report("cachecfg_v", cache);
    ASK("setcache", cuCtxSetCacheConfig, (CU_FUNC_CACHE_PREFER_L1));
    ASK("setcache_bad", cuCtxSetCacheConfig, (17));
    CALL(cuCtxGetCacheConfig, (&cache));
    report("cachecfg_v2", cache);
}

static void ask_banks(void)
{
    CUsharedconfig banks = (CUsharedconfig) 99;

    ASK("getshm", cuCtxGetSharedMemConfig, (&banks));
    report("shm_v", banks);
    ASK("setshm8", cuCtxSetSharedMemConfig, (CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
    CALL(cuCtxGetSharedMemConfig, (&banks));
    report("shm_v2", banks);
    ASK("setshm_bad", cuCtxSetSharedMemConfig, (99));
}

static void ask_limits(void)
{
    for (int limit = 0; limit < 12; limit++) {
        size_t value = 0;
        const int result = CALL(cuCtxGetLimit, (&value, (CUlimit) limit));

        report_numbered(result, "limit%02d", limit);
        report_numbered(result ? -1 : (long long) value, "limit%02d_v", limit);
    }
}

static void ask_set_limits(void)
{
    size_t value = 0;

    ASK("setlimit_stack", cuCtxSetLimit, (CU_LIMIT_STACK_SIZE, 4000));
    CALL(cuCtxGetLimit, (&value, CU_LIMIT_STACK_SIZE));
    report("stack_after_4000", (long long) value);
    ASK("setlimit_heap", cuCtxSetLimit, (CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20));
    CALL(cuCtxGetLimit, (&value, CU_LIMIT_MALLOC_HEAP_SIZE));
    report("heap_after", (long long) value);
    ASK("setlimit_fifo", cuCtxSetLimit, (CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 21));
    ASK("setlimit_stack_huge", cuCtxSetLimit, (CU_LIMIT_STACK_SIZE, (size_t) 1 << 40));
    ASK("setlimit_bad", cuCtxSetLimit, (99, 1));
}

static void ask_set_flags(void)
{
    unsigned flags = 0;

    ASK("setflags", cuCtxSetFlags, (CU_CTX_SCHED_SPIN));
    CALL(cuCtxGetFlags, (&flags));
    report("flags_after", flags);
    ASK("setflags_bad", cuCtxSetFlags, (0xffff));
}

static CUcontext ask_stack(CUcontext first)
{
    CUcontext second = NULL, current = NULL;

    ASK("create2", cuCtxCreate_v2, (&second, 0, 0));
    ASK("pop", cuCtxPopCurrent_v2, (&current));
    report("pop_is_c2", current == second);
    CALL(cuCtxGetCurrent, (&current));
    report("now_c", current == first);
    ASK("push_c2", cuCtxPushCurrent_v2, (second));
    ASK("set_c", cuCtxSetCurrent, (first));
    CALL(cuCtxGetCurrent, (&current));
    report("set_replaces_top", current == first);
    ASK("pop_a", cuCtxPopCurrent_v2, (&current));
    ASK("pop_b", cuCtxPopCurrent_v2, (&current));
    ASK("pop_c", cuCtxPopCurrent_v2, (&current));
    return second;
}

static void ask_destroy(CUcontext first, CUcontext second)
{
    CUcontext current = (CUcontext) 1;
    CUdeviceptr p = 0;

    ASK("set_c2", cuCtxSetCurrent, (second));
    ASK("alloc", cuMemAlloc_v2, (&p, 64));
    ASK("set_c_again", cuCtxSetCurrent, (first));
    ASK("free_othercx", cuMemFree_v2, (p));
    ASK("destroy_c2_noncurrent", cuCtxDestroy_v2, (second));
    ASK("destroy_c", cuCtxDestroy_v2, (first));
    ASK("cur_after_destroy", cuCtxGetCurrent, (&current));
    report("cur_after_destroy_null", !current);
}

static CUcontext ask_primary(void)
{
    CUcontext primary = NULL, again = NULL, current = (CUcontext) 1;
    unsigned flags;
    int active = -1;

    ASK("prim_retain", cuDevicePrimaryCtxRetain, (&primary, 0));
    CALL(cuCtxGetCurrent, (&current));
    report("retain_not_current", !current);
    ASK("prim_retain2", cuDevicePrimaryCtxRetain, (&again, 0));
    report("prim_same", primary == again);
    CALL(cuDevicePrimaryCtxGetState, (0, &flags, &active));
    report("prim_active", active);
    ASK("set_prim", cuCtxSetCurrent, (primary));
    return primary;
}

static void ask_release(void)
{
    unsigned flags;
    int active = -1;
    CUdeviceptr p;

    ASK("rel1", cuDevicePrimaryCtxRelease_v2, (0));
    ASK("rel2", cuDevicePrimaryCtxRelease_v2, (0));
    ASK("use_after_release", cuMemAlloc_v2, (&p, 16));
    ASK("sync_after_release", cuCtxSynchronize, ());
    CALL(cuDevicePrimaryCtxGetState, (0, &flags, &active));
    report("prim_active_after", active);
    ASK("rel3", cuDevicePrimaryCtxRelease_v2, (0));
}

static void ask_reset(CUcontext primary)
{
    CUcontext again = NULL;
    CUdeviceptr p = 0;

    ASK("retain_again", cuDevicePrimaryCtxRetain, (&again, 0));
    report("same_handle", primary == again);
    CALL(cuCtxSetCurrent, (again));
    ASK("alloc_prim", cuMemAlloc_v2, (&p, 16));
    ASK("reset", cuDevicePrimaryCtxReset_v2, (0));
    ASK("free_after_reset", cuMemFree_v2, (p));
    ASK("peer_enable_self", cuCtxEnablePeerAccess, (again, 0));
}

void ask_context(void)
{
    CUcontext first, second, primary;

    CALL(cuInit, (0));
    ask_without_context();
    ask_objects_without_context();
    first = ask_create();
    ask_properties(first);
    ask_priorities();
    ask_cache();
    ask_banks();
    ask_limits();
    ask_set_limits();
    ask_set_flags();
    second = ask_stack(first);
    ask_destroy(first, second);
    primary = ask_primary();
    ask_release();
    ask_reset(primary);
}
