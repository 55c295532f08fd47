/* SPDX-License-Identifier: MIT */
#include "support.h"

TestSuite(context);

static CUcontext current(void)
{
    CUcontext context = NULL;

    OK(mock_cuCtxGetCurrent(&context));
    return context;
}

Test(context, none_is_current_at_first)
{
    CUdeviceptr address;
    CUcontext popped;
    CUdevice device;
    CUstream stream;

    OK(mock_cuInit(0));
    cr_expect(eq(ptr, current(), NULL));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuCtxGetDevice(&device));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuCtxPopCurrent_v2(&popped));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuCtxSynchronize());
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuMemAlloc_v2(&address, 16));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuStreamCreate(&stream, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxPushCurrent_v2(NULL));
    EXPECT(CUDA_SUCCESS, mock_cuCtxSetCurrent(NULL));
    EXPECT(CUDA_SUCCESS, mock_cuMemFree_v2(0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(0x1234));
}

Test(context, create_checks_what_it_is_given)
{
    CUcontext context;

    OK(mock_cuInit(0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxCreate_v2(&context, 7, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxCreate_v2(&context, 0x10000, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxCreate_v2(NULL, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuCtxCreate_v2(&context, 0, 99));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxDestroy_v2(NULL));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuCtxDestroy_v2(GARBAGE));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuCtxSetCurrent(GARBAGE));
}

Test(context, stack)
{
    CUcontext a = NULL, b = NULL, popped = NULL;

    OK(mock_cuInit(0));
    OK(mock_cuCtxCreate_v2(&a, 0, 0));
    OK(mock_cuCtxCreate_v2(&b, 0, 0));
    cr_expect(eq(ptr, current(), b));
    OK(mock_cuCtxPopCurrent_v2(&popped));
    cr_expect(eq(ptr, popped, b));
    cr_expect(eq(ptr, current(), a));
    OK(mock_cuCtxPushCurrent_v2(b));
    OK(mock_cuCtxSetCurrent(a)); /* replaces the top */
    OK(mock_cuCtxPopCurrent_v2(&popped));
    cr_expect(eq(ptr, popped, a));
    cr_expect(eq(ptr, current(), a));
    OK(mock_cuCtxDestroy_v2(a));
    cr_expect(eq(ptr, current(), NULL));
    OK(mock_cuCtxDestroy_v2(b));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuCtxDestroy_v2(b));
}

Test(context, the_stack_has_an_end)
{
    CUcontext context = start();
    int pushed = 0;

    while (mock_cuCtxPushCurrent_v2(context) == CUDA_SUCCESS)
        cr_assert(lt(int, ++pushed, 100000));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuCtxPushCurrent_v2(context));
}

Test(context, what_is_in_it_goes_with_it)
{
    CUcontext context = NULL;
    CUdeviceptr address;
    CUstream stream = NULL;
    CUevent event = NULL;
    size_t before = 0, after = 0;

    start();
    OK(mock_cuMemGetInfo_v2(&before, NULL));
    OK(mock_cuCtxCreate_v2(&context, 0, 0));
    address = allocate(1 << 20);
    OK(mock_cuStreamCreate(&stream, 0));
    OK(mock_cuEventCreate(&event, 0));
    OK(mock_cuCtxDestroy_v2(context));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(address));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuStreamSynchronize(stream));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuEventQuery(event));
    OK(mock_cuMemGetInfo_v2(&after, NULL));
    cr_expect(eq(sz, after, before));
}

Test(context, primary)
{
    CUcontext a = NULL, b = NULL;
    CUdeviceptr address;
    unsigned flags = 9;
    int active = 9;

    OK(mock_cuInit(0));
    OK(mock_cuDevicePrimaryCtxGetState(0, &flags, &active));
    cr_expect(eq(int, active, 0));
    OK(mock_cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_BLOCKING_SYNC));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDevicePrimaryCtxSetFlags_v2(0, 0xffff0000));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuDevicePrimaryCtxRelease_v2(0));
    OK(mock_cuDevicePrimaryCtxRetain(&a, 0));
    cr_expect(eq(ptr, current(), NULL));
    OK(mock_cuDevicePrimaryCtxRetain(&b, 0));
    cr_expect(eq(ptr, a, b));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuCtxDestroy_v2(a));
    OK(mock_cuCtxSetCurrent(a));
    OK(mock_cuDevicePrimaryCtxRelease_v2(0));
    OK(mock_cuDevicePrimaryCtxRelease_v2(0));
    EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, mock_cuMemAlloc_v2(&address, 16));
    EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, mock_cuCtxSynchronize());
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuDevicePrimaryCtxRelease_v2(0));
    OK(mock_cuDevicePrimaryCtxRetain(&b, 0));
    cr_expect(eq(ptr, a, b), "the handle changed");
    address = allocate(16);
    OK(mock_cuDevicePrimaryCtxReset_v2(0));
    EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, mock_cuMemFree_v2(address));
}

Test(context, settings)
{
    CUcontext context = start();
    unsigned value = 0;
    int least = 9, greatest = 9;
    CUfunc_cache cache;

    OK(mock_cuCtxGetFlags(&value));
    cr_expect(eq(uint, value, CU_CTX_MAP_HOST));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxGetFlags(NULL));
    OK(mock_cuCtxGetApiVersion(context, &value));
    cr_expect(eq(uint, value, 3020));
    OK(mock_cuCtxGetApiVersion(NULL, &value));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuCtxGetApiVersion(GARBAGE, &value));
    OK(mock_cuCtxGetStreamPriorityRange(&least, &greatest));
    cr_expect(eq(int, least, 0));
    cr_expect(eq(int, greatest, -5));
    OK(mock_cuCtxGetStreamPriorityRange(NULL, NULL));
    OK(mock_cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    OK(mock_cuCtxGetCacheConfig(&cache));
    cr_expect(eq(int, (int) cache, CU_FUNC_CACHE_PREFER_L1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxSetCacheConfig((CUfunc_cache) 17));
}

Test(context, limits)
{
    size_t value = 0;

    start();
    OK(mock_cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    cr_expect(eq(sz, value, 1024));
    OK(mock_cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4000));
    OK(mock_cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    cr_expect(eq(sz, value, 4000));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxSetLimit(CU_LIMIT_STACK_SIZE, (size_t) 1 << 40));
    EXPECT(CUDA_ERROR_UNSUPPORTED_LIMIT,
           mock_cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxGetLimit(&value, (CUlimit) 99));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxSetLimit((CUlimit) 99, 1));
}

Test(context, peers)
{
    CUcontext a = start(), b = NULL;

    OK(mock_cuDevicePrimaryCtxRetain(&b, 1));
    EXPECT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, mock_cuCtxEnablePeerAccess(a, 0));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuCtxEnablePeerAccess(NULL, 0));
    EXPECT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, mock_cuCtxDisablePeerAccess(b));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxEnablePeerAccess(b, 1));
    OK(mock_cuCtxEnablePeerAccess(b, 0));
    EXPECT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, mock_cuCtxEnablePeerAccess(b, 0));
    OK(mock_cuCtxDisablePeerAccess(b));
}

#if CUDA_VERSION >= 12010
/* A byte that is no bool of C, as languages without that type may pass it, is on. */
Test(context, switches_of_cores_that_are_neither_0_nor_1)
{
    static const CUcoredumpSettings all[] = {CU_COREDUMP_ENABLE_ON_EXCEPTION,
                                             CU_COREDUMP_TRIGGER_HOST, CU_COREDUMP_LIGHTWEIGHT};

    start();
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        unsigned char byte = 2;
        size_t size = 1;

        OK(mock_cuCoredumpSetAttribute(all[i], &byte, &size));
        byte = 77;
        OK(mock_cuCoredumpGetAttribute(all[i], &byte, &size));
        cr_expect(eq(u8, byte, 1), "setting %d", (int) all[i]);
    }
}
#endif
