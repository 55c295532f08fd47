/* SPDX-License-Identifier: MIT */
/*
 * cuMemcpyBatchAsync, cuMemcpy3DBatchAsync: copies one after the other, which is one of the orders
 * that a batch may have. And single copies with the same attributes.
 */
#include "mock/allocation/array.h"
#include "mock/base/newer.h"
#include "mock/base/state.h"
#include "mock/memory/copy.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"
#include "mock/stream/stream.h"

#if CUDA_VERSION >= 12080

#define KNOWN_FLAGS 1u /* CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE */

/*
 * A stream that a batch can be in, which needs a current context: no legacy stream, and none that
 * captures. A driver refuses that without invalidating the capture, which then lacks the copies.
 */
static CUresult find_stream(CUstream hStream, struct mock__stream **ret_stream)
{
    MOCK__REQUIRE(!mock__stream_is_legacy(hStream), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__inherited());
    MOCK__REQUIRE(mock__current_handle(), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__stream_find(hStream, ret_stream));
    MOCK__TRY(mock__capture_check(*ret_stream));
    return (*ret_stream)->capture ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

static bool order_valid(CUmemcpySrcAccessOrder order)
{
    return order == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
           order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL ||
           order == CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
}

/* One copy; a source that is to be read during the call is read when the copy is done. */
static CUresult submit(struct mock__stream *stream, const struct mock__copy *copy,
                       CUmemcpySrcAccessOrder order)
{
    const bool now = order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;

    /* What a graph does is done when it is launched. */
    MOCK__REQUIRE(!now || !stream->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    MOCK__TRY(mock__copy(stream, true, copy));
    return now ? mock__wait_queue(stream->queue) : CUDA_SUCCESS;
}

struct lines {
    const CUdeviceptr *dsts, *srcs;
    const size_t *sizes;
    size_t count;
    const CUmemcpyAttributes *attributes;
    const size_t *firsts; /* the first copy that each of the attributes is for */
    size_t n_attributes;
};

/* The hint of a place may be that of none. */
static bool hint_valid(const CUmemLocation *hint)
{
    return (unsigned) hint->type <= 4; /* CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT */
}

static bool is_valid(const CUmemcpyAttributes *attributes)
{
    return order_valid(attributes->srcAccessOrder) && !(attributes->flags & ~KNOWN_FLAGS) &&
           hint_valid(&attributes->srcLocHint) && hint_valid(&attributes->dstLocHint);
}

static bool attributes_valid(const struct lines *lines)
{
    if (!lines->attributes || !lines->firsts || !lines->n_attributes ||
        lines->n_attributes > lines->count || lines->firsts[0])
        return false;
    for (size_t i = 0; i < lines->n_attributes; i++)
        if (!is_valid(&lines->attributes[i]) ||
            (i && (lines->firsts[i] <= lines->firsts[i - 1] || lines->firsts[i] >= lines->count)))
            return false;
    return true;
}

/* Which copy failed, if it is one of them. */
static CUresult copy_lines(const struct lines *lines, CUstream hStream, size_t *ret_failed)
{
    struct mock__stream *stream = NULL;
    size_t at = 0;

    MOCK__ENTER_EARLY();
    MOCK__TRY(find_stream(hStream, &stream));
    MOCK__REQUIRE(lines->dsts && lines->srcs && lines->sizes && lines->count &&
                      attributes_valid(lines),
                  CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < lines->count; i++) {
        const struct mock__copy copy = mock__copy_line(
            MOCK__ANY_SIDE, lines->dsts[i], MOCK__ANY_SIDE, lines->srcs[i], lines->sizes[i]);

        while (at + 1 < lines->n_attributes && lines->firsts[at + 1] <= i)
            at++;
        *ret_failed = i;
        MOCK__REQUIRE(lines->sizes[i], CUDA_ERROR_INVALID_VALUE);
        /* Found anew each time: a copy may wait, and the stream go meanwhile. */
        MOCK__TRY(find_stream(hStream, &stream));
        MOCK__TRY(submit(stream, &copy, lines->attributes[at].srcAccessOrder));
    }
    *ret_failed = SIZE_MAX;
    return CUDA_SUCCESS;
}

static CUresult batch(const struct lines *lines, size_t *ret_failed, CUstream stream)
{
    size_t failed = SIZE_MAX;
    const CUresult result = copy_lines(lines, stream, &failed);

    if (ret_failed)
        *ret_failed = failed;
    return result;
}

CUresult mock_cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                 CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                 size_t *failIdx, CUstream hStream)
{
    return batch(&(struct lines){dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs}, failIdx,
                 hStream);
}

/* Returns the bytes of a unit of the extent: of an array's element, or 1. 0 if they differ. */
static size_t element_of(const CUDA_MEMCPY3D_BATCH_OP *op)
{
    const CUmemcpy3DOperand *const operands[] = {&op->src, &op->dst};
    size_t element = 0;

    for (int i = 0; i < 2; i++) {
        const struct mock__array *array;

        if (operands[i]->type != CU_MEMCPY_OPERAND_TYPE_ARRAY)
            continue;
        array = mock__object_find(MOCK__ARRAY, operands[i]->op.array.array);
        if (!array || (element && element != array->element))
            return 0;
        element = array->element;
    }
    return element ? element : 1;
}

static CUresult set_end(struct mock__end *end, const CUmemcpy3DOperand *operand, size_t element,
                        const struct mock__copy *copy)
{
    switch (operand->type) {
    case CU_MEMCPY_OPERAND_TYPE_POINTER:
        *end = (struct mock__end){.side = MOCK__ANY_SIDE,
                                  .address = operand->op.ptr.ptr,
                                  .pitch = operand->op.ptr.rowLength * element,
                                  .height = operand->op.ptr.layerHeight};
        MOCK__REQUIRE(!end->height || end->height >= copy->height, CUDA_ERROR_INVALID_VALUE);
        return CUDA_SUCCESS;
    case CU_MEMCPY_OPERAND_TYPE_ARRAY:
        *end = (struct mock__end){.y = operand->op.array.offset.y, .z = operand->op.array.offset.z};
        MOCK__REQUIRE(!__builtin_mul_overflow(operand->op.array.offset.x, element, &end->x),
                      CUDA_ERROR_INVALID_VALUE);
        return mock__array_end(operand->op.array.array, copy, end);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult copy_box(const CUDA_MEMCPY3D_BATCH_OP *op, struct mock__stream *stream)
{
    const size_t element = element_of(op);
    struct mock__copy copy = {.height = op->extent.height, .depth = op->extent.depth};

    MOCK__REQUIRE(element && op->extent.width && op->extent.height && op->extent.depth &&
                      order_valid(op->srcAccessOrder) && !(op->flags & ~KNOWN_FLAGS) &&
                      !__builtin_mul_overflow(op->extent.width, element, &copy.width),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(set_end(&copy.dst, &op->dst, element, &copy));
    MOCK__TRY(set_end(&copy.src, &op->src, element, &copy));
    return submit(stream, &copy, op->srcAccessOrder);
}

static CUresult copy_boxes(size_t n, const CUDA_MEMCPY3D_BATCH_OP *ops, unsigned long long flags,
                           CUstream hStream, size_t *ret_failed)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(find_stream(hStream, &stream));
    MOCK__REQUIRE(n && ops && !flags, CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < n; i++) {
        *ret_failed = i;
        MOCK__TRY(find_stream(hStream, &stream));
        MOCK__TRY(copy_box(&ops[i], stream));
    }
    *ret_failed = SIZE_MAX;
    return CUDA_SUCCESS;
}

static CUresult batch_3d(size_t n, const CUDA_MEMCPY3D_BATCH_OP *ops, size_t *ret_failed,
                         unsigned long long flags, CUstream stream)
{
    size_t failed = SIZE_MAX;
    const CUresult result = copy_boxes(n, ops, flags, stream, &failed);

    if (ret_failed)
        *ret_failed = failed;
    return result;
}

CUresult mock_cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                                   unsigned long long flags, CUstream hStream)
{
    return batch_3d(numOps, opList, failIdx, flags, hStream);
}

#if CUDA_VERSION >= 13000
CUresult mock_cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes,
                                    size_t count, CUmemcpyAttributes *attrs, size_t *attrsIdxs,
                                    size_t numAttrs, CUstream hStream)
{
    MOCK__REQUIRE(hStream, CUDA_ERROR_INVALID_VALUE); /* also where that is the thread's own */
    return batch(&(struct lines){dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs}, NULL,
                 hStream);
}

CUresult mock_cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList,
                                      unsigned long long flags, CUstream hStream)
{
    MOCK__REQUIRE(hStream, CUDA_ERROR_INVALID_VALUE);
    return batch_3d(numOps, opList, NULL, flags, hStream);
}

#endif

/* --- single copies, which any stream takes, and which may be captured --- */

CUresult mock_cuMemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t size,
                                          CUmemcpyAttributes *attr, CUstream hStream)
{
    const struct mock__copy copy = mock__copy_line(MOCK__ANY_SIDE, dst, MOCK__ANY_SIDE, src, size);
    struct mock__stream *stream = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(attr && is_valid(attr), CUDA_ERROR_INVALID_VALUE);
    return submit(stream, &copy, attr->srcAccessOrder);
}

CUresult mock_cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP *op, unsigned long long flags,
                                            CUstream hStream)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    MOCK__REQUIRE(op && !flags, CUDA_ERROR_INVALID_VALUE);
    return copy_box(op, stream);
}

/* --- decompressing, which no device of the mock can --- */

CUresult mock_cuMemBatchDecompressAsync(CUmemDecompressParams *paramsArray, size_t count,
                                        unsigned int flags, size_t *errorIndex, CUstream stream)
{
    struct mock__stream *found = NULL;

    (void) paramsArray, (void) count, (void) flags, (void) errorIndex;
    MOCK__ENTER_INHERITED();
    MOCK__TRY(mock__stream_find(stream, &found));
    MOCK__TRY(mock__capture_refuse(found));
    return CUDA_ERROR_NOT_SUPPORTED;
}

#endif
