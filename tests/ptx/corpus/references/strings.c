/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 128, LENGTH = 64 };

static void length(struct corpus_run *run)
{
    const uint8_t *a = run->in[0];
    int *out = run->expect[1];

    for (int i = 0; i < N; i++, a += LENGTH)
        while (out[i] < LENGTH && a[out[i]] % 11)
            out[i]++;
}

static void search(struct corpus_run *run)
{
    const uint8_t *a = run->in[0];
    int *out = run->expect[1];
    char needle[4] = {0}, text[LENGTH + 1] = {0};

    for (int k = 0; k < 3; k++)
        needle[k] = (char) ('a' + a[k] % 3);
    for (int i = 0; i < N; i++, a += LENGTH) {
        const char *found;

        for (int k = 0; k < LENGTH; k++)
            text[k] = (char) ('a' + a[k] % 3);
        found = strstr(text, needle);
        out[i] = found ? (int) (found - text) : -1;
    }
}

static void number(struct corpus_run *run)
{
    const int64_t *a = run->in[0];
    char *text = run->expect[1];

    for (int i = 0; i < N; i++)
        snprintf(text + (ptrdiff_t) 24 * i, 24, "%" PRId64, a[i]);
    memcpy(run->expect[2], a, N * sizeof(*a));
}

static uint32_t crc_of(const uint8_t *a)
{
    uint32_t crc = ~0u;

    for (int k = 0; k < LENGTH * 8; k++) {
        const uint32_t bit = (crc ^ a[k / 8] >> (k % 8)) & 1;

        crc = crc >> 1 ^ (bit ? 0xedb88320 : 0);
    }
    return ~crc;
}

static void hash(struct corpus_run *run)
{
    const uint8_t *a = run->in[0];
    uint32_t *fnv = run->expect[1], *crc = run->expect[3];
    uint64_t *polynomial = run->expect[2];

    for (int i = 0; i < N; i++, a += LENGTH) {
        fnv[i] = 2166136261;
        for (int k = 0; k < LENGTH; k++) {
            fnv[i] = (fnv[i] ^ a[k]) * 16777619;
            polynomial[i] = (polynomial[i] * 1000003 + a[k]) % 1000000007;
        }
        crc[i] = crc_of(a);
    }
}

static void words(struct corpus_run *run)
{
    const uint8_t *a = run->in[0];
    int *out = run->expect[1];

    for (int i = 0; i < N; i++, out += 3) {
        int so_far = 0;

        for (int k = 0; k < LENGTH; k++) {
            const int kind = *a++ % 9;

            out[0] += kind != 0 && kind != 1 && kind != 3 && so_far == 0;
            out[2] += kind == 2;
            so_far = kind < 2 ? 0 : kind == 3 && so_far == 0 ? 0 : so_far + 1;
            out[1] = so_far > out[1] ? so_far : out[1];
        }
    }
}

#define TEXT IN(U8, N *LENGTH)

static const struct corpus_case cases[] = {
    {.name = "strings_length",
     .grid = {2},
     .block = {64},
     .reference = length,
     .values = {LENGTH},
     .buffers = {TEXT, OUT(U32, N)}},
    {.name = "strings_search",
     .grid = {2},
     .block = {64},
     .reference = search,
     .values = {LENGTH},
     .buffers = {TEXT, OUT(U32, N)}},
    {.name = "strings_number",
     .grid = {2},
     .block = {64},
     .reference = number,
     .buffers = {IN(U64, N), OUT(U8, N * 24), OUT(U64, N)}},
    {.name = "strings_hash",
     .grid = {2},
     .block = {64},
     .reference = hash,
     .values = {LENGTH},
     .buffers = {TEXT, OUT(U32, N), OUT(U64, N), OUT(U32, N)}},
    {.name = "strings_words",
     .grid = {2},
     .block = {64},
     .reference = words,
     .values = {LENGTH},
     .buffers = {TEXT, OUT(U32, N * 3)}},
};

CORPUS_MODULE(strings, cases);
