/* SPDX-License-Identifier: MIT */
/*
 * Libraries of the driver. A kernel holds a reference on its library, and the library lists its
 * kernels under its lock, so that a name has only one handle. The handles of kernels are closed
 * without the lock: closing may destroy a kernel, which drops a reference on the library.
 */
#include "core/code/code_library.h"

#include <stdlib.h>
#include <string.h>

#include "core/code/jit.h"
#include "core/object/handle_words.h"
#include "loader/missing.h"

static void destroy_kernel(void *object)
{
    struct cushim__kernel *kernel = object;

    cushim__object_unref(&kernel->library->object);
    cushim__object_finish(&kernel->object);
    free(kernel);
}

/* Runs after the last kernel and the last module are gone, so nothing of the library is in use. */
static void destroy(void *object)
{
    struct cushim__code_library *library = object;
    struct cushim__scope scope;

    if (library->cu) {
        cushim__scope_to_free(library->object.context, "cushim_code_library_free",
                              cushim__object_label(&library->object), &scope);
        CU_FREE(&scope, cuLibraryUnload, (library->cu));
        cushim__scope_leave(&scope, CUSHIM_OK);
    }
    cushim__context_unref(library->object.context);
    pthread_cond_destroy(&library->module_gone);
    pthread_mutex_destroy(&library->lock);
    cushim__object_finish(&library->object);
    free(library);
}

/*
 * Closes the handles of the kernels when the library's handle is freed. Modules hold references on
 * what they need.
 */
static void handle_gone(void *object)
{
    struct cushim__code_library *library = object;
    struct cushim__kernel *kernels, *next;
    struct cushim__source_place place;

    cushim__source_place_of_child("cushim_code_library_free", "code library", &place);
    pthread_mutex_lock(&library->lock);
    kernels = TAKE_PTR(library->kernels);
    pthread_mutex_unlock(&library->lock);
    for (; kernels; kernels = next) {
        next = kernels->next;
        cushim__handle_source_location(place.text);
        cushim__handle_close(kernels->id, CUSHIM__HANDLE_KERNEL, "cushim_code_library_free");
    }
    cushim__object_unref(&library->object);
}

static cushim_status fill(const struct cushim__scope *scope, struct cushim__code_library *library,
                          const struct cushim__code *code,
                          const struct cushim_module_params *params)
{
    struct cushim__jit jit;
    cushim_status status;

    CUSHIM_TRY(cushim__jit_begin(params, scope->call, &jit));
    status = JIT_CALL(scope, &jit, cuLibraryLoadData,
                      (&library->cu, code->bytes, jit.options, jit.values, jit.n, NULL, NULL, 0));
    cushim__jit_finish(&jit);
    if (!status && scope->label)
        return cushim__object_set_label(&library->object, scope->label, scope->call);
    return status;
}

cushim_status cushim__code_library_load(const struct cushim__scope *scope,
                                        const struct cushim__code *code,
                                        const struct cushim_module_params *params, uint64_t *ret_id)
{
    const struct cushim__library *driver = scope->context->driver->library;
    struct cushim__code_library *library;
    cushim_status status;

    if (!driver->has[CUSHIM_ROW_cuLibraryLoadData])
        return cushim__fail_missing(driver, CUSHIM_ROW_cuLibraryLoadData, scope->call);
    library = calloc(1, sizeof(*library));
    if (!library)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                               "no memory for a library");
    cushim__object_init(&library->object, CUSHIM__HANDLE_CODE_LIBRARY, scope->context, destroy);
    cushim__context_ref(scope->context);
    pthread_mutex_init(&library->lock, NULL);
    pthread_cond_init(&library->module_gone, NULL);
    status = fill(scope, library, code, params);
    if (!status)
        status = cushim__handle_create(CUSHIM__HANDLE_CODE_LIBRARY, library, handle_gone,
                                       scope->call, ret_id);
    if (status)
        cushim__object_unref(&library->object);
    return status;
}

/*
 * Adds a kernel. Under the library's lock, so that two threads do not make two handles for one
 * name.
 */
static cushim_status add(const struct cushim__scope *scope, struct cushim__code_library *library,
                         CUkernel cu, const char *name, uint64_t *ret_id)
{
    struct cushim__kernel *kernel = calloc(1, sizeof(*kernel) + strlen(name) + 1);

    if (!kernel)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, name, "no memory for '%s'",
                               name);
    cushim__object_init(&kernel->object, CUSHIM__HANDLE_KERNEL, scope->context, destroy_kernel);
    cushim__object_ref(&library->object);
    kernel->object.kept_by_parent = true;
    kernel->library = library;
    kernel->cu = cu;
    strcpy(kernel->name, name);
    CUSHIM_TRY(cushim__object_give(&kernel->object, scope->call, &kernel->id));
    kernel->next = library->kernels;
    library->kernels = kernel;
    *ret_id = kernel->id;
    return CUSHIM_OK;
}

/* The driver is asked before the lock is taken, because its call may take long. */
cushim_status cushim__code_library_kernel(const struct cushim__scope *scope,
                                          struct cushim__code_library *library, const char *name,
                                          uint64_t *ret_id)
{
    const char *label = cushim__object_label(&library->object);
    CUkernel cu = NULL;
    const int result = CU_FN(scope->table, cuLibraryGetKernel)(&cu, library->cu, name);
    struct cushim__kernel *kernel;
    cushim_status status = CUSHIM_OK;
    char names[400];

    if (result == CUDA_ERROR_NOT_FOUND || (result && !*name))
        return cushim__fail_at(
            CUDA_ERROR_NOT_FOUND, scope->call, label, "%s: no kernel '%s' in library%s%s%s%s",
            scope->call, name, *label ? " '" : "", label, *label ? "'" : "",
            cushim__library_suggest(scope, library->cu, name, names, sizeof(names)));
    CUSHIM_TRY(cushim__check_result(scope, result, "cuLibraryGetKernel"));
    pthread_mutex_lock(&library->lock);
    for (kernel = library->kernels; kernel && strcmp(kernel->name, name);)
        kernel = kernel->next;
    if (kernel)
        *ret_id = kernel->id;
    else
        status = add(scope, library, cu, name, ret_id);
    pthread_mutex_unlock(&library->lock);
    return status;
}

/* --- modules --- */

/* Returns the module of a context, or NULL. Under the library's lock. */
static struct cushim__module *find_module(const struct cushim__code_library *library,
                                          const struct cushim__context *context)
{
    struct cushim__module *module = library->modules;

    while (module && module->object.context != context)
        module = module->next_of_library;
    return module;
}

/*
 * Returns the module of a context with a reference for the caller, or NULL. A module that is being
 * destroyed waits for its last kernels, and work of a new one would not: so this waits until it is
 * gone. Under the library's lock, which is released meanwhile.
 */
static struct cushim__module *use_module(struct cushim__code_library *library,
                                         const struct cushim__context *context)
{
    struct cushim__module *module;

    while ((module = find_module(library, context)) &&
           !cushim__object_ref_unless_zero(&module->object))
        pthread_cond_wait(&library->module_gone, &library->lock);
    return module;
}

void cushim__code_library_forget(struct cushim__module *module)
{
    struct cushim__code_library *library = (struct cushim__code_library *) module->library;

    pthread_mutex_lock(&library->lock);
    for (struct cushim__module **m = &library->modules; *m; m = &(*m)->next_of_library)
        if (*m == module) {
            *m = module->next_of_library;
            break;
        }
    pthread_cond_broadcast(&library->module_gone);
    pthread_mutex_unlock(&library->lock);
}

/*
 * Returns the module of the scope's context with a reference for the caller. Another thread may
 * have added one while this made one without the lock, because the driver's call may take long.
 */
static cushim_status get_module(const struct cushim__scope *scope,
                                struct cushim__code_library *library,
                                struct cushim__module **ret_module)
{
    struct cushim__module *made, *known;
    CUmodule cu = NULL;

    pthread_mutex_lock(&library->lock);
    known = use_module(library, scope->context);
    pthread_mutex_unlock(&library->lock);
    *ret_module = known;
    if (known)
        return CUSHIM_OK;
    CUSHIM_TRY(CU_CALL(scope, cuLibraryGetModule, (&cu, library->cu)));
    made = cushim__module_wrap(scope, cu, &library->object);
    if (!made)
        return CUSHIM_ERROR_NO_MEMORY;
    pthread_mutex_lock(&library->lock);
    known = use_module(library, scope->context);
    if (!known) {
        made->next_of_library = library->modules;
        library->modules = made;
    }
    pthread_mutex_unlock(&library->lock);
    *ret_module = known ? known : made;
    if (known)
        cushim__object_unref(&made->object);
    return CUSHIM_OK;
}

cushim_status cushim__code_library_module(const struct cushim__scope *scope,
                                          struct cushim__code_library *library, uint64_t *ret_id)
{
    struct cushim__module *module = NULL;
    cushim_status status;

    CUSHIM_TRY(get_module(scope, library, &module));
    cushim__module_use_again(module);
    status = cushim__module_handle(module, scope->call, ret_id);
    cushim__module_unuse(module);
    return status;
}
