/* SPDX-License-Identifier: MIT */
/*
 * The contexts that a thread has pushed onto its stack by cushim_context_push(). Each of them has a
 * reference until the thread pops it, or ends: so a context is not destroyed while it is on a
 * stack. A driver has one stack for each thread, whatever table the contexts were pushed and popped
 * with.
 */
#ifndef CUSHIM_CORE_OBJECT_PUSHED_H
#define CUSHIM_CORE_OBJECT_PUSHED_H

#include "core/object/context.h"

struct cushim__pushed;

/*
 * Makes an entry for a context, with a reference on it. NULL when out of memory. It is dropped, or
 * added to those of the calling thread after the driver has pushed the context.
 */
struct cushim__pushed *cushim__pushed_new(struct cushim__context *context);
void cushim__pushed_drop(struct cushim__pushed *pushed);
void cushim__pushed_add(struct cushim__pushed *pushed);

/*
 * Drops the thread's last entry for a CUcontext of a library, if there is one: the driver has taken
 * it from the stack.
 */
void cushim__pushed_remove(const struct cushim__library *library, CUcontext cu);

#endif
