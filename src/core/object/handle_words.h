/* SPDX-License-Identifier: MIT */
/* What messages say of handles: the nouns of their kinds, and source locations. */
#ifndef CUSHIM_CORE_OBJECT_HANDLE_WORDS_H
#define CUSHIM_CORE_OBJECT_HANDLE_WORDS_H

#include "core/object/handle.h"

/* A source location, "train.c:88", or "" if it is not known. */
struct cushim__source_place {
    char text[64];
};

/*
 * The location of handles that are parts of a larger object, such as the streams of a policy. They
 * are not listed as leaks: the larger object is.
 */
#define CUSHIM__PLACE_KEPT "(kept)"

/*
 * Takes the source location that the thread has set last by cushim__handle_source_location(), and
 * clears it. NULL if there is none. The program's text is valid during the call.
 */
const char *cushim__source_place_take(void);

/* Copies a source location without its folders; NULL is none. */
void cushim__source_place_set(struct cushim__source_place *place, const char *text);

/*
 * Sets where the handle is closed whose object the thread is about to destroy; NULL if that is not
 * known. Returns what it was before.
 */
const char *cushim__source_place_closing(const char *place);

/*
 * Writes where a handle ends that is closed with its parent's: "train.c:88, with its module", or,
 * where the parent's place is not known, "cushim_module_free of its module".
 */
void cushim__source_place_of_child(const char *call, const char *noun,
                                   struct cushim__source_place *ret_place);

/*
 * Returns how handles of a kind end, such as "freed", and what a sentence about a handle that has
 * ended says more: an operation ends when another one, or a future, takes it.
 */
const char *cushim__handle_ended(enum cushim__handle_kind kind);
const char *cushim__handle_advice(enum cushim__handle_kind kind);

/* Returns the noun of a kind with its article, such as "a slice" or "pinned memory". */
const char *cushim__handle_a(enum cushim__handle_kind kind);

/* What a sentence says more where a handle of one kind is expected, and one of another is given. */
const char *cushim__handle_mix_up(enum cushim__handle_kind expected, enum cushim__handle_kind is);

#endif
