/* SPDX-License-Identifier: MIT */
/* Noting accesses for the race check, before they are made: which lanes use which bytes. */
#include <stdio.h>

#include "mock/ptx/exec/handlers.h"
#include "mock/ptx/jit/access.h"

static void set(const struct ptx__jit_access *access, size_t offset, struct ptx__jit_value value)
{
    ptx__jit_store(access->text, "",
                   ptx__jit_at(access->emit, access->emit->worker,
                               offsetof(struct ptx__worker, noting) + offset),
                   value, 4);
}

/* Has a handler of racecheck/exec_racecheck.c note it. */
static void note(const struct ptx__jit_access *access, const char *how)
{
    const size_t number = (size_t) (access->code - access->emit->flow->code->ops);
    char key[32];

    snprintf(key, sizeof(key), "note.%s.%s", how, access->load ? "ld" : "st");
    set(access, offsetof(struct ptx__noting, bytes), ptx__jit_number(PTX__JIT_I32, access->all));
    ptx__jit_ask(access->emit, ptx__handler_find(key), number);
}

/* All 32 lanes use one element, or contiguous ones. */
static bool is_span(const struct ptx__jit_access *access)
{
    const struct ptx__jit_form form = access->device.form;

    return access->emit->full && !access->emit->guarded && !form.vector && !form.rows &&
           (!form.step ||
            (form.step == (int64_t) access->all && ptx__jit_row_lanes(access) == PTX__LANES));
}

static void note_global(const struct ptx__jit_access *access)
{
    if (!is_span(access)) {
        set(access, offsetof(struct ptx__noting, addresses),
            ptx__jit_vector(access->emit, &access->device));
        note(access, "global");
        return;
    }
    set(access, offsetof(struct ptx__noting, addresses), access->device.base);
    set(access, offsetof(struct ptx__noting, step),
        ptx__jit_number(PTX__JIT_I32, access->device.form.step ? access->all : 0));
    note(access, "span");
}

static void note_shared(const struct ptx__jit_access *access)
{
    const struct ptx__jit_value offsets = ptx__jit_vector(access->emit, &access->device);

    set(access, offsetof(struct ptx__noting, offsets),
        ptx__jit_cast(access->text, "trunc", offsets, PTX__JIT_I32));
    note(access, "shared");
}

void ptx__jit_note(const struct ptx__jit_access *access, struct ptx__jit_value wanted)
{
    const size_t label = access->emit->n_labels++;

    ptx__jit_branch(access->emit, wanted, "note", label, "noted", label);
    ptx__jit_label(access->emit, "note", label);
    if (access->op->space == 's')
        note_shared(access);
    else
        note_global(access);
    ptx__jit_goto(access->emit, "noted", label);
    ptx__jit_label(access->emit, "noted", label);
}
