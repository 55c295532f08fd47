/* SPDX-License-Identifier: MIT */
/*
 * What a call of the driver is about, for traces. The caller of the driver sets it for its thread
 * around the call. Only a trace that logs the call asks for the words, so others cost nothing.
 */
#ifndef CUSHIM_INTERPOSE_NOTE_H
#define CUSHIM_INTERPOSE_NOTE_H

#include <stdatomic.h>

/* Words that several log entries share. */
struct cushim__note {
    atomic_uint references;
    char *text; /* members of a JSON object, such as "\"nodes\":3" */
};

/* Makes a note, which takes over the text, with one reference. NULL when out of memory. */
struct cushim__note *cushim__note_new(char *text);
struct cushim__note *cushim__note_ref(struct cushim__note *note); /* NULL is allowed */
void cushim__note_unref(struct cushim__note *note);               /* NULL is allowed */

/* Returns the note, with a reference for the caller, or NULL. */
typedef struct cushim__note *cushim__note_maker(void *user);

/* Sets who makes the note of the calls that this thread makes from now on. NULL: there is none. */
void cushim__note_set(cushim__note_maker *make, void *user);

/* Returns the note of the thread's call, with a reference for the caller, or NULL. */
struct cushim__note *cushim__note_of_call(void);

#endif
