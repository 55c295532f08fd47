// SPDX-License-Identifier: MIT
//
// Kernels that launch kernels. children.py launches those that are extern "C", and prints what they write.
#include <cuda_runtime.h>

#define FIRST_THREAD_ONLY            \
    if (threadIdx.x || blockIdx.x)   \
        return

__global__ void add(int *p, int value)
{
    atomicAdd(p, value);
}

__global__ void note(int *p, int value)
{
    p[1 + atomicAdd(p, 1)] = value;
}

__global__ void turn(int *p)
{
    extern __shared__ int shared[];

    shared[threadIdx.x] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

__global__ void nothing(int)
{
}

__global__ void wild(int *p)
{
    *(int *) ((char *) p + (1ull << 40)) = 1;
}

__global__ void traps(int *)
{
    __trap();
}

extern "C" __global__ void basic(int *p, int)
{
    if (threadIdx.x)
        return;
    add<<<2, 32>>>(p, 1);
    p[1] = cudaGetLastError();
}

extern "C" __global__ void every_thread(int *p, int)
{
    add<<<1, 1>>>(p, 1);
}

extern "C" __global__ void order(int *p, int)
{
    FIRST_THREAD_ONLY;
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 100);
    note<<<1, 1>>>(p, 1);
    note<<<1, 1>>>(p, 2);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 101);
    note<<<1, 1>>>(p, 3);
}

extern "C" __global__ void shared_bytes(int *p, int)
{
    FIRST_THREAD_ONLY;
    turn<<<1, 64, 256>>>(p);
    p[64] = cudaGetLastError();
}

extern "C" __global__ void wrong(int *p, int)
{
    FIRST_THREAD_ONLY;
    nothing<<<0, 1>>>(1);
    *p++ = cudaPeekAtLastError();
    *p++ = cudaGetLastError();
    *p++ = cudaGetLastError();
    nothing<<<1, 0>>>(1);
    *p++ = cudaGetLastError();
    nothing<<<1, 1025>>>(1);
    *p++ = cudaGetLastError();
    nothing<<<1, dim3(1, 1, 65)>>>(1);
    *p++ = cudaGetLastError();
    nothing<<<dim3(1, 65536, 1), 1>>>(1);
    *p++ = cudaGetLastError();
    nothing<<<1, 1, 1 << 20>>>(1);
    *p++ = cudaGetLastError();
    nothing<<<1, 1, 48 * 1024 + 4>>>(1);
    *p++ = cudaGetLastError();
    nothing<<<1, 1, 0, (cudaStream_t) 0x1234567>>>(1);
    *p++ = cudaGetLastError();
    nothing<<<1, 1, 0, (cudaStream_t) 1>>>(1);
    *p++ = cudaGetLastError();
    nothing<<<1, 1, 0, (cudaStream_t) 2>>>(1);
    *p++ = cudaGetLastError();
    nothing<<<1, 1>>>(1);
    *p++ = cudaGetLastError();
}

extern "C" __global__ void last_error(int *p, int)
{
    if (threadIdx.x == 0)
        nothing<<<0, 1>>>(1);
    __syncthreads();
    p[threadIdx.x] = cudaGetLastError();
}

extern "C" __global__ void handles(int *p, int)
{
    FIRST_THREAD_ONLY;
    cudaStream_t s = 0, t = 0;
    cudaEvent_t e = 0, f = 0;

    *p++ = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    *p++ = s != 0;
    *p++ = cudaStreamCreateWithFlags(&t, 0);
    *p++ = t != 0;
    *p++ = cudaGetLastError();
    *p++ = cudaStreamCreateWithFlags(&t, 7);
    *p++ = cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    *p++ = e != 0;
    *p++ = cudaEventCreateWithFlags(&f, 0);
    *p++ = f != 0;
    *p++ = cudaEventRecord(e, s);
    *p++ = cudaStreamWaitEvent(s, e, 0);
    *p++ = cudaStreamWaitEvent(0, e, 0);
    *p++ = cudaEventDestroy(e);
    *p++ = cudaStreamDestroy(s);
    *p++ = cudaStreamDestroy(s);
    *p++ = cudaStreamDestroy(0);
    *p++ = cudaGetLastError();
}

extern "C" __global__ void streams(int *p, int)
{
    FIRST_THREAD_ONLY;
    cudaStream_t s, t;
    cudaEvent_t e;

    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    for (int i = 0; i < 5; i++)
        note<<<1, 1, 0, s>>>(p, i);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    for (int i = 5; i < 10; i++)
        note<<<1, 1, 0, t>>>(p, i);
}

extern "C" __global__ void of_the_device(int *p, int)
{
    FIRST_THREAD_ONLY;
    cudaFuncCache cache;
    size_t limit = 0;
    int value = -1;

    *p++ = cudaGetDevice(&value);
    *p++ = value;
    *p++ = cudaGetDeviceCount(&value);
    *p++ = value;
    *p++ = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0);
    *p++ = value;
    *p++ = cudaDeviceGetAttribute(&value, (cudaDeviceAttr) 9999, 0);
    *p++ = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 5);
    *p++ = cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
    *p++ = (int) limit;
    *p++ = cudaDeviceGetLimit(&limit, cudaLimitStackSize);
    *p++ = (int) limit;
    *p++ = cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount);
    *p++ = (int) limit;
    *p++ = cudaDeviceGetLimit(&limit, cudaLimitDevRuntimeSyncDepth);
    *p++ = (int) limit;
    *p++ = cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize);
    *p++ = (int) limit;
    *p++ = cudaDeviceGetLimit(&limit, (cudaLimit) 99);
    *p++ = cudaDeviceGetCacheConfig(&cache);
    *p++ = cache;
    *p++ = cudaRuntimeGetVersion(&value);
    *p++ = value;
}

extern "C" __global__ void memory(int *p, int)
{
    FIRST_THREAD_ONLY;
    void *q = 0;

    *p++ = cudaMalloc(&q, 64);
    *p++ = q != 0;
    *p++ = cudaFree(q);
    *p++ = cudaFree(0);
    *p++ = cudaMalloc(&q, 1ull << 40);
    *p++ = q != 0;
    *p++ = cudaGetLastError();
}

extern "C" __global__ void of_kernels(int *p, int)
{
    FIRST_THREAD_ONLY;
    cudaFuncAttributes of;
    int blocks = -1;

    *p++ = cudaFuncGetAttributes(&of, turn);
    *p++ = of.maxThreadsPerBlock;
    *p++ = (int) of.sharedSizeBytes;
    *p++ = (int) of.localSizeBytes;
    *p++ = (int) of.constSizeBytes;
    *p++ = of.ptxVersion;
    *p++ = of.binaryVersion;
    *p++ = of.numRegs > 0;
    *p++ = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 256, 0);
    *p++ = blocks;
    *p++ = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0);
    *p++ = blocks;
}

extern "C" __global__ void words(int *p, int)
{
    FIRST_THREAD_ONLY;
    const char *name = cudaGetErrorName(cudaErrorInvalidValue);

    *p++ = name[4];
    *p++ = cudaGetErrorString(cudaErrorInvalidValue)[0];
    for (*p = 0; name[*p];)
        ++*p;
}

extern "C" __global__ void copies(int *p, int)
{
    FIRST_THREAD_ONLY;
    for (int i = 0; i < 8; i++)
        p[i] = i;
    p[20] = cudaMemcpyAsync(p + 9, p, 32, cudaMemcpyDeviceToDevice, 0);
    p[21] = cudaMemcpyAsync(p + 18, p, 4, cudaMemcpyHostToDevice, 0);
    p[22] = cudaMemcpyAsync(p + 18, p + 3, 4, cudaMemcpyDefault, 0);
    p[23] = cudaMemcpyAsync(0, p, 0, cudaMemcpyDeviceToDevice, 0);
}

extern "C" __global__ void deep(int *p, int left)
{
    p[0]++;
    if (left)
        deep<<<1, 1>>>(p, left - 1);
    p[1] |= cudaGetLastError();
}

extern "C" __global__ void tails(int *p, int left)
{
    p[0]++;
    if (left)
        tails<<<1, 1, 0, cudaStreamTailLaunch>>>(p, left - 1);
    p[1] |= cudaGetLastError();
}

extern "C" __global__ void many(int *p, int n)
{
    FIRST_THREAD_ONLY;
    for (int i = 0; i < n; i++) {
        add<<<1, 1>>>(p, 1);
        p[1] |= cudaGetLastError();
    }
}

extern "C" __global__ void wild_child(int *p, int)
{
    FIRST_THREAD_ONLY;
    wild<<<1, 1>>>(p);
}

extern "C" __global__ void child_that_traps(int *p, int)
{
    FIRST_THREAD_ONLY;
    traps<<<1, 1>>>(p);
}

extern "C" __global__ void every_block(int *p, int)
{
    __shared__ int number;

    if (!threadIdx.x)
        number = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 5)
        add<<<1, 1>>>(p, number + 1);
}
