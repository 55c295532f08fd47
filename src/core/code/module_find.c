/* SPDX-License-Identifier: MIT */
/* Looking up functions and variables of a module by name. */
#include <stdio.h>
#include <string.h>

#include "core/code/module.h"

/* Returns the driver's name for a name expression, or the name itself if it is none. */
static const char *lowered(const struct cushim__module *module, const char *name)
{
    for (size_t i = 0; i < module->n_lowered; i++)
        if (!strcmp(module->lowered[i].expression, name))
            return module->lowered[i].name;
    return name;
}

/*
 * Under the module's lock. A name can be that of a function and of a variable; both are in the
 * list.
 */
static struct cushim__member *find(const struct cushim__module *module, const char *name,
                                   bool variable)
{
    struct cushim__member *member = module->members;

    while (member && (variable != (member->buffer != NULL) || strcmp(member->name, name)))
        member = member->next;
    return member;
}

/*
 * Makes a member that is not in the list yet. Under the module's lock. It is added only when it is
 * complete.
 */
static struct cushim__member *new_member(const struct cushim__scope *scope,
                                         struct cushim__module *module, const char *name)
{
    struct cushim__member *member = cushim__arena_alloc(&module->arena, sizeof(*member));

    if (member)
        member->name = cushim__arena_printf(&module->arena, "%s", name);
    if (!module->arena.failed)
        return member;
    cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label, "no memory for '%s'", name);
    return NULL;
}

static void add(struct cushim__module *module, struct cushim__member *member)
{
    member->next = module->members;
    module->members = member;
}

static cushim_status not_found(const struct cushim__scope *scope, struct cushim__module *module,
                               struct cushim__module_name name)
{
    const char *what = name.kind == CUSHIM__MODULE_FUNCTION ? "function" : "variable";
    const char *label = cushim__object_label(&module->object);
    char names[400];

    return cushim__fail_at(CUDA_ERROR_NOT_FOUND, scope->call, label,
                           "%s: no %s '%s' in module%s%s%s%s", scope->call, what, name.name,
                           *label ? " '" : "", label, *label ? "'" : "",
                           cushim__module_suggest(scope, module, name, names, sizeof(names)));
}

static cushim_status add_function(const struct cushim__scope *scope, struct cushim__module *module,
                                  const char *name, uint64_t *ret_id)
{
    struct cushim__function *function = NULL;
    struct cushim__member *member;
    CUfunction cu = NULL;
    const int result =
        CU_FN(scope->table, cuModuleGetFunction)(&cu, module->cu, lowered(module, name));

    if (result == CUDA_ERROR_NOT_FOUND || (result && !*name))
        return not_found(scope, module,
                         (struct cushim__module_name){name, CUSHIM__MODULE_FUNCTION});
    CUSHIM_TRY(cushim__check_result(scope, result, "cuModuleGetFunction"));
    member = new_member(scope, module, name);
    if (!member)
        return CUSHIM_ERROR_NO_MEMORY;
    CUSHIM_TRY(cushim__function_new(scope, module, cu, member->name, &function));
    CUSHIM_TRY(cushim__object_give(&function->object, scope->call, &member->id));
    add(module, member);
    *ret_id = member->id;
    return CUSHIM_OK;
}

/*
 * The lock is held during the driver call, so that two threads that ask for the same name get the
 * same handle.
 */
cushim_status cushim__module_function(const struct cushim__scope *scope,
                                      struct cushim__module *module, const char *name,
                                      uint64_t *ret_id)
{
    const struct cushim__member *member;
    cushim_status status = CUSHIM_OK;

    pthread_mutex_lock(&module->lock);
    member = find(module, name, false);
    if (member)
        *ret_id = member->id;
    else
        status = add_function(scope, module, name, ret_id);
    pthread_mutex_unlock(&module->lock);
    return status;
}

static bool has_function(const struct cushim__scope *scope, const struct cushim__module *module,
                         const char *name)
{
    CUfunction function = NULL;

    return !CU_FN(scope->table, cuModuleGetFunction)(&function, module->cu, name);
}

/*
 * Adds a variable. The buffer of its bytes lives as long as the module, so the order of its uses is
 * known even if the program frees the slice and asks for it again.
 */
static cushim_status add_variable(const struct cushim__scope *scope, struct cushim__module *module,
                                  const char *name, struct cushim__member **ret_member)
{
    struct cushim__member *member;
    CUdeviceptr address = 0;
    size_t bytes = 0;
    const int result = CU_FN(scope->table, cuModuleGetGlobal_v2)(&address, &bytes, module->cu,
                                                                 lowered(module, name));

    /* A driver answers that an empty name is not valid, nor that of a kernel. */
    if (result == CUDA_ERROR_NOT_FOUND ||
        (result == CUDA_ERROR_INVALID_VALUE && (!*name || has_function(scope, module, name))))
        return not_found(scope, module,
                         (struct cushim__module_name){name, CUSHIM__MODULE_VARIABLE});
    CUSHIM_TRY(cushim__check_result(scope, result, "cuModuleGetGlobal_v2"));
    member = new_member(scope, module, name);
    if (member)
        member->buffer = cushim__buffer_new(scope->context, CUSHIM__MEMORY_BORROWED, address, NULL,
                                            bytes, NULL, &module->object);
    if (!member || !member->buffer)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, name, "no memory for '%s'",
                               name);
    member->buffer->code = module->code;
    member->buffer->restricted = true;
    add(module, member);
    *ret_member = member;
    return CUSHIM_OK;
}

/*
 * Under the module's lock. Makes a slice of a variable, or uses the one that the program has not
 * freed yet.
 */
static cushim_status give_slice(const struct cushim__scope *scope, struct cushim__member *member)
{
    struct cushim__object *object = cushim__handle_pin(member->id, CUSHIM__HANDLE_SLICE, NULL);
    struct cushim__error before;

    if (object) {
        cushim__handle_unpin(member->id);
        return CUSHIM_OK;
    }
    /* The slice takes over one reference of the buffer. The member keeps its own. */
    atomic_fetch_add(&member->buffer->references, 1);
    CUSHIM_TRY(cushim__slice_give(scope, CUSHIM__HANDLE_SLICE,
                                  (struct cushim__part){.buffer = member->buffer,
                                                        .element = 1,
                                                        .length = member->buffer->bytes},
                                  &member->id));
    object = cushim__handle_pin(member->id, CUSHIM__HANDLE_SLICE, NULL);
    if (object) {
        /* Without memory for it, the slice has no label, which is no error. */
        cushim__error_keep(&before);
        if (cushim__object_set_label(object, member->name, scope->call))
            cushim__error_restore(&before);
        cushim__handle_unpin(member->id);
    }
    return CUSHIM_OK;
}

cushim_status cushim__module_global(const struct cushim__scope *scope,
                                    struct cushim__module *module, const char *name,
                                    uint64_t *ret_id)
{
    struct cushim__member *member;
    cushim_status status = CUSHIM_OK;

    pthread_mutex_lock(&module->lock);
    member = find(module, name, true);
    if (!member)
        status = add_variable(scope, module, name, &member);
    if (!status)
        status = give_slice(scope, member);
    if (!status)
        *ret_id = member->id;
    pthread_mutex_unlock(&module->lock);
    return status;
}
