/* SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "number.h"

enum { N = 512 };

static const int directions[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

/* Operands that no compiler computes with before the direction is set. */
#define DIRECTIONS(T, x, y, z, out)                                                                \
    for (int d = 0; d < 4; d++) {                                                                  \
        volatile T vx = x, vy = y, vz = z, results[7];                                             \
                                                                                                   \
        fesetround(directions[d]);                                                                 \
        results[0] = vx + vy;                                                                      \
        results[1] = vx - vy;                                                                      \
        results[2] = vx * vy;                                                                      \
        results[3] = sizeof(T) == 4 ? (T) fmaf((float) vx, (float) vy, (float) vz)                 \
                                    : (T) fma((double) vx, (double) vy, (double) vz);              \
        results[4] = vx / vy;                                                                      \
        results[5] = (T) 1 / vx;                                                                   \
        results[6] = sizeof(T) == 4 ? (T) sqrtf((float) vx) : (T) sqrt((double) vx);               \
        fesetround(FE_TONEAREST);                                                                  \
        for (int r = 0; r < 7; r++)                                                                \
            (out)[7 * d + r] = results[r];                                                         \
    }

/* The lesser, with -0 below +0, and a number rather than not a number. */
#define LESSER(x, y)                                                                               \
    (isnan(x) ? (y) : isnan(y) ? (x) : (x) < (y) || (signbit(x) && (x) == (y)) ? (x) : (y))
#define GREATER(x, y)                                                                              \
    (isnan(x) ? (y) : isnan(y) ? (x) : (x) > (y) || (signbit(y) && (x) == (y)) ? (x) : (y))
#define RELATION(x, y)                                                                             \
    (((x) < (y)) + 2 * ((x) <= (y)) + 4 * ((x) == (y)) + 8 * ((x) != (y)) + 16 * !!isnan(x) +      \
     32 * !((x) >= (y)))

static void rounding_f32(struct corpus_run *run)
{
    const float *a = run->in[0], *b = run->in[1], *c = run->in[2];
    float *out = run->expect[3];

    for (int i = 0; i < N; i++, out += 36) {
        const float x = a[i], y = b[i];

        DIRECTIONS(float, x, y, c[i], out)
        out[28] = LESSER(x, y);
        out[29] = GREATER(x, y);
        out[30] = fabsf(x);
        out[31] = -x;
        out[32] = copysignf(x, y);
        out[33] = !(x > 0) ? 0 : x > 1 ? 1 : x;
        out[34] = (float) RELATION(x, y);
        out[35] = fdimf(x, y);
    }
}

static void rounding_f64(struct corpus_run *run)
{
    const double *a = run->in[0], *b = run->in[1], *c = run->in[2];
    double *out = run->expect[3];

    for (int i = 0; i < N; i++, out += 36) {
        const double x = a[i], y = b[i];

        DIRECTIONS(double, x, y, c[i], out)
        out[28] = LESSER(x, y);
        out[29] = GREATER(x, y);
        out[30] = fabs(x);
        out[31] = -x;
        out[32] = copysign(x, y);
        out[33] = (double) (float) x;
        out[34] = RELATION(x, y);
        out[35] = fdim(x, y);
    }
}

static float flushed(float x)
{
    return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

static float clamped(float x)
{
    return !(x > 0) ? 0 : x > 1 ? 1 : x;
}

static float in_direction(int direction, float x, float y, float z)
{
    volatile float vx = x, vy = y, vz = z, result;

    fesetround(direction);
    result = fmaf(vx, vy, vz);
    fesetround(FE_TONEAREST);
    return result;
}

static void ftz(struct corpus_run *run)
{
    const float *a = run->in[0], *b = run->in[1], *c = run->in[2];
    float *out = run->expect[3];

    for (int i = 0; i < N; i++, out += 10) {
        const float x = flushed(a[i]), y = flushed(b[i]), z = flushed(c[i]);

        out[0] = flushed(x + y);
        out[1] = flushed(x * y);
        out[2] = flushed(x / y);
        out[3] = LESSER(x, y);
        out[4] = isnan(a[i]) || isnan(b[i]) ? NAN : GREATER(a[i], b[i]);
        out[5] = clamped(in_direction(FE_TOWARDZERO, x, 1, y));
        out[6] = flushed(fmaf(x, y, z));
        out[7] = clamped(in_direction(FE_UPWARD, a[i], b[i], c[i]));
        out[8] = sqrtf(x);
        out[9] = rintf(x);
    }
}

static void contract(struct corpus_run *run)
{
    const float *a = run->in[0], *b = run->in[1], *c = run->in[2];
    float *out = run->expect[3];
    double *wide = run->expect[4];

    for (int i = 0; i < N; i++) {
        const double x = (double) a[i], y = (double) b[i] * 1e-3, z = -x * y;
        volatile float product = a[i] * b[i];
        volatile double wide_product = x * y;

        out[i] = run->contracted ? fmaf(a[i], b[i], c[i]) : product + c[i];
        wide[i] = run->contracted ? fma(x, y, z) : wide_product + z;
    }
}

#define THREE(title, function, type, per)                                                          \
    {                                                                                              \
        .name = title, .grid = {4}, .block = {128}, .reference = function, .buffers = {            \
            IN(type, N),                                                                           \
            IN(type, N),                                                                           \
            IN(type, N),                                                                           \
            OUT(type, N * (per))                                                                   \
        }                                                                                          \
    }

static const struct corpus_case cases[] = {
    THREE("rounding_f32", rounding_f32, F32, 36),
    THREE("rounding_f64", rounding_f64, F64, 36),
    THREE("rounding_ftz", ftz, F32, 10),
    {.name = "rounding_contract",
     .grid = {4},
     .block = {128},
     .reference = contract,
     .contracts = true,
     .buffers = {IN_RANGE(F32, N, -10, 10), IN_RANGE(F32, N, -10, 10), IN_RANGE(F32, N, -10, 10),
                 OUT(F32, N), OUT(F64, N)}},
};

CORPUS_MODULE(rounding, cases);
