/* SPDX-License-Identifier: MIT */
/*
 * A slot is one interposed table. Its functions are compiled for this slot: they contain its
 * number, so they find its data without a search.
 */
#ifndef CUSHIM_INTERPOSE_SLOT_H
#define CUSHIM_INTERPOSE_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/abi.h"
#include "base/publish.h"
#include "base/rows.h"
#include "interpose/lists.h"

/* The number of slots for each library; the build sets it. */
#ifndef CUSHIM__SLOTS
#error "CUSHIM__SLOTS is not defined"
#endif

struct cushim__hook_list;

/*
 * hooks and below are published pointers (base/publish.h). inside is counted with the __atomic
 * builtins.
 */
struct cushim__hook_slot {
    struct cushim__hook_list *hooks; /* NULL: calls are only passed on */
    cushim__entry *const *below;     /* the table that calls are passed on to */
    unsigned inside;                 /* calls that may use the hooks */
    unsigned lost;                   /* those of them that were under way when this process began */
    bool taken;
};

extern CUSHIM__HIDDEN struct cushim__hook_slot cushim__slots[CUSHIM__LISTS][CUSHIM__SLOTS];

/* Identifies the function of a call. It fits into one register. */
struct cushim__place {
    uint8_t library, slot;
    uint16_t row;
};

/* For generated code, which is compiled with CUSHIM__SLOT. */
#define CUSHIM__OWN_SLOT(library) cushim__slots[CUSHIM_LIBRARY_##library][CUSHIM__SLOT]
#define CUSHIM__HOOKED(library)                                                                    \
    __builtin_expect(CUSHIM__PUBLISHED(CUSHIM__OWN_SLOT(library).hooks) != NULL, 0)
#define CUSHIM__BELOW(library) CUSHIM__PUBLISHED(CUSHIM__OWN_SLOT(library).below)
#define CUSHIM__PLACE(library, row)                                                                \
    (struct cushim__place)                                                                         \
    {                                                                                              \
        CUSHIM_LIBRARY_##library, CUSHIM__SLOT, row                                                \
    }
#define CUSHIM__PASTE2(a, b) a##b
#define CUSHIM__PASTE(a, b)  CUSHIM__PASTE2(a, b)
#define CUSHIM__TABLE(name)  CUSHIM__PASTE(cushim__interposed_##name##_, CUSHIM__SLOT)

#endif
