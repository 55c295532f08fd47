/* SPDX-License-Identifier: MIT */
/*
 * Integer arithmetic on two operands of one type: what the kernels compute, and what the
 * reference expects of them. Nothing is divided by zero: what comes of that is the compiler's
 * choice; a kernel of its own asks the instructions.
 */
#ifndef CUSHIM_TESTS_CORPUS_INTEGER_OPS_H
#define CUSHIM_TESTS_CORPUS_INTEGER_OPS_H

enum { N_INTEGER_OPS = 23 };

/* T and its unsigned twin U, of W bits; quotient, remainder and high half are the caller's. */
#define INTEGER_OPS(T, U, W, a, b, c, out)                                                         \
    do {                                                                                           \
        (out)[0] = (T) ((U) (a) + (U) (b));                                                        \
        (out)[1] = (T) ((U) (a) - (U) (b));                                                        \
        (out)[2] = (T) ((U) (1u * (U) (a) * (U) (b)));                                             \
        (out)[3] = QUOTIENT(T, a, (b) + !(b));                                                     \
        (out)[4] = REMAINDER(T, a, (b) + !(b));                                                    \
        (out)[5] = (T) ((a) & (b));                                                                \
        (out)[6] = (T) ((a) | (b));                                                                \
        (out)[7] = (T) ((a) ^ (b));                                                                \
        (out)[8] = (T) ~(a);                                                                       \
        (out)[9] = (T) ((U) (a) << ((b) & (W - 1)));                                               \
        (out)[10] = (T) ((a) >> ((b) & (W - 1)));                                                  \
        (out)[11] = (a) < (b) ? (a) : (b);                                                         \
        (out)[12] = (a) > (b) ? (a) : (b);                                                         \
        (out)[13] = (a) < 1 ? (T) (0 - (U) (a)) : (a);                                             \
        (out)[14] = (T) (((a) < (b)) + 2 * ((a) <= (b)) + 4 * ((a) == (b)) + 8 * ((a) > (b)) +     \
                         16 * ((a) >= (b)) + 32 * ((a) != (b)));                                   \
        (out)[15] = HIGH(T, a, b);                                                                 \
        (out)[16] = (T) ((U) (1u * (U) (a) * (U) (b)) + (U) (c));                                  \
        (out)[17] = (T) ((a) / 7);                                                                 \
        (out)[18] = (T) ((a) % 10);                                                                \
        (out)[19] = (T) ((U) (a) << ((b) & (W - 1)) | (U) (a) >> (-(b) & (W - 1)));                \
        (out)[20] = (T) (((a) & (b)) ^ (~(a) & (c)));                                              \
        (out)[21] = (T) ((U) (a) *25u - (U) (b) / 3u);                                             \
        (out)[22] = (a) == 0 ? (b) : (c);                                                          \
    } while (0)

/* Several integers of different widths in one expression: conversions of every kind. */
#define WIDENING_OPS(a, b, out)                                                                    \
    do {                                                                                           \
        (out)[0] = (unsigned long long) (long long) (signed char) (a);                             \
        (out)[1] = (unsigned char) (a);                                                            \
        (out)[2] = (unsigned long long) (long long) (short) (a);                                   \
        (out)[3] = (unsigned short) (a);                                                           \
        (out)[4] = (unsigned long long) (long long) (int) (a);                                     \
        (out)[5] = (unsigned) (a);                                                                 \
        (out)[6] = (unsigned long long) ((long long) (int) (a) * (int) (b));                       \
        (out)[7] = (unsigned long long) (unsigned) (a) * (unsigned) (b);                           \
        (out)[8] = (unsigned long long) ((long long) (int) (a) * (int) (b)) + (a);                 \
        (out)[9] = (unsigned long long) (long long) ((short) (a) * (short) (b));                   \
        (out)[10] = (unsigned long long) ((unsigned short) (a) *1u * (unsigned short) (b));        \
        (out)[11] = (unsigned long long) (long long) (signed char) ((a) >> 8) << 3;                \
    } while (0)

enum { N_WIDENING_OPS = 12 };

#endif
