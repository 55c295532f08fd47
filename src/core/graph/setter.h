/* SPDX-License-Identifier: MIT */
/* The kernel that reads a condition in the memory of the device, and sets the driver's value. */
#ifndef CUSHIM_CORE_GRAPH_SETTER_H
#define CUSHIM_CORE_GRAPH_SETTER_H

#include "core/order/recording.h"

/*
 * Records the kernel. *handle is that of the value, or 0: then one is made. After a failure with a
 * handle the recording can become no graph.
 */
cushim_status cushim__setter_launch(struct cushim__scope *scope, struct cushim__timeline *timeline,
                                    cushim_view view, uint64_t *handle);

/* Tells whether a recorded work is this kernel. */
bool cushim__is_setter(const struct cushim__recorded *work);

#endif
