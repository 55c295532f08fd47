// SPDX-License-Identifier: MIT
// build: compute_75 compute_100 -lineinfo
// Text and bytes: lengths, searches, numbers to text and back, hashes.

__device__ int length_of(const char *s)
{
    int n = 0;

    while (s[n])
        n++;
    return n;
}

// Letters, cut into strings by whatever is divisible by 11.
__device__ void prepare(const unsigned char *a, char *text, int n)
{
    for (int i = 0; i < n; i++)
        text[i] = a[i] % 11 == 0 ? 0 : 'a' + a[i] % 7;
    text[n] = 0;
}

extern "C" __global__ void strings_length(const unsigned char *a, int *out, int n)
{
    char text[65];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    prepare(a + i * n, text, n);
    out[i] = length_of(text);
}

// Where one text is in another, by comparing at each place.
extern "C" __global__ void strings_search(const unsigned char *a, int *out, int n)
{
    __shared__ char needle[4];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x == 0)
        for (int k = 0; k < 4; k++)
            needle[k] = k < 3 ? 'a' + a[k] % 3 : 0;
    __syncthreads();
    int found = -1;
    for (int at = 0; at + 3 <= n && found < 0; at++) {
        int k = 0;

        while (needle[k] && 'a' + a[i * n + at + k] % 3 == needle[k])
            k++;
        if (!needle[k])
            found = at;
    }
    out[i] = found;
}

__device__ int print_number(long long x, char *to)
{
    char digits[24];
    int n = 0, written = 0;
    unsigned long long rest = x < 0 ? 0ull - (unsigned long long) x : x;

    do
        digits[n++] = '0' + rest % 10;
    while (rest /= 10);
    if (x < 0)
        to[written++] = '-';
    while (n > 0)
        to[written++] = digits[--n];
    to[written] = 0;
    return written;
}

__device__ long long parse_number(const char *s)
{
    const bool negative = *s == '-';
    unsigned long long x = 0;

    for (s += negative; *s >= '0' && *s <= '9'; s++)
        x = x * 10 + (*s - '0');
    return negative ? (long long) (0 - x) : (long long) x;
}

extern "C" __global__ void strings_number(const long long *a, char *text, long long *back)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    print_number(a[i], text + 24 * i);
    back[i] = parse_number(text + 24 * i);
}

extern "C" __global__ void strings_hash(const unsigned char *a, unsigned *fnv,
                                        unsigned long long *polynomial, unsigned *crc, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned f = 2166136261u, c = ~0u;
    unsigned long long p = 0;

    for (int k = 0; k < n; k++) {
        const unsigned char byte = a[i * n + k];

        f = (f ^ byte) * 16777619u;
        p = (p * 1000003 + byte) % 1000000007ull;
        c ^= byte;
        for (int bit = 0; bit < 8; bit++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
    }
    fnv[i] = f;
    polynomial[i] = p;
    crc[i] = ~c;
}

// How many words, and the longest: a machine of states.
extern "C" __global__ void strings_words(const unsigned char *a, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int words = 0, longest = 0, length = 0, digits = 0;

    for (int k = 0; k < n; k++)
        switch (a[i * n + k] % 9) {
        case 0:
        case 1:
            longest = max(longest, length);
            length = 0;
            break;
        case 2:
            digits++;
            words += length == 0;
            length++;
            break;
        case 3:
            length += length > 0;
            break;
        default:
            words += length++ == 0;
        }
    out[3 * i] = words;
    out[3 * i + 1] = max(longest, length);
    out[3 * i + 2] = digits;
}
