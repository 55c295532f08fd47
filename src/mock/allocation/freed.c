/* SPDX-License-Identifier: MIT */
#include "mock/allocation/memory.h"

#include <stdlib.h>

#include "base/util.h"

/* The ranges that were freed last, for messages about later uses of them. */
static struct mock__freed freed_ranges[256];
static size_t n_freed;

/* Takes over the label. */
void mock__memory_note_freed(const struct mock__memory *memory)
{
    struct mock__freed *freed = &freed_ranges[n_freed++ % ARRAY_SIZE(freed_ranges)];

    free(freed->label);
    *freed = (struct mock__freed){memory->address, memory->id, memory->bytes, memory->made,
                                  memory->label};
}

const struct mock__freed *mock__memory_freed(uint64_t address)
{
    const size_t n = n_freed < ARRAY_SIZE(freed_ranges) ? n_freed : ARRAY_SIZE(freed_ranges);

    for (size_t i = 0; i < n; i++) {
        const struct mock__freed *freed =
            &freed_ranges[(n_freed - 1 - i) % ARRAY_SIZE(freed_ranges)];

        if (address - freed->address < freed->bytes)
            return freed;
    }
    return NULL;
}
