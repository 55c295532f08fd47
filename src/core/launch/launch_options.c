/* SPDX-License-Identifier: MIT */
/*
 * Makes the attributes of cuLaunchKernelEx() from the fields of the options. A field that is zero
 * or NULL makes no attribute, so that older drivers, which do not know it, still accept the launch.
 */
#include <string.h>

#include "base/params.h"
#include "core/launch/launch.h"
#include "core/memory/access_window.h"

#define FAIL(launch, ...)                                                                          \
    cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, (launch)->scope->call,                          \
                    (launch)->function->name, __VA_ARGS__)

cushim_status cushim__launch_config_read(const struct cushim_launch_config *config,
                                         const char *call, struct cushim__launch_config *ret_config)
{
    const struct cushim_launch_options *options;

    CUSHIM_TRY(PARAMS_READ_FOR(call, cushim_launch_config, options, config, &ret_config->config));
    options = ret_config->config.options;
    if (!options)
        return CUSHIM_OK;
    ret_config->config.options = &ret_config->options;
    return PARAMS_READ_FOR(call, cushim_launch_options, n_attributes, options,
                           &ret_config->options);
}

static union cushim__cu_attribute_value *add(struct cushim__launch_attributes *a, int id)
{
    struct cushim__cu_attribute *attribute = &a->list[a->n++];

    memset(attribute, 0, sizeof(*attribute));
    attribute->id = id;
    return &attribute->value;
}

static void add_number(struct cushim__launch_attributes *a, int id, int number)
{
    add(a, id)->number = number;
}

static void add_if(struct cushim__launch_attributes *a, int id, int number)
{
    if (number)
        add_number(a, id, number);
}

static void add_given(struct cushim__launch_attributes *a, int id, const int *number)
{
    if (number)
        add_number(a, id, *number);
}

static void add_dimensions(struct cushim__launch_attributes *a, int id, const unsigned *size)
{
    union cushim__cu_attribute_value *value;

    if (!size[0])
        return;
    value = add(a, id);
    for (int i = 0; i < 3; i++)
        value->dimensions[i] = size[i] ? size[i] : 1;
}

static cushim_status add_event(const struct cushim__launch *launch,
                               struct cushim__launch_attributes *a, int id,
                               const struct cushim_launch_event *given)
{
    union cushim__cu_attribute_value *value;
    struct cushim__event *event;

    if (!given)
        return CUSHIM_OK;
    event = cushim__handle_pin(given->event.id, CUSHIM__HANDLE_EVENT, launch->scope->call);
    if (!event)
        return cushim__error()->status;
    a->pinned[a->n_pinned++] = given->event.id;
    a->events[a->n_events++] = event;
    if (event->object.context != launch->scope->context)
        return cushim__fail_foreign(launch->scope, "event");
    value = add(a, id);
    value->event.event = event->cu;
    value->event.flags = given->flags;
    value->event.at_block_start = given->at_block_start;
    return CUSHIM_OK;
}

static cushim_status add_window(const struct cushim__launch *launch,
                                struct cushim__launch_attributes *a,
                                const struct cushim_access_window *window)
{
    struct cushim__resolved_view span;

    if (!window)
        return CUSHIM_OK;
    CUSHIM_TRY(cushim__window_pin(launch->scope, window, &span,
                                  add(a, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)));
    a->pinned[a->n_pinned++] = span.id;
    return CUSHIM_OK;
}

static void add_domains(struct cushim__launch_attributes *a,
                        const struct cushim_launch_options *options)
{
    const struct cushim_sync_domain_map *map = options->sync_domain_map;
    union cushim__cu_attribute_value *value;

    if (options->sync_domain)
        add_number(a, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, (int) options->sync_domain - 1);
    if (!map)
        return;
    value = add(a, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP);
    value->domains.local = map->local;
    value->domains.remote = map->remote;
}

static cushim_status check_other(const struct cushim__launch *launch,
                                 const struct cushim__launch_attributes *a,
                                 const struct cushim_launch_attribute *attribute)
{
    const size_t most = sizeof(union cushim__cu_attribute_value);

    if (!attribute->value)
        return FAIL(launch, "%s: the value of attribute %d is NULL", launch->function->name,
                    attribute->id);
    if (attribute->bytes > most)
        return FAIL(launch, "%s: attribute %d has %zu bytes, a value has up to %zu",
                    launch->function->name, attribute->id, attribute->bytes, most);
    if (a->n == CUSHIM__LAUNCH_ATTRIBUTES)
        return FAIL(launch, "%s: attribute %d is one too many, a launch has up to %d",
                    launch->function->name, attribute->id, CUSHIM__LAUNCH_ATTRIBUTES);
    return CUSHIM_OK;
}

static cushim_status add_others(const struct cushim__launch *launch,
                                struct cushim__launch_attributes *a,
                                const struct cushim_launch_options *options)
{
    for (size_t i = 0; i < options->n_attributes; i++) {
        const struct cushim_launch_attribute *attribute = &options->attributes[i];

        CUSHIM_TRY(check_other(launch, a, attribute));
        memcpy(add(a, attribute->id), attribute->value, attribute->bytes);
    }
    return CUSHIM_OK;
}

cushim_status cushim__launch_attributes_make(const struct cushim__launch *launch,
                                             const struct cushim_launch_options *o,
                                             struct cushim__launch_attributes *a)
{
    a->n = a->n_pinned = a->n_events = 0;
    CUSHIM_TRY(cushim__launch_check_options(launch, o));
    add_if(a, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, o->cooperative);
    add_dimensions(a, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, o->cluster);
    add_if(a, CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
           (int) o->cluster_scheduling);
    add_dimensions(a, CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, o->preferred_cluster);
    add_if(a, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, o->programmatic_serialization);
    add_given(a, CU_LAUNCH_ATTRIBUTE_PRIORITY, o->priority);
    add_domains(a, o);
    if (o->ret_device_node)
        add(a, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)->node.updatable = 1;
    add_given(a, CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, o->shared_carveout);
    add_if(a, CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING, o->nvlink_centric);
    CUSHIM_TRY(add_event(launch, a, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, o->programmatic_event));
    CUSHIM_TRY(
        add_event(launch, a, CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, o->completion_event));
    CUSHIM_TRY(add_window(launch, a, o->access_window));
    return add_others(launch, a, o);
}

void cushim__launch_attributes_explain(const struct cushim__launch *launch,
                                       const struct cushim__launch_attributes *attributes)
{
    static const struct {
        int id, since;
        const char *field;
    } later[] = {
        {CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, 12000, ".sync_domain_map"},
        {CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, 12000, ".sync_domain"},
        {CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, 12080, ".preferred_cluster"},
        {CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, 12030, ".completion_event"},
        {CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, 12040, ".ret_device_node"},
        {CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 12050, ".shared_carveout"},
        {CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING, 13000, ".nvlink_centric"},
    };
    for (unsigned i = 0; i < attributes->n; i++)
        for (size_t k = 0; k < ARRAY_SIZE(later); k++)
            if (attributes->list[i].id == later[k].id)
                cushim__explain_since(launch->scope->context, later[k].since, later[k].field);
}

void cushim__launch_attributes_finish(struct cushim__launch_attributes *attributes)
{
    for (unsigned i = 0; i < attributes->n_pinned; i++)
        cushim__handle_unpin(attributes->pinned[i]);
}

void cushim__launch_attributes_recorded(const struct cushim__launch_attributes *attributes)
{
    for (unsigned i = 0; i < attributes->n_events; i++) {
        struct cushim__event *event = attributes->events[i];

        cushim__timeline_unref(TAKE_PTR(event->point.timeline));
        event->recordings++;
    }
}

void cushim__launch_attributes_read(const struct cushim__launch_attributes *attributes,
                                    const struct cushim_launch_options *options)
{
    for (unsigned i = 0; options->ret_device_node && i < attributes->n; i++)
        if (attributes->list[i].id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
            *options->ret_device_node = attributes->list[i].value.node.node;
}

struct cushim__cu_launch cushim__launch_describe(const struct cushim__launch *launch,
                                                 struct cushim__launch_attributes *attributes)
{
    struct cushim__cu_launch description = {.stream = launch->stream->cu};

    memcpy(description.grid, launch->shape.grid, sizeof(launch->shape.grid));
    memcpy(description.block, launch->shape.block, sizeof(launch->shape.block));
    description.shared_bytes = (unsigned) launch->config->shared_bytes;
    if (attributes && attributes->n) {
        description.attributes = attributes->list;
        description.n_attributes = attributes->n;
    }
    return description;
}

/* FNV-1a. */
uint64_t cushim__launch_attributes_hash(const struct cushim__launch_attributes *attributes)
{
    const unsigned char *bytes = (const unsigned char *) attributes->list;
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < attributes->n * sizeof(attributes->list[0]); i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return attributes->n ? hash : 0;
}
