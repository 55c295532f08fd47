/* SPDX-License-Identifier: MIT */
#ifndef CUSHIM_CORE_ENV_TRACE_H
#define CUSHIM_CORE_ENV_TRACE_H

#include "core/driver.h"

/*
 * cushim__driver_create(), but traced if the environment asks for it with
 * CUSHIM_TRACE=FILE. All libraries go into one trace, which is written when the process
 * exits.
 */
cushim_status cushim__env_trace_create(const struct cushim__library *library, const char *label,
                                       const char *call, uint64_t *ret_id);

#endif
