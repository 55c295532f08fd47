/* SPDX-License-Identifier: MIT */
/* What is said about managed memory, and asked again. */
#include "support.h"

#define HALF ((size_t) 65536)

TestSuite(advise);

static CUdeviceptr managed(void)
{
    CUdeviceptr address = 0;

    OK(mock_cuMemAllocManaged(&address, 2 * HALF, CU_MEM_ATTACH_GLOBAL));
    return address;
}

static int get(CUmem_range_attribute attribute, CUdeviceptr address, size_t bytes)
{
    int value = 99;

    OK(mock_cuMemRangeGetAttribute(&value, sizeof(value), attribute, address, bytes));
    return value;
}

Test(advise, what_is_wrong_is_refused)
{
    CUdeviceptr p, plain;
    int value;

    EXPECT(CUDA_ERROR_NOT_INITIALIZED, mock_cuMemAdvise(16, 16, 1, 0));
    start();
    p = managed();
    plain = allocate(64);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAdvise(plain, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAdvise(p, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAdvise(p, 2 * HALF + 1, 1, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAdvise(p, HALF, 7, 0));
    EXPECT(CUDA_ERROR_INVALID_DEVICE,
           mock_cuMemAdvise(p, HALF, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 5));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuMemPrefetchAsync(p, HALF, 5, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemPrefetchAsync(plain, 64, 0, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemRangeGetAttribute(&value, 2, 1, p, HALF));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemRangeGetAttribute(&value, 4, 99, p, HALF));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemRangeGetAttribute(NULL, 4, 1, p, HALF));
}

Test(advise, ranges_are_of_pages)
{
    CUdeviceptr p;

    start();
    p = managed();
    OK(mock_cuMemPrefetchAsync(p + 5, 1, 0, NULL));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, 4096), 0));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, 4097), -2));
    /* A size that wraps around is about no memory, and can be no advice. */
    OK(mock_cuMemPrefetchAsync(p, SIZE_MAX, 0, NULL));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, SIZE_MAX), 1));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, SIZE_MAX), -2));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p + 4096, 4096), -2));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuMemAdvise(p, SIZE_MAX, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
}

Test(advise, a_part_is_advised_alone)
{
    CUdeviceptr p;

    start();
    p = managed();
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 2 * HALF), 0));
    OK(mock_cuMemAdvise(p + HALF, HALF, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p + HALF, HALF), 1));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, HALF), 0));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 2 * HALF), 0));
    OK(mock_cuMemAdvise(p, 2 * HALF, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 2 * HALF), 1));
    OK(mock_cuMemAdvise(p + 5, 1, CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, HALF), 0));
}

Test(advise, places)
{
    CUdeviceptr p;

    start();
    p = managed();
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, HALF), -2));
    OK(mock_cuMemAdvise(p, HALF, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 1));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, HALF), 1));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 2 * HALF), -2));
    OK(mock_cuMemAdvise(p, HALF, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 0));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, HALF), -2));
    OK(mock_cuMemPrefetchAsync(p, 2 * HALF, CU_DEVICE_CPU, NULL));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, HALF), -1));
    OK(mock_cuMemPrefetchAsync_ptsz(p, HALF, 0, NULL));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, HALF), 0));
}

Test(advise, users)
{
    CUmem_range_attribute attributes[] = {CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
                                          CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY};
    int users[3] = {0}, mostly = 9;
    void *data[] = {users, &mostly};
    size_t sizes[] = {sizeof(users), sizeof(mostly)};
    CUdeviceptr p;

    start();
    p = managed();
    OK(mock_cuMemAdvise(p, HALF, CU_MEM_ADVISE_SET_ACCESSED_BY, 1));
    OK(mock_cuMemAdvise(p, HALF, CU_MEM_ADVISE_SET_ACCESSED_BY, CU_DEVICE_CPU));
    OK(mock_cuMemRangeGetAttributes(data, sizes, attributes, 2, p, HALF));
    cr_expect(eq(int, users[0], 1));
    cr_expect(eq(int, users[1], -1));
    cr_expect(eq(int, users[2], -2));
    cr_expect(eq(int, mostly, 0));
    OK(mock_cuMemAdvise(p, HALF, CU_MEM_ADVISE_UNSET_ACCESSED_BY, 1));
    OK(mock_cuMemRangeGetAttributes(data, sizes, attributes, 2, p, HALF));
    cr_expect(eq(int, users[0], -1));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuMemRangeGetAttributes(data, sizes, attributes, 0, p, HALF));
    OK(mock_cuMemFree_v2(p));
}

#if CUDA_VERSION >= 13000
Test(advise, by_place)
{
    const CUmemLocation host = {.type = CU_MEM_LOCATION_TYPE_HOST};
    CUmemLocation places[] = {{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1}, host};
    size_t firsts[] = {0, 1}, sizes[] = {HALF, HALF};
    CUdeviceptr p, parts[2];
    CUstream stream = NULL;

    start();
    OK(mock_cuStreamCreate(&stream, 0));
    p = managed();
    parts[0] = p;
    parts[1] = p + HALF;
    OK(mock_cuMemAdvise_v2(p, HALF, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, p, HALF),
                 CU_MEM_LOCATION_TYPE_HOST));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemPrefetchAsync_v2(p, HALF, host, 1, NULL));
    OK(mock_cuMemPrefetchBatchAsync(parts, sizes, 2, places, firsts, 2, 0, stream));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID, p, HALF), 1));
    cr_expect(eq(int, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, p + HALF, HALF),
                 CU_MEM_LOCATION_TYPE_HOST));
    OK(mock_cuMemDiscardBatchAsync(parts, sizes, 2, 0, stream));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemDiscardBatchAsync(parts, sizes, 2, 0, NULL));
    OK(mock_cuMemDiscardBatchAsync_ptsz(parts, sizes, 2, 0, NULL));
    firsts[0] = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuMemDiscardAndPrefetchBatchAsync(parts, sizes, 2, places, firsts, 2, 0, stream));
}
#endif
