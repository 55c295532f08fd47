/* SPDX-License-Identifier: MIT */
#include "core/memory/access_window.h"

static cushim_status check_access(const struct cushim__window_place *place, const char *what,
                                  int value, int last)
{
    if (value >= 0 && value <= last)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, place->call, place->label,
                           "%s: %s->%s is %d, it must be from 0 to %d", place->name, place->field,
                           what, value, last);
}

cushim_status cushim__window_check(const struct cushim_access_window *window,
                                   const struct cushim__window_place *place)
{
    /* A NaN is neither. */
    if (!(window->hit_ratio >= 0 && window->hit_ratio <= 1))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, place->call, place->label,
                               "%s: %s has a hit_ratio of %g, it must be from 0 to 1", place->name,
                               place->field, (double) window->hit_ratio);
    CUSHIM_TRY(check_access(place, "hit", (int) window->hit, CUSHIM_ACCESS_PERSISTING));
    return check_access(place, "miss", (int) window->miss, CUSHIM_ACCESS_STREAMING);
}

cushim_status cushim__window_pin(const struct cushim__scope *scope,
                                 const struct cushim_access_window *window,
                                 struct cushim__resolved_view *ret_span,
                                 union cushim__cu_attribute_value *ret_value)
{
    struct cushim__resolved_view span;

    CUSHIM_TRY(cushim__span_pin(window->view, scope->call, &span));
    if (span.slice->object.context != scope->context) {
        cushim__span_unpin(&span);
        return cushim__fail_foreign(scope, "access window");
    }
    ret_value->window.base = (void *) (uintptr_t) cushim__span_address(&span);
    ret_value->window.bytes = span.end - span.begin;
    ret_value->window.hit_ratio = window->hit_ratio;
    ret_value->window.hit = (int) window->hit;
    ret_value->window.miss = (int) window->miss;
    *ret_span = span;
    return CUSHIM_OK;
}
