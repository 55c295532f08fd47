/* SPDX-License-Identifier: MIT */
/* The memory of a launch, its findings, and comparing what two launches did. */
#include "random_outcome.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const size_t random_sizes[RANDOM_RANGES] = {RANDOM_DATA, RANDOM_THREADS *RANDOM_OUT,
                                            RANDOM_THREADS *RANDOM_SCRATCH + RANDOM_COMMON,
                                            RANDOM_THREADS *RANDOM_ROOM, RANDOM_COUNTERS};

/* --- memory --- */

uint64_t random_begin_of(const struct random_program *program, unsigned range)
{
    return UINT64_C(0x1000000) * (range + 1) + program->moved;
}

/* Numbers at the edges, small ones, and any. */
static uint32_t drawn_word(uint64_t drawn)
{
    static const uint32_t edges[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff,
                                     0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                                     0x7f800001, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff,
                                     0x3c003c00, 0x7c017bff, 0x40490fdb, 0x7ff00000, 0xfff80000,
                                     0x3ff00000, 0x41dfffff, 0x4f000000, 0xcf000000};

    switch (drawn >> 60 & 7) {
    case 0:
    case 1:
        return edges[(drawn >> 32) % (sizeof(edges) / sizeof(edges[0]))];
    case 2:
        return (uint32_t) (drawn & 63);
    case 3:
        return (uint32_t) (0x3f000000 + (drawn & 0x81ffffff));
    default:
        return (uint32_t) drawn;
    }
}

void random_begin(const struct random_program *program, struct random_outcome *outcome)
{
    uint64_t state = program->seed;

    outcome->length = 0;
    outcome->noted = 0;
    outcome->findings[0] = '\0';
    for (unsigned r = 0; r < RANDOM_RANGES; r++) {
        if (!outcome->memory[r] && !(outcome->memory[r] = malloc(random_sizes[r])))
            random_stop("no memory");
        for (size_t i = 0; i < random_sizes[r]; i += 4) {
            const uint32_t word = drawn_word(state = random_mixed(state));

            memcpy(outcome->memory[r] + i, &word, sizeof(word));
        }
    }
}

void random_find(void *user, enum ptx__finding_kind kind, bool ends, uint64_t address, size_t bytes,
                 const char *text)
{
    struct random_outcome *outcome = user;

    if (outcome->length < RANDOM_FINDINGS - 512)
        outcome->length += (size_t) snprintf(outcome->findings + outcome->length, 512,
                                             "%d %d 0x%" PRIx64 " %zu %.400s\n", (int) kind, ends,
                                             address, bytes, text);
}

/* --- comparing --- */

static void say_word(unsigned range, size_t at, uint32_t interpreted, uint32_t compiled)
{
    if (range == 1)
        printf("thread %zu, what it leaves at %zu", at / RANDOM_OUT, at % RANDOM_OUT);
    else
        printf("range %u at %zu", range, at);
    printf(": %08x interpreted, %08x compiled\n", interpreted, compiled);
}

/* How many words differ; the first ones are printed, if any are to be. */
static unsigned different_words(const struct random_outcome *a, const struct random_outcome *b,
                                unsigned most_said)
{
    unsigned n = 0;

    for (unsigned r = 0; r < RANDOM_RANGES; r++)
        for (size_t i = 0; i < random_sizes[r]; i += 4) {
            uint32_t x, y;

            memcpy(&x, a->memory[r] + i, sizeof(x));
            memcpy(&y, b->memory[r] + i, sizeof(y));
            if (x != y && n++ < most_said)
                say_word(r, i, x, y);
        }
    return n;
}

bool random_same(const struct random_outcome *a, const struct random_outcome *b, bool say)
{
    const bool ends =
        a->result == b->result && !strcmp(a->findings, b->findings) && a->noted == b->noted;
    const unsigned n = different_words(a, b, say ? 8 : 0);

    if (say && !ends)
        printf("interpreted: %d, noted %016" PRIx64 "\n%scompiled: %d, noted %016" PRIx64 "\n%s",
               a->result, a->noted, a->findings, b->result, b->noted, b->findings);
    if (say && n)
        printf("%u words differ\n", n);
    return ends && !n;
}

uint64_t random_mixed_outcome(const struct random_outcome *outcome)
{
    uint64_t state = random_mixed(outcome->noted ^ (uint64_t) outcome->result);

    for (unsigned r = 0; r < RANDOM_RANGES; r++)
        for (size_t i = 0; i < random_sizes[r]; i++)
            state = random_mixed(state ^ outcome->memory[r][i]);
    for (const char *at = outcome->findings; *at; at++)
        state = random_mixed(state ^ (unsigned char) *at);
    return state;
}
