/* SPDX-License-Identifier: MIT */
/*
 * Modules and their functions.
 *
 * A module's users are its handles, and the registry of names (module_registry.h). When the last
 * one goes, the handles of its functions and variables are closed; each function holds a reference
 * on the module, so that the module is unloaded when no call uses one any more.
 */
#ifndef CUSHIM_CORE_CODE_MODULE_H
#define CUSHIM_CORE_CODE_MODULE_H

#include <cushim/module.h>

#include "base/arena.h"
#include "core/code/code.h"
#include "core/code/image.h"
#include "core/code/ptx_params.h"
#include "core/cu/cu_module.h"
#include "core/memory/slice.h"
#include "core/object/scope.h"

/* A function or a variable that was asked for. Its handle is closed with the module's last user. */
struct cushim__member {
    struct cushim__member *next;
    const char *name; /* as it was asked for; the module's */
    uint64_t id;
    struct cushim__buffer *buffer; /* of a variable, with a reference; NULL for a function */
};

struct cushim__module {
    struct cushim__object object;
    CUmodule cu;
    struct cushim__object *library; /* that cu belongs to, with a reference; NULL: it is ours */
    atomic_uint users;
    struct cushim__buffer *code; /* read by every launch, so that it is unloaded after them */
    char *ptx; /* its text, where this driver does not tell what is in it; else NULL */
    const char *log;
    struct cushim__lowered *lowered;
    size_t n_lowered;

    pthread_mutex_t lock; /* docs/locking.md has the order of locks */
    /* Under it. */
    struct cushim__arena arena; /* names, and what is above */
    struct cushim__member *members;
};

struct cushim__function {
    struct cushim__object object;
    CUfunction cu;
    const char *name;            /* the module's */
    struct cushim__buffer *code; /* the module's */
    struct cushim__param *params;
    int n_params; /* -1: not known */
    unsigned max_threads;
    atomic_int max_dynamic;        /* bytes of dynamic shared memory that a block may have */
    unsigned shared_bytes;         /* static */
    struct cushim__module *module; /* with a reference */
};

/*
 * Loads code into the scope's context, and gives the module a handle. image may be NULL; its
 * lowered names are copied.
 */
cushim_status cushim__module_load(const struct cushim__scope *scope,
                                  const struct cushim__code *code,
                                  const struct cushim__image *image,
                                  const struct cushim_module_params *params, uint64_t *ret_id);

/* A module that is there already, as a library's are. Takes over the caller's reference on it. */
cushim_status cushim__module_wrap(const struct cushim__scope *scope, CUmodule cu,
                                  struct cushim__object *library, uint64_t *ret_id);

/* One more, or one less, who needs the module. */
void cushim__module_use(struct cushim__module *module);
void cushim__module_unuse(struct cushim__module *module);

/* Another handle of it; it is one more user. */
cushim_status cushim__module_handle(struct cushim__module *module, const char *call,
                                    uint64_t *ret_id);

/* In a scope of the module's context. */
cushim_status cushim__module_function(const struct cushim__scope *scope,
                                      struct cushim__module *module, const char *name,
                                      uint64_t *ret_id);

cushim_status cushim__module_global(const struct cushim__scope *scope,
                                    struct cushim__module *module, const char *name,
                                    uint64_t *ret_id);

/* The names most like one that is not there, as the end of a sentence; "" if none is known. */
const char *cushim__module_suggest(const struct cushim__scope *scope, struct cushim__module *module,
                                   const char *name, char *buffer, size_t size);

/* A new function, in a scope of the module's context; it gets no handle yet. */
cushim_status cushim__function_new(const struct cushim__scope *scope, struct cushim__module *module,
                                   CUfunction cu, const char *name,
                                   struct cushim__function **ret_function);

#endif
