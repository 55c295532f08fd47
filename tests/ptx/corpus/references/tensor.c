/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "number.h"

static double load(const struct corpus_run *run, unsigned b, int i)
{
    switch (run->test->buffers[b].type) {
    case F16:
        return half_value(((uint16_t *) run->in[b])[i]);
    case BF16:
        return bfloat_value(((uint16_t *) run->in[b])[i]);
    case F32:
        return (double) ((float *) run->in[b])[i];
    case F64:
        return ((double *) run->in[b])[i];
    case U8:
        return run->test->values[3] ? ((int8_t *) run->in[b])[i] : ((uint8_t *) run->in[b])[i];
    default:
        return ((int32_t *) run->in[b])[i];
    }
}

static void store(struct corpus_run *run, unsigned b, int i, double x)
{
    switch (run->test->buffers[b].type) {
    case F16:
        ((uint16_t *) run->expect[b])[i] = half_round(x);
        break;
    case F32:
        ((float *) run->expect[b])[i] = (float) x;
        break;
    case F64:
        ((double *) run->expect[b])[i] = x;
        break;
    default:
        ((int32_t *) run->expect[b])[i] = (int32_t) x;
    }
}

/* A of m rows by B of n columns; B is stored by columns. */
static double dot(const struct corpus_run *run, int k, int row, int column)
{
    double sum = 0;

    for (int i = 0; i < k; i++)
        sum += load(run, 0, row * k + i) * load(run, 1, column * k + i);
    return sum;
}

/* values: m, n, k, and whether bytes have a sign */
static void twice(struct corpus_run *run)
{
    const int *shape = run->test->values;

    for (int row = 0; row < shape[0]; row++)
        for (int column = 0; column < shape[1]; column++) {
            const int at = row * shape[1] + column;

            store(run, 3, at, load(run, 2, at) + 2 * dot(run, shape[2], row, column));
        }
}

static void scaled(struct corpus_run *run)
{
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 16; column++) {
            double sum = 3;

            for (int k = 0; k < 16; k++)
                sum += load(run, 0, k * 16 + row) * load(run, 1, k * 16 + column);
            store(run, 2, column * 16 + row, sum * 0.5 + 1);
        }
}

static void ldmatrix(struct corpus_run *run)
{
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 8; column++) {
            double sum = 0;

            for (int k = 0; k < 16; k++)
                sum += load(run, 0, row * 16 + k) * load(run, 1, k * 8 + column);
            store(run, 2, row * 8 + column, sum);
        }
}

static void mma_s8(struct corpus_run *run)
{
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 8; column++)
            store(run, 2, row * 8 + column,
                  dot(run, 32, row, column) + 1 + column % 2 + row / 8 * 2);
}

static void mma_f64(struct corpus_run *run)
{
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 8; column++)
            store(run, 2, row * 8 + column, dot(run, 4, row, column) + (column % 2 ? -0.5 : 0.5));
}

#define TENSOR(title, m, n, k, type, sum, low, high)                                               \
    {                                                                                              \
        .name = title, .block = {32}, .reference = twice, .values = {m, n, k, (low) < 0},          \
        .buffers = {                                                                               \
            IN_WHOLE(type, m * k, low, high),                                                      \
            IN_WHOLE(type, n * k, low, high),                                                      \
            IN_WHOLE(sum, m * n, -40, 40),                                                         \
            OUT(sum, m * n)                                                                        \
        }                                                                                          \
    }
static const struct corpus_case cases[] = {
    TENSOR("tensor_f16_f32", 16, 16, 16, F16, F32, -9, 9),
    TENSOR("tensor_f16_f16", 32, 8, 16, F16, F16, -3, 3),
    TENSOR("tensor_bf16", 8, 32, 16, BF16, F32, -9, 9),
    TENSOR("tensor_tf32", 16, 16, 8, F32, F32, -99, 99),
    TENSOR("tensor_s8", 16, 16, 16, U8, U32, -128, 127),
    TENSOR("tensor_u8", 32, 8, 16, U8, U32, 0, 255),
    TENSOR("tensor_f64", 8, 8, 4, F64, F64, -9999, 9999),
    {.name = "tensor_scaled",
     .block = {32},
     .reference = scaled,
     .buffers = {IN_WHOLE(F16, 256, -9, 9), IN_WHOLE(F16, 256, -9, 9), OUT(F32, 256)}},
    {.name = "tensor_ldmatrix",
     .block = {32},
     .reference = ldmatrix,
     .buffers = {IN_WHOLE(F16, 256, -9, 9), IN_WHOLE(F16, 128, -9, 9), OUT(F32, 128)}},
    {.name = "tensor_mma_s8",
     .block = {32},
     .reference = mma_s8,
     .values = {0, 0, 0, 1},
     .buffers = {IN_WHOLE(U8, 512, -128, 127), IN_WHOLE(U8, 256, -128, 127), OUT(U32, 128)}},
    {.name = "tensor_mma_f64",
     .block = {32},
     .reference = mma_f64,
     .buffers = {IN_WHOLE(F64, 32, -99, 99), IN_WHOLE(F64, 32, -99, 99), OUT(F64, 64)}},
};

CORPUS_MODULE(tensor, cases);
