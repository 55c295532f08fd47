/* SPDX-License-Identifier: MIT */
/* Computed in doubles. A bound is that of a handful of operations, each within the guide's. */
#include "corpus.h"

#include <math.h>

static void softmax(struct corpus_run *run)
{
    const int n = run->test->values[0];
    const float *a = run->in[0];
    float *out = run->expect[1];

    for (int row = 0; row < 16; row++, a += n, out += n) {
        double most = -INFINITY, sum = 0;

        for (int i = 0; i < n; i++)
            most = fmax(most, (double) a[i]);
        for (int i = 0; i < n; i++)
            sum += exp((double) a[i] - most);
        for (int i = 0; i < n; i++)
            out[i] = (float) (exp((double) a[i] - most) / sum);
    }
}

static void layer_norm(struct corpus_run *run)
{
    const int n = run->test->values[0];
    const float *a = run->in[0], *gain = run->in[1], *bias = run->in[2];
    float *out = run->expect[3];

    for (int row = 0; row < 6; row++, a += n, out += n) {
        double sum = 0, squares = 0, mean, scale;

        for (int i = 0; i < n; i++) {
            sum += (double) a[i];
            squares += (double) a[i] * (double) a[i];
        }
        mean = sum / n;
        scale = 1 / sqrt(squares / n - mean * mean + 1e-5);
        for (int i = 0; i < n; i++)
            out[i] = (float) (((double) a[i] - mean) * scale * (double) gain[i] + (double) bias[i]);
    }
}

static double score(const float *q, const float *k)
{
    double sum = 0;

    for (int i = 0; i < 32; i++)
        sum += (double) q[i] * (double) k[i];
    return sum / sqrt(32);
}

static void attention(struct corpus_run *run)
{
    const int n = run->test->values[0];
    const float *q = run->in[0], *k = run->in[1], *v = run->in[2];
    float *out = run->expect[3];

    for (int row = 0; row < 16; row++) {
        double sum = 0, result[32] = {0};

        for (int i = 0; i < n; i++) {
            const double weight = exp(score(q + row * 32, k + i * 32));

            sum += weight;
            for (int d = 0; d < 32; d++)
                result[d] += weight * (double) v[i * 32 + d];
        }
        for (int d = 0; d < 32; d++)
            out[row * 32 + d] = (float) (result[d] / sum);
    }
}

static void activations(struct corpus_run *run)
{
    const float *a = run->in[0];
    float *out = run->expect[1];

    for (int i = 0; i < 512; i++) {
        const double x = (double) a[i];

        *out++ = (float) fmax(x, 0);
        *out++ = (float) (1 / (1 + exp(-x)));
        *out++ = (float) (0.5 * x * (1 + erf(x * sqrt(0.5))));
        *out++ = (float) tanh(x);
        *out++ = (float) (x > 0 ? x : expm1(x));
        *out++ = (float) log1p(exp(x));
    }
}

static const struct corpus_bound near[] = {{8, 1e-7}}, norm[] = {{8, 2e-5}}, mixed[] = {{0, 2e-5}};
static const struct corpus_bound activation[] = {{0, 0}, {6, 1e-7}, {8, 1e-6},
                                                 {2, 0}, {1, 0},    {6, 1e-6}};

static const struct corpus_case cases[] = {
    {.name = "network_softmax",
     .grid = {4},
     .block = {32, 4},
     .reference = softmax,
     .values = {100},
     .buffers = {IN_RANGE(F32, 1600, -9, 9), OUT(F32, 1600)},
     BOUNDS(near)},
    {.name = "network_layer_norm",
     .grid = {6},
     .block = {128},
     .reference = layer_norm,
     .values = {300},
     BOUNDS(norm),
     .buffers = {IN_RANGE(F32, 1800, -3, 5), IN_RANGE(F32, 300, 0, 2), IN_RANGE(F32, 300, -1, 1),
                 OUT(F32, 1800)}},
    {.name = "network_attention",
     .grid = {4},
     .block = {32, 4},
     .reference = attention,
     .values = {64},
     BOUNDS(mixed),
     .buffers = {IN_RANGE(F32, 512, -2, 2), IN_RANGE(F32, 2048, -2, 2), IN_RANGE(F32, 2048, -2, 2),
                 OUT(F32, 512)}},
    {.name = "network_activations",
     .grid = {4},
     .block = {128},
     .reference = activations,
     .buffers = {IN_RANGE(F32, 512, -8, 8), OUT(F32, 512 * 6)},
     BOUNDS(activation)},
};

CORPUS_MODULE(network, cases);
