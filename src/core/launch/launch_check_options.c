/* SPDX-License-Identifier: MIT */
/*
 * Checks the options of a launch. A driver would return only a number for a wrong value, so the
 * texts here name the field and the value.
 */
#include "core/launch/launch.h"
#include "core/memory/access_window.h"

#define FAIL(launch, ...)                                                                          \
    cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, (launch)->scope->call,                          \
                    (launch)->function->name, __VA_ARGS__)

/* Checks a number of an enumeration that begins with 0. */
static cushim_status check_enum(const struct cushim__launch *launch, const char *field, int value,
                                int last)
{
    if (value >= 0 && value <= last)
        return CUSHIM_OK;
    return FAIL(launch, "%s: .%s is %d, it must be from 0 to %d", launch->function->name, field,
                value, last);
}

/* The size with a zero that means 1. */
static unsigned blocks(unsigned size)
{
    return size ? size : 1;
}

static cushim_status check_has_x(const struct cushim__launch *launch, const char *field,
                                 const unsigned *size)
{
    if (size[0] || (!size[1] && !size[2]))
        return CUSHIM_OK;
    return FAIL(launch, "%s: .%s is 0 x %u x %u, x must not be 0", launch->function->name, field,
                size[1], size[2]);
}

/* Checks that a size is a multiple of the cluster, which has an x. */
static cushim_status check_multiple(const struct cushim__launch *launch, const char *what,
                                    const unsigned *size, const unsigned *cluster)
{
    for (int i = 0; i < 3; i++)
        if (blocks(size[i]) % blocks(cluster[i]))
            return FAIL(launch, "%s: .cluster is %u x %u x %u, %s of %u x %u x %u is no multiple",
                        launch->function->name, cluster[0], blocks(cluster[1]), blocks(cluster[2]),
                        what, size[0], blocks(size[1]), blocks(size[2]));
    return CUSHIM_OK;
}

static cushim_status check_clusters(const struct cushim__launch *launch,
                                    const struct cushim_launch_options *o)
{
    CUSHIM_TRY(check_has_x(launch, "cluster", o->cluster));
    CUSHIM_TRY(check_has_x(launch, "preferred_cluster", o->preferred_cluster));
    if (o->preferred_cluster[0] && !o->cluster[0] && launch->function->cluster == 1)
        return FAIL(launch,
                    "%s: .preferred_cluster without .cluster, the size that is always possible",
                    launch->function->name);
    if (!o->cluster[0])
        return CUSHIM_OK;
    if (!cushim__launch_is_empty(launch))
        CUSHIM_TRY(check_multiple(launch, "a grid", launch->shape.grid, o->cluster));
    if (!o->preferred_cluster[0])
        return CUSHIM_OK;
    return check_multiple(launch, "a .preferred_cluster", o->preferred_cluster, o->cluster);
}

static cushim_status check_window(const struct cushim__launch *launch,
                                  const struct cushim_access_window *window)
{
    const struct cushim__window_place place = {launch->scope->call, launch->function->name,
                                               launch->function->name, ".access_window"};

    return window ? cushim__window_check(window, &place) : CUSHIM_OK;
}

static cushim_status check_carveout(const struct cushim__launch *launch, const int *percent)
{
    if (!percent || (*percent >= -1 && *percent <= 100))
        return CUSHIM_OK;
    return FAIL(launch, "%s: .shared_carveout is %d, it must be from -1 to 100",
                launch->function->name, *percent);
}

static cushim_status check_event(const struct cushim__launch *launch, const char *field,
                                 const struct cushim_launch_event *event)
{
    if (!event || !event->flags)
        return CUSHIM_OK;
    return FAIL(launch, "%s: .%s has flags %d, they must be 0", launch->function->name, field,
                event->flags);
}

cushim_status cushim__launch_check_options(const struct cushim__launch *launch,
                                           const struct cushim_launch_options *o)
{
    CUSHIM_TRY(check_clusters(launch, o));
    CUSHIM_TRY(check_enum(launch, "cluster_scheduling", (int) o->cluster_scheduling,
                          CUSHIM_CLUSTER_LOAD_BALANCING));
    CUSHIM_TRY(check_enum(launch, "sync_domain", (int) o->sync_domain, CUSHIM_SYNC_DOMAIN_REMOTE));
    CUSHIM_TRY(check_window(launch, o->access_window));
    CUSHIM_TRY(check_carveout(launch, o->shared_carveout));
    CUSHIM_TRY(check_event(launch, "programmatic_event", o->programmatic_event));
    CUSHIM_TRY(check_event(launch, "completion_event", o->completion_event));
    if (o->completion_event && o->completion_event->at_block_start)
        return FAIL(launch,
                    "%s: .completion_event has at_block_start, which is for "
                    ".programmatic_event",
                    launch->function->name);
    if (o->n_attributes && !o->attributes)
        return FAIL(launch, "%s: .attributes is NULL, and .n_attributes is %zu",
                    launch->function->name, o->n_attributes);
    return CUSHIM_OK;
}
