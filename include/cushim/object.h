/* SPDX-License-Identifier: MIT */
/*
 * What the objects of the safe layer have in common: contexts, streams, events, slices, pinned
 * and unified memory, modules and functions.
 *
 * Threads. Every function of these objects may be called from any thread at any time, with no
 * setup: a call makes the context of its object current if it is not, and the caller's again
 * before it returns. Where something is the calling thread's own, its page says so.
 *
 * Lifetime. Copies of a handle name the same object; one of them is freed. An object that others
 * need lives on without a handle: a context outlives its streams and slices, memory the
 * work that was submitted with it. So the order in which things are freed does not matter.
 * Freeing never fails: what the driver has to say about it goes to the log and is kept for
 * cushim_context_check().
 *
 * Messages. An error names the object by its label, a stale handle tells where its object was
 * freed, and closing a driver logs what was never freed, each with its label and the place
 * that made it. The places are kept by macros over the functions that make and free. Written
 * with parentheses, (cushim_stream_new)(...), or with CUSHIM_NO_SOURCE_LOCATIONS defined, it is the
 * function that is called, and the place is not known.
 *
 * Inside of a function that a stream calls (cushim_stream_host_function()), all of these are
 * refused with CUDA_ERROR_NOT_PERMITTED, because a driver must not be called there.
 */
#ifndef CUSHIM_OBJECT_H
#define CUSHIM_OBJECT_H

#include <cushim/handle.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The place in the program where this is written, as "folder/train.c:88". */
#define CUSHIM_HERE           __FILE__ ":" CUSHIM__TEXT(__LINE__)
#define CUSHIM__TEXT(line)    CUSHIM__QUOTED(line)
#define CUSHIM__QUOTED(words) #words

/**
 * Tells where the calling thread's next object is made or freed. The macros call it;
 * a binding for another language calls it with that language's places. It is forgotten after
 * the next function that makes or frees. The text is copied by that one, without its folders.
 */
CUSHIM_API void cushim_source_location(const char *place);

/**
 * Names an object in messages. The text is copied. An object can be named once, because
 * other threads may be reading the name: CUSHIM_ERROR_BUSY if it has one. Takes the number
 * in a handle, so that one function does for all kinds; see cushim_label().
 */
CUSHIM_API cushim_status cushim_object_label(uint64_t id, const char *label);

/** cushim_label(weights, "weights"), for a handle of any kind. */
#define cushim_label(handle, label) cushim_object_label((handle).id, (label))

#ifdef __cplusplus
}
#endif

#endif
