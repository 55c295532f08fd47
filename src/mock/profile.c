/* SPDX-License-Identifier: MIT */
#include "mock/profile.h"

#include <string.h>

#include "base/util.h"

/* Every figure was read from the hardware it describes. */
static const struct mock__profile profiles[] = {{
    .key = "h200",
    .name = "NVIDIA H200",
    .total_bytes = 150109880320,
    .context_bytes = 552402944,
    .priority_greatest = -5,
    /* stack, printf, heap, launch depth (gone), pending launches, L2 fetch, L2 persisting */
    .limits = {1024, 8650752, 8388608, 0, 2048, 64, 11796480},
    /* clang-format off */
    .attributes = {
        /*   0 */ 0, 1024, 1024, 1024, 64, 2147483647, 65535, 65535, 49152, 65536,
        /*  10 */ 32, 2147483647, 65536, 1980000, 512, 1, 132, 0, 0, 1,
        /*  20 */ 0, 131072, 131072, 65536, 16384, 16384, 16384, 32768, 32768, 2048,
        /*  30 */ 512, 1, 1, 0, 6, 0, 3201000, 6016, 62914560, 2048,
        /*  40 */ 3, 1, 32768, 2048, 1, 32768, 32768, 8192, 8192, 32768,
        /*  50 */ 0, 32, 32768, 32768, 2046, 32768, 131072, 65536, 16384, 16384,
        /*  60 */ 16384, 32768, 2048, 32768, 32768, 2048, 32768, 32768, 2046, 268435456,
        /*  70 */ 131072, 65000, 2097120, 32768, 32768, 9, 0, 32768, 1, 1,
        /*  80 */ 1, 233472, 65536, 1, 0, 0, 0, 2, 0, 1,
        /*  90 */ 1, 1, 0, 0, 0, 1, 1, 232448, 0, 1,
        /* 100 */ 0, 0, 1, 1, 0, 0, 32, 1, 39321600, 134217728,
        /* 110 */ 1, 1024, 1, 1, 1, 1, 1, 1, 100, 9,
        /* 120 */ 1, 1, 1, 1, 1, 1, 4, 1, 1, 1,
        /* 130 */ 0, -1, 0, 0, 0, 0, 0, 0, 0, 590680286,
        /* 140 */ 415174878, 1, 1, 0, 1, 1, 0, 0,
    },
    /* clang-format on */
}};

const struct mock__profile *mock__profile_find(const char *key, size_t length)
{
    for (size_t i = 0; i < ARRAY_SIZE(profiles); i++) {
        if (strlen(profiles[i].key) == length && !strncmp(profiles[i].key, key, length))
            return &profiles[i];
    }
    return NULL;
}
