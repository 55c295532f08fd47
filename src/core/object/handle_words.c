/* SPDX-License-Identifier: MIT */
#include "core/object/handle_words.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

/* The nouns with their articles; what cannot be counted has none. */
static const char *const kind_names[] = {
    "nothing",          "a driver",
    "an NVRTC",         "an nvJitLink",
    "a trace",          "a set of faults",
    "a compiled image", "a context",
    "a stream",         "an event",
    "a slice",          "pinned memory",
    "unified memory",   "a module",
    "a function",       "a code library",
    "a kernel",         "a launcher",
    "a graph",          "a memory pool",
    "external memory",  "an external semaphore",
    "an arena",         "an operation",
    "a policy",         "a future",
};

_Static_assert(ARRAY_SIZE(kind_names) == CUSHIM__HANDLE_KINDS, "a name for every kind");

const char *cushim__handle_a(enum cushim__handle_kind kind)
{
    return kind_names[kind];
}

const char *cushim__handle_noun(enum cushim__handle_kind kind)
{
    const char *name = kind_names[kind];

    return !strncmp(name, "a ", 2) ? name + 2 : !strncmp(name, "an ", 3) ? name + 3 : name;
}

const char *cushim__handle_mix_up(enum cushim__handle_kind expected, enum cushim__handle_kind is)
{
    return is == CUSHIM__HANDLE_OP && expected == CUSHIM__HANDLE_SLICE
               ? "; an operation is an argument of cushim_op_launch() alone"
               : "";
}

const char *cushim__handle_ended(enum cushim__handle_kind kind)
{
    return kind == CUSHIM__HANDLE_OP ? "used or freed" : "freed";
}

const char *cushim__handle_advice(enum cushim__handle_kind kind)
{
    return kind == CUSHIM__HANDLE_OP ? "; it runs once: where several use one of cushim_op_share(), "
                                       "cushim_op_retain() makes a handle for each"
                                     : "";
}

/*
 * Public headers set the source location in a macro before the call. It is kept for each thread, so
 * that another thread cannot take it.
 */
static _Thread_local const char *here TLS_OF_WORDS;

/* The same, of the handle that the thread is closing. */
static _Thread_local const char *closing __attribute__((tls_model("initial-exec")));

const char *cushim__handle_source_location(const char *place)
{
    const char *before = here;

    here = place;
    return before;
}

const char *cushim__source_place_take(void)
{
    const char *text = here;

    here = NULL;
    return text;
}

/* Returns the text of a location without its folders. */
static const char *without_folders(const char *text)
{
    const char *folder = text ? strrchr(text, '/') : NULL;

    return folder ? folder + 1 : text;
}

const char *cushim__source_place_closing(const char *place)
{
    const char *before = closing;

    closing = place;
    return before;
}

void cushim__source_place_of_child(const char *call, const char *noun,
                                   struct cushim__source_place *ret_place)
{
    snprintf(ret_place->text, sizeof(ret_place->text), closing ? "%s, with its %s" : "%s of its %s",
             closing ? without_folders(closing) : call, noun);
}

void cushim__source_place_set(struct cushim__source_place *place, const char *text)
{
    const char *name = without_folders(text);
    const size_t length = name ? strnlen(name, sizeof(place->text) - 1) : 0;

    memcpy(place->text, name ? name : "", length);
    place->text[length] = 0;
}
