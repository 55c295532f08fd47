/* SPDX-License-Identifier: MIT */
/* What is not freed: logged when a driver is closed, or told of the primary context of a device. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "core/object/context.h"
#include "core/object/handle_words.h"

struct report {
    cushim__entry *const *table;
    bool is_open;  /* another handle of the driver is still open */
    bool any_open; /* a handle of any driver is */
};

/* A part of a larger object, such as a stream of a policy, or the driver of the default policy. */
static bool is_part(const struct cushim__open_handle *handle)
{
    return !strcmp(handle->made, CUSHIM__PLACE_KEPT);
}

static void find_driver(const struct cushim__open_handle *handle, void *user)
{
    struct report *r = user;

    if (handle->kind != CUSHIM__HANDLE_DRIVER || is_part(handle))
        return;
    r->any_open = true;
    r->is_open |= ((const struct cushim__driver *) handle->object)->table == r->table;
}

/*
 * The handles that programs have to free. What a parent keeps, such as the default stream, may have
 * further handles of the program.
 */
static bool is_programs(const struct cushim__open_handle *handle)
{
    return handle->kind >= CUSHIM__HANDLE_CONTEXT && !is_part(handle) &&
           (!((const struct cushim__object *) handle->object)->kept_by_parent || handle->retained);
}

/* Writes what a handle is: "stream 'main', made by train.c:88". */
static void describe(const struct cushim__open_handle *handle, bool article, char *text,
                     size_t size)
{
    const char *label = cushim__object_label(handle->object);

    snprintf(text, size, "%s%s%s%s%s%s%s", handle->retained ? "another handle of " : "",
             handle->retained || article ? cushim__handle_a(handle->kind)
                                         : cushim__handle_noun(handle->kind),
             *label ? " '" : "", label, *label ? "'" : "", *handle->made ? ", made by " : "",
             handle->made);
}

/* Operations, policies and futures have no context: they are told with the last driver. */
static void tell(const struct cushim__open_handle *handle, void *user)
{
    const struct report *r = user;
    const struct cushim__object *o = handle->object;
    char text[256];

    if (!is_programs(handle) || (o->context ? o->context->table != r->table : r->any_open))
        return;
    describe(handle, false, text, sizeof(text));
    cushim__log(CUSHIM_LOG_WARNING, "not freed before its driver was closed: %s", text);
}

void cushim__report_leaks(cushim__entry *const *table)
{
    struct report r = {.table = table};

    if (!cushim__log_wants(CUSHIM_LOG_WARNING) || atomic_load(&cushim__forked))
        return;
    cushim__handle_each(find_driver, &r);
    if (!r.is_open)
        cushim__handle_each(tell, &r);
}

/* --- the primary context of a device --- */

struct users {
    const struct cushim__library *library;
    CUdevice device;
    size_t n;
    char *first;
    size_t size;
};

static void count_user(const struct cushim__open_handle *handle, void *user)
{
    const struct cushim__object *o = handle->object;
    struct users *users = user;

    if (!is_programs(handle) || !o->context || o->context->driver->library != users->library ||
        o->context->device != users->device || !atomic_load(&o->context->is_primary))
        return;
    if (!users->n++)
        describe(handle, true, users->first, users->size);
}

size_t cushim__primary_users(const struct cushim__library *library, int device, char *first,
                             size_t size)
{
    struct users users = {library, device, 0, first, size};

    cushim__handle_each(count_user, &users);
    return users.n;
}
