/* SPDX-License-Identifier: MIT */
#include "interpose/note.h"

#include <stdlib.h>

static _Thread_local struct {
    cushim__note_maker *make;
    void *user;
} current;

struct cushim__note *cushim__note_new(char *text)
{
    struct cushim__note *note = text ? malloc(sizeof(*note)) : NULL;

    if (!note) {
        free(text);
        return NULL;
    }
    atomic_init(&note->references, 1);
    note->text = text;
    return note;
}

struct cushim__note *cushim__note_ref(struct cushim__note *note)
{
    if (note)
        atomic_fetch_add_explicit(&note->references, 1, memory_order_relaxed);
    return note;
}

void cushim__note_unref(struct cushim__note *note)
{
    if (!note || atomic_fetch_sub_explicit(&note->references, 1, memory_order_acq_rel) != 1)
        return;
    free(note->text);
    free(note);
}

void cushim__note_set(cushim__note_maker *make, void *user)
{
    current.make = make;
    current.user = user;
}

struct cushim__note *cushim__note_of_call(void)
{
    return current.make ? current.make(current.user) : NULL;
}
