/* SPDX-License-Identifier: MIT */
/*
 * A fuzzer without libFuzzer, to be carried to where there is time: hands inputs to a target that
 * are drawn from a seed, for so many seconds. The number of an input that goes wrong is known: it
 * is said at the end of every second, and with a seed and a number that one runs alone.
 *
 * PROGRAM SECONDS [SEED [NUMBER]]
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BYTES = 2048 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* splitmix64: every input has a beginning of its own. */
static uint64_t mixed(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void run(uint64_t seed, uint64_t number)
{
    uint8_t bytes[BYTES];
    uint64_t state = mixed(seed ^ mixed(number));

    for (size_t i = 0; i < BYTES; i++) {
        state = mixed(state);
        bytes[i] = (uint8_t) state;
    }
    LLVMFuzzerTestOneInput(bytes, BYTES);
}

int main(int argc, char **argv)
{
    const time_t begin = time(NULL), seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    const char *only = argc > 3 ? argv[3] : NULL;
    uint64_t number = only ? strtoull(only, NULL, 0) : 0;
    time_t said = begin;

    if (argc < 2) {
        fprintf(stderr, "usage: %s SECONDS [SEED [NUMBER]]\n", argv[0]);
        return 2;
    }
    do {
        if (time(NULL) != said) {
            said = time(NULL);
            fprintf(stderr, "\rseed %" PRIu64 ", input %" PRIu64, seed, number);
        }
        run(seed, number++);
    } while (!only && time(NULL) - begin < seconds);
    printf("seed %" PRIu64 ": %" PRIu64 " inputs\n", seed, number);
    return 0;
}
