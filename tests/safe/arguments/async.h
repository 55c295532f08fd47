/* SPDX-License-Identifier: MIT */
/* Operations, policies and futures of the sweep. */
#ifndef CUSHIM_TESTS_SAFE_ARGUMENTS_ASYNC_H
#define CUSHIM_TESTS_SAFE_ARGUMENTS_ASYNC_H

#include "rows.h"

/* Sets what calls use that make no error of their own: a stream, and the thread's default policy.
 */
void async_begin(struct world *w);
void async_end(struct world *w);

/* Makes an object of one of the kinds of operations, policies and futures. */
uint64_t async_make(const struct objects *among, unsigned kind);

/* Runs an operation that a call has made: its error is that of the call. */
int async_run(cushim_op op);

/* Runs the first of n operations, and frees the others. done is what the call before gave. */
int async_run_part(cushim_op *parts, size_t n, int done);

/* Callbacks. user is the world. */
cushim_op async_make_operation(const struct cushim_exec *exec, void *user);
cushim_op async_next_operation(const struct cushim_exec *exec, cushim_output *output, void *user);
cushim_status async_map(cushim_output *output, void *user, void **ret_data);
void async_inspect(const cushim_output *output, void *user);
cushim_status async_next_stream(void *user, cushim_stream *ret_stream);

/* What goes around calls. */
void async_fill_operations(struct world *w, union value *a);
void async_drop_operations(struct world *w, const union value *a, int status);
void async_clear_parts(struct world *w, union value *a);
void async_renew_outputs(struct world *w, const union value *a, int status);
void async_give_output(struct world *w, union value *a);
void async_reset_default(struct world *w, const union value *a, int status);
void async_reset_thread(struct world *w, const union value *a, int status);

#endif
