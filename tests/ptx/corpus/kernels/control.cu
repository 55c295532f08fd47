// SPDX-License-Identifier: MIT
// build: compute_75 compute_100 -lineinfo
// Branches that lanes take differently.

extern "C" __global__ void control_switch(const unsigned *a, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = a[i];

    for (int k = 0; k < 8; k++)
        switch ((x >> 3) % 13) {
        case 0:
            x = x * 3 + 1;
            break;
        case 1:
            x ^= x << 7;
            break;
        case 2:
            x -= 12345;
            // falls through
        case 3:
            x = __brev(x);
            break;
        case 4:
            x /= 7;
            break;
        case 5:
            x = x > 1000 ? x % 1000 : x + 99991;
            break;
        case 6:
            x = ~x;
            break;
        case 7:
            x += i;
            break;
        case 8:
            x = x >> 16 | x << 16;
            break;
        case 9:
            k++;
            x += 5;
            break;
        case 10:
            x *= x;
            break;
        case 11:
            x ^= 0xdeadbeef;
            break;
        default:
            x = x + (x >> 5) + 17;
        }
    out[i] = x;
}

// Loops of different lengths, one within the other, with ways out of both.
extern "C" __global__ void control_loops(const unsigned *a, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0, x = a[i];

    for (unsigned j = 0; j < x % 17; j++) {
        if (j == (x >> 8) % 19)
            continue;
        for (unsigned k = j; k < (x >> 16) % 23; k++) {
            sum += j * k + 1;
            if ((sum ^ x) % 61 == 0)
                goto out;
            if (sum % 5 == 0)
                break;
        }
        sum = sum * 7 + j;
    }
    sum += 1000;
out:
    out[i] = sum;
}

// Some threads leave at once, the others go on together.
extern "C" __global__ void control_exit(const unsigned *a, unsigned *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n || a[i] % 4 == 0)
        return;
    if (a[i] % 4 == 1) {
        out[i] = 1;
        return;
    }
    unsigned x = a[i];
    while (x % 3) {
        if (x % 7 == 0) {
            out[i] = x;
            return;
        }
        x = x / 2 + 5;
    }
    out[i] = x + 100;
}

extern "C" __global__ void control_collatz(const unsigned *a, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = a[i] % 10000 + 1;
    unsigned steps = 0;

    for (; x != 1; steps++)
        x = x % 2 ? 3 * x + 1 : x / 2;
    out[i] = steps;
}

// Barriers in a loop whose length all threads share, with conditions between.
extern "C" __global__ void control_barriers(const unsigned *a, unsigned *out)
{
    __shared__ unsigned list[96];
    const int t = threadIdx.x;

    list[t] = a[blockIdx.x * 96 + t];
    __syncthreads();
    for (unsigned round = 0; round < 3 + blockIdx.x; round++) {
        unsigned next = list[(t + round + 1) % 96];

        if (next % 2)
            next = next * 3 + 1;
        else if (t > 40)
            next = next / 2 + list[t];
        const int odd = __syncthreads_count(next & 1);
        list[t] = next + odd;
        if (__syncthreads_or(next == 12345))
            break;
        if (__syncthreads_and(next != 0))
            list[t]++;
        __syncthreads();
    }
    out[blockIdx.x * 96 + t] = list[t];
}

// Named barriers: warps that produce and warps that consume.
extern "C" __global__ void control_named_barriers(const unsigned *a, unsigned *out)
{
    __shared__ unsigned slot[64];
    const int t = threadIdx.x;

    for (int k = 0; k < 4; k++)
        if (t < 64) {
            slot[t] = a[k * 64 + t] * 5 + t;
            __threadfence_block();
            asm volatile("bar.arrive 1, 128;" ::: "memory");
            asm volatile("bar.sync 2, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            out[k * 64 + t - 64] = slot[127 - t];
            asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
}

// Two lanes of a warp that wait for each other by turns.
extern "C" __global__ void control_ping_pong(volatile unsigned *turn, unsigned *out)
{
    const unsigned me = threadIdx.x;

    for (unsigned k = 0; k < 20; k++) {
        while (*turn % 2 != me)
            ;
        out[2 * k + me] = *turn;
        __threadfence();
        *turn = *turn + 1;
        __threadfence();
    }
}

// A jump through a table of labels.
extern "C" __global__ void control_table(const unsigned *a, unsigned *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x;

    asm volatile("{\n"
                 "targets: .branchtargets zero, one, two, three, one;\n"
                 "brx.idx %1, targets;\n"
                 "zero: mov.u32 %0, %2; bra.uni done;\n"
                 "one: add.u32 %0, %2, 1000; bra done;\n"
                 "two: mul.lo.u32 %0, %2, %2;\n"
                 "three: xor.b32 %0, %2, 0x5a5a;\n"
                 "done:\n"
                 "}"
                 : "=&r"(x)
                 : "r"(a[i] % 5), "r"(a[i]));
    out[i] = x;
}

// All blocks wait for each other, by counting; the launch is cooperative.
extern "C" __global__ void __launch_bounds__(64, 2)
    control_grid_barrier(unsigned *a, unsigned *b, unsigned *arrived, int rounds)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

    for (int round = 1; round <= rounds; round++) {
        b[i] = a[(i + 65) % n] * 3 + round;
        for (int turn = 0; turn < 2; turn++) {
            __syncthreads();
            if (threadIdx.x == 0) {
                __threadfence();
                atomicAdd(arrived, 1);
                while (*(volatile unsigned *) arrived < gridDim.x * (2 * round - 1 + turn))
                    ;
                __threadfence();
            }
            __syncthreads();
            if (turn == 0)
                a[i] = __ldcg(&b[(i + 129) % n]) ^ i;
        }
    }
}
