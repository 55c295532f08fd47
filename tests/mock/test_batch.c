/* SPDX-License-Identifier: MIT */
/* Batches of copies; and the first versions of functions, with addresses of 32 bits. */
#include "watch.h"

TestSuite(batch);

#if CUDA_VERSION >= 12080

Test(batch, lines)
{
    int from[3] = {1, 2, 3}, to[3] = {0};
    CUmemcpyAttributes attributes[] = {
        {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM},
        {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL}};
    size_t firsts[] = {0, 2}, sizes[] = {4, 4, 4}, failed = 77;
    CUdeviceptr p, in_to[3], in_from[3];
    CUstream stream;

    start_watched();
    stream = a_stream();
    p = allocate(12);
    for (int i = 0; i < 3; i++) {
        in_to[i] = p + 4 * (CUdeviceptr) i;
        in_from[i] = (uintptr_t) &from[i];
    }
    OK(mock_cuMemcpyBatchAsync(in_to, in_from, sizes, 3, attributes, firsts, 2, &failed, stream));
    cr_expect(eq(sz, failed, SIZE_MAX));
    OK(mock_cuStreamSynchronize(stream));
    OK(mock_cuMemcpyDtoH_v2(to, p, 12));
    cr_expect(eq(int, to[2], 3));
    silent();
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuMemcpyBatchAsync(in_to, in_from, sizes, 3, attributes, firsts, 2, &failed, NULL));
    cr_expect(eq(sz, failed, SIZE_MAX));
    in_to[1] = p + 10;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyBatchAsync(in_to, in_from, sizes, 3, attributes,
                                                             firsts, 2, &failed, stream));
    cr_expect(eq(sz, failed, 1));
    firsts[1] = 3;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyBatchAsync(in_to, in_from, sizes, 3, attributes,
                                                             firsts, 2, &failed, stream));
    firsts[1] = 2;
    attributes[1].srcAccessOrder = 0;
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuMemcpyBatchAsync_ptsz(in_to, in_from, sizes, 3, attributes, firsts, 2, NULL,
                                        stream));
}

Test(batch, boxes)
{
    const CUDA_ARRAY_DESCRIPTOR descriptor = {8, 4, CU_AD_FORMAT_UNSIGNED_INT16, 2};
    unsigned from[4][8], to[2][2] = {{0}};
    CUDA_MEMCPY3D_BATCH_OP in = {.extent = {8, 4, 1},
                                 .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    CUDA_MEMCPY3D_BATCH_OP out = {.extent = {2, 2, 1},
                                  .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    size_t failed = 77;
    CUarray array = NULL;
    CUstream stream;

    for (unsigned i = 0; i < 32; i++)
        from[i / 8][i % 8] = i;
    start();
    stream = a_stream();
    OK(mock_cuArrayCreate_v2(&array, &descriptor));
    in.src.type = out.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    in.dst.type = out.src.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
    in.src.op.ptr.ptr = (uintptr_t) from;
    in.dst.op.array.array = out.src.op.array.array = array;
    out.src.op.array.offset = (CUoffset3D){3, 1, 0};
    out.dst.op.ptr.ptr = (uintptr_t) to;
    OK(mock_cuMemcpy3DBatchAsync(1, &in, &failed, 0, stream));
    OK(mock_cuMemcpy3DBatchAsync(1, &out, &failed, 0, stream));
    OK(mock_cuStreamSynchronize(stream));
    cr_expect(eq(uint, to[0][0], 11));
    cr_expect(eq(uint, to[1][1], 20));
    out.src.op.array.offset.x = 7;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy3DBatchAsync(1, &out, &failed, 0, stream));
    cr_expect(eq(sz, failed, 0));
    out.src.op.array.array = GARBAGE;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy3DBatchAsync(1, &out, NULL, 0, stream));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy3DBatchAsync(1, &in, NULL, 1, stream));
}

#endif

Test(batch, first_versions)
{
    const CUDA_ARRAY_DESCRIPTOR_v1 descriptor = {4, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1};
    unsigned all = 0, unused = 0, from[4] = {1, 2, 3, 4}, to[4] = {0};
    size_t free_before = 0, free_after = 0;
    CUdeviceptr_v1 p = 0;
    CUarray array = NULL;

    start();
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuMemFree(0));
    start_with_first_context();
    OK(mock_cuMemGetInfo_v2(&free_before, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemAlloc(NULL, 16));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuMemAlloc(&p, 16));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuMemAllocPitch(&p, &unused, 16, 4, 4));
    OK(mock_cuMemGetInfo_v2(&free_after, NULL));
    cr_expect(eq(sz, free_after, free_before));
    OK(mock_cuMemFree(0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoD(0x1000, from, 4));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD32(0x1000, 0, 4));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuMemGetAddressRange(&p, &unused, 0x1000));
    OK(mock_cuDeviceTotalMem(&all, 0));
    cr_expect(eq(uint, all, UINT32_MAX));
    OK(mock_cuMemGetInfo(&unused, &all));
    cr_expect(eq(uint, all, UINT32_MAX));
    OK(mock_cuArrayCreate(&array, &descriptor));
    OK(mock_cuMemcpyHtoA(array, 0, from, sizeof(from)));
    OK(mock_cuMemcpyAtoH(to, array, 4, 12));
    cr_expect(eq(uint, to[2], 4));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpy2D(NULL));
}
