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

#include <pthread.h>

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
    struct cushim__module *next_of_library; /* in the library's list, under its lock */
    struct cushim__buffer *code; /* every launch reads it, so unloading comes after all launches */
    char *ptx; /* the PTX text, if the driver cannot list kernels and parameters; else NULL */
    const char *log;
    struct cushim__lowered *lowered;
    size_t n_lowered;

    pthread_mutex_t lock; /* docs/locking.md has the order of locks */
    /* Under the lock. */
    unsigned users;
    struct cushim__arena arena; /* for names, and for log and lowered above */
    struct cushim__member *members;
};

struct cushim__function {
    struct cushim__object object;
    CUfunction cu;
    struct cushim__buffer *code; /* belongs to the module */
    struct cushim__param *params;
    int n_params; /* -1: not known */
    unsigned max_threads;
    unsigned max_blocks;           /* of a grid in x; 0: elements take whole clusters */
    atomic_int max_dynamic;        /* bytes of dynamic shared memory that a block may have */
    unsigned shared_bytes;         /* static */
    unsigned cluster;              /* blocks in x of the clusters it was compiled for, or 1 */
    const char *name;              /* belongs to the module */
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
 * Makes a module object for a library's CUmodule in the scope's context, with a reference for the
 * caller and without users. It holds a reference on the library. NULL when out of memory.
 */
struct cushim__module *cushim__module_wrap(const struct cushim__scope *scope, CUmodule cu,
                                           struct cushim__object *library);

/*
 * Adds or drops one user of the module. The first user takes over the reference of the module's
 * maker, and the last one drops it.
 */
void cushim__module_use(struct cushim__module *module);
void cushim__module_unuse(struct cushim__module *module);

/* Adds one user of a module that may have lost its last one. Takes over the caller's reference. */
void cushim__module_use_again(struct cushim__module *module);

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

/* What a name in a module is of. */
enum cushim__module_kind {
    CUSHIM__MODULE_FUNCTION,
    CUSHIM__MODULE_VARIABLE,
};

/* A name that a module does not have for a function, or for a variable. */
struct cushim__module_name {
    const char *name;
    enum cushim__module_kind kind;
};

/*
 * Writes what the module has instead, as the end of a sentence: the same name for the other kind,
 * or the most similar names of the kind; "" if none is known. Returns buffer.
 */
const char *cushim__module_suggest(const struct cushim__scope *scope, struct cushim__module *module,
                                   struct cushim__module_name name, char *buffer, size_t size);

/* The same for a kernel that a library does not have. */
const char *cushim__library_suggest(const struct cushim__scope *scope, CUlibrary library,
                                    const char *name, char *buffer, size_t size);

/* Makes a function object. It has no handle yet. The scope is in the module's context. */
cushim_status cushim__function_new(const struct cushim__scope *scope, struct cushim__module *module,
                                   CUfunction cu, const char *name,
                                   struct cushim__function **ret_function);

#endif
