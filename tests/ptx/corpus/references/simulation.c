/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <math.h>
#include <string.h>

static uint32_t xorshift(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void philox(uint32_t c[4], uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 10; round++, key0 += 0x9e3779b9, key1 += 0xbb67ae85) {
        const uint64_t p = 0xd2511f53ull * c[0], q = 0xcd9e8d57ull * c[2];
        const uint32_t next[] = {(uint32_t) (q >> 32) ^ c[1] ^ key0, (uint32_t) q,
                                 (uint32_t) (p >> 32) ^ c[3] ^ key1, (uint32_t) p};

        memcpy(c, next, sizeof(next));
    }
}

static uint64_t generate(uint32_t seed, uint32_t i, uint32_t *out)
{
    uint32_t state = seed | 1, counter[] = {i, 1, 2, 3}, folded;
    uint64_t pcg = seed, weyl = 0;

    for (int k = 0; k < 10; k++)
        xorshift(&state);
    out[0] = state;
    philox(counter, seed, 77);
    out[1] = counter[0];
    out[2] = counter[1] ^ counter[2];
    out[3] = counter[3];
    for (int k = 0; k < 5; k++)
        pcg = pcg * 6364136223846793005 + 1442695040888963407;
    folded = (uint32_t) (((pcg >> 18) ^ pcg) >> 27);
    out[4] = folded >> (pcg >> 59) | folded << (-(pcg >> 59) & 31);
    for (int k = 0; k < 5; k++)
        weyl = (weyl + 0x61c8864680b583eb) * (pcg | 1);
    out[5] = (uint32_t) (weyl >> 32);
    return pcg;
}

static void numbers(struct corpus_run *run)
{
    const uint32_t *seeds = run->in[0];
    uint32_t *out = run->expect[1];
    double *uniform = run->expect[2];

    for (uint32_t i = 0; i < 256; i++)
        uniform[i] = (double) (generate(seeds[i], i, out + 6 * i) >> 11) * 0x1p-53;
}

static void pi(struct corpus_run *run)
{
    uint32_t *hits = run->expect[0];

    for (uint32_t i = 0; i < 128; i++) {
        uint32_t state = i * 2654435761u + 12345;

        for (int k = 0; k < 200; k++) {
            const float x = (float) (xorshift(&state) >> 8) * 0x1p-24f;
            const float y = (float) (xorshift(&state) >> 8) * 0x1p-24f;
            const volatile float xx = x * x, yy = y * y, sum = xx + yy;

            *hits += sum < 1;
        }
    }
}

static void bodies(struct corpus_run *run)
{
    const double *a = run->in[0];
    double *out = run->expect[1];

    for (int i = 0; i < 128; i++)
        for (int j = 0; j < 128; j++) {
            const double dx = a[4 * j] - a[4 * i], dy = a[4 * j + 1] - a[4 * i + 1];
            const double dz = a[4 * j + 2] - a[4 * i + 2];
            const double squared = dx * dx + dy * dy + dz * dz + 0.01;
            const double force = a[4 * j + 3] / (squared * sqrt(squared));

            out[3 * i] += dx * force;
            out[3 * i + 1] += dy * force;
            out[3 * i + 2] += dz * force;
        }
}

static uint16_t escape(float cx, float cy)
{
    float x = 0, y = 0;
    uint16_t n = 0;

    while (n < 200 && x * x + y * y <= 4) {
        const float next = x * x - y * y + cx;

        y = 2 * x * y + cy;
        x = next;
        n++;
    }
    return n;
}

static void mandelbrot(struct corpus_run *run)
{
    uint16_t *out = run->expect[0];

    for (int py = 0; py < 40; py++)
        for (int px = 0; px < 60; px++)
            *out++ = escape(-2.2f + (float) px * 3.0f / 60, -1.3f + (float) py * 2.6f / 40);
}

static void sparse(struct corpus_run *run)
{
    const uint32_t *starts = run->in[0], *columns = run->in[1];
    const double *values = run->in[2], *x = run->in[3];
    double *y = run->expect[4];

    for (int row = 0; row < 50; row++) {
        const uint32_t s = starts[row], e = starts[row + 1];
        double lanes[32] = {0};

        for (uint32_t k = s < e ? s : e, first = k; k < (s < e ? e : s); k++)
            lanes[(k - first) % 32] += values[k] * x[columns[k]];
        for (int apart = 16; apart > 0; apart /= 2)
            for (int l = 0; l < apart; l++)
                lanes[l] += lanes[l + apart];
        y[row] = lanes[0];
    }
}

static void breadth(struct corpus_run *run)
{
    const uint32_t *edges = run->in[0];
    int *distance = run->expect[1];
    bool changed = true;

    for (int i = 0; i < 200; i++)
        distance[i] = i ? -1 : 0;
    for (int level = 0; changed; level++) {
        changed = false;
        for (int k = 0; k < 800; k++)
            if (distance[k / 4] == level && distance[edges[k]] == -1) {
                distance[edges[k]] = level + 1;
                changed = true;
            }
    }
}

static const struct corpus_case cases[] = {
    {.name = "simulation_random",
     .grid = {2},
     .block = {128},
     .reference = numbers,
     .buffers = {IN(U32, 256), OUT(U32, 256 * 6), OUT(F64, 256)}},
    {.name = "simulation_pi",
     .grid = {2},
     .block = {64},
     .reference = pi,
     .values = {200},
     .buffers = {OUT(U32, 1)}},
    {.name = "simulation_bodies",
     .grid = {2},
     .block = {64},
     .reference = bodies,
     .values = {128},
     .buffers = {IN_RANGE(F64, 512, -2, 2), OUT(F64, 128 * 3)}},
    {.name = "simulation_mandelbrot",
     .grid = {4, 5},
     .block = {16, 8},
     .reference = mandelbrot,
     .values = {60, 40},
     .buffers = {OUT(U16, 2400)}},
    {.name = "simulation_sparse",
     .grid = {13},
     .block = {128},
     .reference = sparse,
     .values = {50},
     .buffers = {IN_RANGE(U32, 51, 0, 400), IN_RANGE(U32, 400, 0, 99), IN_RANGE(F64, 400, -5, 5),
                 IN_RANGE(F64, 100, -5, 5), OUT(F64, 50)}},
    {.name = "simulation_breadth",
     .block = {96},
     .reference = breadth,
     .values = {200},
     .buffers = {IN_RANGE(U32, 800, 0, 199), OUT(U32, 200)}},
};

CORPUS_MODULE(simulation, cases);
