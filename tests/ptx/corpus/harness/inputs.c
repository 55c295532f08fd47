/* SPDX-License-Identifier: MIT */
/* What goes into a case: the same on every machine. */
#include <stdlib.h>

#include "corpus.h"
#include "number.h"

size_t corpus_size_of(enum corpus_type type)
{
    static const size_t sizes[] = {
        [U8] = 1, [U16] = 2, [U32] = 4, [U64] = 8, [F16] = 2, [BF16] = 2, [F32] = 4, [F64] = 8};

    return sizes[type];
}

size_t corpus_bytes(const struct corpus_buffer *buffer)
{
    return buffer->count * corpus_size_of(buffer->type);
}

uint64_t corpus_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1d;
}

enum { N_SPECIAL = 16 };

static const uint64_t specials[][N_SPECIAL] = {
    [U8] = {0, 1, 2, 3, 7, 8, 9, 0x0f, 0x55, 0x7e, 0x7f, 0x80, 0x81, 0xaa, 0xfe, 0xff},
    [U16] = {0, 1, 2, 3, 7, 0x0f, 0x10, 0xff, 0x100, 0x5555, 0x7fff, 0x8000, 0x8001, 0xaaaa, 0xfffe,
             0xffff},
    [U32] = {0, 1, 2, 3, 7, 31, 32, 33, 0xffff, 0x10000, 0x55555555, 0x7fffffff, 0x80000000,
             0x80000001, 0xfffffffe, 0xffffffff},
    [U64] = {0, 1, 2, 7, 63, 64, 65, 0xffffffff, 0x100000000, 0x5555555555555555,
             0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0xffffffff00000000,
             0xfffffffffffffffe, 0xffffffffffffffff},
    [F16] = {0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 1, 0x83ff, 0x0400, 0x7bff, 0xfbff, 0x3c00,
             0xbc00, 0x3c01, 0x3800, 0x4248},
    [BF16] = {0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 1, 0x807f, 0x0080, 0x7f7f, 0xff7f, 0x3f80,
              0xbf80, 0x3f81, 0x3f00, 0x4049},
    [F32] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 1, 0x807fffff,
             0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f000000,
             0x40490fdb},
    [F64] = {0, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
             0x7ff0000000000001, 1, 0x800fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
             0xffefffffffffffff, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001,
             0x3fe0000000000000, 0x400921fb54442d18},
};

static void store(void *data, enum corpus_type type, size_t i, uint64_t bits)
{
    memcpy((uint8_t *) data + i * corpus_size_of(type), &bits, corpus_size_of(type));
}

static void store_number(void *data, enum corpus_type type, size_t i, double x)
{
    switch (type) {
    case F16:
        store(data, type, i, half_round(x));
        break;
    case BF16:
        store(data, type, i, bfloat_round(x));
        break;
    case F32:
        store(data, type, i, bits_of((float) x));
        break;
    case F64:
        store(data, type, i, bits_of_double(x));
        break;
    default:
        store(data, type, i, (uint64_t) (int64_t) x);
    }
}

/* The n-th buffer of this kind: its special values change every 16^n elements. */
static uint64_t any(enum corpus_type type, size_t i, unsigned n, uint64_t random)
{
    const size_t place = i >> (4 * n);

    if (i < 256 || (n > 1 && random % 8 == 0))
        return specials[type][n > 1 ? random / 8 % N_SPECIAL : place % N_SPECIAL];
    return random;
}

static double in_range(const struct corpus_buffer *buffer, uint64_t random)
{
    if (buffer->type >= F16 && buffer->fill == RANGE)
        return buffer->low + (buffer->high - buffer->low) * (double) (random >> 11) * 0x1p-53;
    return buffer->low + (double) (random % (uint64_t) (buffer->high - buffer->low + 1));
}

static void fill(const struct corpus_buffer *buffer, unsigned n, uint64_t seed, void *data)
{
    for (size_t i = 0; i < buffer->count; i++) {
        const uint64_t random = corpus_random(&seed);

        if (buffer->fill == ANY)
            store(data, buffer->type, i, any(buffer->type, i, n, random));
        else if (buffer->fill == RANGE || buffer->fill == WHOLE)
            store_number(data, buffer->type, i, in_range(buffer, random));
        else if (buffer->fill == STEP)
            store_number(data, buffer->type, i, buffer->low + buffer->high * (double) i);
    }
}

bool corpus_make(const struct corpus_case *test, struct corpus_run *ret_run)
{
    uint64_t seed = 88172645463325252;
    unsigned n = 0;

    *ret_run = (struct corpus_run){.test = test};
    for (const char *p = test->name; *p; p++)
        seed = (seed ^ (uint8_t) *p) * 0x100000001b3;
    for (unsigned b = 0; b < 8 && test->buffers[b].count; b++) {
        const size_t bytes = corpus_bytes(&test->buffers[b]);

        ret_run->in[b] = calloc(1, bytes);
        ret_run->expect[b] = malloc(bytes);
        if (!ret_run->in[b] || !ret_run->expect[b]) {
            corpus_free(ret_run);
            return false;
        }
        fill(&test->buffers[b], n, seed + b, ret_run->in[b]);
        n += test->buffers[b].fill == ANY;
        memcpy(ret_run->expect[b], ret_run->in[b], bytes);
    }
    return true;
}

void corpus_free(struct corpus_run *run)
{
    for (unsigned b = 0; b < 8; b++) {
        free(run->in[b]);
        free(run->expect[b]);
        run->in[b] = run->expect[b] = NULL;
    }
}
