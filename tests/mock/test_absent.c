/* SPDX-License-Identifier: MIT */
/* Features that no device here has: what is wrong with a call is answered before that. */
#include "watch.h"

TestSuite(absent);

Test(absent, external_memory)
{
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC memory = {
        .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = 0, .size = 4096};
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC semaphore = {
        .type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD};
    CUexternalMemory imported = NULL;
    CUexternalSemaphore signal = NULL;

    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuImportExternalMemory(&imported, &memory));
    start();
    EXPECT(CUDA_ERROR_UNKNOWN, mock_cuImportExternalMemory(&imported, &memory));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuImportExternalMemory(&imported, NULL));
    memory.type = 77;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuImportExternalMemory(&imported, &memory));
    EXPECT(CUDA_ERROR_UNKNOWN, mock_cuImportExternalSemaphore(&signal, &semaphore));
    semaphore.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32;
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuImportExternalSemaphore(&signal, &semaphore));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDestroyExternalMemory(GARBAGE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuSignalExternalSemaphoresAsync(NULL, NULL, 0, NULL));
}

Test(absent, graphics)
{
    CUgraphicsResource resource = GARBAGE;

    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuGraphicsMapResources(1, &resource, NULL));
    start();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGraphicsMapResources(0, &resource, NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphicsMapResources(1, &resource, NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphicsUnregisterResource(resource));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphicsResourceSetMapFlags_v2(resource, 9));
    OK(mock_cuCtxSetCurrent(NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuGraphicsUnregisterResource(resource));
}

#if CUDA_VERSION >= 12010
Test(absent, multicast)
{
    CUmulticastObjectProp prop = {.numDevices = 2, .size = (size_t) 2 << 20};
    CUmemGenericAllocationHandle handle = 0;
    size_t granularity = 0;

    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuMulticastCreate(&handle, &prop));
    start();
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuMulticastCreate(&handle, &prop));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastCreate(NULL, &prop));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastCreate(&handle, NULL));
    OK(mock_cuMulticastGetGranularity(&granularity, &prop, 0));
    cr_expect(eq(sz, granularity, (size_t) 2 << 20));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMulticastGetGranularity(&granularity, &prop, 2));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuMulticastAddDevice(1, 9));
}
#endif

#if CUDA_VERSION >= 11070
Test(absent, dma_buf)
{
    CUdeviceptr p;
    int fd = -1;

    start();
    p = allocate(8192);
    p += (4096 - p % 4096) % 4096;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemGetHandleForAddressRange(
                                         &fd, p + 1, 4096, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuMemGetHandleForAddressRange(
                                         &fd, p, 4096, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
}
#endif

Test(absent, events_of_other_processes)
{
    CUipcEventHandle handle;
    CUevent event = NULL;

    start();
    OK(mock_cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuIpcGetEventHandle(&handle, event));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuIpcGetEventHandle(&handle, GARBAGE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuIpcGetEventHandle(NULL, event));
    memset(&handle, 0, sizeof(handle));
    EXPECT(CUDA_ERROR_MAP_FAILED, mock_cuIpcOpenEventHandle(&event, handle));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuIpcOpenEventHandle(NULL, handle));
}

#if CUDA_VERSION >= 11040
Test(absent, contexts_without_an_affinity)
{
    CUexecAffinityParam affinity;
    int n = 0;

    start();
    OK(mock_cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
    OK(mock_cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    cr_expect(eq(int, (int) affinity.param.smCount.val, n));
    EXPECT(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, mock_cuCtxGetExecAffinity(&affinity, 7));
}
#endif

/* These do something, or nothing in earnest. */
Test(absent, attached_contexts)
{
    CUcontext context = NULL, same = NULL;

    start();
    OK(mock_cuCtxCreate_v2(&context, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuCtxAttach(&same, 1));
    OK(mock_cuCtxAttach(&same, 0));
    cr_expect(eq(ptr, same, context));
    OK(mock_cuCtxDetach(context));
    OK(mock_cuCtxSynchronize());
    OK(mock_cuCtxDetach(context));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuCtxDetach(context));
}

Test(absent, flushes)
{
    start();
    OK(mock_cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                                       CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuFlushGPUDirectRDMAWrites(0, 1));
}

#if CUDA_VERSION >= 13000
static void notified(CUasyncNotificationInfo *info, void *user, CUasyncCallbackHandle handle)
{
    (void) info, (void) user, (void) handle;
}

Test(absent, notifications)
{
    CUasyncCallbackHandle handle = NULL;

    start();
    EXPECT(CUDA_ERROR_INVALID_DEVICE,
           mock_cuDeviceRegisterAsyncNotification(7, notified, NULL, &handle));
    OK(mock_cuDeviceRegisterAsyncNotification(0, notified, NULL, &handle));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDeviceUnregisterAsyncNotification(1, handle));
    OK(mock_cuDeviceUnregisterAsyncNotification(0, handle));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDeviceUnregisterAsyncNotification(0, handle));
}

Test(absent, atomics)
{
    const CUatomicOperation operations[] = {CU_ATOMIC_OPERATION_INTEGER_ADD,
                                            CU_ATOMIC_OPERATION_FLOAT_MAX};
    unsigned capabilities[2] = {9, 9};

    start();
    OK(mock_cuDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 0));
    cr_expect(eq(uint, capabilities[0], 0));
    capabilities[1] = 9;
    OK(mock_cuDeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 1));
    cr_expect(eq(uint, capabilities[1], 0));
    EXPECT(CUDA_ERROR_INVALID_DEVICE,
           mock_cuDeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 0));
}
#endif

#if CUDA_VERSION >= 11080
Test(absent, clusters)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    CUlaunchConfig config = {.gridDimX = 8,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 1024,
                             .blockDimY = 1,
                             .blockDimZ = 1};
    int n = 0;

    start_watched();
    OK(mock_cuOccupancyMaxPotentialClusterSize(&n, fill_function, &config));
    cr_expect(eq(int, n, 8));
    OK(mock_cuOccupancyMaxActiveClusters(&n, fill_function, &config));
    cr_expect(eq(int, n, 0));
    attribute.value.clusterDim.x = 4;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    OK(mock_cuOccupancyMaxActiveClusters(&n, fill_function, &config));
    /* Two blocks of 1024 threads on each of 124 multiprocessors: 8 are in groups of 2. */
    cr_expect(eq(int, n, 62));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuOccupancyMaxPotentialClusterSize(NULL, fill_function, &config));
}
#endif
