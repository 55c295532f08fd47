// SPDX-License-Identifier: MIT
// build: compute_75 compute_100 -lineinfo
// What the runtime gives a kernel: output, memory, assertions, clocks, traps.
#include <assert.h>
#include <stdio.h>

extern "C" __global__ void runtime_print(const int *a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i == 0)
        printf("no arguments, 100%%\n");
    printf("%d: %d %u %x %c\n", i, a[i], (unsigned) a[i], a[i] & 0xffff, 'a' + i);
    if (i % 2)
        printf("%5d|%-5d|%05d|%+d|%8.3f|%e\n", i, i, i, i, a[i] * 0.25, i * 1e10);
    if (i == 3)
        printf("%s has %lld and %llu, %g, %%\n", "three", -1234567890123ll, 18446744073709551615ull,
               0.1);
}

extern "C" __global__ void runtime_memory(const unsigned *a, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned n = a[i] % 50 + 1;
    unsigned *list = (unsigned *) malloc(n * sizeof(unsigned));
    struct node {
        node *next;
        unsigned value;
    } *first = nullptr;

    if (!list) {
        out[i] = ~0u;
        return;
    }
    for (unsigned k = 0; k < n; k++)
        list[k] = a[i] + k * k;
    for (unsigned k = 0; k < n % 7; k++)
        first = new node{first, list[k * 3 % n]};
    unsigned sum = list[n - 1];
    while (first) {
        node *next = first->next;

        sum = sum * 31 + first->value;
        delete first;
        first = next;
    }
    free(list);
    out[i] = sum;
}

extern "C" __global__ void runtime_assert(const unsigned *a, unsigned *out)
{
    assert(a[threadIdx.x] <= 1000);
    out[threadIdx.x] = a[threadIdx.x];
}

extern "C" __global__ void runtime_trap(const unsigned *a)
{
    if (a[threadIdx.x] % 2 == 0)
        __trap();
}

extern "C" __global__ void runtime_misaligned(unsigned char *out)
{
    *(volatile unsigned *) (out + 4 * threadIdx.x + 1) = 1;
}

// Out of bounds by far: an address that no allocation has.
extern "C" __global__ void runtime_far(unsigned *out)
{
    *(volatile unsigned *) ((char *) out + (1ull << 45)) = threadIdx.x;
}

// Clocks only say that time does not run backwards.
extern "C" __global__ void runtime_clock(unsigned *out)
{
    const long long before = clock64();
    const unsigned short_before = clock();
    unsigned long long nanoseconds, later;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
    __nanosleep(100);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later)::"memory");
    out[4 * threadIdx.x] = clock64() >= before;
    out[4 * threadIdx.x + 1] = (int) (clock() - short_before) >= 0;
    out[4 * threadIdx.x + 2] = later >= nanoseconds;
    out[4 * threadIdx.x + 3] = nanoseconds > 0;
}

// Where a thread is.
extern "C" __global__ void runtime_registers(unsigned *out)
{
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned *to = out + 8 * (block * blockDim.x * blockDim.y * blockDim.z + thread);
    unsigned lane, warp, sm, sms, size;

    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    to[0] = threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16;
    to[1] = blockIdx.x | blockIdx.y << 8 | blockIdx.z << 16;
    to[2] = blockDim.x | blockDim.y << 8 | blockDim.z << 16;
    to[3] = gridDim.x | gridDim.y << 8 | gridDim.z << 16;
    to[4] = lane == thread % 32;
    to[5] = warpSize;
    to[6] = sm < sms && warp < 64;
    to[7] = size;
}
