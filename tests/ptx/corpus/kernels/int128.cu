// SPDX-License-Identifier: MIT
// build: compute_75 compute_90 generated
// Integers of 128 bits: what the compiler makes of them is chains of carries and functions of its own.

typedef unsigned long long u64;
typedef unsigned __int128 u128;
typedef __int128 s128;

__device__ void put(u64 *out, u128 value)
{
    out[0] = (u64) value;
    out[1] = (u64) (value >> 64);
}

extern "C" __global__ void int128_arithmetic(const u64 *a, const u64 *b, u64 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, k = i ^ 1;
    const u128 x = (u128) a[i] << 64 | b[i], y = (u128) b[k] << 64 | a[k], z = y | 1;
    const s128 sx = (s128) x, sz = (s128) z;

    out += 32 * i;
    put(out, x * y - z);
    put(out + 2, x / z);
    put(out + 4, x % z);
    put(out + 6, (u128) (sx / sz));
    put(out + 8, (u128) (sx % sz));
    put(out + 10, (u128) -sx);
    put(out + 12, (u128) (sx >> (a[i] & 127)));
    put(out + 14, x << (a[i] & 127) | x >> (-a[i] & 127));
    put(out + 16, x / 10);
    put(out + 18, x % 1000000007);
    put(out + 20, (u128) (sx / 7));
    put(out + 22, x / (a[k] | 1));
    put(out + 24, (x & ~y) ^ (z | y));
    out[26] = (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (sx < sz) + 16 * (sx >= sz) + 32 * !x;
    out[27] = (u64) ((s128) (long long) a[i] * (long long) b[i] >> 64);
    put(out + 28, (u128) (s128) (int) a[i] + (u128) (signed char) b[i]);
    put(out + 30, x > y ? x - y : y - x);
}

extern "C" __global__ void int128_floats(const u64 *a, const u64 *b, double *out, float *narrow)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const u128 x = ((u128) a[i] << 64 | b[i]) >> (i * 3 & 127);

    out[2 * i] = (double) x;
    out[2 * i + 1] = (double) (s128) x;
    narrow[2 * i] = (float) x;
    narrow[2 * i + 1] = (float) (s128) x;
}

extern "C" __global__ void int128_of_floats(const double *a, u64 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out += 6 * i;
    put(out, (u128) a[i]);
    put(out + 2, (u128) (s128) -a[i]);
    put(out + 4, (u128) (float) a[i]);
}

// Powers modulo a number of 64 bits, and the digits of one of 128.
extern "C" __global__ void int128_digits(const u64 *a, const u64 *b, u64 *out, unsigned char *digits)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const u64 modulus = b[i] | 3;
    u128 power = a[i] % modulus, result = 1, rest = (u128) a[i] * b[i];

    for (u64 bits = a[i] >> 40; bits; bits >>= 1) {
        if (bits & 1)
            result = result * power % modulus;
        power = power * power % modulus;
    }
    out[i] = (u64) result;
    for (int d = 39; d >= 0; d--, rest /= 10)
        digits[40 * i + d] = '0' + (unsigned) (rest % 10);
}
