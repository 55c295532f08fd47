/* SPDX-License-Identifier: MIT */
#include "mock/ptx/machine/gathered.h"

#include <stdlib.h>
#include <time.h>

#include "mock/ptx/machine/warp.h"

enum {
    N_SUMS = 1024, /* 16 KiB, so that they stay in the nearest cache */
    MOST_GAIN = 1 << 16,
    MOST_LOSS = 1 << 14, /* after which nothing is gathered any more */
    END_COSTS = 64,      /* to add all sums costs as much as this many additions */
};

struct sum {
    uint64_t address; /* 0: there is none */
    uint64_t sum;
};

struct ptx__sums {
    struct sum list[N_SUMS]; /* each address has one place, by its lowest bits */
    unsigned n;
    uint16_t used[N_SUMS];
};

/* A clock that is read in a few nanoseconds and makes steps of some milliseconds. */
static uint64_t now(void)
{
    struct timespec time = {0, 0};

    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return (uint64_t) time.tv_sec * 1000000000 + (uint64_t) time.tv_nsec;
}

static void add(uint64_t address, uint64_t value, unsigned bytes)
{
    if (bytes == 4)
        __atomic_fetch_add((uint32_t *) (uintptr_t) address, (uint32_t) value, __ATOMIC_SEQ_CST);
    else
        __atomic_fetch_add((uint64_t *) (uintptr_t) address, value, __ATOMIC_SEQ_CST);
}

void ptx__gathered_add(struct ptx__gathered *gathered)
{
    struct ptx__sums *sums = gathered->sums;

    if (!gathered->memory)
        return;
    gathered->memory = NULL;
    gathered->gain -= END_COSTS;
    for (unsigned i = 0; i < sums->n; i++) {
        struct sum *sum = &sums->list[sums->used[i]];

        add(sum->address, sum->sum, gathered->bytes);
        sum->address = 0;
    }
    sums->n = 0;
}

void ptx__gathered_add_old(struct ptx__gathered *gathered)
{
    if (gathered->memory && gathered->since != now())
        ptx__gathered_add(gathered);
}

void ptx__gathered_finish(struct ptx__gathered *gathered)
{
    ptx__gathered_add(gathered);
    free(gathered->sums);
    gathered->sums = NULL;
}

/* Begins to gather for an allocation. False: the additions are to be made at once. */
static bool begin(struct ptx__gathered *gathered, const unsigned char *memory, unsigned bytes)
{
    ptx__gathered_add(gathered);
    if (!gathered->sums && !gathered->refused)
        gathered->sums = calloc(1, sizeof(*gathered->sums));
    gathered->refused |= !gathered->sums || gathered->gain < -MOST_LOSS;
    if (gathered->refused)
        return false;
    gathered->memory = memory;
    gathered->bytes = bytes;
    gathered->since = now();
    return true;
}

/* Puts another sum into a place, for which the one that was there makes room. */
__attribute__((noinline)) static void replace(struct ptx__gathered *gathered, unsigned place,
                                              uint64_t address, uint64_t value)
{
    struct ptx__sums *sums = gathered->sums;
    struct sum *sum = &sums->list[place];

    if (sum->address)
        add(sum->address, sum->sum, gathered->bytes);
    else
        sums->used[sums->n++] = (uint16_t) place;
    *sum = (struct sum){address, value};
    gathered->gain -= 2;
}

/* Gathers for all lanes what follows from the number of one; those in between are left out. */
#define GATHER(bits)                                                                               \
    void ptx__gather_##bits(struct ptx__gathered *gathered,                                        \
                            const struct ptx__additions *additions, uint64_t mask,                 \
                            const unsigned char *memory)                                           \
    {                                                                                              \
        const bool gathers = (gathered->memory == memory && gathered->bytes == bits / 8 &&         \
                              gathered->gain >= -MOST_LOSS) ||                                     \
                             begin(gathered, memory, bits / 8);                                    \
                                                                                                   \
        for (uint32_t m = (uint32_t) mask; m; m &= m - 1) {                                        \
            const unsigned l = (unsigned) __builtin_ctz(m);                                        \
            const uint64_t address = additions->addresses[l], value = additions->of_##bits[l];     \
            const unsigned place = (unsigned) (address / (bits / 8)) % N_SUMS;                     \
                                                                                                   \
            if (!gathers)                                                                          \
                add(address, value, bits / 8);                                                     \
            else if (gathered->sums->list[place].address == address)                               \
                gathered->sums->list[place].sum += value;                                          \
            else                                                                                   \
                replace(gathered, place, address, value);                                          \
        }                                                                                          \
        if (gathers &&                                                                             \
            (gathered->gain += (int32_t) ptx__count_lanes((uint32_t) mask)) > MOST_GAIN)           \
            gathered->gain = MOST_GAIN;                                                            \
    }

GATHER(32)
GATHER(64)
