/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/spread.h"

#include <string.h>

#define LANES for (unsigned l = 0; l < PTX__LANES; l++)

static void fill(const struct ptx__jit_stepped *value, uint64_t base, uint64_t rows, uint64_t *all)
{
    for (unsigned begin = 0; begin < PTX__LANES; begin += value->row, base += rows) {
        for (unsigned l = 0; l < value->row; l++)
            all[begin + l] = base + (uint64_t) value->step * l;
    }
}

static void put(const struct ptx__warp *warp, const struct ptx__jit_stepped *value,
                const uint64_t *all)
{
    unsigned char *slot = warp->regs + value->offset;
    const uint32_t mask = warp->mask;

    if (value->bits == 64) {
        uint64_t *to = (uint64_t *) (void *) slot;

        LANES to[l] = mask >> l & 1 ? all[l] : to[l];
    } else if (value->bits == 32) {
        uint32_t *to = (uint32_t *) (void *) slot;

        LANES to[l] = mask >> l & 1 ? (uint32_t) all[l] : to[l];
    } else {
        uint32_t *to = (uint32_t *) (void *) slot;

        *to = (*to & ~mask) | (all[0] & 1 ? mask : 0);
    }
}

void ptx__jit_spread(const struct ptx__warp *warp, const uint64_t *area,
                     const struct ptx__jit_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct ptx__jit_stepped *value = &list->values[i];
        uint64_t all[PTX__LANES];

        fill(value, area[2 * value->number], value->rows ? area[2 * value->number + 1] : 0, all);
        put(warp, value, all);
    }
}

static void get(const struct ptx__warp *warp, const struct ptx__jit_stepped *value, uint64_t *all)
{
    const unsigned char *slot = warp->regs + value->offset;

    if (value->bits == 64) {
        memcpy(all, slot, PTX__LANES * sizeof(*all));
    } else if (value->bits == 32) {
        const uint32_t *from = (const uint32_t *) (const void *) slot;

        LANES all[l] = from[l];
    } else {
        const uint32_t word = *(const uint32_t *) (const void *) slot;

        LANES all[l] = word >> l & 1;
    }
}

/* The lanes of a warp that has rows with a step of their own are all active. */
static bool find(const struct ptx__warp *warp, const struct ptx__jit_stepped *value, uint64_t *area)
{
    const unsigned first = (unsigned) __builtin_ctz(warp->mask);
    const uint64_t bits = value->bits == 64 ? UINT64_MAX : (UINT64_C(1) << value->bits) - 1;
    uint64_t all[PTX__LANES], expected[PTX__LANES], wrong = 0;

    get(warp, value, all);
    area[0] = all[first] - (uint64_t) value->step * (first % value->row);
    area[1] = value->rows ? all[value->row] - all[0] : 0;
    fill(value, area[0], area[1], expected);
    LANES wrong |= warp->mask >> l & 1 ? (all[l] ^ expected[l]) & bits : 0;
    return !wrong;
}

uint64_t ptx__jit_collect(const struct ptx__warp *warp, uint64_t *area,
                          const struct ptx__jit_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        if (!find(warp, &list->values[i], area + (size_t) 2 * list->values[i].number))
            return 0;
    }
    return 1;
}
