// SPDX-License-Identifier: MIT
// build: compute_75 compute_100 -lineinfo
// Sorting, by networks, by digits, by halves, and by recursion.

extern "C" __global__ void sort_bitonic(const unsigned *a, unsigned *out)
{
    __shared__ unsigned list[512];
    const int t = threadIdx.x;

    list[t] = a[blockIdx.x * blockDim.x + t];
    for (int size = 2; size <= blockDim.x; size *= 2)
        for (int apart = size / 2; apart > 0; apart /= 2) {
            __syncthreads();
            const int other = t ^ apart;

            if (other > t && (list[t] > list[other]) == ((t & size) == 0)) {
                const unsigned kept = list[t];

                list[t] = list[other];
                list[other] = kept;
            }
        }
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = list[t];
}

extern "C" __global__ void sort_odd_even(const float *a, float *out, int n)
{
    __shared__ float list[200];
    const int t = threadIdx.x;

    for (int i = t; i < n; i += blockDim.x)
        list[i] = a[i];
    for (int round = 0; round < n; round++) {
        __syncthreads();
        const int i = 2 * t + (round & 1);

        if (i + 1 < n && list[i] > list[i + 1]) {
            const float kept = list[i];

            list[i] = list[i + 1];
            list[i + 1] = kept;
        }
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x)
        out[i] = list[i];
}

// One bit at a time, by counting; keys with their places.
extern "C" __global__ void sort_radix(const unsigned *a, unsigned *keys, unsigned short *places)
{
    __shared__ unsigned key[256], next_key[256];
    __shared__ unsigned short place[256], next_place[256];
    __shared__ int zeros[8];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;

    key[t] = a[t];
    place[t] = t;
    for (int bit = 0; bit < 32; bit++) {
        __syncthreads();
        const unsigned mine = key[t];
        const bool zero = (mine >> bit & 1) == 0;
        const unsigned vote = __ballot_sync(0xffffffff, zero);
        int before = __popc(vote & ((1u << lane) - 1)), all = 0;

        if (lane == 0)
            zeros[warp] = __popc(vote);
        __syncthreads();
        for (int w = 0; w < 8; w++) {
            before += w < warp ? zeros[w] : 0;
            all += zeros[w];
        }
        const int to = zero ? before : all + t - before;
        next_key[to] = mine;
        next_place[to] = place[t];
        __syncthreads();
        key[t] = next_key[t];
        place[t] = next_place[t];
    }
    keys[t] = key[t];
    places[t] = place[t];
}

__device__ void swap(int &x, int &y)
{
    const int kept = x;

    x = y;
    y = kept;
}

__device__ __noinline__ void quicksort(int *list, int low, int high, int *deepest, int depth)
{
    if (depth > *deepest)
        *deepest = depth;
    while (low < high) {
        const int pivot = list[(low + high) / 2];
        int i = low - 1, j = high + 1;

        for (;;) {
            do
                i++;
            while (list[i] < pivot);
            do
                j--;
            while (list[j] > pivot);
            if (i >= j)
                break;
            swap(list[i], list[j]);
        }
        if (j - low < high - j - 1) {
            quicksort(list, low, j, deepest, depth + 1);
            low = j + 1;
        } else {
            quicksort(list, j + 1, high, deepest, depth + 1);
            high = j;
        }
    }
}

// Each thread sorts a list of its own.
extern "C" __global__ void sort_quick(int *lists, int *ret_sane, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int deepest = 0;

    quicksort(lists + i * n, 0, n - 1, &deepest, 0);
    ret_sane[i] = deepest <= 6;
}

// Two sorted lists become one, by the rank of each element in the other.
extern "C" __global__ void sort_merge(const unsigned *a, const unsigned *b, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool left = i < n;
    const unsigned *other = left ? b : a;

    if (i >= 2 * n)
        return;
    const unsigned mine = left ? a[i] : b[i - n];
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) >> 1;

        if (other[middle] < mine || (!left && other[middle] == mine))
            low = middle + 1;
        else
            high = middle;
    }
    out[low + (left ? i : i - n)] = mine;
}
