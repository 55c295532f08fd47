/* SPDX-License-Identifier: MIT */
/*
 * What is done at the end of a thread that has a per-thread default stream: it waits for the work
 * in it. libcuda may never come back from the end of such a thread if there still is work.
 * (Observed with driver 580 on an H200: of 48 processes side by side that made these calls without
 * cushim, 42 stayed there, and none after cuStreamSynchronize().)
 */
#ifndef CUSHIM_CORE_ORDER_THREAD_END_H
#define CUSHIM_CORE_ORDER_THREAD_END_H

#include "core/object/context.h"

/*
 * Notes that the calling thread may submit to its per-thread default stream in a context. The
 * context may end before the thread does. False when out of memory.
 */
bool cushim__thread_end_note(const struct cushim__context *context);

#endif
