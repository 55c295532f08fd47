/* SPDX-License-Identifier: MIT */
#include "corpus.h"

enum { N = 64 };

static const uint32_t constants[4] = {1, 2, 3, 4};

/* A bit each: global, shared, local, constant, a kernel's parameter. What is nowhere is global. */
static void kinds(struct corpus_run *run)
{
    static const uint32_t answers[12] = {1, 1, 8, 2, 2, 4, 1, 1, 1, 1, 1, 1};

    for (uint32_t t = 0; t < N; t++)
        for (int i = 0; i < 12; i++)
            ((uint32_t *) run->expect[1])[12 * t + i] = answers[i];
}

static void mixed(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (uint32_t t = 0; t < N; t++, out += 4) {
        uint32_t near = a[t], own[4] = {1, 2, 3, 4}, far = 0;
        uint32_t *const places[] = {&far, &near, &own[t & 3]};
        uint32_t *const at = places[a[t] % 3];
        const uint32_t from[] = {a[t], a[63 - t], own[t & 3], constants[0]};

        *at = from[a[t] / 3 % 4] * 5 + 1 + (a[t] % 3 < 2 ? 7 : 0);
        out[0] = far;
        out[1] = *at;
        out[2] = near;
        out[3] = own[t & 3];
    }
}

static const struct corpus_case cases[] = {
    {.name = "spaces_kinds",
     .block = {N},
     .shared = 4 * N,
     .reference = kinds,
     .buffers = {IN(U32, N), OUT(U32, 12 * N), {U32, 8, STEP, 0, 1, false, BY_VALUE, NULL, NULL}}},
    {.name = "spaces_mixed",
     .block = {N},
     .reference = mixed,
     .buffers = {IN(U32, N), OUT(U32, 4 * N)}},
};

CORPUS_MODULE(spaces, cases);
