/* SPDX-License-Identifier: MIT */
/* Memory of the host: what copies refuse, what is allocated, and what is registered. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "support.h"

TestSuite(host_memory);

Test(host_memory, that_is_not_there)
{
    unsigned char bytes[16] = {0};
    CUdeviceptr p;

    start();
    p = allocate(64);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoD_v2(p, (void *) 1, 16));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyDtoHAsync_v2((void *) 4096, p, 16, NULL));
    OK(mock_cuMemcpyHtoD_v2(p, bytes, 16));
}

/* Older kernels do not tell what is protected without a long list. */
static bool kernel_tells_protection(void)
{
    struct utsname name;
    unsigned major = 0, minor = 0;

    cr_assert(eq(int, uname(&name), 0));
    cr_assert(eq(int, sscanf(name.release, "%u.%u", &major, &minor), 2));
    return major > 6 || (major == 6 && minor >= 11);
}

Test(host_memory, that_may_not_be_used)
{
    enum { PAGE = 4096 };
    CUdeviceptr p;
    char *pages;

    if (!kernel_tells_protection())
        cr_skip("the kernel is older than 6.11");
    start();
    p = allocate(2 * PAGE);
    pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(ne(ptr, pages, MAP_FAILED));
    cr_assert(eq(int, mprotect(pages + PAGE, PAGE, PROT_READ), 0));
    OK(mock_cuMemcpyHtoD_v2(p, pages, 2 * PAGE));
    OK(mock_cuMemcpyDtoH_v2(pages, p, PAGE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyDtoH_v2(pages, p, PAGE + 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyDtoHAsync_v2(pages + PAGE, p, 1, NULL));
    cr_assert(eq(int, mprotect(pages + PAGE, PAGE, PROT_NONE), 0));
    OK(mock_cuMemcpyHtoD_v2(p, pages, PAGE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoD_v2(p, pages, PAGE + 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoDAsync_v2(p, pages + PAGE, 1, NULL));
    munmap(pages, 2 * PAGE);
}

Test(host_memory, allocated)
{
    CUdeviceptr device = 0;
    unsigned flags = 0;
    void *p = NULL;
    char stack[8];

    start();
    OK(mock_cuMemAllocHost_v2(&p, 100));
    memset(p, 1, 100);
    OK(mock_cuMemHostGetDevicePointer_v2(&device, p, 0));
    cr_expect(eq(ulong, device, (uintptr_t) p));
    OK(mock_cuMemsetD8_v2(device, 3, 100));
    cr_expect(eq(chr, ((char *) p)[99], 3));
    OK(mock_cuMemHostGetFlags(&flags, p));
    cr_expect(eq(uint, flags, CU_MEMHOSTALLOC_DEVICEMAP));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(device));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFreeHost((char *) p + 1));
    OK(mock_cuMemFreeHost(p));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFreeHost(p));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFreeHost(stack));
    OK(mock_cuMemFreeHost(NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostAlloc(&p, 64, 0xff00));
}

Test(host_memory, registered)
{
    static char area[8192];

    start();
    OK(mock_cuMemHostRegister_v2(area, 4096, 0));
    EXPECT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
           mock_cuMemHostRegister_v2(area + 100, 8000, 0));
    OK(mock_cuMemsetD8_v2((uintptr_t) area, 1, 4096));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD8_v2((uintptr_t) area, 1, 4097));
    OK(mock_cuMemHostUnregister(area));
    EXPECT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, mock_cuMemHostUnregister(area));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(area, 4096, 0xff00));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(NULL, 4096, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(area, SIZE_MAX, 0));
}
