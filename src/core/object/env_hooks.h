/* SPDX-License-Identifier: MIT */
/* Opening a library with the hooks that the environment asks for: the trace and the faults. */
#ifndef CUSHIM_CORE_OBJECT_ENV_HOOKS_H
#define CUSHIM_CORE_OBJECT_ENV_HOOKS_H

#include "core/object/driver.h"

/*
 * cushim__driver_create(), but with the hooks that the environment asks for:
 *
 *   CUSHIM_TRACE=FILE     All libraries go into one trace, which is written when the
 *                         process exits.
 *   CUSHIM_FAULTS=RULES   All libraries share one set of faults. CUSHIM_ERROR_INVALID_ARGUMENT
 *                         if the rules are not valid; also if a library can get no hooks,
 *                         because its faults would be missing without notice.
 *
 * The trace sees what the program sees, faults included. nvJitLink gets no hooks.
 */
cushim_status cushim__env_hooks_create(const struct cushim__library *library, const char *label,
                                       const char *call, uint64_t *ret_id);

/* Finds a library as the parameters say, which may be NULL, and opens a handle on it. */
cushim_status cushim__driver_open(enum cushim_library id, const struct cushim_open_params *params,
                                  const char *call, uint64_t *ret_id);

#endif
