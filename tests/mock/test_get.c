/* SPDX-License-Identifier: MIT */
/* Names of errors, and addresses of functions. */
#include <criterion/redirect.h>
#include <stdint.h>
#include <stdio.h>

#include "support.h"

#define S(text) ((char *) (text))

TestSuite(get);

Test(get, errors)
{
    const char *text = NULL;

    OK(mock_cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
    cr_expect(eq(str, S(text), S("CUDA_ERROR_INVALID_VALUE")));
    OK(mock_cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    cr_expect(eq(str, S(text), S("out of memory")));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGetErrorName((CUresult) 123456, &text));
    cr_expect(eq(ptr, (void *) text, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGetErrorString(CUDA_SUCCESS, NULL));
}

/* Without exports, the addresses are those of the implementations. */
#define AT(function) ((void *) (uintptr_t) (function))

static const struct {
    const char *name;
    int version;
    cuuint64_t flags;
    int status; /* FOUND 0, NOT_FOUND 1, TOO_NEW 2 */
} queries[] = {
    {"cuMemAlloc", 12000, 0, 0},       {"cuMemAlloc", 2000, 0, 0},
    {"cuMemAlloc", 0, 0, 2},           {"cuNoSuchThing", 12000, 0, 1},
    {"cuMemAlloc_v2", 12000, 0, 1},    {"", 12000, 0, 1},
    {"cumemfree", 12000, 0, 1},        {"cuLaunchKernelEx", 11000, 0, 2},
    {"cuLaunchKernelEx", 11060, 0, 0}, {"cuInit", 12000, 2, 0},
    {"cuLaunchKernel", 12000, 3, 0},
};

Test(get, statuses)
{
    for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
        void *found = GARBAGE;
        const CUresult expected = queries[i].status ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
        const CUresult result =
            mock_cuGetProcAddress(queries[i].name, &found, queries[i].version, queries[i].flags);

        cr_expect(eq(int, (int) result, (int) expected), "query %zu, %s", i, queries[i].name);
        cr_expect(eq(int, found == NULL, queries[i].status != 0), "query %zu", i);
#if CUDA_VERSION >= 12000
        CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult) 9;

        OK(mock_cuGetProcAddress_v2(queries[i].name, &found, queries[i].version, queries[i].flags,
                                    &status));
        cr_expect(eq(int, (int) status, queries[i].status), "query %zu, %s", i, queries[i].name);
#endif
    }
}

static void *address(const char *name, int version, cuuint64_t flags)
{
    void *found = NULL;

    OK(mock_cuGetProcAddress(name, &found, version, flags));
    return found;
}

typedef CUresult first_allocation(unsigned *p, unsigned size);

Test(get, versions_and_variants)
{
    const cuuint64_t per_thread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    first_allocation *first;
    unsigned p = 0;

    cr_expect(eq(ptr, address("cuMemAlloc", 12000, 0), AT(mock_cuMemAlloc_v2)));
    /* The first version is reached through what refuses contexts that are none of its own. */
    OK(mock_cuInit(0));
    first = (first_allocation *) (uintptr_t) address("cuMemAlloc", 2000, 0);
    cr_expect(eq(int, (int) first(&p, 4), CUDA_ERROR_INVALID_CONTEXT));
    cr_expect(eq(ptr, address("cuLaunchKernel", 12000, 0), AT(mock_cuLaunchKernel)));
    cr_expect(eq(ptr, address("cuLaunchKernel", 12000, per_thread), AT(mock_cuLaunchKernel_ptsz)));
    cr_expect(eq(ptr, address("cuMemcpyHtoD", 12000, per_thread), AT(mock_cuMemcpyHtoD_v2_ptds)));
    cr_expect(eq(ptr, address("cuMemcpyHtoD", 6000, per_thread), AT(mock_cuMemcpyHtoD_v2)));
    cr_expect(eq(ptr, address("cuInit", 12000, per_thread), AT(mock_cuInit)));
    cr_expect(eq(ptr, address("cuGetProcAddress", 11030, 0), AT(mock_cuGetProcAddress)));
}

Test(get, wrong_uses)
{
    void *found = GARBAGE;

    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGetProcAddress("cuInit", &found, 99000, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGetProcAddress("cuInit", &found, 12000, 8));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGetProcAddress(NULL, &found, 12000, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGetProcAddress("cuInit", NULL, 12000, 0));
    cr_expect(eq(ptr, found, GARBAGE), "an output was written");
}

Test(get, there_are_no_export_tables)
{
    const void *table = GARBAGE;
    CUuuid id = {{0}};

    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGetExportTable(&table, &id));
    cr_expect(eq(ptr, (void *) table, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGetExportTable(NULL, &id));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGetExportTable(&table, NULL));
}

static const CUuuid table_of_runtime = {{'\x6b', '\xd5', '\xfb', '\x6c', '\x5b', '\xf4', '\xe7',
                                         '\x4a', '\x89', '\x87', '\xd9', '\x39', '\x12', '\xfd',
                                         '\x9d', '\xf9'}};

/* Once, however often it asks; and not for what NVRTC and others ask. */
Test(get, what_the_runtime_needs_is_told_once, .init = cr_redirect_stderr)
{
    const void *table = GARBAGE;
    CUuuid id = {{0}};

    unsetenv("CUSHIM_LOG");
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGetExportTable(&table, &id));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGetExportTable(&table, &table_of_runtime));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGetExportTable(&table, &table_of_runtime));
    fflush(stderr);
    cr_expect_stderr_eq_str(
        "cushim mock: NVIDIA's CUDA runtime (libcudart) asks for private functions of NVIDIA's "
        "driver, which are not here, so its first call fails: what runs here calls the driver's "
        "documented functions (cu*), by itself or through a library that does\n");
}

Test(get, nothing_is_told_where_the_log_is_off, .init = cr_redirect_stderr)
{
    const void *table = GARBAGE;

    setenv("CUSHIM_LOG", "none", 1);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuGetExportTable(&table, &table_of_runtime));
    fflush(stderr);
    cr_expect_stderr_eq_str("");
}

/* A function that nothing implements still answers, and knows whether anything may be called. */
/* Which cudaProfiler.h declares. */
CUresult mock_cuProfilerInitialize(const char *config, const char *output, int mode);

Test(get, the_rest_is_not_supported)
{
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuProfilerInitialize(NULL, NULL, 0));
    start();
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuProfilerInitialize(NULL, NULL, 0));
}

/* There is no NvSciSync, but the arguments are looked at. */
Test(get, attributes_of_nvscisync)
{
    int list = 0;

    start();
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuDeviceGetNvSciSyncAttributes(NULL, 0, 1));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuDeviceGetNvSciSyncAttributes(&list, 9, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuDeviceGetNvSciSyncAttributes(&list, 0, 0));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuDeviceGetNvSciSyncAttributes(&list, 0, 1));
}
