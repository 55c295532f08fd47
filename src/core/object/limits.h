/* SPDX-License-Identifier: MIT */
/* The properties of a context's device that launches and allocations are checked against. */
#ifndef CUSHIM_CORE_OBJECT_LIMITS_H
#define CUSHIM_CORE_OBJECT_LIMITS_H

#include "core/object/scope.h"

/*
 * Asks the driver for all limits of a device. An attribute that this driver does not know is 0; any
 * other error is returned. The scope must have a driver.
 */
cushim_status cushim__limits_read(const struct cushim__scope *scope, CUdevice device,
                                  struct cushim__limits *ret_limits);

#endif
