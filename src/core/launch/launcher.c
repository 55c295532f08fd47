/* SPDX-License-Identifier: MIT */
/*
 * The list of arguments is shared with running launches instead of copied for each of them. A
 * launch takes a reference and works without the lock, because it may wait and calls the driver. A
 * change of a list that a launch has first makes a copy of it.
 */
#include "core/launch/launcher.h"

#include <stdlib.h>
#include <string.h>

/*
 * Copies an argument into one block: first the value, which malloc() aligns for any type, then the
 * name.
 */
static cushim_status copy(const struct cushim_argument *argument, const char *call,
                          struct cushim_argument *ret_copy)
{
    const bool value = argument->intent == CUSHIM_INTENT_VALUE;
    const char *name = argument->name ? argument->name : "";
    const size_t bytes = value ? argument->bytes : 0;
    char *block;

    if ((unsigned) argument->intent > CUSHIM_INTENT_SAME || (value && !argument->value))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: argument '%s' has no value", call, name);
    if (!value && cushim__handle_kind_of(argument->view.object) == CUSHIM__HANDLE_OP)
        return cushim__fail_at(CUSHIM_ERROR_WRONG_HANDLE, call, NULL,
                               "%s: argument '%s' is an operation, which runs once: it is an "
                               "argument of cushim_op_launch() alone",
                               call, name);
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

/*
 * Drops a reference; the last one frees the list. Under the lock, because the count is not atomic.
 */
static void unref(struct cushim__argument_list *list)
{
    if (!list || --list->references)
        return;
    drop(list->arguments, list->n);
    free(list);
}

/*
 * No other thread can reach the launcher any more. No launch has the list, because each launch pins
 * the launcher.
 */
static void destroy(void *object)
{
    struct cushim__launcher *launcher = object;
    struct cushim__context *context = launcher->object.context;

    unref(launcher->list);
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

static cushim_status fail_memory(const char *call, size_t n)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for %zu arguments", n);
}

/* Adds copies of all arguments, or of none if one of them is wrong. The list has room for them. */
static cushim_status append(struct cushim__argument_list *list,
                            const struct cushim_argument *arguments, size_t n, const char *call)
{
    struct cushim_argument *place = list->arguments + list->n;

    for (size_t i = 0; i < n; i++) {
        const cushim_status status = copy(&arguments[i], call, &place[i]);

        if (status) {
            drop(place, i);
            return status;
        }
    }
    list->n += n;
    return CUSHIM_OK;
}

/*
 * Makes room for n arguments, and keeps the contents of old, which is freed. NULL when out of
 * memory.
 */
static struct cushim__argument_list *resize(struct cushim__argument_list *old, size_t n)
{
    struct cushim__argument_list *list;
    size_t max = old ? old->max : 8;

    if (n > SIZE_MAX / 4 / sizeof(*list->arguments))
        return NULL;
    while (max < n)
        max *= 2;
    if (old && max == old->max)
        return old;
    list = realloc(old, sizeof(*list) + max * sizeof(*list->arguments));
    if (!list)
        return NULL;
    if (!old)
        *list = (struct cushim__argument_list){.references = 1};
    list->max = max;
    return list;
}

/* Replaces a list that a launch uses by a copy. Under the lock. */
static cushim_status separate(struct cushim__launcher *launcher, size_t n, const char *call)
{
    struct cushim__argument_list *shared = launcher->list, *list = resize(NULL, n);
    cushim_status status;

    if (!list)
        return fail_memory(call, n);
    status = append(list, shared->arguments, shared->n, call);
    if (status) {
        unref(list);
        return status;
    }
    launcher->list = list;
    unref(shared);
    return CUSHIM_OK;
}

/*
 * Prepares the list for a change: no launch uses it, and it has room for n more arguments. Under
 * the lock.
 */
static cushim_status prepare(struct cushim__launcher *launcher, size_t n, const char *call)
{
    struct cushim__argument_list *list = launcher->list;
    const size_t there = list ? list->n : 0;

    if (n > SIZE_MAX - there)
        return fail_memory(call, n);
    if (list && list->references > 1)
        return separate(launcher, there + n, call);
    list = resize(list, there + n);
    if (!list)
        return fail_memory(call, n);
    launcher->list = list;
    return CUSHIM_OK;
}

/* Under the lock. */
static cushim_status push(struct cushim__launcher *launcher,
                          const struct cushim_argument *arguments, size_t n, const char *call)
{
    CUSHIM_TRY(prepare(launcher, n, call));
    return append(launcher->list, arguments, n, call);
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

/* Takes over the argument on success. Under the lock. */
static cushim_status replace(struct cushim__launcher *launcher, size_t index,
                             const struct cushim_argument *argument, const char *call)
{
    struct cushim_argument *place;

    if (!launcher->list || index >= launcher->list->n)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, NULL,
                               "%s: there is no argument %zu yet", call, index);
    CUSHIM_TRY(prepare(launcher, 0, call));
    place = &launcher->list->arguments[index];
    drop(place, 1);
    *place = *argument;
    return CUSHIM_OK;
}

cushim_status cushim__launcher_set(struct cushim__launcher *launcher, size_t index,
                                   const struct cushim_argument *argument, const char *call)
{
    struct cushim_argument new_one;
    cushim_status status;

    /* The copy is made before the lock is taken, because it may take long. */
    CUSHIM_TRY(copy(argument, call, &new_one));
    pthread_mutex_lock(&launcher->lock);
    status = replace(launcher, index, &new_one, call);
    pthread_mutex_unlock(&launcher->lock);
    if (status)
        drop(&new_one, 1);
    return status;
}

/*
 * A list that a launch uses must not change, so the launcher drops it. Otherwise its memory is kept
 * for the next arguments.
 */
void cushim__launcher_clear(struct cushim__launcher *launcher)
{
    struct cushim__argument_list *list;

    pthread_mutex_lock(&launcher->lock);
    list = launcher->list;
    if (list && list->references == 1) {
        drop(list->arguments, list->n);
        list->n = 0;
    } else {
        unref(list);
        launcher->list = NULL;
    }
    pthread_mutex_unlock(&launcher->lock);
}

struct cushim__argument_list *cushim__launcher_take(struct cushim__launcher *launcher)
{
    struct cushim__argument_list *list;

    pthread_mutex_lock(&launcher->lock);
    list = launcher->list;
    if (list)
        list->references++;
    pthread_mutex_unlock(&launcher->lock);
    return list;
}

void cushim__launcher_give(struct cushim__launcher *launcher, struct cushim__argument_list *list)
{
    pthread_mutex_lock(&launcher->lock);
    unref(list);
    pthread_mutex_unlock(&launcher->lock);
}
