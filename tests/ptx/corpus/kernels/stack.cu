// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// Memory on the stack, as much as a thread asks for.

// Every thread reverses so many numbers, by a copy of them.
extern "C" __global__ void stack_reverse(const unsigned *a, unsigned *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, n = t % 17 + 1;
    unsigned *copy = (unsigned *) __builtin_alloca(n * sizeof(unsigned));

    for (int i = 0; i < n; i++)
        copy[i] = a[(t + i) % 256];
    unsigned mixed = 0;
    for (int i = 0; i < n; i++)
        mixed = mixed * 31 + copy[n - 1 - i];
    out[t] = mixed;
}

// Each call has memory of its own, which is above that of its caller.
__device__ __noinline__ unsigned deeper(const unsigned *a, int t, int depth, unsigned *above)
{
    const int n = (t + depth) % 5 + 1;
    unsigned *mine = (unsigned *) __builtin_alloca(n * sizeof(unsigned));

    for (int i = 0; i < n; i++)
        mine[i] = a[(t * 3 + depth + i) % 256] + (above ? above[i % 2] : 1);
    if (!depth)
        return mine[n - 1];
    const unsigned below = deeper(a, t, depth - 1, n > 1 ? mine : above);
    unsigned sum = below;
    for (int i = 0; i < n; i++)
        sum = sum * 5 + mine[i];
    return sum;
}

extern "C" __global__ void stack_calls(const unsigned *a, unsigned *out)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned first[2] = {a[t], a[t + 1]};

    out[t] = deeper(a, t, t % 4, first);
}

// What is allocated in a loop is there until the function ends.
extern "C" __global__ void stack_chain(const unsigned *a, unsigned *out)
{
    struct node {
        node *next;
        unsigned value;
    };
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    node *list = nullptr;

    for (int i = 0; i < t % 7 + 2; i++) {
        node *one = (node *) __builtin_alloca(sizeof(node) * (i % 3 + 1));

        one->next = list;
        one->value = a[(t + i * i) % 256];
        list = one;
    }
    unsigned mixed = 1;
    for (const node *at = list; at; at = at->next)
        mixed = mixed * 33 + at->value;
    out[t] = mixed;
}
