/* SPDX-License-Identifier: MIT */
/* Noting accesses for the race check, before they are made: which lanes use which bytes. */
#include <stdio.h>

#include "mock/ptx/exec/handlers.h"
#include "mock/ptx/jit/note.h"
#include "mock/ptx/racecheck/racecheck.h"

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

    snprintf(key, sizeof(key), "note.%s.%s", how,
             access->atomic ? "atom"
             : access->load ? "ld"
                            : "st");
    set(access, offsetof(struct ptx__noting, bytes), ptx__jit_number(PTX__JIT_I32, access->all));
    ptx__jit_ask(access->emit, ptx__handler_find(key), number);
}

/* The lanes of each row use one element, or contiguous ones. */
static bool is_in_rows(const struct ptx__jit_access *access)
{
    const struct ptx__jit_form form = access->device.form;

    return access->emit->full && !access->emit->guarded && !form.vector &&
           (!form.step || form.step == (int64_t) access->all);
}

static void note_rows(const struct ptx__jit_access *access)
{
    const struct ptx__jit_form form = access->device.form;
    const bool one = !form.rows && (!form.step || ptx__jit_row_lanes(access) == PTX__LANES);

    set(access, offsetof(struct ptx__noting, addresses), access->device.base);
    set(access, offsetof(struct ptx__noting, step),
        ptx__jit_number(PTX__JIT_I32, form.step ? access->all : 0));
    if (one) {
        note(access, "span");
        return;
    }
    set(access, offsetof(struct ptx__noting, lanes),
        ptx__jit_number(PTX__JIT_I32, ptx__jit_row_lanes(access)));
    set(access, offsetof(struct ptx__noting, rows),
        form.rows ? access->device.rows : ptx__jit_i64(0));
    note(access, "rows");
}

static void note_global(const struct ptx__jit_access *access)
{
    if (is_in_rows(access)) {
        note_rows(access);
        return;
    }
    set(access, offsetof(struct ptx__noting, addresses),
        ptx__jit_vector(access->emit, &access->device));
    note(access, "global");
}

static void note_shared(const struct ptx__jit_access *access)
{
    const struct ptx__jit_value offsets = ptx__jit_vector(access->emit, &access->device);

    set(access, offsetof(struct ptx__noting, offsets),
        ptx__jit_cast(access->text, "trunc", offsets, PTX__JIT_I32));
    note(access, "shared");
}

static void look_at_lines(const struct ptx__jit_access *access, size_t label)
{
    const bool whole = ptx__jit_notes_whole_lines(access);

    ptx__jit_look_at_lines(access, "noted", whole ? "changed" : "note", label);
    if (!whole)
        return;
    ptx__jit_label(access->emit, "changed", label);
    ptx__jit_note_whole_lines(access, "noted", "note", label);
}

/* Ends compiled code's own look at an access that it does not have noted. */
static void look(const struct ptx__jit_access *access, size_t label)
{
    if (access->op->space == 's' && ptx__jit_reads_granules(access)) {
        ptx__jit_read_granules(access, "note", label);
        ptx__jit_goto(access->emit, "noted", label);
    } else if (access->op->space != 's' && !access->atomic && ptx__jit_sees_lines(access)) {
        look_at_lines(access, label);
    } else {
        ptx__jit_goto(access->emit, "note", label);
    }
}

void ptx__jit_note(const struct ptx__jit_access *access, struct ptx__jit_value wanted)
{
    const size_t label = access->emit->n_labels++;

    if (wanted.literal && !wanted.number)
        return;
    ptx__jit_branch(access->emit, wanted, "look", label, "noted", label);
    ptx__jit_label(access->emit, "look", label);
    look(access, label);
    ptx__jit_label(access->emit, "note", label);
    if (access->op->space == 's')
        note_shared(access);
    else
        note_global(access);
    ptx__jit_goto(access->emit, "noted", label);
    ptx__jit_label(access->emit, "noted", label);
}

void ptx__jit_begin_notes(struct ptx__jit_emit *emit)
{
    const struct ptx__jit_value number = ptx__jit_cast(
        &emit->text, "zext", FIELD(emit, emit->warp, I32, ptx__warp, number), PTX__JIT_I64);

    emit->owner = FIELD(emit, emit->block, I64, ptx__block, owner);
    emit->reads = ptx__jit_at(
        emit,
        ptx__jit_binary(&emit->text, "mul", number, ptx__jit_i64(sizeof(struct ptx__shared_reads))),
        offsetof(struct ptx__shared_racecheck, reads));
}
