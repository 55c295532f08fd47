/* SPDX-License-Identifier: MIT */
/* What is in a module, by name. */
#include <stdio.h>
#include <string.h>

#include "core/module.h"

/* The name that the driver knows for what may be a name expression. */
static const char *lowered(const struct cushim__module *module, const char *name)
{
    for (size_t i = 0; i < module->n_lowered; i++)
        if (!strcmp(module->lowered[i].expression, name))
            return module->lowered[i].name;
    return name;
}

/* Under the lock. */
static struct cushim__member *find(const struct cushim__module *module,
                                   enum cushim__handle_kind kind, const char *name)
{
    struct cushim__member *member = module->members;

    while (member && (member->kind != kind || strcmp(member->name, name)))
        member = member->next;
    return member;
}

static cushim_status not_found(const struct cushim__scope *scope, struct cushim__module *module,
                               const char *what, const char *name)
{
    const char *label = cushim__object_label(&module->object);
    char names[400];

    return cushim__fail_at(CUDA_ERROR_NOT_FOUND, scope->call, label,
                           "%s: no %s '%s' in module%s%s%s%s", scope->call, what, name,
                           *label ? " '" : "", label, *label ? "'" : "",
                           cushim__module_suggest(scope, module, name, names, sizeof(names)));
}

static cushim_status make_function(const struct cushim__scope *scope, struct cushim__module *module,
                                   const char *name, const char *kept, uint64_t *ret_id)
{
    struct cushim__function *function = NULL;
    CUfunction cu = NULL;
    const int result =
        CU_FN(scope->table, cuModuleGetFunction)(&cu, module->cu, lowered(module, name));

    if (result == CUDA_ERROR_NOT_FOUND)
        return not_found(scope, module, "function", name);
    CUSHIM_TRY(cushim__answer(scope, result, "cuModuleGetFunction"));
    CUSHIM_TRY(cushim__function_new(scope, module, cu, kept, &function));
    return cushim__object_give(&function->object, scope->call, ret_id);
}

typedef cushim_status make_fn(const struct cushim__scope *scope, struct cushim__module *module,
                              const char *name, const char *kept, uint64_t *ret_id);

/* Under the lock. */
static cushim_status add(const struct cushim__scope *scope, struct cushim__module *module,
                         enum cushim__handle_kind kind, make_fn *make, const char *name,
                         uint64_t *ret_id)
{
    struct cushim__member *member = cushim__arena_alloc(&module->arena, sizeof(*member));

    if (member)
        member->name = cushim__arena_printf(&module->arena, "%s", name);
    if (!member || module->arena.failed)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                               "no memory for '%s'", name);
    CUSHIM_TRY(make(scope, module, name, member->name, &member->id));
    member->kind = kind;
    member->next = module->members;
    module->members = member;
    *ret_id = member->id;
    return CUSHIM_OK;
}

static cushim_status get(const struct cushim__scope *scope, struct cushim__module *module,
                         enum cushim__handle_kind kind, make_fn *make, const char *name,
                         uint64_t *ret_id)
{
    const struct cushim__member *member;
    cushim_status status = CUSHIM_OK;

    pthread_mutex_lock(&module->lock);
    member = find(module, kind, name);
    if (member)
        *ret_id = member->id;
    else
        status = add(scope, module, kind, make, name, ret_id);
    pthread_mutex_unlock(&module->lock);
    return status;
}

cushim_status cushim__module_function(const struct cushim__scope *scope,
                                      struct cushim__module *module, const char *name,
                                      uint64_t *ret_id)
{
    return get(scope, module, CUSHIM__HANDLE_FUNCTION, make_function, name, ret_id);
}
