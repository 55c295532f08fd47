/* SPDX-License-Identifier: MIT */
/* Attention, for the references of two subjects: heads of 64, and Q, K, V and the result in rows.
 */
#ifndef CUSHIM_TESTS_CORPUS_ATTENTION_H
#define CUSHIM_TESTS_CORPUS_ATTENTION_H

#include <math.h>

#include "corpus.h"
#include "number.h"

enum { HEAD = 64, MOST_KEYS = 256 };

static inline double attention_score(const uint16_t *q, const uint16_t *k)
{
    double sum = 0;

    for (int i = 0; i < HEAD; i++)
        sum += half_value(q[i]) * half_value(k[i]);
    return sum / 8;
}

/* values: how many keys there are */
static inline void attention_row(const struct corpus_run *run, const uint16_t *q, float *ret_row)
{
    const uint16_t *k = run->in[1], *v = run->in[2];
    const int keys = run->test->values[0];
    double weights[MOST_KEYS], most = -INFINITY, total = 0;

    for (int i = 0; i < keys; i++) {
        weights[i] = attention_score(q, k + i * HEAD);
        most = fmax(most, weights[i]);
    }
    for (int i = 0; i < keys; i++)
        total += weights[i] = exp(weights[i] - most);
    for (int column = 0; column < HEAD; column++) {
        double sum = 0;

        for (int i = 0; i < keys; i++)
            sum += weights[i] / total * half_value(v[i * HEAD + column]);
        ret_row[column] = (float) sum;
    }
}

static inline void attention_rows(struct corpus_run *run)
{
    const unsigned rows = run->test->buffers[3].count / HEAD;

    for (unsigned row = 0; row < rows; row++)
        attention_row(run, (const uint16_t *) run->in[0] + row * HEAD,
                      (float *) run->expect[3] + row * HEAD);
}

/* Weights are rounded to .f16. */
static const struct corpus_bound attention_near[] = {{64, 1e-3}};

#define ATTENTION(title, n_threads, n_rows, n_keys)                                                \
    {                                                                                              \
        .name = title, .block = {n_threads}, .reference = attention_rows, .values = {n_keys},      \
        BOUNDS(attention_near), .buffers = {                                                       \
            IN_RANGE(F16, (n_rows) *HEAD, -3, 3),                                                  \
            IN_RANGE(F16, (n_keys) *HEAD, -3, 3),                                                  \
            IN_RANGE(F16, (n_keys) *HEAD, -2, 2),                                                  \
            OUT(F32, (n_rows) *HEAD)                                                               \
        }                                                                                          \
    }

#endif
