/* SPDX-License-Identifier: MIT */
/*
 * How far approximate operations are from what is right, where operands and what is right are
 * normal numbers. Of what kind all other results are, is in the file of answers.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "forms_run.h"

struct bound {
    const char *operation, *type;
    long double (*right)(long double a, long double b);
    double ulps, relative, absolute; /* what is allowed is the greatest of the three */
    double within;                   /* magnitude of the operand; 0: any */
};

static long double sine(long double a, long double b)
{
    return (void) b, sinl(a);
}

static long double cosine(long double a, long double b)
{
    return (void) b, cosl(a);
}

static long double logarithm(long double a, long double b)
{
    return (void) b, log2l(a);
}

static long double power(long double a, long double b)
{
    return (void) b, exp2l(a);
}

static long double tangent(long double a, long double b)
{
    return (void) b, tanhl(a);
}

static long double reciprocal(long double a, long double b)
{
    return (void) b, 1 / a;
}

static long double root(long double a, long double b)
{
    return (void) b, sqrtl(a);
}

static long double reciprocal_root(long double a, long double b)
{
    return (void) b, 1 / sqrtl(a);
}

static long double quotient(long double a, long double b)
{
    return a / b;
}

/*
 * The greatest errors of an H200 over all values of .f32 and of the halves; of .f64 over all upper
 * halves, with a lower one of no and of all bits, but of rsqrt.approx.f64 over the values here. Of
 * division it is the 2 units of PTX's document, which a billion pairs kept to.
 */
static const struct bound bounds[] = {
    {"rcp", "f32", reciprocal, 0.975, 0, 0, 0},
    {"rcp", "f64", reciprocal, 0, 9.955e-7, 0, 0},
    {"rsqrt", "f32", reciprocal_root, 1.515, 0, 0, 0},
    {"rsqrt.approx.ftz", "f64", reciprocal_root, 0, 9.298e-7, 0, 0},
    {"rsqrt", "f64", reciprocal_root, 0.502, 0, 0, 0},
    {"sqrt", "f32", root, 0.944, 0, 0, 0},
    {"div", "f32", quotient, 2, 0, 0, 0},
    {"sin", "f32", sine, 0, 0, 3.475e-7, 3.14159},
    {"cos", "f32", cosine, 0, 0, 4.039e-7, 3.14159},
    {"lg2", "f32", logarithm, 0, 2.293e-7, 2.153e-7, 0},
    {"ex2", "f32", power, 2.055, 0, 0, 0},
    {"ex2", "f16", power, 0, 9.753e-4, 0, 0},
    {"ex2", "bf16", power, 0, 7.713e-3, 0, 0},
    {"tanh", "f32", tangent, 0, 1.113e-5, 0, 0},
    {"tanh", "f16", tangent, 0, 0, 4.927e-4, 0},
    {"tanh", "bf16", tangent, 0, 0, 3.907e-3, 0},
};

/* Fraction bits and the exponent of the least normal number. */
struct format {
    const char *name;
    int bits, fraction, least;
};

static const struct format formats[] = {
    {"f16", 16, 10, -14}, {"bf16", 16, 7, -126}, {"f32", 32, 23, -126}, {"f64", 64, 52, -1022}};

/* What the bits are in a format; infinities are none either. */
static long double value_of(const struct format *format, uint64_t bits)
{
    const int exponent_bits = format->bits - 1 - format->fraction;
    const uint64_t fraction = bits & ((UINT64_C(1) << format->fraction) - 1);
    const int exponent = (int) (bits >> format->fraction & ((1u << exponent_bits) - 1));
    const uint64_t hidden = exponent ? UINT64_C(1) << format->fraction : 0;
    const long double magnitude =
        ldexpl((long double) (fraction | hidden),
               (exponent ? exponent - 1 : 0) + format->least - format->fraction);

    if (exponent == (1 << exponent_bits) - 1)
        return nanl("");
    return bits >> (format->bits - 1) & 1 ? -magnitude : magnitude;
}

static bool is_normal(const struct format *format, long double value)
{
    return isfinite(value) && fabsl(value) >= ldexpl(1, format->least);
}

/* The distance as a part of what is allowed; 0 where this does not judge. */
static double judge(const struct bound *bound, const struct format *format, uint64_t a, uint64_t b,
                    uint64_t result)
{
    const long double x = value_of(format, a), y = value_of(format, b);
    const long double right = bound->right(x, y), actual = value_of(format, result);
    const int exponent = format->bits - 1 - format->fraction;
    long double allowed;

    if (!is_normal(format, x) || !is_normal(format, y) || !is_normal(format, right) ||
        (bound->right == quotient && !(fabsl(y) < 0x1p126L)) ||
        (bound->within != 0 && fabsl(x) > bound->within))
        return 0;
    /* Just below the least number and above the greatest another kind is as good. */
    if (fabsl(right) < ldexpl(1, format->least + 1) ||
        fabsl(right) > ldexpl(1, (1 << (exponent - 1)) - 1))
        return 0;
    allowed = ldexpl((long double) bound->ulps, ilogbl(right) - format->fraction);
    allowed = fmaxl(allowed, fmaxl(fabsl(right) * bound->relative, bound->absolute));
    return isnan(actual) ? INFINITY : (double) (fabsl(actual - right) / allowed);
}

static const struct format *format_of(const char *name)
{
    const char *type = strrchr(name, '.') + 1;

    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        const size_t n = strlen(formats[i].name);

        if (!strncmp(type, formats[i].name, n) && strchr("x", type[n]))
            return &formats[i];
    }
    return NULL;
}

static const struct bound *bound_of(const char *name, const struct format *format)
{
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        const size_t n = strlen(bounds[i].operation);

        if (!strncmp(name, bounds[i].operation, n) && name[n] == '.' &&
            !strcmp(bounds[i].type, format->name))
            return &bounds[i];
    }
    return NULL;
}

/* The farthest of all results, as a part of what is allowed. */
static double farthest(const struct form *form, const struct bound *bound,
                       const struct format *format)
{
    const uint64_t *a = forms_source(form, 0), *b = form->operands[2] ? forms_source(form, 1) : a;
    const int bits = form->operands[0] == 'x' ? 32 : format->bits;
    double far = 0;

    for (unsigned i = 0; i < FORMS_VALUES; i++)
        for (int shift = 0; shift < bits; shift += format->bits)
            far = fmax(far, judge(bound, format, a[i] >> shift, b[i] >> shift,
                                  forms_result()[i] >> shift));
    return far;
}

int forms_judge_approximate(const struct form *forms, size_t n)
{
    unsigned judged = 0, wrong = 0;

    for (size_t i = 0; i < n; i++) {
        struct form form = forms[i];
        const struct format *format = form_is_approximate(&form) ? format_of(form.name) : NULL;
        const struct bound *bound = format ? bound_of(form.name, format) : NULL;
        double far;

        if (!form_is_approximate(&form))
            continue;
        form.raw = true;
        judged++;
        far = !bound || forms_run(&form) ? INFINITY : farthest(&form, bound, format);
        printf("%s: %.3f of what is allowed\n", form.name, far);
        wrong += !(far <= 1);
    }
    printf("%u approximate forms, %u are too far\n", judged, wrong);
    return wrong || !judged;
}
