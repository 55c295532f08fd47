/* SPDX-License-Identifier: MIT */
#include "core/launch/launcher.h"

#include <stdlib.h>
#include <string.h>

/* The value first, where malloc() aligns it for any type, then the name. */
static cushim_status copy(const struct cushim_argument *argument, const char *call,
                          struct cushim_argument *ret_copy)
{
    const bool value = argument->intent == CUSHIM_INTENT_VALUE;
    const char *name = argument->name ? argument->name : "";
    const size_t bytes = value ? argument->bytes : 0;
    char *block;

    if ((unsigned) argument->intent > CUSHIM_INTENT_INOUT || (value && !argument->value))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: argument '%s' has no value", call, name);
    block = bytes < SIZE_MAX / 2 ? malloc(bytes + strlen(name) + 1) : NULL;
    if (!block)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for argument '%s'",
                               name);
    if (value)
        memcpy(block, argument->value, bytes);
    strcpy(block + bytes, name);
    *ret_copy = *argument;
    ret_copy->value = block;
    ret_copy->name = block + bytes;
    return CUSHIM_OK;
}

static void drop(struct cushim_argument *arguments, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free((void *) (uintptr_t) arguments[i].value);
}

static void destroy(void *object)
{
    struct cushim__launcher *launcher = object;
    struct cushim__context *context = launcher->object.context;

    drop(launcher->arguments, launcher->n);
    free(launcher->arguments);
    pthread_mutex_destroy(&launcher->lock);
    cushim__object_finish(&launcher->object);
    free(launcher);
    cushim__context_unref(context);
}

cushim_status cushim__launcher_new(const struct cushim__scope *scope, uint64_t function,
                                   uint64_t *ret_id)
{
    struct cushim__launcher *launcher = calloc(1, sizeof(*launcher));

    if (!launcher)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                               "no memory for a launcher");
    cushim__object_init(&launcher->object, CUSHIM__HANDLE_LAUNCHER, scope->context, destroy);
    cushim__context_ref(scope->context);
    pthread_mutex_init(&launcher->lock, NULL);
    launcher->function = function;
    return cushim__object_give(&launcher->object, scope->call, ret_id);
}

/* Under the lock. */
static bool reserve(struct cushim__launcher *launcher, size_t n)
{
    struct cushim_argument *arguments;
    size_t max = launcher->max ? launcher->max : 8;

    if (n > SIZE_MAX / 4 / sizeof(*arguments))
        return false;
    while (max < launcher->n + n)
        max *= 2;
    if (max == launcher->max)
        return true;
    arguments = realloc(launcher->arguments, max * sizeof(*arguments));
    if (!arguments)
        return false;
    launcher->arguments = arguments;
    launcher->max = max;
    return true;
}

/* Under the lock: all or none. */
static cushim_status push(struct cushim__launcher *launcher,
                          const struct cushim_argument *arguments, size_t n, const char *call)
{
    struct cushim_argument *place;

    if (!reserve(launcher, n))
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for %zu arguments",
                               n);
    place = launcher->arguments + launcher->n;
    for (size_t i = 0; i < n; i++) {
        const cushim_status status = copy(&arguments[i], call, &place[i]);

        if (status) {
            drop(place, i);
            return status;
        }
    }
    launcher->n += n;
    return CUSHIM_OK;
}

cushim_status cushim__launcher_push(struct cushim__launcher *launcher,
                                    const struct cushim_argument *arguments, size_t n,
                                    const char *call)
{
    cushim_status status;

    pthread_mutex_lock(&launcher->lock);
    status = push(launcher, arguments, n, call);
    pthread_mutex_unlock(&launcher->lock);
    return status;
}

cushim_status cushim__launcher_set(struct cushim__launcher *launcher, size_t index,
                                   const struct cushim_argument *argument, const char *call)
{
    struct cushim_argument new_one;
    bool there;

    CUSHIM_TRY(copy(argument, call, &new_one));
    pthread_mutex_lock(&launcher->lock);
    there = index < launcher->n;
    if (there) {
        drop(&launcher->arguments[index], 1);
        launcher->arguments[index] = new_one;
    }
    pthread_mutex_unlock(&launcher->lock);
    if (there)
        return CUSHIM_OK;
    drop(&new_one, 1);
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                           "%s: there is no argument %zu yet", call, index);
}

void cushim__launcher_clear(struct cushim__launcher *launcher)
{
    pthread_mutex_lock(&launcher->lock);
    drop(launcher->arguments, launcher->n);
    launcher->n = 0;
    pthread_mutex_unlock(&launcher->lock);
}
