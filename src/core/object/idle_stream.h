/* SPDX-License-Identifier: MIT */
/*
 * The idle stream: a CUstream that a recording has used, which the next one takes. A stream only
 * records there, and never runs work, so nothing on it is ever waited for. Making and destroying a
 * stream costs more than a small update of a graph. Thread-safe: the context's pool lock protects
 * it.
 */
#ifndef CUSHIM_CORE_OBJECT_IDLE_STREAM_H
#define CUSHIM_CORE_OBJECT_IDLE_STREAM_H

#include "core/object/scope.h"

/* Takes the idle stream of the scope's context, or makes a stream. */
cushim_status cushim__idle_stream_take(const struct cushim__scope *scope, CUstream *ret_cu);

/*
 * Keeps a stream that does not record any more, and that the program has never had as a CUstream.
 * If there is an idle one already, it is destroyed.
 */
void cushim__idle_stream_give(const struct cushim__scope *scope, CUstream cu);

/* Destroys it, before the context is destroyed. */
void cushim__idle_stream_drain(const struct cushim__scope *scope);

#endif
