/* SPDX-License-Identifier: MIT */
/*
 * The reference of a float is the C library's double, that of a double its long double. Both
 * are rounded once more; what they are off themselves is far below the bounds.
 */
#include "corpus.h"
#include "math_list.h"
#include "number.h"

enum { N = 512 };

/* What C lacks, by the names that the list makes of it. */
static long double rsqrtl(long double x)
{
    return 1 / sqrtl(x);
}

static long double sinpil(long double x)
{
    const long double turns = fmodl(x, 2);

    if (isfinite(x) && x == rintl(x))
        return copysignl(0, x);
    return sinl(turns * 3.141592653589793238462643383279502884L);
}

static long double normcdfl(long double x)
{
    return erfcl(-x * 0.707106781186547524400844362104849039L) / 2;
}

/* Rounded once: a root that is rounded to a long double first can end on the wrong side. */
#define sqrtl(x)                           (sizeof(T) == 4 ? (double) sqrtf((float) (x)) : sqrt((double) (x)))
#define UNARY_ROW(name, ulps, wide_ulps)   (T) name##l((long double) x),
#define FLOAT_BOUND(name, ulps, wide_ulps) {ulps, 0},
#define WIDE_BOUND(name, ulps, wide_ulps)  {wide_ulps, 0},

#define UNARY(function, type, list)                                                                \
    static void function(struct corpus_run *run)                                                   \
    {                                                                                              \
        typedef type T;                                                                            \
        const T *a = run->in[0];                                                                   \
        T *out = run->expect[1];                                                                   \
                                                                                                   \
        for (int i = 0; i < N; i++) {                                                              \
            const T x = a[i];                                                                      \
            const T results[] = {list(UNARY_ROW)};                                                 \
                                                                                                   \
            memcpy(out, results, sizeof(results));                                                 \
            out += sizeof(results) / sizeof(*results);                                             \
        }                                                                                          \
    }

UNARY(trigonometric_f32, float, MATH_TRIGONOMETRIC)
UNARY(trigonometric_f64, double, MATH_TRIGONOMETRIC)
UNARY(exponential_f32, float, MATH_EXPONENTIAL)
UNARY(exponential_f64, double, MATH_EXPONENTIAL)
UNARY(special_f32, float, MATH_SPECIAL)
UNARY(special_f64, double, MATH_SPECIAL)

/* The same of a difference; and a number's neighbour is a matter of its own type. */
#define IN_TYPE(name, x, y)                                                                        \
    (sizeof(T) == 4 ? (double) name##f((float) (x), (float) (y)) : name((double) (x), (double) (y)))
#define fdiml(x, y)                       IN_TYPE(fdim, x, y)
#define nextafterl(x, y)                  IN_TYPE(nextafter, x, y)
#define BINARY_ROW(name, ulps, wide_ulps) (T) name##l((long double) x, (long double) y),

#define BINARY(function, type, list)                                                               \
    static void function(struct corpus_run *run)                                                   \
    {                                                                                              \
        typedef type T;                                                                            \
        const T *a = run->in[0], *b = run->in[1];                                                  \
        T *out = run->expect[2];                                                                   \
                                                                                                   \
        for (int i = 0; i < N; i++) {                                                              \
            const T x = a[i], y = b[i];                                                            \
            const T results[] = {list(BINARY_ROW)};                                                \
                                                                                                   \
            memcpy(out, results, sizeof(results));                                                 \
            out += sizeof(results) / sizeof(*results);                                             \
        }                                                                                          \
    }

BINARY(binary_f32, float, MATH_BINARY)
BINARY(binary_f64, double, MATH_BINARY)

#define BOUNDS_OF(name, list, row) static const struct corpus_bound name[] = {list(row)}

BOUNDS_OF(trigonometric_bounds, MATH_TRIGONOMETRIC, FLOAT_BOUND);
BOUNDS_OF(trigonometric_wide, MATH_TRIGONOMETRIC, WIDE_BOUND);
BOUNDS_OF(exponential_bounds, MATH_EXPONENTIAL, FLOAT_BOUND);
BOUNDS_OF(exponential_wide, MATH_EXPONENTIAL, WIDE_BOUND);
BOUNDS_OF(special_bounds, MATH_SPECIAL, FLOAT_BOUND);
BOUNDS_OF(special_wide, MATH_SPECIAL, WIDE_BOUND);
BOUNDS_OF(binary_bounds, MATH_BINARY, FLOAT_BOUND);
BOUNDS_OF(binary_wide, MATH_BINARY, WIDE_BOUND);

static void parts_f32(float x, int i, float *out, int *whole)
{
    double integral;

    out[0] = (float) sin((double) x);
    out[1] = (float) cos((double) x);
    out[2] = (float) modf((double) x, &integral);
    out[3] = (float) integral;
    out[4] = frexpf(x, &whole[0]);
    out[5] = ldexpf(x, i % 300 - 150);
    whole[2] = ilogbf(x);
}

static void parts(struct corpus_run *run)
{
    const float *a = run->in[0];
    const double *b = run->in[1];
    float *out = run->expect[2];
    double *wide = run->expect[3];
    int *whole = run->expect[4];

    for (int i = 0; i < N; i++, out += 6, wide += 6, whole += 4) {
        const double y = b[i];

        parts_f32(a[i], i, out, whole);
        wide[0] = (double) sinl((long double) y);
        wide[1] = (double) cosl((long double) y);
        wide[2] = modf(y, &wide[3]);
        wide[4] = frexp(y, &whole[1]);
        wide[5] = scalbn(y, i % 300 - 150);
        whole[3] = ilogb(y);
    }
}

static const struct corpus_bound parts_bounds[] = {{2, 0}, {2, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};

static void approximate(struct corpus_run *run)
{
    const float *a = run->in[0];
    float *out = run->expect[1];

    for (int i = 0; i < N; i++) {
        const double x = (double) a[i];

        *out++ = (float) exp2(x);
        *out++ = (float) log2(fabs(x) + 3);
        *out++ = (float) (1 / x);
        *out++ = (float) (1 / sqrt(fabs(x)));
        *out++ = (float) sqrt(fabs(x));
        *out++ = (float) sin(x);
        *out++ = (float) cos(x);
        *out++ = (float) tanh(x);
    }
}

/* Measured on an H200 over all numbers. */
static const struct corpus_bound approximate_bounds[] = {
    {2, 0}, {1, 0}, {1, 0}, {2, 0}, {1, 0}, {0, 3.5e-7}, {0, 4.1e-7}, {134, 8e-6}};

static void fast(struct corpus_run *run)
{
    const float *a = run->in[0], *b = run->in[1];
    float *out = run->expect[2];

    for (int i = 0; i < N; i++) {
        const double x = (double) a[i], y = (double) b[i];

        *out++ = (float) exp(x);
        *out++ = (float) log(y);
        *out++ = (float) sin(x);
        *out++ = (float) cos(x);
        *out++ = (float) (x / y);
        *out++ = (float) (1 / sqrt(y));
        *out++ = (float) log2(y);
        *out++ = (float) exp10(x);
    }
}

/* The guide's, over -3..3 for x and 0.5..100 for y. */
static const struct corpus_bound fast_bounds[] = {{5, 0}, {3, 3.6e-7}, {0, 3.6e-7}, {0, 4.2e-7},
                                                  {2, 0}, {0, 0},      {2, 3.6e-7}, {10, 0}};

#define ONE(title, of, type, function, per, low, high, table)                                      \
    {                                                                                              \
        .name = title, .kernel = of, .grid = {4}, .block = {128}, .reference = function,           \
        .buffers = {IN_RANGE(type, N, low, high), OUT(type, N * (per))}, BOUNDS(table)             \
    }
#define ONE_ANY(title, type, function, per, table)                                                 \
    {                                                                                              \
        .name = title, .grid = {4}, .block = {128}, .reference = function,                         \
        .buffers = {IN(type, N), OUT(type, N * (per))}, BOUNDS(table)                              \
    }

static const struct corpus_case cases[] = {
    ONE_ANY("math_trigonometric_f32", F32, trigonometric_f32, N_TRIGONOMETRIC,
            trigonometric_bounds),
    ONE("math_trigonometric_f32_near", "math_trigonometric_f32", F32, trigonometric_f32,
        N_TRIGONOMETRIC, -2, 2, trigonometric_bounds),
    ONE_ANY("math_exponential_f32", F32, exponential_f32, N_EXPONENTIAL, exponential_bounds),
    ONE("math_exponential_f32_near", "math_exponential_f32", F32, exponential_f32, N_EXPONENTIAL,
        -1, 30, exponential_bounds),
    ONE("math_special_f32", "math_special_f32", F32, special_f32, N_SPECIAL_FUNCTIONS, -2, 9,
        special_bounds),
    {.name = "math_binary_f32",
     .grid = {4},
     .block = {128},
     .reference = binary_f32,
     .buffers = {IN(F32, N), IN(F32, N), OUT(F32, N *N_BINARY)},
     BOUNDS(binary_bounds)},
    {.name = "math_binary_f32_near",
     .kernel = "math_binary_f32",
     .grid = {4},
     .block = {128},
     .reference = binary_f32,
     .buffers = {IN_RANGE(F32, N, 0, 20), IN_RANGE(F32, N, -9, 9), OUT(F32, N *N_BINARY)},
     BOUNDS(binary_bounds)},
    ONE_ANY("math_trigonometric_f64", F64, trigonometric_f64, N_TRIGONOMETRIC, trigonometric_wide),
    ONE("math_trigonometric_f64_near", "math_trigonometric_f64", F64, trigonometric_f64,
        N_TRIGONOMETRIC, -2, 2, trigonometric_wide),
    ONE_ANY("math_exponential_f64", F64, exponential_f64, N_EXPONENTIAL, exponential_wide),
    ONE("math_exponential_f64_near", "math_exponential_f64", F64, exponential_f64, N_EXPONENTIAL,
        -1, 300, exponential_wide),
    ONE("math_special_f64", "math_special_f64", F64, special_f64, N_SPECIAL_FUNCTIONS, -2, 20,
        special_wide),
    {.name = "math_binary_f64",
     .grid = {4},
     .block = {128},
     .reference = binary_f64,
     .buffers = {IN(F64, N), IN(F64, N), OUT(F64, N *N_BINARY)},
     BOUNDS(binary_wide)},
    {.name = "math_parts",
     .grid = {4},
     .block = {128},
     .reference = parts,
     .buffers = {IN_RANGE(F32, N, -100, 100), IN_RANGE(F64, N, -1e6, 1e6), OUT(F32, N * 6),
                 OUT(F64, N * 6), OUT(U32, N * 4)},
     BOUNDS(parts_bounds)},
    ONE("math_approximate", "math_approximate", F32, approximate, 8, -3, 3, approximate_bounds),
    {.name = "math_fast",
     .grid = {4},
     .block = {128},
     .reference = fast,
     .buffers = {IN_RANGE(F32, N, -3, 3), IN_RANGE(F32, N, 0.5, 100), OUT(F32, N * 8)},
     BOUNDS(fast_bounds)},
};

CORPUS_MODULE(math, cases);
