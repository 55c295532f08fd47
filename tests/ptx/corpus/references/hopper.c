/* SPDX-License-Identifier: MIT */
#include "attention.h"
#include "tensor_core.h"

/* values: n, k. Each 16 of K are one instruction. */
static float dot(const uint16_t *a, const uint16_t *b, int k)
{
    uint32_t sum = 0;

    for (int first = 0; first < k; first += 16) {
        struct value values[16];

        for (int i = 0; i < 16; i++) {
            const struct value x = value_of(HALF, a[first + i]), y = value_of(HALF, b[first + i]);

            values[i] = (struct value){x.significand * y.significand, x.exponent + y.exponent,
                                       x.top + y.top};
        }
        sum = single_of(sum_of(25, values, 16, value_of(SINGLE, sum)), 23);
    }
    return float_of(sum);
}

static void gemm(struct corpus_run *run)
{
    const uint16_t *a = run->in[0], *b = run->in[1];
    const int n = run->test->values[0], k = run->test->values[1];

    for (int row = 0; row < 128; row++)
        for (int column = 0; column < n; column++)
            ((float *) run->expect[2])[row * n + column] = dot(a + row * k, b + column * k, k);
}

/* Rows of 320 halves, of which a stage has 64 of 128 rows. */
static const struct corpus_tensor tensors[] = {
    {.rank = 2, .size = {320, 128}, .box = {64, 128}, .swizzle = 3},
    {.rank = 2, .size = {320, 256}, .box = {64, 128}, .swizzle = 3},
};

static const struct corpus_case cases[] = {
    {.name = "hopper_gemm",
     .grid = {2},
     .block = {256},
     .reference = gemm,
     .values = {256, 192},
     .buffers = {IN_RANGE(F16, 128 * 192, -2, 2), IN_RANGE(F16, 256 * 192, -2, 2),
                 OUT(F32, 128 * 256)}},
    {.name = "hopper_tma_gemm",
     .grid = {2},
     .block = {288},
     .shared = 3 * 32768 + 64,
     .reference = gemm,
     .values = {256, 320},
     .tensors = tensors,
     .buffers = {IN_TENSOR(F16, 128 * 320, -2, 2), IN_TENSOR(F16, 256 * 320, -2, 2),
                 OUT(F32, 128 * 256)}},
    ATTENTION("hopper_attention", 128, 64, 128),
};

CORPUS_MODULE(hopper, cases);
