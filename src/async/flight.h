/* SPDX-License-Identifier: MIT */
/*
 * What work of an operation needs until the device has done it: blocks of page-locked memory that
 * copies go through, and data of the host that the program has given to cushim_op_hold(). Memory of
 * devices needs nothing: its free comes after the work by itself.
 */
#ifndef CUSHIM_ASYNC_FLIGHT_H
#define CUSHIM_ASYNC_FLIGHT_H

#include <stdbool.h>

#include <cushim/op.h>

struct cushim__flight {
    struct cushim__kept *first, **last;
    struct cushim__context *home;     /* kept alive by the flight's owner until the flight ends */
    struct cushim__context **foreign; /* other contexts, each with a reference */
    size_t n_foreign;
};

void cushim__flight_init(struct cushim__flight *flight);

/* Takes data over. If it fails, release() was called. */
cushim_status cushim__flight_hold(struct cushim__flight *flight, void *data,
                                  void (*release)(void *data));

/*
 * Submits a copy between a view and memory of the host, in the order of the stream. The host's
 * memory is read now, or written when the flight ends. It waits for the device only if there are
 * more than CUSHIM__STAGED_BYTES.
 */
cushim_status cushim__flight_copy(struct cushim__flight *flight, const struct cushim_exec *exec,
                                  cushim_view view, void *host, size_t bytes, bool write,
                                  const char *call);

enum { CUSHIM__STAGED_BYTES = 16 << 20 };

/*
 * Writes the host's memory, before the end of a flight whose work the device has done. It calls
 * nothing of the program.
 */
void cushim__flight_deliver(const struct cushim__flight *flight);

/*
 * Ends the flight. done: the device has done the work; otherwise it may never do so, and the blocks
 * are not used again. It calls the program's release(), and no driver, so a host function may call
 * it. It may be called again.
 */
void cushim__flight_end(struct cushim__flight *flight, bool done);

/*
 * Takes the blocks alone into a flight of their own, and leaves the data that is held: who ends the
 * blocks in a thread of the driver leaves the program's functions to another thread.
 */
struct cushim__flight cushim__flight_take_blocks(struct cushim__flight *flight);

/* Drops the references on contexts, after the end. It may call the driver. */
void cushim__flight_finish(struct cushim__flight *flight);

#endif
