/* SPDX-License-Identifier: MIT */
/*
 * The real nvJitLink, which compiles LTO-IR to PTX: that needs a compiler, and no GPU. Without one,
 * LTO-IR is refused, and the log says so.
 */
#ifndef CUSHIM_STANDIN_JITLINK_REAL_H
#define CUSHIM_STANDIN_JITLINK_REAL_H

#include "standin/jitlink/jitlink.h"

/* Adds LTO-IR. Returns the result of the real nvJitLink. */
int real_add(struct jitlink *link, const void *data, size_t size, const char *name);

/* Compiles what was added, if anything was, and adds the PTX to the code of the link. */
int real_complete(struct jitlink *link);

void real_finish(struct jitlink *link);

/* Tells whether the search for the real one goes on in this thread. It may find this library. */
bool real_is_searched(void);

#endif
