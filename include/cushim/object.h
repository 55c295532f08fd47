/* SPDX-License-Identifier: MIT */
/*
 * Properties that all objects of the safe layer share. The objects are contexts, streams, events,
 * slices, pinned and unified memory, memory pools, external memory and semaphores, modules,
 * functions, code libraries, kernels, launchers and graphs.
 *
 * Threads. Every function of these objects may be called from any thread at any time, without
 * preparation. A call makes the context of its object current, if it is not, and restores the
 * caller's current context before it returns. The few objects that belong to one thread are
 * described as such in their headers.
 *
 * Lifetime. Copies of a handle name the same object, and the object is freed through one of them.
 * Freeing closes the handle; the object itself lives as long as something needs it. A context lives
 * until its streams and slices are freed, and memory lives until the work that uses it has ended.
 * So objects may be freed in any order. A function that frees cannot fail: an error of the driver
 * goes to the log and is kept for cushim_context_check().
 *
 * Messages. An error names the object by its label. The error for a stale handle names the source
 * location where the object was freed. When the last handle of a driver is closed, the log lists
 * each object that is not freed yet, with its label and the source location that made it; with the
 * last driver also operations, policies and futures, and not what is in them. Macros
 * with the names of the functions that make and free objects record these locations. A call in the
 * form (cushim_stream_new)(...), and every call in a file that defines CUSHIM_NO_SOURCE_LOCATIONS,
 * does not use the macro and records no location.
 *
 * A function that a stream calls (cushim_stream_host_function()) must not call the driver. So all
 * functions of these objects fail there with 800 CUDA_ERROR_NOT_PERMITTED.
 */
#ifndef CUSHIM_OBJECT_H
#define CUSHIM_OBJECT_H

#include <cushim/handle.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The source location of this use of the macro, as a string such as "folder/train.c:88". */
#define CUSHIM_HERE           __FILE__ ":" CUSHIM__TEXT(__LINE__)
#define CUSHIM__TEXT(line)    CUSHIM__QUOTED(line)
#define CUSHIM__QUOTED(words) #words

/**
 * Sets the source location for the next object that the calling thread makes or frees. The macros
 * over those functions call it; a binding for another language calls it with locations of that
 * language. The next function that makes or frees an object uses the location once. That function
 * copies the text without its folders, so place must be valid until then.
 */
CUSHIM_API void cushim_source_location(const char *place);

/**
 * Gives an object a label, which messages then contain, and the mock's findings of streams, events
 * and memory. The text is copied. An object can be
 * labelled only once, because other threads may read the label at any time: the second attempt
 * fails with CUSHIM_ERROR_BUSY. id is the number in a handle of any kind; cushim_label() takes the
 * handle itself. Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status cushim_object_label(uint64_t id, const char *label);

/** Labels the object of a handle of any kind: cushim_label(weights, "weights"). */
#define cushim_label(handle, label) cushim_object_label((handle).id, (label))

#ifdef __cplusplus
}
#endif

#endif
