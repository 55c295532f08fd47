/* SPDX-License-Identifier: MIT */
/* Modules by name. Each context has a registry, which keeps the modules in it loaded. */
#ifndef CUSHIM_CORE_CODE_MODULE_REGISTRY_H
#define CUSHIM_CORE_CODE_MODULE_REGISTRY_H

#include "core/code/module.h"

/*
 * Adds a module. CUSHIM_ERROR_BUSY if the name is taken. The registry is one more user of the
 * module.
 */
cushim_status cushim__registry_add(struct cushim__module *module, const char *name,
                                   const char *call);

/*
 * Returns the module of a name, with one more user for the caller. NULL, with the thread's error,
 * if there is none.
 */
struct cushim__module *cushim__registry_find(struct cushim__context *context, const char *name,
                                             const char *call);

cushim_status cushim__registry_remove(struct cushim__context *context, const char *name,
                                      const char *call);

#endif
