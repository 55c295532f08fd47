/* SPDX-License-Identifier: MIT */
/* What is done with handles that the caller need not pin. */
#include "base/attention.h"
#include "core/object/handle_table.h"

bool cushim__handle_has_lock(uint64_t id, const struct cushim__handle_lock *lock)
{
    struct cushim__handle_slot *slot = cushim__slot_at(cushim__handle_index(id));

    return slot && cushim__slot_is(slot, id, lock);
}

/*
 * An open handle with one pin has only its own, and no other handle pins it: so nobody else has it
 * when it is closed. Where something else is to be looked at, closing does so.
 */
void *cushim__handle_take(uint64_t id, enum cushim__handle_kind kind, const char *place)
{
    const uint32_t index = cushim__handle_index(id);
    struct cushim__handle_slot *slot = cushim__slot_of(id, kind);
    uint64_t state = slot ? atomic_load_explicit(&slot->state, memory_order_acquire) : 0;
    void *object;

    if (!slot || cushim__attention_needed() || !cushim__state_is_open(state, id) ||
        (state & CUSHIM__PIN_MASK) != 1 || slot->lock || cushim__table_rest(index)->retained)
        return NULL;
    if (!atomic_compare_exchange_strong_explicit(&slot->state, &state, (state - 1) | CUSHIM__CLOSED,
                                                 memory_order_acq_rel, memory_order_relaxed))
        return NULL;
    atomic_store_explicit(&slot->open, 0, memory_order_release);
    object = atomic_exchange_explicit(&slot->object, NULL, memory_order_relaxed);
    cushim__table_give_back(index, id, place);
    return object;
}
