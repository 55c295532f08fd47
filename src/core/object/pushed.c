/* SPDX-License-Identifier: MIT */
#include "core/object/pushed.h"

#include <pthread.h>
#include <stdlib.h>

#include "loader/library.h"

struct cushim__pushed {
    struct cushim__pushed *next;
    struct cushim__context *context;
};

/* The last entry of each thread. */
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int no_key;

/*
 * Called at the end of a thread, whose stack ends with it. What was pushed before a fork() stays in
 * the child, which must not call the driver.
 */
static void drop_all(void *last)
{
    struct cushim__pushed *pushed = last, *next;

    for (; pushed; pushed = next) {
        next = pushed->next;
        if (!cushim__library_is_parents(pushed->context->driver->library))
            cushim__pushed_drop(pushed);
    }
}

static void make_key(void)
{
    no_key = pthread_key_create(&key, drop_all);
}

struct cushim__pushed *cushim__pushed_new(struct cushim__context *context)
{
    struct cushim__pushed *pushed = malloc(sizeof(*pushed));

    pthread_once(&once, make_key);
    /* Setting what is there makes sure that there is room for it. */
    if (!pushed || no_key || pthread_setspecific(key, pthread_getspecific(key))) {
        free(pushed);
        return NULL;
    }
    cushim__context_ref(context);
    *pushed = (struct cushim__pushed){.context = context};
    return pushed;
}

void cushim__pushed_drop(struct cushim__pushed *pushed)
{
    cushim__context_unref(pushed->context);
    free(pushed);
}

void cushim__pushed_add(struct cushim__pushed *pushed)
{
    pushed->next = pthread_getspecific(key);
    pthread_setspecific(key, pushed);
}

static bool is_of(const struct cushim__pushed *pushed, const struct cushim__library *library,
                  CUcontext cu)
{
    return pushed->context->cu == cu && pushed->context->driver->library == library;
}

void cushim__pushed_remove(const struct cushim__library *library, CUcontext cu)
{
    struct cushim__pushed *last, *found, **link = &last;

    pthread_once(&once, make_key);
    if (no_key)
        return;
    last = pthread_getspecific(key);
    while (*link && !is_of(*link, library, cu))
        link = &(*link)->next;
    found = *link;
    if (!found)
        return;
    *link = found->next;
    pthread_setspecific(key, last);
    cushim__pushed_drop(found);
}
