/* SPDX-License-Identifier: MIT */
#include "core/memory/external.h"

#include <stdlib.h>

#include "core/order/wait.h"

/*
 * Gives an object its label and its handle. The object is unreferenced if that fails. This comes
 * before the import, because a descriptor that was imported cannot be given back to the caller.
 */
static cushim_status give(const struct cushim__scope *scope, struct cushim__object *object,
                          const char *label, uint64_t *ret_id)
{
    const cushim_status status =
        label ? cushim__object_set_label(object, label, scope->call) : CUSHIM_OK;

    if (!status)
        return cushim__object_give(object, scope->call, ret_id);
    cushim__object_unref(object);
    return status;
}

static cushim_status no_memory(const struct cushim__scope *scope, const char *label)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, label,
                           "%s: no memory for an imported object", scope->call);
}

/* --- memory --- */

/* Runs without locks, after the slices that map parts of it are freed. */
static void destroy_memory(void *object)
{
    struct cushim__external_memory *memory = object;
    struct cushim__context *context = memory->object.context;
    struct cushim__scope scope;

    if (memory->cu) {
        cushim__scope_to_free(context, "cushim_external_memory_free",
                              cushim__object_label(&memory->object), &scope);
        CU_FREE(&scope, cuDestroyExternalMemory, (memory->cu));
        cushim__scope_leave(&scope, CUSHIM_OK);
    }
    cushim__object_finish(&memory->object);
    free(memory);
    cushim__context_unref(context);
}

cushim_status cushim__external_memory_new(const struct cushim__scope *scope,
                                          const struct cushim__cu_external_memory *description,
                                          const char *label, uint64_t *ret_id)
{
    struct cushim__external_memory *memory = calloc(1, sizeof(*memory));
    uint64_t id = 0;
    cushim_status status;

    if (!memory)
        return no_memory(scope, label);
    cushim__context_ref(scope->context);
    cushim__object_init(&memory->object, CUSHIM__HANDLE_EXTERNAL_MEMORY, scope->context,
                        destroy_memory);
    memory->bytes = description->bytes;
    CUSHIM_TRY(give(scope, &memory->object, label, &id));
    status = CU_CALL(scope, cuImportExternalMemory, (&memory->cu, description));
    if (!status) {
        *ret_id = id;
        return CUSHIM_OK;
    }
    memory->cu = NULL;
    cushim__object_close(&id, CUSHIM__HANDLE_EXTERNAL_MEMORY, scope->call);
    return status;
}

/* --- semaphores --- */

/* The driver wants signals and waits to be complete. Runs without locks. */
static void destroy_semaphore(void *object)
{
    struct cushim__external_semaphore *semaphore = object;
    struct cushim__context *context = semaphore->object.context;
    struct cushim__scope scope;

    cushim__scope_to_free(context, "cushim_external_semaphore_free",
                          cushim__object_label(&semaphore->object), &scope);
    if (semaphore->cu && cushim__buffer_is_unused(&scope, semaphore->uses))
        CU_FREE(&scope, cuDestroyExternalSemaphore, (semaphore->cu));
    cushim__buffer_delete(semaphore->uses);
    cushim__scope_leave(&scope, CUSHIM_OK);
    cushim__object_finish(&semaphore->object);
    free(semaphore);
    cushim__context_unref(context);
}

cushim_status
cushim__external_semaphore_new(const struct cushim__scope *scope,
                               const struct cushim__cu_external_semaphore *description,
                               const char *label, uint64_t *ret_id)
{
    struct cushim__external_semaphore *semaphore = calloc(1, sizeof(*semaphore));
    struct cushim__buffer *uses =
        cushim__buffer_new(scope->context, CUSHIM__MEMORY_BORROWED, 0, NULL, 1, NULL, NULL);
    uint64_t id = 0;
    cushim_status status;

    if (!semaphore || !uses) {
        free(semaphore);
        if (uses)
            cushim__buffer_delete(uses);
        return no_memory(scope, label);
    }
    cushim__context_ref(scope->context);
    cushim__object_init(&semaphore->object, CUSHIM__HANDLE_EXTERNAL_SEMAPHORE, scope->context,
                        destroy_semaphore);
    semaphore->uses = uses;
    CUSHIM_TRY(give(scope, &semaphore->object, label, &id));
    status = CU_CALL(scope, cuImportExternalSemaphore, (&semaphore->cu, description));
    if (!status) {
        *ret_id = id;
        return CUSHIM_OK;
    }
    semaphore->cu = NULL;
    cushim__object_close(&id, CUSHIM__HANDLE_EXTERNAL_SEMAPHORE, scope->call);
    return status;
}
