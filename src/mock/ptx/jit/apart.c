/* SPDX-License-Identifier: MIT */
#include "mock/ptx/jit/apart.h"

#include <string.h>

#include "mock/ptx/jit/flow.h"
#include "mock/ptx/warps/warp.h"

static const struct ptx__jit_place *place_at(const struct ptx__jit_places *places,
                                             const struct ptx__op *at)
{
    return &places->of[at - places->ops];
}

/* --- beginning --- */

/* Tells whether a group waits where it does not go before the current one. */
static bool in_order(const struct ptx__warp *warp, const struct ptx__divergence_group *group,
                     const struct ptx__jit_places *places, uint64_t number)
{
    if (group->frame != warp->frame)
        return group->frame->depth <= warp->frame->depth;
    return place_at(places, group->at)->wait != PTX__JIT_NO_WAIT && group->state == PTX__RUNNABLE &&
           group->yield_round == warp->yield_round &&
           (uint64_t) (group->at - places->ops) > number &&
           (uint64_t) (group->at - places->ops) <= places->of[number].end;
}

static bool collect_all(const struct ptx__warp *warp, const struct ptx__jit_places *places,
                        uint64_t number)
{
    const struct ptx__jit_list *list = places->of[number].list;
    uint64_t seen[PTX__JIT_MOST_SLOTS / 64 + 1] = {0};

    if (list && !ptx__jit_collect_lanes(warp->frame, warp->mask, list, seen))
        return false;
    for (unsigned i = 0; i < warp->n_groups; i++) {
        const struct ptx__divergence_group *group = &warp->groups[i];

        list = group->frame == warp->frame ? place_at(places, group->at)->list : NULL;
        if (list && !ptx__jit_collect_lanes(warp->frame, group->mask, list, seen))
            return false;
    }
    return true;
}

static void take_words(struct ptx__warp *warp, const struct ptx__jit_places *places,
                       uint64_t number, uint32_t *words)
{
    for (unsigned i = 0; i < warp->n_groups;) {
        const struct ptx__divergence_group *group = &warp->groups[i];

        if (group->frame == warp->frame) {
            words[place_at(places, group->at)->wait] |= group->mask;
            warp->groups[i] = warp->groups[--warp->n_groups];
        } else {
            i++;
        }
    }
    ptx__warp_set_limit(warp, places->ops + number);
}

uint64_t ptx__jit_take_groups(struct ptx__warp *warp, const struct ptx__jit_places *places,
                              uint64_t number, uint64_t words)
{
    const struct ptx__jit_list *list = places->of[number].list;

    if (!warp->n_groups)
        return !list || ptx__jit_collect(warp, list);
    for (unsigned i = 0; i < warp->n_groups; i++) {
        if (!in_order(warp, &warp->groups[i], places, number))
            return 0;
    }
    if (!collect_all(warp, places, number))
        return 0;
    take_words(warp, places, number, (uint32_t *) (uintptr_t) words);
    return 1;
}

/* --- ending --- */

void ptx__jit_give_groups(struct ptx__warp *warp, const struct ptx__jit_places *places,
                          uint64_t number, uint64_t words)
{
    for (size_t i = 0; i < places->n; i++) {
        const struct ptx__jit_place *place = &places->of[i];
        uint32_t *word = (uint32_t *) (uintptr_t) words + place->wait;

        if (place->wait == PTX__JIT_NO_WAIT || !*word)
            continue;
        if (place->list)
            ptx__jit_spread_lanes(warp->frame, *word, place->list);
        ptx__warp_put(warp, places->ops + i, *word, PTX__RUNNABLE);
    }
    ptx__warp_set_limit(warp, places->ops + number);
}

/* --- stores --- */

#define STORE(bits)                                                                                \
    for (uint64_t m = mask; m; m &= m - 1) {                                                       \
        const unsigned l = (unsigned) __builtin_ctzll(m);                                          \
                                                                                                   \
        *(volatile uint##bits##_t *) (uintptr_t) addresses[l] =                                    \
            ((const uint##bits##_t *) elements)[l];                                                \
    }

void ptx__jit_store_lanes(const uint64_t *addresses, const void *elements, uint64_t bytes,
                          uint64_t mask)
{
    switch (bytes) {
    case 1:
        STORE(8)
        break;
    case 2:
        STORE(16)
        break;
    case 4:
        STORE(32)
        break;
    default:
        STORE(64)
    }
}
