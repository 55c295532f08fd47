/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <math.h>
#include <string.h>

/* The same sums in the same order, so not the definition of the transform; that the order is
 * that of a transform is plain to see where the roots are. */
static void butterfly(float *x, int low, int high, float c, float s)
{
    const volatile float rc = x[2 * high] * c, is = x[2 * high + 1] * s;
    const volatile float rs = x[2 * high] * s, ic = x[2 * high + 1] * c;
    const float re = rc - is, im = rs + ic;

    x[2 * high] = x[2 * low] - re;
    x[2 * high + 1] = x[2 * low + 1] - im;
    x[2 * low] += re;
    x[2 * low + 1] += im;
}

static void fourier(struct corpus_run *run)
{
    const float *a = run->in[0], *roots = run->in[1];
    float *out = run->expect[2];

    for (unsigned i = 0; i < 256; i++) {
        unsigned from = 0;

        for (int bit = 0; bit < 8; bit++)
            from |= (i >> bit & 1) << (7 - bit);
        out[2 * i] = a[2 * from];
        out[2 * i + 1] = a[2 * from + 1];
    }
    for (int half = 1; half < 256; half *= 2)
        for (int t = 0; t < 128; t++) {
            const int low = t / half * 2 * half + t % half, turn = t % half * (128 / half);

            butterfly(out, low, low + half, roots[2 * turn], roots[2 * turn + 1]);
        }
}

static double less_product(double sum, double x, double y)
{
    const volatile double product = x * y;

    return sum - product;
}

static void cholesky_of(const double *m, double *out, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? n : 0;

            for (int k = 0; k < n; k++)
                sum = less_product(sum, -m[i * n + k], m[j * n + k]);
            for (int k = 0; k < j; k++)
                sum = less_product(sum, out[i * n + k], out[j * n + k]);
            out[i * n + j] = i == j ? sqrt(sum) : sum / out[j * n + j];
        }
}

static void cholesky(struct corpus_run *run)
{
    const int n = run->test->values[0];

    for (ptrdiff_t block = 0; block < 3; block++)
        cholesky_of((double *) run->in[0] + block * n * n,
                    (double *) run->expect[1] + block * n * n, n);
}

static void exchange(double *a, int *rows, int n, int k, int pivot)
{
    const int row = rows[k];

    rows[k] = rows[pivot];
    rows[pivot] = row;
    for (int j = 0; j < n; j++) {
        const double kept = a[k * n + j];

        a[k * n + j] = a[pivot * n + j];
        a[pivot * n + j] = kept;
    }
}

static void lu(struct corpus_run *run)
{
    const int n = run->test->values[0];
    double *a = run->expect[1];
    int *rows = run->expect[2];

    memcpy(a, run->in[0], (size_t) (n * n) * sizeof(*a));
    for (int k = 0; k < n; k++)
        rows[k] = k;
    for (int k = 0; k < n; k++) {
        int pivot = k;

        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
                pivot = i;
        exchange(a, rows, n, k, pivot);
        for (int i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++)
                a[i * n + j] = less_product(a[i * n + j], a[i * n + k], a[k * n + j]);
        }
    }
}

/* By elimination without fractions. */
static int64_t determinant_of(const int32_t *m)
{
    int64_t a[5][5], before = 1, sign = 1;

    for (int i = 0; i < 25; i++)
        a[i / 5][i % 5] = m[i];
    for (int k = 0; k < 4; k++) {
        int pivot = k;

        while (pivot < 5 && a[pivot][k] == 0)
            pivot++;
        if (pivot == 5)
            return 0;
        for (int j = 0; j < 5 && pivot != k; j++) {
            const int64_t kept = a[k][j];

            a[k][j] = a[pivot][j];
            a[pivot][j] = kept;
        }
        sign = pivot != k ? -sign : sign;
        for (int i = k + 1; i < 5; i++)
            for (int j = k + 1; j < 5; j++)
                a[i][j] = (a[i][j] * a[k][k] - a[i][k] * a[k][j]) / before;
        before = a[k][k];
    }
    return sign * a[4][4];
}

static void determinant(struct corpus_run *run)
{
    const int32_t *m = run->in[0];
    int64_t *out = run->expect[1];

    for (int i = 0; i < 64; i++)
        out[i] = determinant_of(m + 25 * i);
}

static const struct corpus_case cases[] = {
    {.name = "linear_fourier",
     .block = {128},
     .reference = fourier,
     .buffers = {IN_RANGE(F32, 512, -1, 1), IN_RANGE(F32, 256, -1, 1), OUT(F32, 512)}},
    {.name = "linear_cholesky",
     .grid = {3},
     .block = {24},
     .reference = cholesky,
     .values = {24},
     .buffers = {IN_RANGE(F64, 3 * 576, -1, 1), OUT(F64, 3 * 576)}},
    {.name = "linear_lu",
     .block = {16},
     .reference = lu,
     .values = {16},
     .buffers = {IN_RANGE(F64, 256, -1, 1), OUT(F64, 256), OUT(U32, 16)}},
    {.name = "linear_determinant",
     .grid = {2},
     .block = {32},
     .reference = determinant,
     .buffers = {IN_RANGE(U32, 64 * 25, -20, 20), OUT(U64, 64)}},
};

CORPUS_MODULE(linear, cases);
