// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// Hashes and ciphers: SHA-256, CRC by tables, rounds of AES by tables in shared memory, ChaCha.

__constant__ unsigned round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned rotr(unsigned x, int n)
{
    return x >> n | x << (32 - n);
}

// The digest of 55 bytes, the most that one block holds.
extern "C" __global__ void cipher_sha256(const unsigned char *a, unsigned char *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    for (int k = 0; k < 16; k++)
        w[k] = 0;
    for (int k = 0; k < 55; k++)
        w[k / 4] |= (unsigned) a[i * 55 + k] << (24 - k % 4 * 8);
    w[13] |= 0x80;
    w[15] = 55 * 8;
    for (int k = 16; k < 64; k++) {
        const unsigned x = w[k - 15], y = w[k - 2];

        w[k] = w[k - 16] + (rotr(x, 7) ^ rotr(x, 18) ^ x >> 3) + w[k - 7] +
               (rotr(y, 17) ^ rotr(y, 19) ^ y >> 10);
    }
    unsigned v[8];
    for (int k = 0; k < 8; k++)
        v[k] = s[k];
    for (int k = 0; k < 64; k++) {
        const unsigned t = v[7] + (rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25)) +
                           ((v[4] & v[5]) ^ (~v[4] & v[6])) + round_constants[k] + w[k];
        const unsigned u = (rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22)) +
                           ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

        for (int j = 7; j > 0; j--)
            v[j] = v[j - 1];
        v[4] += t;
        v[0] = t + u;
    }
    for (int k = 0; k < 32; k++)
        out[i * 32 + k] = (s[k / 4] + v[k / 4]) >> (24 - k % 4 * 8);
}

extern "C" __global__ void cipher_crc_table(const unsigned char *a, unsigned *out, int n)
{
    __shared__ unsigned table[256];

    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        unsigned x = i;

        for (int bit = 0; bit < 8; bit++)
            x = x >> 1 ^ (0x82f63b78 & -(x & 1));
        table[i] = x;
    }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned crc = ~0u;
    for (int k = 0; k < n; k++)
        crc = crc >> 8 ^ table[(crc ^ a[i * n + k]) & 255];
    out[i] = ~crc;
}

__device__ unsigned char times(unsigned char x, unsigned char y)
{
    unsigned char product = 0;

    for (int bit = 0; bit < 8; bit++) {
        product ^= y >> bit & 1 ? x : 0;
        x = x << 1 ^ (x & 0x80 ? 0x1b : 0);
    }
    return product;
}

// The table of substitutions is computed; then ten rounds, whose keys are given.
extern "C" __global__ void cipher_aes(const unsigned char *a, const unsigned char *keys,
                                      unsigned char *out)
{
    __shared__ unsigned char box[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int x = threadIdx.x; x < 256; x += blockDim.x) {
        unsigned char inverse = 0, turned = 0;

        for (int y = 1; y < 256 && x; y++)
            if (times(x, y) == 1)
                inverse = y;
        for (int k = 0; k < 5; k++)
            turned ^= inverse << k | inverse >> (8 - k);
        box[x] = turned ^ 0x63;
    }
    __syncthreads();
    unsigned char state[16], next[16];
    for (int k = 0; k < 16; k++)
        state[k] = a[16 * i + k] ^ keys[k];
    for (int round = 1; round <= 10; round++) {
        for (int k = 0; k < 16; k++)
            next[k] = box[state[(k + k % 4 * 4) % 16]];
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 4; r++) {
                const unsigned char *p = next + 4 * c;

                state[4 * c + r] = (round < 10 ? times(2, p[r]) ^ times(3, p[(r + 1) % 4]) ^
                                                     p[(r + 2) % 4] ^ p[(r + 3) % 4]
                                               : p[r]) ^
                                   keys[16 * round + 4 * c + r];
            }
    }
    for (int k = 0; k < 16; k++)
        out[16 * i + k] = state[k];
}

__device__ void quarter(unsigned &a, unsigned &b, unsigned &c, unsigned &d)
{
    a += b;
    d = rotr(d ^ a, 16);
    c += d;
    b = rotr(b ^ c, 20);
    a += b;
    d = rotr(d ^ a, 24);
    c += d;
    b = rotr(b ^ c, 25);
}

extern "C" __global__ void cipher_chacha(const unsigned *key, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];

    for (int k = 0; k < 8; k++)
        s[4 + k] = key[k];
    s[12] = i;
    s[13] = s[14] = s[15] = 0;
    for (int k = 0; k < 16; k++)
        x[k] = s[k];
    for (int round = 0; round < 10; round++) {
        for (int k = 0; k < 4; k++)
            quarter(x[k], x[4 + k], x[8 + k], x[12 + k]);
        for (int k = 0; k < 4; k++)
            quarter(x[k], x[4 + (k + 1) % 4], x[8 + (k + 2) % 4], x[12 + (k + 3) % 4]);
    }
    for (int k = 0; k < 16; k++)
        out[16 * i + k] = x[k] + s[k];
}
