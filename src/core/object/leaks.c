/* SPDX-License-Identifier: MIT */
/* Logs objects that are not freed yet when the last handle of their driver is closed. */
#include "base/log.h"
#include "core/object/context.h"

struct report {
    cushim__entry *const *table;
    bool is_open; /* another handle of the driver is still open */
};

static void find_driver(enum cushim__handle_kind kind, void *object, const char *made, void *user)
{
    struct report *r = user;

    (void) made;
    if (kind == CUSHIM__HANDLE_DRIVER)
        r->is_open |= ((const struct cushim__driver *) object)->table == r->table;
}

static void tell(enum cushim__handle_kind kind, void *object, const char *made, void *user)
{
    const struct report *r = user;
    struct cushim__object *o = object;
    const char *label;

    if (kind < CUSHIM__HANDLE_CONTEXT || o->context->table != r->table || o->kept_by_parent)
        return;
    label = cushim__object_label(o);
    cushim__log(CUSHIM_LOG_WARNING, "not freed before its driver was closed: %s%s%s%s%s%s",
                cushim__handle_noun(kind), *label ? " '" : "", label, *label ? "'" : "",
                *made ? ", made by " : "", made);
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
