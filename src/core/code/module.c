/* SPDX-License-Identifier: MIT */
#include "core/code/module.h"

#include <stdlib.h>
#include <string.h>

#include "core/code/code_library.h"
#include "core/code/jit.h"
#include "core/code/module_registry.h"
#include "core/object/handle_words.h"
#include "core/order/wait.h"

/*
 * Unloads a module after the last of its kernels has ended. If nothing tells when that is, it stays
 * loaded, and so does its library.
 */
static void unload(struct cushim__module *module)
{
    struct cushim__error before;
    bool unused;
    struct cushim__scope scope;

    if (!module->cu)
        return;
    /* The program may have asked for something else: its last error stays as it is. */
    cushim__error_keep(&before);
    cushim__scope_to_free(module->object.context, "cushim_module_free",
                          cushim__object_label(&module->object), &scope);
    unused = cushim__buffer_is_unused(&scope, module->code);
    if (!unused && module->library)
        cushim__object_ref(module->library);
    else if (unused && !module->library)
        CU_FREE(&scope, cuModuleUnload, (module->cu));
    cushim__scope_leave(&scope, CUSHIM_OK);
    cushim__error_restore(&before);
}

static void destroy(void *object)
{
    struct cushim__module *module = object;

    unload(module);
    if (module->library)
        cushim__code_library_forget(module);
    if (module->code) {
        cushim__lock(module->object.context);
        cushim__buffer_forget_readers(module->code);
        cushim__unlock(module->object.context);
        cushim__buffer_delete(module->code);
    }
    if (module->library)
        cushim__object_unref(module->library);
    cushim__context_unref(module->object.context);
    cushim__arena_finish(&module->arena);
    pthread_mutex_destroy(&module->lock);
    free(module->ptx);
    cushim__object_finish(&module->object);
    free(module);
}

static struct cushim__module *allocate(const struct cushim__scope *scope)
{
    struct cushim__module *module = calloc(1, sizeof(*module));

    if (!module) {
        cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                        "no memory for a module");
        return NULL;
    }
    cushim__object_init(&module->object, CUSHIM__HANDLE_MODULE, scope->context, destroy);
    cushim__context_ref(scope->context);
    pthread_mutex_init(&module->lock, NULL);
    module->log = "";
    /* One byte that every launch reads and unload() writes: so unloading waits for all launches. */
    module->code =
        cushim__buffer_new(scope->context, CUSHIM__MEMORY_BORROWED, 0, NULL, 1, NULL, NULL);
    if (module->code) {
        module->code->owner = &module->object;
        return module;
    }
    cushim__object_unref(&module->object);
    cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label, "no memory for a module");
    return NULL;
}

/* Copies the lowered names of an image, because the image may be freed before the module. */
static void copy_names(struct cushim__module *module, const struct cushim__image *image)
{
    const size_t n = image ? image->n_lowered : 0;

    if (n)
        module->lowered = cushim__arena_alloc(&module->arena, n * sizeof(*module->lowered));
    for (size_t i = 0; module->lowered && i < n; i++)
        module->lowered[module->n_lowered++] = (struct cushim__lowered){
            cushim__arena_printf(&module->arena, "%s", image->lowered[i].expression),
            cushim__arena_printf(&module->arena, "%s", image->lowered[i].name)};
}

/*
 * Tells whether the driver can list a module's kernels and their parameters. If it cannot, they are
 * read from the PTX, which is kept for that.
 */
static bool driver_tells(const struct cushim__scope *scope)
{
    const bool *has = scope->context->driver->library->has;

    return has[CUSHIM_ROW_cuFuncGetParamInfo] && has[CUSHIM_ROW_cuModuleEnumerateFunctions] &&
           has[CUSHIM_ROW_cuFuncGetName];
}

static cushim_status fill(const struct cushim__scope *scope, struct cushim__module *module,
                          const struct cushim__code *code, const struct cushim__image *image,
                          const struct cushim_module_params *params)
{
    const char *label = params->label  ? params->label
                        : params->name ? params->name
                        : scope->label ? scope->label
                                       : "";
    struct cushim__jit jit;
    cushim_status status;

    CUSHIM_TRY(cushim__jit_begin(params, scope->call, &jit));
    status = JIT_CALL(scope, &jit, cuModuleLoadDataEx,
                      (&module->cu, code->bytes, jit.n, jit.options, jit.values));
    if (!status) {
        module->log = cushim__arena_printf(&module->arena, "%s", jit.info);
        copy_names(module, image);
        if (code->kind == CUSHIM__CODE_PTX && !driver_tells(scope))
            module->ptx = strdup(code->bytes);
    }
    /* The text and the names are in the module's arena, so one check suffices for all of them. */
    cushim__jit_finish(&jit);
    if (!status && module->arena.failed)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, label,
                               "no memory for a module");
    if (!status && *label)
        return cushim__object_set_label(&module->object, label, scope->call);
    return status;
}

/* Looks up the functions that the program wants, so that a missing one is an error of the load. */
static cushim_status check_functions(const struct cushim__scope *scope,
                                     struct cushim__module *module,
                                     const struct cushim_module_params *params)
{
    uint64_t id;

    for (const char *const *name = params->functions; name && *name; name++)
        CUSHIM_TRY(cushim__module_function(scope, module, *name, &id));
    return CUSHIM_OK;
}

/*
 * The first use belongs to this function. It keeps the module until its handle has a use of its
 * own, and its end frees the module if anything fails.
 */
cushim_status cushim__module_load(const struct cushim__scope *scope,
                                  const struct cushim__code *code,
                                  const struct cushim__image *image,
                                  const struct cushim_module_params *params, uint64_t *ret_id)
{
    struct cushim__module *module = allocate(scope);
    cushim_status status;

    if (!module)
        return CUSHIM_ERROR_NO_MEMORY;
    cushim__module_use(module);
    status = fill(scope, module, code, image, params);
    if (!status)
        status = check_functions(scope, module, params);
    if (!status && params->name)
        status = cushim__registry_add(module, params->name, scope->call);
    if (!status) {
        status = cushim__module_handle(module, scope->call, ret_id);
        if (status && params->name)
            cushim__registry_remove(scope->context, params->name, scope->call);
    }
    cushim__module_unuse(module);
    return status;
}

struct cushim__module *cushim__module_wrap(const struct cushim__scope *scope, CUmodule cu,
                                           struct cushim__object *library)
{
    struct cushim__module *module = allocate(scope);

    if (!module)
        return NULL;
    cushim__object_ref(library);
    module->cu = cu;
    module->library = library;
    return module;
}

/* Adds one user. Tells whether it is the first one. */
static bool add_user(struct cushim__module *module)
{
    bool first;

    pthread_mutex_lock(&module->lock);
    first = !module->users++;
    pthread_mutex_unlock(&module->lock);
    return first;
}

void cushim__module_use(struct cushim__module *module)
{
    add_user(module);
}

void cushim__module_use_again(struct cushim__module *module)
{
    if (!add_user(module))
        cushim__object_unref(&module->object);
}

/*
 * Closes the handle of a function or a variable. The program may have freed a variable's handle
 * already; closing it again does nothing.
 */
static void drop_member(const struct cushim__member *member)
{
    struct cushim__source_place place;

    cushim__source_place_of_child("cushim_module_free", "module", &place);
    cushim__handle_source_location(place.text);
    if (!member->buffer) {
        cushim__handle_close(member->id, CUSHIM__HANDLE_FUNCTION, NULL);
        return;
    }
    cushim__handle_close(member->id, CUSHIM__HANDLE_SLICE, NULL);
    cushim__buffer_unref(member->buffer, "cushim_module_free", member->name);
}

/*
 * Drops one user. The last user drops the module's own reference. Functions that are in use hold
 * other references, so the module is unloaded after their calls. The members are taken under the
 * lock, in one step with the last user, and closed without it: closing a handle may destroy a
 * function, which takes other locks.
 */
void cushim__module_unuse(struct cushim__module *module)
{
    struct cushim__member *members = NULL;
    bool last;

    pthread_mutex_lock(&module->lock);
    last = !--module->users;
    if (last)
        members = TAKE_PTR(module->members);
    pthread_mutex_unlock(&module->lock);
    for (struct cushim__member *m = members, *next; m; m = next) {
        next = m->next;
        drop_member(m);
    }
    if (last)
        cushim__object_unref(&module->object);
}

static void unuse(void *object)
{
    cushim__module_unuse(object);
}

cushim_status cushim__module_handle(struct cushim__module *module, const char *call,
                                    uint64_t *ret_id)
{
    cushim_status status;

    /* The handle's use comes first, because another thread may close a new handle at once. */
    cushim__module_use(module);
    status = cushim__handle_create(CUSHIM__HANDLE_MODULE, module, unuse, call, ret_id);
    if (status)
        cushim__module_unuse(module);
    return status;
}
