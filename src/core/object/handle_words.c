/* SPDX-License-Identifier: MIT */
#include "core/object/handle_words.h"

#include <string.h>

#include "base/util.h"

static const char *const kind_names[] = {
    "nothing",     "driver",          "NVRTC",
    "trace",       "set of faults",   "compiled image",
    "context",     "stream",          "event",
    "slice",       "pinned memory",   "unified memory",
    "module",      "function",        "code library",
    "kernel",      "launcher",        "graph",
    "memory pool", "external memory", "external semaphore",
};

_Static_assert(ARRAY_SIZE(kind_names) == CUSHIM__HANDLE_KINDS, "a name for every kind");

const char *cushim__handle_noun(enum cushim__handle_kind kind)
{
    return kind_names[kind];
}

const char *cushim__handle_article(enum cushim__handle_kind kind)
{
    return kind == CUSHIM__HANDLE_EVENT || kind == CUSHIM__HANDLE_NVRTC ||
                   kind == CUSHIM__HANDLE_EXTERNAL_MEMORY ||
                   kind == CUSHIM__HANDLE_EXTERNAL_SEMAPHORE
               ? "an"
               : "a";
}

/*
 * Public headers set the source location in a macro before the call. It is kept for each thread, so
 * that another thread cannot take it.
 */
static _Thread_local const char *here;

const char *cushim__handle_source_location(const char *place)
{
    const char *before = here;

    here = place;
    return before;
}

struct cushim__source_place cushim__source_place_take(void)
{
    const char *text = here, *folder = text ? strrchr(text, '/') : NULL;
    struct cushim__source_place place = {""};

    here = NULL;
    if (folder)
        text = folder + 1;
    for (size_t i = 0; text && text[i] && i + 1 < sizeof(place.text); i++)
        place.text[i] = text[i];
    return place;
}
