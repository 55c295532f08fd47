/* SPDX-License-Identifier: MIT */
/* What messages say of handles: the nouns of their kinds, and source locations. */
#ifndef CUSHIM_CORE_OBJECT_HANDLE_WORDS_H
#define CUSHIM_CORE_OBJECT_HANDLE_WORDS_H

#include "core/object/handle.h"

/* A source location, "train.c:88", or "" if it is not known. */
struct cushim__source_place {
    char text[40];
};

/*
 * Takes the source location that the thread has set last by cushim__handle_source_location(),
 * without its folders, and clears it.
 */
struct cushim__source_place cushim__source_place_take(void);

/* Returns "a" or "an", as the noun of a kind wants it. */
const char *cushim__handle_article(enum cushim__handle_kind kind);

#endif
