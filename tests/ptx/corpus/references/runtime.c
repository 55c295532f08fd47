/* SPDX-License-Identifier: MIT */
#include "corpus.h"

static void memory(struct corpus_run *run)
{
    const uint32_t *a = run->in[0];
    uint32_t *out = run->expect[1];

    for (int i = 0; i < 128; i++) {
        const uint32_t n = a[i] % 50 + 1;

        out[i] = a[i] + (n - 1) * (n - 1);
        for (uint32_t k = n % 7; k-- > 0;)
            out[i] = out[i] * 31 + a[i] + (k * 3 % n) * (k * 3 % n);
    }
}

static void ones(struct corpus_run *run)
{
    uint32_t *out = run->expect[0];

    for (unsigned i = 0; i < run->test->buffers[0].count; i++)
        out[i] = 1;
}

/* A grid of 2 by 3 by 2 blocks of 5 by 2 by 4 threads. */
static void registers(struct corpus_run *run)
{
    uint32_t *out = run->expect[0];

    for (uint32_t i = 0; i < 12 * 40; i++) {
        const uint32_t thread = i % 40, block = i / 40;

        *out++ = thread % 5 | thread / 5 % 2 << 8 | thread / 10 << 16;
        *out++ = block % 2 | block / 2 % 3 << 8 | block / 6 << 16;
        *out++ = 5 | 2 << 8 | 4 << 16;
        *out++ = 2 | 3 << 8 | 2 << 16;
        *out++ = 1;
        *out++ = 32;
        *out++ = 1;
        *out++ = 48;
    }
}

static void same(struct corpus_run *run)
{
    for (int i = 0; i < 32; i++)
        ((uint32_t *) run->expect[1])[i] = ((uint32_t *) run->in[0])[i];
}

static const char printed[] = "no arguments, 100%\n"
                              "0: 5 5 5 a\n"
                              "1: 2 2 2 b\n"
                              "2: -1 4294967295 ffff c\n"
                              "3: -4 4294967292 fffc d\n"
                              "    1|1    |00001|+1|   0.500|1.000000e+10\n"
                              "    3|3    |00003|+3|  -1.000|3.000000e+10\n"
                              "three has -1234567890123 and 18446744073709551615, 0.1, %\n";

enum { MISALIGNED = 716, ILLEGAL_ADDRESS = 700, ASSERT = 710, LAUNCH_FAILED = 719 };

static const struct corpus_case cases[] = {
    {.name = "runtime_print",
     .grid = {2},
     .block = {2},
     .print = printed,
     .buffers = {IN_STEP(U32, 4, 5, -3)}},
    {.name = "runtime_memory",
     .grid = {2},
     .block = {64},
     .reference = memory,
     .buffers = {IN(U32, 128), OUT(U32, 128)}},
    {.name = "runtime_assert_holds",
     .kernel = "runtime_assert",
     .block = {32},
     .reference = same,
     .buffers = {IN_RANGE(U32, 32, 0, 1000), OUT(U32, 32)}},
    {.name = "runtime_assert_fails",
     .kernel = "runtime_assert",
     .block = {32},
     .result = ASSERT,
     .buffers = {IN_STEP(U32, 32, 980, 1), OUT(U32, 32)}},
    {.name = "runtime_trap",
     .block = {32},
     .result = LAUNCH_FAILED,
     .buffers = {IN_STEP(U32, 32, 0, 1)}},
    {.name = "runtime_misaligned", .block = {4}, .result = MISALIGNED, .buffers = {OUT(U8, 64)}},
    {.name = "runtime_far", .block = {4}, .result = ILLEGAL_ADDRESS, .buffers = {OUT(U32, 64)}},
    {.name = "runtime_clock", .block = {64}, .reference = ones, .buffers = {OUT(U32, 256)}},
    {.name = "runtime_registers",
     .grid = {2, 3, 2},
     .block = {5, 2, 4},
     .shared = 48,
     .reference = registers,
     .buffers = {OUT(U32, 12 * 40 * 8)}},
};

CORPUS_MODULE(runtime, cases);
