/* SPDX-License-Identifier: MIT */
/* Modules by name: each context has a register of them, and keeps what is in it. */
#ifndef CUSHIM_CORE_REGISTER_H
#define CUSHIM_CORE_REGISTER_H

#include "core/code/module.h"

/* CUSHIM_ERROR_BUSY if the name is taken. The register is one more user of the module. */
cushim_status cushim__register_add(struct cushim__module *module, const char *name,
                                   const char *call);

/* The module with one more user, for the caller; NULL, and the thread's error, without. */
struct cushim__module *cushim__register_find(struct cushim__context *context, const char *name,
                                             const char *call);

cushim_status cushim__register_remove(struct cushim__context *context, const char *name,
                                      const char *call);

/* Empties a context's register: nobody can ask it any more. */
void cushim__register_drop(struct cushim__context *context);

#endif
