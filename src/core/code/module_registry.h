/* SPDX-License-Identifier: MIT */
/* Modules by name: each context has a registry of them, and keeps what is in it. */
#ifndef CUSHIM_CORE_CODE_MODULE_REGISTRY_H
#define CUSHIM_CORE_CODE_MODULE_REGISTRY_H

#include "core/code/module.h"

/* CUSHIM_ERROR_BUSY if the name is taken. The registry is one more user of the module. */
cushim_status cushim__registry_add(struct cushim__module *module, const char *name,
                                   const char *call);

/* The module with one more user, for the caller; NULL, and the thread's error, without. */
struct cushim__module *cushim__registry_find(struct cushim__context *context, const char *name,
                                             const char *call);

cushim_status cushim__registry_remove(struct cushim__context *context, const char *name,
                                      const char *call);

#endif
