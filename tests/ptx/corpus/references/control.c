/* SPDX-License-Identifier: MIT */
#include "corpus.h"

#include <string.h>

enum { N = 512 };

static uint32_t reversed(uint32_t x)
{
    uint32_t r = 0;

    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}

static uint32_t step(uint32_t x, uint32_t i)
{
    switch ((x >> 3) % 13) {
    case 0:
        return x * 3 + 1;
    case 1:
        return x ^ x << 7;
    case 2:
        return reversed(x - 12345);
    case 3:
        return reversed(x);
    case 4:
        return x / 7;
    case 5:
        return x > 1000 ? x % 1000 : x + 99991;
    case 6:
        return ~x;
    case 7:
        return x + i;
    case 8:
        return x >> 16 | x << 16;
    case 9:
        return x + 5;
    case 10:
        return x * x;
    case 11:
        return x ^ 0xdeadbeef;
    default:
        return x + (x >> 5) + 17;
    }
}

static void switches(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (uint32_t i = 0; i < N; i++) {
        out[i] = a[i];
        for (int k = 0; k < 8; k++) {
            k += (out[i] >> 3) % 13 == 9;
            out[i] = step(out[i], i);
        }
    }
}

/* Whether the inner loop leaves both. */
static bool inner(uint32_t x, uint32_t j, uint32_t *sum)
{
    for (uint32_t k = j; k < (x >> 16) % 23; k++) {
        *sum += j * k + 1;
        if ((*sum ^ x) % 61 == 0)
            return true;
        if (*sum % 5 == 0)
            break;
    }
    return false;
}

static void loops(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < N; i++) {
        const uint32_t x = a[i];
        bool left = false;

        for (uint32_t j = 0; j < x % 17 && !left; j++) {
            if (j == (x >> 8) % 19)
                continue;
            left = inner(x, j, &out[i]);
            if (!left)
                out[i] = out[i] * 7 + j;
        }
        out[i] += left ? 0 : 1000;
    }
}

static uint32_t exit_of(uint32_t x)
{
    if (x % 4 < 2)
        return x % 4;
    while (x % 3) {
        if (x % 7 == 0)
            return x;
        x = x / 2 + 5;
    }
    return x + 100;
}

static void exits(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < 500; i++)
        out[i] = exit_of(a[i]);
}

static void collatz(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < N; i++)
        for (uint64_t x = a[i] % 10000 + 1; x != 1; out[i]++)
            x = x % 2 ? 3 * x + 1 : x / 2;
}

/* One round of a block's threads. Whether it is the last. */
static bool round_of(uint32_t *list, unsigned round)
{
    uint32_t next[96], odd = 0;
    bool found = false, all = true;

    for (unsigned t = 0; t < 96; t++) {
        next[t] = list[(t + round + 1) % 96];
        if (next[t] % 2)
            next[t] = next[t] * 3 + 1;
        else if (t > 40)
            next[t] = next[t] / 2 + list[t];
        odd += next[t] & 1;
        found = found || next[t] == 12345;
        all = all && next[t] != 0;
    }
    for (unsigned t = 0; t < 96; t++)
        list[t] = next[t] + odd + (!found && all);
    return found;
}

static void barriers(struct corpus_run *run)
{
    uint32_t *out = run->expect[1];

    memcpy(out, run->in[0], 4 * 96 * 4);
    for (unsigned block = 0; block < 4; block++)
        for (unsigned round = 0; round < 3 + block; round++)
            if (round_of(out + block * 96, round))
                break;
}

static void named(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (uint32_t i = 0; i < 256; i++)
        out[i] = a[i / 64 * 64 + 63 - i % 64] * 5 + 63 - i % 64;
}

static void ping_pong(struct corpus_run *run)
{
    uint32_t *out = run->expect[1];

    *(uint32_t *) run->expect[0] = 40;
    for (uint32_t i = 0; i < 40; i++)
        out[i] = i;
}

static void jumps(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < N; i++)
        out[i] = a[i] % 5 == 0                    ? a[i]
                 : a[i] % 5 == 1 || a[i] % 5 == 4 ? a[i] + 1000
                                                  : a[i] ^ 0x5a5a;
}

static void grid_barrier(struct corpus_run *run)
{
    uint32_t *a = run->expect[0], *b = run->expect[1];
    const uint32_t n = 320, rounds = (uint32_t) run->test->values[0];

    for (uint32_t round = 1; round <= rounds; round++) {
        for (uint32_t i = 0; i < n; i++)
            b[i] = a[(i + 65) % n] * 3 + round;
        for (uint32_t i = 0; i < n; i++)
            a[i] = b[(i + 129) % n] ^ i;
    }
    *(uint32_t *) run->expect[2] = 5 * 2 * rounds;
}

static const struct corpus_case cases[] = {
    {.name = "control_switch",
     .grid = {4},
     .block = {128},
     .reference = switches,
     .buffers = {IN(U32, N), OUT(U32, N)}},
    {.name = "control_loops",
     .grid = {4},
     .block = {128},
     .reference = loops,
     .buffers = {IN(U32, N), OUT(U32, N)}},
    {.name = "control_exit",
     .grid = {4},
     .block = {128},
     .reference = exits,
     .values = {500},
     .buffers = {IN(U32, N), OUT(U32, N)}},
    {.name = "control_collatz",
     .grid = {4},
     .block = {128},
     .reference = collatz,
     .buffers = {IN(U32, N), OUT(U32, N)}},
    {.name = "control_barriers",
     .grid = {4},
     .block = {96},
     .reference = barriers,
     .buffers = {IN(U32, 4 * 96), OUT(U32, 4 * 96)}},
    {.name = "control_named_barriers",
     .block = {128},
     .reference = named,
     .buffers = {IN(U32, 256), OUT(U32, 256)}},
    {.name = "control_ping_pong",
     .block = {2},
     .reference = ping_pong,
     .buffers = {OUT(U32, 1), OUT(U32, 40)}},
    {.name = "control_table",
     .grid = {4},
     .block = {128},
     .reference = jumps,
     .buffers = {IN(U32, N), OUT(U32, N)}},
    {.name = "control_grid_barrier",
     .grid = {5},
     .block = {64},
     .reference = grid_barrier,
     .cooperative = true,
     .values = {4},
     .buffers = {INOUT(U32, 320), OUT(U32, 320), OUT(U32, 1)}},
};

CORPUS_MODULE(control, cases);
