/* SPDX-License-Identifier: MIT */
#include "base/sha256.h"

#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* The same of the square roots of the first 8 primes. */
static const uint32_t first_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t rotate(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

/* Makes the 64 words of a block: its own 16, and those that are computed from them. */
static void expand(const unsigned char *block, uint32_t *words)
{
    for (size_t i = 0; i < 16; i++, block += 4)
        words[i] = (uint32_t) block[0] << 24 | (uint32_t) block[1] << 16 |
                   (uint32_t) block[2] << 8 | block[3];
    for (size_t i = 16; i < 64; i++) {
        const uint32_t a = words[i - 15], b = words[i - 2];

        words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + words[i - 7] +
                   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void add_block(uint32_t *state, const unsigned char *block)
{
    uint32_t words[64], s[8];

    expand(block, words);
    memcpy(s, state, sizeof(s));
    for (size_t i = 0; i < 64; i++) {
        const uint32_t e = s[4], a = s[0];
        const uint32_t one = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                             ((e & s[5]) ^ (~e & s[6])) + round_constants[i] + words[i];
        const uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                             ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

        memmove(s + 1, s, 7 * sizeof(*s));
        s[4] += one;
        s[0] = one + two;
    }
    for (size_t i = 0; i < 8; i++)
        state[i] += s[i];
}

void cushim__sha256_start(struct cushim__sha256 *digest)
{
    memcpy(digest->state, first_state, sizeof(first_state));
    digest->length = 0;
}

void cushim__sha256_add(struct cushim__sha256 *digest, const void *bytes, size_t n)
{
    const unsigned char *next = bytes;

    while (n) {
        const size_t used = digest->length % CUSHIM__SHA256_BLOCK;
        const size_t room = CUSHIM__SHA256_BLOCK - used, part = n < room ? n : room;

        memcpy(digest->block + used, next, part);
        digest->length += part;
        next += part;
        n -= part;
        if (part == room)
            add_block(digest->state, digest->block);
    }
}

/* The end is a bit that is set, zeros up to the last 8 bytes of a block, and the length in bits. */
void cushim__sha256_end(struct cushim__sha256 *digest, unsigned char *ret_bytes)
{
    static const unsigned char padding[CUSHIM__SHA256_BLOCK] = {0x80};
    const uint64_t bits = 8 * digest->length;
    const size_t used = digest->length % CUSHIM__SHA256_BLOCK;
    unsigned char length[8];

    for (unsigned i = 0; i < 8; i++)
        length[i] = (unsigned char) (bits >> (56 - 8 * i));
    cushim__sha256_add(digest, padding, (used < 56 ? 56 : 120) - used);
    cushim__sha256_add(digest, length, sizeof(length));
    for (unsigned i = 0; i < CUSHIM__SHA256_BYTES; i++)
        ret_bytes[i] = (unsigned char) (digest->state[i / 4] >> (24 - 8 * (i % 4)));
}
