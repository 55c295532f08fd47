/* SPDX-License-Identifier: MIT */
/* cuMemset* */
#include <string.h>

#include "mock/memory.h"
#include "mock/state.h"
#include "mock/stream.h"

/* Rows of equal elements. */
struct fill {
    CUdeviceptr address;
    size_t pitch; /* from row to row, in bytes */
    size_t width; /* in elements */
    size_t height;
    unsigned value;
    size_t element; /* bytes */
};

static void fill_row(unsigned char *row, const struct fill *fill)
{
    if (fill->element == 1) {
        memset(row, (int) fill->value, fill->width);
        return;
    }
    for (size_t i = 0; i < fill->width; i++) {
        /* The lowest bytes come first on every host that the driver runs on. */
        memcpy(row + i * fill->element, &fill->value, fill->element);
    }
}

static CUresult fill_rows(const struct fill *fill)
{
    size_t width, bytes;
    unsigned char *row;

    if (!fill->width || !fill->height)
        return CUDA_SUCCESS;
    MOCK__REQUIRE(fill->address % fill->element == 0, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!__builtin_mul_overflow(fill->width, fill->element, &width),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(fill->height == 1 || (fill->pitch >= width && fill->pitch % fill->element == 0),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!__builtin_mul_overflow(fill->pitch, fill->height - 1, &bytes) &&
                      !__builtin_add_overflow(bytes, width, &bytes),
                  CUDA_ERROR_INVALID_VALUE);
    row = mock__memory_bytes(fill->address, bytes);
    MOCK__REQUIRE(row, CUDA_ERROR_INVALID_VALUE);
    for (size_t y = 0; y < fill->height; y++)
        fill_row(row + y * fill->pitch, fill);
    return CUDA_SUCCESS;
}

static CUresult fill_in(CUstream hStream, const struct fill *fill)
{
    struct mock__stream *stream = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__stream_find(hStream, &stream));
    return fill_rows(fill);
}

static CUresult fill_1d(CUstream stream, CUdeviceptr address, unsigned value, size_t element,
                        size_t n)
{
    return fill_in(stream, &(struct fill){address, 0, n, 1, value, element});
}

static CUresult fill_2d(CUstream stream, CUdeviceptr address, size_t pitch, unsigned value,
                        size_t element, size_t width, size_t height)
{
    return fill_in(stream, &(struct fill){address, pitch, width, height, value, element});
}

CUresult mock_cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N)
{
    return fill_1d(CU_STREAM_LEGACY, dstDevice, uc, 1, N);
}

CUresult mock_cuMemsetD8_v2_ptds(CUdeviceptr dstDevice, unsigned char uc, size_t N)
{
    return fill_1d(CU_STREAM_PER_THREAD, dstDevice, uc, 1, N);
}

CUresult mock_cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
{
    return fill_1d(hStream, dstDevice, uc, 1, N);
}

CUresult mock_cuMemsetD8Async_ptsz(CUdeviceptr dstDevice, unsigned char uc, size_t N,
                                   CUstream hStream)
{
    return fill_1d(mock__ptsz(hStream), dstDevice, uc, 1, N);
}

CUresult mock_cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N)
{
    return fill_1d(CU_STREAM_LEGACY, dstDevice, us, 2, N);
}

CUresult mock_cuMemsetD16_v2_ptds(CUdeviceptr dstDevice, unsigned short us, size_t N)
{
    return fill_1d(CU_STREAM_PER_THREAD, dstDevice, us, 2, N);
}

CUresult mock_cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream)
{
    return fill_1d(hStream, dstDevice, us, 2, N);
}

CUresult mock_cuMemsetD16Async_ptsz(CUdeviceptr dstDevice, unsigned short us, size_t N,
                                    CUstream hStream)
{
    return fill_1d(mock__ptsz(hStream), dstDevice, us, 2, N);
}

CUresult mock_cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N)
{
    return fill_1d(CU_STREAM_LEGACY, dstDevice, ui, 4, N);
}

CUresult mock_cuMemsetD32_v2_ptds(CUdeviceptr dstDevice, unsigned int ui, size_t N)
{
    return fill_1d(CU_STREAM_PER_THREAD, dstDevice, ui, 4, N);
}

CUresult mock_cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)
{
    return fill_1d(hStream, dstDevice, ui, 4, N);
}

CUresult mock_cuMemsetD32Async_ptsz(CUdeviceptr dstDevice, unsigned int ui, size_t N,
                                    CUstream hStream)
{
    return fill_1d(mock__ptsz(hStream), dstDevice, ui, 4, N);
}

CUresult mock_cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
                              size_t Width, size_t Height)
{
    return fill_2d(CU_STREAM_LEGACY, dstDevice, dstPitch, uc, 1, Width, Height);
}

CUresult mock_cuMemsetD2D8_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
                                   size_t Width, size_t Height)
{
    return fill_2d(CU_STREAM_PER_THREAD, dstDevice, dstPitch, uc, 1, Width, Height);
}

CUresult mock_cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
                                size_t Width, size_t Height, CUstream hStream)
{
    return fill_2d(hStream, dstDevice, dstPitch, uc, 1, Width, Height);
}

CUresult mock_cuMemsetD2D8Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
                                     size_t Width, size_t Height, CUstream hStream)
{
    return fill_2d(mock__ptsz(hStream), dstDevice, dstPitch, uc, 1, Width, Height);
}

CUresult mock_cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
                               size_t Width, size_t Height)
{
    return fill_2d(CU_STREAM_LEGACY, dstDevice, dstPitch, us, 2, Width, Height);
}

CUresult mock_cuMemsetD2D16_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
                                    size_t Width, size_t Height)
{
    return fill_2d(CU_STREAM_PER_THREAD, dstDevice, dstPitch, us, 2, Width, Height);
}

CUresult mock_cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
                                 size_t Width, size_t Height, CUstream hStream)
{
    return fill_2d(hStream, dstDevice, dstPitch, us, 2, Width, Height);
}

CUresult mock_cuMemsetD2D16Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
                                      size_t Width, size_t Height, CUstream hStream)
{
    return fill_2d(mock__ptsz(hStream), dstDevice, dstPitch, us, 2, Width, Height);
}

CUresult mock_cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
                               size_t Width, size_t Height)
{
    return fill_2d(CU_STREAM_LEGACY, dstDevice, dstPitch, ui, 4, Width, Height);
}

CUresult mock_cuMemsetD2D32_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
                                    size_t Width, size_t Height)
{
    return fill_2d(CU_STREAM_PER_THREAD, dstDevice, dstPitch, ui, 4, Width, Height);
}

CUresult mock_cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
                                 size_t Width, size_t Height, CUstream hStream)
{
    return fill_2d(hStream, dstDevice, dstPitch, ui, 4, Width, Height);
}

CUresult mock_cuMemsetD2D32Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
                                      size_t Width, size_t Height, CUstream hStream)
{
    return fill_2d(mock__ptsz(hStream), dstDevice, dstPitch, ui, 4, Width, Height);
}
