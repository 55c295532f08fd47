/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <string.h>

enum { N = 512 };

struct big {
    int count;
    char name[12];
    double weights[100];
    unsigned short table[616];
};

/* Its bytes are any, so its doubles are, too: the reference reads them as they are. */
static double by_value_of(const struct big *b, unsigned index, int i)
{
    return b->weights[index % 100] + b->table[index % 616] + (signed char) b->name[i % 12] +
           b->count;
}

static void by_value(struct corpus_run *run)
{
    struct big b;
    const unsigned *index = run->in[1];
    double *out = run->expect[2];

    memcpy(&b, run->in[0], sizeof(b));
    for (int i = 0; i < N; i++)
        out[i] = by_value_of(&b, index[i], i);
}

static void by_value_written(struct corpus_run *run)
{
    const unsigned *index = run->in[1];
    double *out = run->expect[2];

    for (int i = 0; i < N; i++) {
        struct big b;

        memcpy(&b, run->in[0], sizeof(b));
        for (unsigned k = 0; k < 8; k++)
            b.weights[(index[i] + 7 * k) % 100] += b.table[(index[i] >> 8) % 616] + (int) k;
        out[i] = 0;
        for (int k = 0; k < 100; k++)
            out[i] += b.weights[k] * (k + 1);
    }
}

static void constant(struct corpus_run *run)
{
    static const int shifts[] = {1, 3, 5, 7, 11};
    const unsigned *a = run->in[0];
    const float *coefficients = run->in[3];
    float *out = run->expect[1];
    unsigned *shifted = run->expect[2];

    for (int i = 0; i < N; i++) {
        out[i] = coefficients[i % 64] + coefficients[a[i] % 64];
        shifted[i] = a[i] >> shifts[a[i] % 5];
    }
}

static void variables(struct corpus_run *run)
{
    static const char text[] = "initialised";
    int *out = run->expect[0], n = 0;
    double *wide = run->expect[1];
    uint64_t *mask = run->expect[2];

    for (int i = 1; i <= 3; i++)
        out[n++] = i;
    out[n++] = 20;
    out[n++] = 40;
    for (int k = 0; k < 12; k++)
        out[n++] = text[k];
    out[n++] = 25;
    wide[0] = 0;
    wide[1] = (double) 3.14159265f;
    *mask = 0x0123456789abcdef;
}

static void vectors(struct corpus_run *run)
{
    static const int sizes[] = {1, 2, 4, 4, 8, 8, 16, 16, 32};
    const uint8_t *a = run->in[0];
    uint8_t *out = run->expect[1];

    for (int v = 0; v < 9; v++)
        for (int i = 0, n = 512 / sizes[v]; i < n; i++)
            memcpy(out + v * 512 + (n - 1 - i) * sizes[v], a + i * sizes[v], (size_t) sizes[v]);
}

static void cached(struct corpus_run *run)
{
    memcpy(run->expect[1], run->in[0], N * sizeof(unsigned));
}

static void dynamic_shared(struct corpus_run *run)
{
    const float *a = run->in[0];
    float *out = run->expect[1], narrow[256];

    for (int i = 0; i < 256; i++)
        narrow[i * 7 % 256] = a[i];
    for (int i = 0; i < 256; i++)
        out[i] = (float) ((double) a[255 - i] * 2) + narrow[i] + (float) (a[(i + 1) % 256] > 0);
}

static void local(struct corpus_run *run)
{
    const unsigned *a = run->in[0];
    unsigned *out = run->expect[1];

    for (int i = 0; i < N; i++) {
        unsigned place[16], hash = 0;

        for (unsigned k = 0; k < 16; k++)
            place[k] = k * 0x01010101u;
        for (unsigned k = 0; k < 64; k++) {
            const unsigned from = (a[i] >> (k % 28)) & 15, to = (a[i] >> ((k * 5) % 28)) & 15;
            const unsigned kept = place[to];

            place[to] = place[from] + k;
            place[from] = kept;
        }
        for (int k = 0; k < 16; k++)
            hash = hash * 31 + place[k];
        out[i] = hash;
    }
}

static void generic(struct corpus_run *run)
{
    const int *a = run->in[0];
    int *out = run->expect[1];

    for (int i = 0; i < 128; i++)
        out[i] = a[i] & 1 ? a[127 - i] * 3 + 1000000 : a[127 - i] + 2000000;
}

#define STRUCT_BY_VALUE                                                                            \
    {                                                                                              \
        U8, sizeof(struct big), RANGE, 0, 63, false, BY_VALUE, NULL, NULL                          \
    }

static const struct corpus_case cases[] = {
    {.name = "memory_by_value",
     .grid = {4},
     .block = {128},
     .reference = by_value,
     .buffers = {STRUCT_BY_VALUE, IN(U32, N), OUT(F64, N)}},
    {.name = "memory_by_value_written",
     .grid = {4},
     .block = {128},
     .reference = by_value_written,
     .buffers = {STRUCT_BY_VALUE, IN(U32, N), OUT(F64, N)}},
    {.name = "memory_constant",
     .grid = {4},
     .block = {128},
     .reference = constant,
     .buffers = {IN(U32, N),
                 OUT(F32, N),
                 OUT(U32, N),
                 {F32, 64, RANGE, -9, 9, false, SYMBOL, "coefficients", NULL}}},
    {.name = "memory_variables",
     .reference = variables,
     .buffers = {OUT(U32, 18), OUT(F64, 2), OUT(U64, 1)}},
    {.name = "memory_vectors",
     .block = {512},
     .reference = vectors,
     .buffers = {IN(U8, 512), OUT(U8, 9 * 512)}},
    {.name = "memory_cached",
     .block = {128},
     .reference = cached,
     .buffers = {IN(U32, N), OUT(U32, N)}},
    {.name = "memory_dynamic_shared",
     .block = {256},
     .shared = 256 * 13,
     .reference = dynamic_shared,
     .buffers = {IN_RANGE(F32, 256, -5, 5), OUT(F32, 256)},
     .values = {256}},
    {.name = "memory_local",
     .grid = {4},
     .block = {128},
     .reference = local,
     .buffers = {IN(U32, N), OUT(U32, N)}},
    {.name = "memory_generic",
     .block = {128},
     .reference = generic,
     .buffers = {IN_RANGE(U32, 128, 0, 9999), OUT(U32, 128)}},
};

CORPUS_MODULE(memory, cases);
