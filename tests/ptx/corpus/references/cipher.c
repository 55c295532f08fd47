/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <string.h>

enum { N = 128 };

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t nth_prime(int n)
{
    for (uint32_t x = 2;; x++) {
        uint32_t d = 2;

        while (d * d <= x && x % d)
            d++;
        if (d * d > x && n-- == 0)
            return x;
    }
}

/* The fraction of a prime's root, 32 bits of it: where SHA-256's constants come from. */
static uint32_t root_of_prime(int n, int degree)
{
    const long double prime = nth_prime(n);
    uint64_t root = 0; /* in units of 2^-32 */

    for (int bit = 37; bit >= 0; bit--) {
        const uint64_t next = root | 1ull << bit;
        const long double x = (long double) next * 0x1p-32L;

        if ((degree == 2 ? x * x : x * x * x) <= prime)
            root = next;
    }
    return (uint32_t) root;
}

static void digest(const uint8_t *a, const uint32_t *k, const uint32_t *start, uint8_t *out)
{
    uint32_t w[64], v[8];
    uint8_t block[64] = {0};

    memcpy(block, a, 55);
    block[55] = 0x80;
    block[62] = 55 * 8 >> 8;
    block[63] = 55 * 8 & 255;
    for (int i = 0; i < 64; i++)
        w[i] = i < 16 ? (uint32_t) block[4 * i] << 24 | (uint32_t) block[4 * i + 1] << 16 |
                            (uint32_t) block[4 * i + 2] << 8 | block[4 * i + 3]
                      : w[i - 16] + w[i - 7] +
                            (rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3) +
                            (rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, start, sizeof(v));
    for (int i = 0; i < 64; i++) {
        const uint32_t e = v[4], c = v[0];
        const uint32_t t = v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) +
                           ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
        const uint32_t u =
            (rotr(c, 2) ^ rotr(c, 13) ^ rotr(c, 22)) + ((c & v[1]) ^ (c & v[2]) ^ (v[1] & v[2]));

        memmove(v + 1, v, 7 * sizeof(*v));
        v[4] += t;
        v[0] = t + u;
    }
    for (int i = 0; i < 32; i++)
        out[i] = (uint8_t) ((start[i / 4] + v[i / 4]) >> (24 - i % 4 * 8));
}

static void sha256(struct corpus_run *run)
{
    uint32_t k[64], start[8];

    for (int i = 0; i < 64; i++)
        k[i] = root_of_prime(i, 3);
    for (int i = 0; i < 8; i++)
        start[i] = root_of_prime(i, 2);
    for (ptrdiff_t i = 0; i < N; i++)
        digest((uint8_t *) run->in[0] + i * 55, k, start, (uint8_t *) run->expect[1] + i * 32);
}

static void crc_table(struct corpus_run *run)
{
    const uint8_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < N; i++, a += 40) {
        out[i] = ~0u;
        for (int bit = 0; bit < 320; bit++)
            out[i] = out[i] >> 1 ^ ((out[i] ^ a[bit / 8] >> (bit % 8)) & 1 ? 0x82f63b78 : 0);
        out[i] = ~out[i];
    }
}

static uint8_t times(uint8_t x, uint8_t y)
{
    unsigned product = 0;

    for (int bit = 0; bit < 8; bit++)
        product ^= y >> bit & 1 ? (unsigned) x << bit : 0;
    for (int bit = 14; bit >= 8; bit--)
        product ^= product >> bit & 1 ? 0x11bu << (bit - 8) : 0;
    return (uint8_t) product;
}

/* x to the 254th is the inverse of x. */
static uint8_t substitute(uint8_t x)
{
    uint8_t inverse = 1, result = 0x63;

    for (int i = 0; i < 254; i++)
        inverse = times(inverse, x);
    for (int k = 0; k < 5; k++)
        result ^= (uint8_t) (inverse << k | inverse >> (8 - k));
    return result;
}

static void aes_round(const uint8_t *box, const uint8_t *key, bool last, uint8_t *state)
{
    static const uint8_t mix[] = {2, 3, 1, 1};
    uint8_t next[16];

    for (int k = 0; k < 16; k++)
        next[k] = box[state[(k + k % 4 * 4) % 16]];
    for (int k = 0; k < 16; k++) {
        state[k] = key[k] ^ (last ? next[k] : 0);
        for (int r = 0; r < 4 && !last; r++)
            state[k] ^= times(mix[r], next[k / 4 * 4 + (k + r) % 4]);
    }
}

static void aes(struct corpus_run *run)
{
    const uint8_t *a = run->in[0], *keys = run->in[1];
    uint8_t *out = run->expect[2], box[256];

    for (int x = 0; x < 256; x++)
        box[x] = substitute((uint8_t) x);
    for (int i = 0; i < N; i++, a += 16, out += 16) {
        for (int k = 0; k < 16; k++)
            out[k] = a[k] ^ keys[k];
        for (int round = 1; round <= 10; round++)
            aes_round(box, keys + 16 * round, round == 10, out);
    }
}

static void quarter(uint32_t *x, int a, int b, int c, int d)
{
    static const int turns[] = {16, 20, 24, 25};

    for (int i = 0; i < 4; i++) {
        const int to = i % 2 ? c : a, add = i % 2 ? d : b, turned = i % 2 ? b : d;

        x[to] += x[add];
        x[turned] = rotr(x[turned] ^ x[to], turns[i]);
    }
}

static void chacha(struct corpus_run *run)
{
    const uint32_t *key = run->in[0];
    uint32_t *out = run->expect[1];

    for (uint32_t i = 0; i < 64; i++, out += 16) {
        uint32_t s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

        memcpy(s + 4, key, 32);
        s[12] = i;
        memcpy(out, s, sizeof(s));
        for (int round = 0; round < 20; round++)
            for (int k = 0; k < 4; k++)
                quarter(out, k, 4 + (k + round % 2) % 4, 8 + (k + round % 2 * 2) % 4,
                        12 + (k + round % 2 * 3) % 4);
        for (int k = 0; k < 16; k++)
            out[k] += s[k];
    }
}

static const struct corpus_case cases[] = {
    {.name = "cipher_sha256",
     .grid = {2},
     .block = {64},
     .reference = sha256,
     .buffers = {IN(U8, N * 55), OUT(U8, N * 32)}},
    {.name = "cipher_crc_table",
     .grid = {2},
     .block = {64},
     .reference = crc_table,
     .values = {40},
     .buffers = {IN(U8, N * 40), OUT(U32, N)}},
    {.name = "cipher_aes",
     .grid = {2},
     .block = {64},
     .reference = aes,
     .buffers = {IN(U8, N * 16), IN(U8, 176), OUT(U8, N * 16)}},
    {.name = "cipher_chacha",
     .grid = {2},
     .block = {32},
     .reference = chacha,
     .buffers = {IN(U32, 8), OUT(U32, 64 * 16)}},
};

CORPUS_MODULE(cipher, cases);
