/* SPDX-License-Identifier: MIT */
/* Logs objects that are not freed yet when the last handle of their driver is closed. */
#include "base/log.h"
#include "core/object/context.h"
#include "core/object/handle_words.h"

struct report {
    cushim__entry *const *table;
    bool is_open; /* another handle of the driver is still open */
};

static void find_driver(const struct cushim__open_handle *handle, void *user)
{
    struct report *r = user;

    if (handle->kind == CUSHIM__HANDLE_DRIVER)
        r->is_open |= ((const struct cushim__driver *) handle->object)->table == r->table;
}

/* What a parent keeps, such as the default stream, may have further handles of the program. */
static void tell(const struct cushim__open_handle *handle, void *user)
{
    const struct report *r = user;
    struct cushim__object *o = handle->object;
    const char *label;

    if (handle->kind < CUSHIM__HANDLE_CONTEXT || !o->context || o->context->table != r->table ||
        (o->kept_by_parent && !handle->retained))
        return;
    label = cushim__object_label(o);
    cushim__log(CUSHIM_LOG_WARNING, "not freed before its driver was closed: %s%s%s%s%s%s%s%s%s",
                handle->retained ? "another handle of " : "",
                handle->retained ? cushim__handle_article(handle->kind) : "",
                handle->retained ? " " : "", cushim__handle_noun(handle->kind), *label ? " '" : "",
                label, *label ? "'" : "", *handle->made ? ", made by " : "", handle->made);
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
