/* SPDX-License-Identifier: MIT */
/* The host waits for work of the devices, or asks whether it is done. */
#ifndef CUSHIM_CORE_ORDER_WAIT_H
#define CUSHIM_CORE_ORDER_WAIT_H

#include "core/order/submit.h"

/* Blocks the calling thread until the host may make this access. Called without locks. */
cushim_status cushim__buffer_synchronize(struct cushim__scope *scope,
                                         const struct cushim__access *access);

/*
 * Tells whether the host may make this access now: CUSHIM_OK, or CUDA_ERROR_NOT_READY, which does
 * not change the thread's last error. Called without locks.
 */
cushim_status cushim__buffer_query(struct cushim__scope *scope,
                                   const struct cushim__access *access);

/*
 * Blocks the calling thread until all submissions to a timeline so far are done. Called without
 * locks.
 */
cushim_status cushim__timeline_synchronize(struct cushim__scope *scope,
                                           struct cushim__timeline *timeline);

/*
 * The same for a timeline whose stream another thread may destroy during the wait. The caller has a
 * reference on the timeline.
 */
cushim_status cushim__timeline_settle(struct cushim__scope *scope,
                                      struct cushim__timeline *timeline);

/*
 * For a destructor: waits until no work uses a buffer, by its marks, or else by its streams. False
 * if neither can be done: then work may still use it, and what it needs must never be freed. Errors
 * are deferred. Called without locks.
 */
bool cushim__buffer_is_unused(struct cushim__scope *scope, struct cushim__buffer *buffer);

/*
 * Asks again and again about the object of a handle until the result is not CUDA_ERROR_NOT_READY, or so
 * many nanoseconds have passed; that then is an error of the public function `call`.
 */
cushim_status cushim__poll(cushim_status (*ask)(uint64_t id, const char *call), uint64_t id,
                           uint64_t nanoseconds, const char *call);

#endif
