/* SPDX-License-Identifier: MIT */
#include "corpus.h"

enum { N = 256 };

static unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static unsigned ackermann(unsigned m, unsigned n)
{
    return m == 0 ? n + 1 : m == 1 ? n + 2 : 2 * n + 3;
}

static void recursion(struct corpus_run *run)
{
    const unsigned *a = run->in[0];
    unsigned *out = run->expect[1];

    for (int i = 0; i < N; i++) {
        *out++ = fibonacci(a[i] % 11);
        *out++ = ackermann(a[i] % 3, a[i] / 3 % 4);
        *out++ = a[i] % 30 % 2 == 0;
        *out++ = a[i] % 7 % 2 == 1;
    }
}

static void virtual(struct corpus_run *run)
{
    const unsigned *a = run->in[0];
    double *out = run->expect[1];

    for (int i = 0; i < N; i++) {
        const double r = a[i] % 10, side = a[i] % 8;
        const double areas[] = {3 * r * r, (double) (a[i] % 5) * (a[i] % 9), side * side + 0.5};
        unsigned bits = a[i];

        for (int k = 0; k < 5; k++, bits /= 3)
            out[i] += areas[bits % 3] * (k + 1) + (bits % 3 ? 4 : 0);
    }
}

static uint32_t apply(unsigned operation, uint32_t x, uint32_t y)
{
    switch (operation) {
    case 0:
        return x + y;
    case 1:
        return x - y;
    case 2:
        return x * y;
    default:
        return x & 1 ? x : y;
    }
}

static void pointer(struct corpus_run *run)
{
    const uint32_t *a = run->in[0], *b = run->in[1];
    uint32_t *out = run->expect[2];

    for (int i = 0; i < N; i++) {
        out[i] = a[i];
        for (unsigned k = 0; k < 6; k++)
            out[i] = apply(b[i] >> (2 * k) & 3, out[i], k + 3);
    }
}

static void cross(const double *a, const double *b, double *ret)
{
    for (int i = 0; i < 3; i++) {
        const volatile double left = a[(i + 1) % 3] * b[(i + 2) % 3];
        const volatile double right = a[(i + 2) % 3] * b[(i + 1) % 3];

        ret[i] = left - right;
    }
    ret[3] = a[3] + b[3];
}

static void structs(struct corpus_run *run)
{
    const double *a = run->in[0];
    double *out = run->expect[1];

    for (int i = 0; i < N; i++, a++) {
        double v[5][4] = {{a[0], a[1], a[2], 1}, {a[3], a[4], a[5], 2}};

        for (int k = 0; k < 3; k++)
            cross(v[k], v[k + 1], v[k + 2]);
        out[i] = v[4][0] + v[4][1] + v[4][2] + v[4][3];
    }
}

static void lambda(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < 128; i++, out += 2) {
        out[0] = a[0];
        out[1] = a[i];
        for (int k = 1; k < 100; k++) {
            out[0] = out[0] * (a[i] | 1) + a[k];
            out[1] = a[i + k] > out[1] ? a[i + k] : out[1];
        }
    }
}

static const struct corpus_case cases[] = {
    {.name = "calls_recursion",
     .grid = {2},
     .block = {128},
     .reference = recursion,
     .buffers = {IN(U32, N), OUT(U32, N * 4)}},
    {.name = "calls_virtual",
     .grid = {2},
     .block = {128},
     .reference = virtual,
     .buffers = {IN(U32, N), OUT(F64, N)}},
    {.name = "calls_pointer",
     .grid = {2},
     .block = {128},
     .reference = pointer,
     .buffers = {IN(U32, N), IN(U32, N), OUT(U32, N)}},
    {.name = "calls_struct",
     .grid = {2},
     .block = {128},
     .reference = structs,
     .buffers = {IN_RANGE(F64, N + 5, -3, 3), OUT(F64, N)}},
    {.name = "calls_lambda",
     .grid = {1},
     .block = {128},
     .reference = lambda,
     .buffers = {IN(U32, N), OUT(U32, 256)},
     .values = {100}},
};

CORPUS_MODULE(calls, cases);
