/* SPDX-License-Identifier: MIT */
/*
 * Modules and their functions.
 *
 * The users of a module are its handles and the registry of names (module_registry.h). When the
 * last user is gone, the handles of the module's functions and variables are closed. Each function
 * holds a reference on the module, so the module is unloaded only when no call uses one of its
 * functions any more. Functions are in function.c, finding them by name in module_find.c, and what
 * a misspelt name may have meant in module_suggest.c.
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

/*
 * A function or a variable that the program has looked up. Its handle is closed when the last user
 * of the module is gone.
 */
struct cushim__member {
    struct cushim__member *next;
    const char *name; /* as the program asked for it; belongs to the module */
    uint64_t id;
    struct cushim__buffer *buffer; /* of a variable, with a reference; NULL for a function */
};

struct cushim__module {
    struct cushim__object object;
    CUmodule cu;
    struct cushim__object *library; /* the library that owns cu, with a reference; NULL: the
                                       module owns cu */
    atomic_uint users;
    struct cushim__buffer *code; /* every launch reads it, so unloading comes after all launches */
    char *ptx; /* the PTX text, if the driver cannot list kernels and parameters; else NULL */
    const char *log;
    struct cushim__lowered *lowered;
    size_t n_lowered;

    pthread_mutex_t lock; /* docs/locking.md has the order of locks */
    /* Under the lock. */
    struct cushim__arena arena; /* for names, and for log and lowered above */
    struct cushim__member *members;
};

struct cushim__function {
    struct cushim__object object;
    CUfunction cu;
    const char *name;            /* belongs to the module */
    struct cushim__buffer *code; /* belongs to the module */
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

/*
 * Makes a module object for a CUmodule that is loaded already, such as a library's. It takes over
 * the caller's reference on the library.
 */
cushim_status cushim__module_wrap(const struct cushim__scope *scope, CUmodule cu,
                                  struct cushim__object *library, uint64_t *ret_id);

/* Adds or drops one user of the module. */
void cushim__module_use(struct cushim__module *module);
void cushim__module_unuse(struct cushim__module *module);

/* Makes another handle of the module, which is one more user. */
cushim_status cushim__module_handle(struct cushim__module *module, const char *call,
                                    uint64_t *ret_id);

/* Looks up a function or a variable by name. The scope is in the module's context. */
cushim_status cushim__module_function(const struct cushim__scope *scope,
                                      struct cushim__module *module, const char *name,
                                      uint64_t *ret_id);

cushim_status cushim__module_global(const struct cushim__scope *scope,
                                    struct cushim__module *module, const char *name,
                                    uint64_t *ret_id);

/*
 * Writes the names that are most similar to one that does not exist, as the end of a sentence; ""
 * if no name is known. Returns buffer.
 */
const char *cushim__module_suggest(const struct cushim__scope *scope, struct cushim__module *module,
                                   const char *name, char *buffer, size_t size);

/* Makes a function object. It has no handle yet. The scope is in the module's context. */
cushim_status cushim__function_new(const struct cushim__scope *scope, struct cushim__module *module,
                                   CUfunction cu, const char *name,
                                   struct cushim__function **ret_function);

#endif
