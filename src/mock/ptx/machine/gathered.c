/* SPDX-License-Identifier: MIT */
#include "mock/ptx/machine/gathered.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mock/ptx/machine/warp.h"

enum {
    N_SUMS = 1024,  /* 16 KiB, so that they stay in the nearest cache */
    END_COSTS = 64, /* to add all sums costs as much as this many additions */
};

struct sum {
    uint64_t address; /* 0: there is none */
    uint64_t sum;
};

enum { WINDOW = PTX__GATHER_WINDOW };

struct ptx__sums {
    struct sum list[N_SUMS]; /* each other address has one place, by its lowest bits */
    unsigned n;
    uint16_t used[N_SUMS];
    union {
        uint32_t of_32[WINDOW / 4];
        uint64_t of_64[WINDOW / 8];
    } window;
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

/* Adds a sum of the window, and returns what that has cost. */
static int32_t add_from_window(const struct ptx__gathered *gathered, unsigned i)
{
    const struct ptx__sums *sums = gathered->sums;
    const unsigned bytes = gathered->bytes;
    const uint64_t value = bytes == 4 ? sums->window.of_32[i] : sums->window.of_64[i];

    if (!value)
        return 0;
    add(gathered->window_at + (uint64_t) i * bytes, value, bytes);
    return 2;
}

static void add_window(struct ptx__gathered *gathered)
{
    struct ptx__sums *sums = gathered->sums;

    if (!gathered->window_used)
        return;
    for (unsigned i = 0; i < WINDOW / gathered->bytes; i++)
        gathered->gain -= add_from_window(gathered, i);
    memset(&sums->window, 0, sizeof(sums->window));
    gathered->window_used = false;
}

void ptx__gathered_add(struct ptx__gathered *gathered)
{
    struct ptx__sums *sums = gathered->sums;

    if (!gathered->memory)
        return;
    gathered->memory = NULL;
    gathered->gain -= END_COSTS;
    add_window(gathered);
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
static bool begin(struct ptx__gathered *gathered, const unsigned char *memory, unsigned bytes,
                  uint64_t address)
{
    const uint64_t first = (uintptr_t) memory;

    ptx__gathered_add(gathered);
    if (!gathered->sums && !gathered->refused)
        gathered->sums = calloc(1, sizeof(*gathered->sums));
    gathered->refused |= !gathered->sums || gathered->gain < -PTX__GATHER_LOSS;
    if (gathered->refused)
        return false;
    gathered->memory = memory;
    gathered->bytes = bytes;
    gathered->since = now();
    gathered->window = (unsigned char *) &gathered->sums->window;
    gathered->window_at =
        (address - first < WINDOW / 2 ? first : address - WINDOW / 2) & ~(uint64_t) 7;
    return true;
}

/* Whether additions to some memory are gathered. */
static bool gathers(struct ptx__gathered *gathered, const struct ptx__additions *additions,
                    uint32_t lanes, const unsigned char *memory, unsigned bytes)
{
    if (gathered->memory == memory && gathered->bytes == bytes &&
        gathered->gain >= -PTX__GATHER_LOSS)
        return true;
    return begin(gathered, memory, bytes, additions->addresses[__builtin_ctz(lanes)]);
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

static bool all_in_window(const struct ptx__gathered *gathered,
                          const struct ptx__additions *additions)
{
    uint64_t out = 0;

    for (unsigned l = 0; l < PTX__LANES; l++)
        out |= additions->addresses[l] - gathered->window_at;
    return out < WINDOW;
}

/* Gathers for all lanes what follows from the number of one; those in between are left out. */
#define GATHER(bits)                                                                               \
    static void gather_all_##bits(struct ptx__gathered *gathered,                                  \
                                  const struct ptx__additions *additions)                          \
    {                                                                                              \
        const uint64_t down = (uintptr_t) gathered->window - gathered->window_at;                  \
                                                                                                   \
        for (unsigned l = 0; l < PTX__LANES; l++)                                                  \
            *(uint##bits##_t *) (uintptr_t) (additions->addresses[l] + down) +=                    \
                additions->of_##bits[l];                                                           \
        gathered->window_used = true;                                                              \
    }                                                                                              \
                                                                                                   \
    static void gather_each_##bits(struct ptx__gathered *gathered,                                 \
                                   const struct ptx__additions *additions, uint32_t mask)          \
    {                                                                                              \
        struct ptx__sums *sums = gathered->sums;                                                   \
                                                                                                   \
        for (uint32_t m = mask; m; m &= m - 1) {                                                   \
            const unsigned l = (unsigned) __builtin_ctz(m);                                        \
            const uint64_t address = additions->addresses[l], value = additions->of_##bits[l];     \
            const uint64_t in_window = address - gathered->window_at;                              \
            const unsigned place = (unsigned) (address / (bits / 8)) % N_SUMS;                     \
                                                                                                   \
            if (in_window < WINDOW) {                                                              \
                sums->window.of_##bits[in_window / (bits / 8)] += additions->of_##bits[l];         \
                gathered->window_used = true;                                                      \
            } else if (sums->list[place].address == address) {                                     \
                sums->list[place].sum += value;                                                    \
            } else {                                                                               \
                replace(gathered, place, address, value);                                          \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void add_each_##bits(const struct ptx__additions *additions, uint32_t mask)             \
    {                                                                                              \
        for (uint32_t m = mask; m; m &= m - 1) {                                                   \
            const unsigned l = (unsigned) __builtin_ctz(m);                                        \
                                                                                                   \
            add(additions->addresses[l], additions->of_##bits[l], bits / 8);                       \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    void ptx__gather_##bits(struct ptx__gathered *gathered,                                        \
                            const struct ptx__additions *additions, uint64_t mask,                 \
                            const unsigned char *memory)                                           \
    {                                                                                              \
        const uint32_t lanes = (uint32_t) mask;                                                    \
                                                                                                   \
        if (!lanes)                                                                                \
            return;                                                                                \
        if (!gathers(gathered, additions, lanes, memory, bits / 8)) {                              \
            add_each_##bits(additions, lanes);                                                     \
            return;                                                                                \
        }                                                                                          \
        if (lanes == PTX__ALL && all_in_window(gathered, additions))                               \
            gather_all_##bits(gathered, additions);                                                \
        else                                                                                       \
            gather_each_##bits(gathered, additions, lanes);                                        \
        gathered->gain += (int32_t) ptx__count_lanes(lanes);                                       \
        if (gathered->gain > PTX__GATHER_GAIN)                                                     \
            gathered->gain = PTX__GATHER_GAIN;                                                     \
    }

GATHER(32)
GATHER(64)
