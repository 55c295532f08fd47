/* SPDX-License-Identifier: MIT */
/*
 * SHA-256, as FIPS 180-4 defines it: names what was compiled, and shows whether a file is damaged.
 */
#ifndef CUSHIM_BASE_SHA256_H
#define CUSHIM_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { CUSHIM__SHA256_BYTES = 32, CUSHIM__SHA256_BLOCK = 64 };

struct cushim__sha256 {
    uint32_t state[8];
    uint64_t length; /* the bytes that were added */
    unsigned char block[CUSHIM__SHA256_BLOCK];
};

void cushim__sha256_start(struct cushim__sha256 *digest);
void cushim__sha256_add(struct cushim__sha256 *digest, const void *bytes, size_t n);
void cushim__sha256_end(struct cushim__sha256 *digest, unsigned char *ret_bytes);

#endif
