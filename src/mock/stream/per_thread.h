/* SPDX-License-Identifier: MIT */
/*
 * The per-thread default streams. A host thread has one in each context, which is made when the
 * thread first names CU_STREAM_PER_THREAD there. It goes with its context, or after its thread has
 * ended; the work that it still has then runs all the same. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_STREAM_PER_THREAD_H
#define CUSHIM_MOCK_STREAM_PER_THREAD_H

struct mock__context;
struct mock__stream;

/* Returns the calling thread's stream in the context, which is usable. NULL when out of memory. */
struct mock__stream *mock__per_thread_stream(struct mock__context *context);

/* Removes a stream that is about to be freed from the list of its thread, if it is in one. */
void mock__per_thread_stream_leave(struct mock__stream *stream);

#endif
