/* SPDX-License-Identifier: MIT */
/*
 * The functions of the math library that the kernels call: X(name, ulps of float, ulps of
 * double). The bounds are those of the CUDA C++ programming guide, "Mathematical functions".
 * Where the list does not say otherwise, float has the suffix f, and C has the same function.
 */
#ifndef CUSHIM_TESTS_CORPUS_MATH_LIST_H
#define CUSHIM_TESTS_CORPUS_MATH_LIST_H

#define MATH_TRIGONOMETRIC(X)                                                                      \
    X(sin, 2, 2)                                                                                   \
    X(cos, 2, 2)                                                                                   \
    X(tan, 4, 2)                                                                                   \
    X(asin, 2, 2)                                                                                  \
    X(acos, 2, 2)                                                                                  \
    X(atan, 2, 2)                                                                                  \
    X(sinh, 3, 2)                                                                                  \
    X(cosh, 2, 1)                                                                                  \
    X(tanh, 2, 1)                                                                                  \
    X(asinh, 3, 3)                                                                                 \
    X(acosh, 4, 3)                                                                                 \
    X(atanh, 3, 2)

#define MATH_EXPONENTIAL(X)                                                                        \
    X(exp, 2, 1)                                                                                   \
    X(exp2, 2, 1)                                                                                  \
    X(exp10, 2, 1)                                                                                 \
    X(expm1, 1, 1)                                                                                 \
    X(log, 1, 1)                                                                                   \
    X(log2, 1, 1)                                                                                  \
    X(log10, 2, 1)                                                                                 \
    X(log1p, 1, 1)                                                                                 \
    X(sqrt, 0, 0)                                                                                  \
    X(rsqrt, 2, 1)                                                                                 \
    X(cbrt, 1, 1)

#define MATH_SPECIAL(X)                                                                            \
    X(erf, 2, 2)                                                                                   \
    X(erfc, 4, 5)                                                                                  \
    X(tgamma, 5, 10)                                                                               \
    X(lgamma, 6, 4)                                                                                \
    X(sinpi, 2, 2)                                                                                 \
    X(normcdf, 5, 5)                                                                               \
    X(rint, 0, 0)                                                                                  \
    X(logb, 0, 0)

#define MATH_BINARY(X)                                                                             \
    X(pow, 4, 2)                                                                                   \
    X(atan2, 3, 2)                                                                                 \
    X(hypot, 3, 2)                                                                                 \
    X(fmod, 0, 0)                                                                                  \
    X(remainder, 0, 0)                                                                             \
    X(fdim, 0, 0)                                                                                  \
    X(nextafter, 0, 0)                                                                             \
    X(copysign, 0, 0)

enum { N_TRIGONOMETRIC = 12, N_EXPONENTIAL = 11, N_SPECIAL_FUNCTIONS = 8, N_BINARY = 8 };

#endif
