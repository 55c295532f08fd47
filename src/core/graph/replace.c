/* SPDX-License-Identifier: MIT */
/* Memory in the place of other memory, everywhere in a graph. */
#include <stdlib.h>
#include <string.h>

#include "core/graph/change.h"
#include "core/graph/paths.h"
#include "core/graph/setter.h"
#include "core/graph/update.h"

struct replacement {
    struct cushim__access old, by; /* of the whole slices */
    CUdeviceptr old_address, by_address;
    void **rooms; /* memory of the changes */
    size_t n_rooms;
};

static cushim_status fail_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory to change the graph", scope->call);
}

/* --- uses --- */

static bool is_inside(const struct replacement *r, const struct cushim__access *access)
{
    return access->buffer == r->old.buffer && access->begin >= r->old.begin &&
           access->end <= r->old.end;
}

static bool overlaps(const struct replacement *r, const struct cushim__access *access)
{
    return access->buffer == r->old.buffer && access->begin < r->old.end &&
           access->end > r->old.begin;
}

/* Tells whether a work uses the old memory, and fails with a reason if it also uses more. */
static bool uses(const struct replacement *r, const struct cushim__recording *recording,
                 unsigned number, struct cushim__reasons *reasons)
{
    const struct cushim__recorded *work = &recording->works[number];
    bool found = false;

    for (size_t i = 0; i < work->n_accesses; i++) {
        const struct cushim__access *access = &recording->accesses[work->first_access + i];

        found |= is_inside(r, access);
        if (!overlaps(r, access) || is_inside(r, access))
            continue;
        cushim__reasons_add(reasons, recording, number,
                            "it uses memory inside and outside of the slice as one");
        return false;
    }
    return found;
}

/* --- new parameters --- */

static void *take_room(struct replacement *r, size_t bytes)
{
    void *room = malloc(bytes + 1);

    if (room)
        r->rooms[r->n_rooms++] = room;
    return room;
}

static void move(const struct replacement *r, CUdeviceptr *address)
{
    if (*address - r->old_address < r->old.end - r->old.begin)
        *address += r->by_address - r->old_address;
}

/* The values belong to the node, so the changed ones get memory of their own. */
static bool move_arguments(struct replacement *r, const struct cushim__recorded_about *about,
                           struct cushim__cu_kernel_node *kernel)
{
    const size_t n = about->n_arguments;
    CUdeviceptr *addresses = take_room(r, n * sizeof(*addresses));
    void **values = addresses ? take_room(r, n * sizeof(*values)) : NULL;

    if (!values)
        return false;
    for (size_t i = 0; i < n; i++) {
        values[i] = kernel->values[i];
        if (!about->in_memory[i])
            continue;
        memcpy(&addresses[i], values[i], sizeof(*addresses));
        move(r, &addresses[i]);
        values[i] = &addresses[i];
    }
    kernel->values = values;
    return true;
}

static void move_end(const struct replacement *r, struct cushim__cu_end *end)
{
    if (end->memory != CU_MEMORYTYPE_HOST)
        move(r, &end->device);
}

static bool move_params(struct replacement *r, const struct cushim__recorded *work,
                        struct cushim__node_params *params)
{
    if (params->kind == CU_GRAPH_NODE_TYPE_KERNEL)
        return move_arguments(r, &work->about, &params->kernel);
    if (params->kind == CU_GRAPH_NODE_TYPE_MEMSET)
        move(r, &params->fill.address);
    if (params->kind == CU_GRAPH_NODE_TYPE_MEMCPY) {
        move_end(r, &params->copy.from);
        move_end(r, &params->copy.to);
    }
    return true;
}

/* A variable stands for the code of its module, too. False when out of memory. */
static bool move_accesses(struct replacement *r, const struct cushim__recording *recording,
                          const struct cushim__recorded *work, struct cushim__node_change *change)
{
    struct cushim__buffer *code = r->by.buffer->code;
    const size_t n = work->n_accesses;
    struct cushim__access *accesses = take_room(r, (n + 1) * sizeof(*accesses));

    if (!accesses)
        return false;
    for (size_t i = 0; i < n; i++) {
        accesses[i] = recording->accesses[work->first_access + i];
        if (!is_inside(r, &accesses[i]))
            continue;
        accesses[i].buffer = r->by.buffer;
        accesses[i].begin += r->by.begin - r->old.begin;
        accesses[i].end += r->by.begin - r->old.begin;
    }
    if (code)
        accesses[n] = (struct cushim__access){code, 0, 1, true};
    change->accesses = accesses;
    change->n_accesses = n + (code != NULL);
    return true;
}

/* Tells whether a use of the new memory conflicts with another use by the same work. */
static bool overlaps_itself(const struct replacement *r, const struct cushim__recording *recording,
                            const struct cushim__recorded *work,
                            const struct cushim__node_change *change)
{
    const struct cushim__access *uses = cushim__recorded_accesses(recording, work);

    for (size_t i = 0; i < work->n_accesses; i++)
        for (size_t k = 0; is_inside(r, &uses[i]) && k < work->n_accesses; k++)
            if (!is_inside(r, &uses[k]) &&
                cushim__accesses_conflict(&change->accesses[i], &uses[k]))
                return true;
    return false;
}

/* False when out of memory. */
static bool change_work(const struct cushim__scope *scope, struct replacement *r,
                        const struct cushim__recording *recording,
                        struct cushim__node_change *change, struct cushim__reasons *reasons)
{
    const struct cushim__recorded *work = &recording->works[change->number];
    const char *why;
    int result = 0;

    if (!move_accesses(r, recording, work, change))
        return false;
    why = cushim__is_setter(work) ? NULL : cushim__why_fixed(work);
    if (!why)
        result =
            cushim__node_params_get(scope, recording->nodes[work->first_node], &change->params);
    if (why)
        cushim__reasons_add(reasons, recording, change->number, "%s, and cannot be changed", why);
    else if (!result && !cushim__node_kind_changes(change->params.kind))
        cushim__reasons_add(reasons, recording, change->number,
                            "it uses the slice, and %s cannot be changed",
                            cushim__node_kind_words(change->params.kind));
    else if (result)
        cushim__reasons_add(reasons, recording, change->number, "the driver answers %d %s", result,
                            cushim__status_name(result));
    else if (overlaps_itself(r, recording, work, change))
        cushim__reasons_add(reasons, recording, change->number,
                            "it would use the same memory twice, and write it");
    else
        return move_params(r, work, &change->params);
    return true;
}

/* --- all of it --- */

/* Under the lock of the graph. */
static cushim_status replace(struct cushim__change *change, struct replacement *r)
{
    const struct cushim__recording *recording = change->graph->recording;
    struct cushim__reasons reasons = {0};

    for (unsigned i = 0; i < recording->n_works; i++) {
        if (!uses(r, recording, i, &reasons))
            continue;
        change->nodes[change->n].number = i;
        if (!change_work(change->scope, r, recording, &change->nodes[change->n++], &reasons))
            return fail_memory(change->scope);
    }
    if (reasons.n)
        return cushim__reasons_fail(change->scope, &reasons);
    if (!change->n)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, change->scope->call,
                               change->scope->label, "%s: no node of the graph uses the old slice",
                               change->scope->call);
    CUSHIM_TRY(cushim__change_make(change, &reasons));
    change->graph->version++;
    return CUSHIM_OK;
}

static cushim_status replace_in(struct cushim__change *change, struct replacement *r)
{
    const size_t n = change->graph->recording->n_works;
    SCOPED_FREE void *nodes = calloc(n + 1, sizeof(*change->nodes));
    cushim_status status;

    /* Each work has up to three: its accesses, its values and their addresses. */
    r->rooms = calloc(3 * n + 1, sizeof(*r->rooms));
    change->nodes = nodes;
    status = nodes && r->rooms ? replace(change, r) : fail_memory(change->scope);
    for (size_t i = 0; i < r->n_rooms; i++)
        free(r->rooms[i]);
    free(r->rooms);
    return status;
}

static cushim_status check_sizes(const struct cushim__scope *scope, const struct replacement *r)
{
    const size_t old = r->old.end - r->old.begin, by = r->by.end - r->by.begin;

    if (old == by && old)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: the old slice has %zu bytes, and the new one %zu; they must have "
                           "the same number, and not 0",
                           scope->call, old, by);
}

cushim_status cushim__graph_replace(const struct cushim__scope *scope, struct cushim__graph *graph,
                                    const struct cushim__resolved_view *old,
                                    const struct cushim__resolved_view *by)
{
    struct cushim__change change = {.scope = scope, .graph = graph};
    struct replacement r = {.old = cushim__span_access(old, true),
                            .by = cushim__span_access(by, true),
                            .old_address = cushim__span_address(old),
                            .by_address = cushim__span_address(by)};
    cushim_status status;

    CUSHIM_TRY(cushim__graph_check_ready(scope, graph));
    CUSHIM_TRY(check_sizes(scope, &r));
    if (r.by.buffer->recording)
        return cushim__fail_other_recording(scope, r.by.buffer);
    cushim__mutex_lock(&graph->lock);
    status = replace_in(&change, &r);
    cushim__mutex_unlock(&graph->lock);
    cushim__recording_free(change.before);
    return status;
}
