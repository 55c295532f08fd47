/* SPDX-License-Identifier: MIT */
#include "core/graph/change.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/graph/paths.h"
#include "core/graph/setter.h"
#include "core/order/recording_works.h"

/* --- reasons --- */

void cushim__reasons_add(struct cushim__reasons *reasons, const struct cushim__recording *recording,
                         unsigned number, const char *format, ...)
{
    const size_t used = strlen(reasons->text);
    char words[CUSHIM__WORK_WORDS], reason[300];
    va_list list;

    reasons->n++;
    cushim__work_words(recording, number, words);
    va_start(list, format);
    vsnprintf(reason, sizeof(reason), format, list);
    va_end(list);
    if (used + strlen(words) + strlen(reason) + 5 < sizeof(reasons->text))
        snprintf(&reasons->text[used], sizeof(reasons->text) - used, "%s%s: %s", used ? "; " : "",
                 words, reason);
}

cushim_status cushim__reasons_fail(const struct cushim__scope *scope,
                                   const struct cushim__reasons *reasons)
{
    return cushim__fail_at(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, scope->call, scope->label,
                           "%s: the graph stays as it was, because %zu of its nodes cannot be "
                           "changed: %s",
                           scope->call, reasons->n, reasons->text);
}

const char *cushim__why_fixed(const struct cushim__recorded *work)
{
    if (!work->own && !work->about.several)
        return "it has no node of its own: the program submits it itself, or it failed";
    if (work->about.several)
        return "it takes several nodes of the driver, as launches that are timed and some fills do";
    if (cushim__is_setter(work))
        return "it sets the value of a conditional node";
    return NULL;
}

static cushim_status fail_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory to change the graph", scope->call);
}

/* --- the memory that the graph will use --- */

#define NOBODY UINT32_MAX

struct memory {
    struct cushim__node_change **changed; /* for each work of the graph its change, or NULL */
    unsigned char *moved;            /* for each work whether it uses other memory than before */
    unsigned *beside;                /* for each of these a work that may run at the same time */
    struct cushim__demands demands;  /* what the new memory demands */
    struct cushim__access *accesses; /* of all works, one after another */
    size_t n_accesses;
    struct cushim__recording *cover; /* holds the buffers, and works of which nothing is known */
    struct cushim__access *list;     /* what a launch uses */
    size_t n_list;
};

static const struct cushim__access *accesses_of(const struct cushim__recording *recording,
                                                const struct memory *m, unsigned number,
                                                size_t *ret_n)
{
    const struct cushim__recorded *work = &recording->works[number];

    if (m->changed[number]) {
        *ret_n = m->changed[number]->n_accesses;
        return m->changed[number]->accesses;
    }
    *ret_n = work->n_accesses;
    return cushim__recorded_accesses(recording, work);
}

static bool same_access(const struct cushim__access *a, const struct cushim__access *b)
{
    return a->buffer == b->buffer && a->begin == b->begin && a->end == b->end &&
           a->write == b->write;
}

static bool same_memory(const struct cushim__recording *recording,
                        const struct cushim__node_change *node)
{
    const struct cushim__recorded *work = &recording->works[node->number];

    if (work->n_accesses != node->n_accesses)
        return false;
    for (size_t i = 0; i < node->n_accesses; i++)
        if (!same_access(&recording->accesses[work->first_access + i], &node->accesses[i]))
            return false;
    return true;
}

/* --- who would use memory at the same time --- */

/* Notes for a work with other memory the first work that it is not kept apart from. */
static void note_conflict(const struct memory *m, unsigned number, unsigned other)
{
    if (m->moved[number] && other < m->beside[number])
        m->beside[number] = other;
}

/* Finds what the edges of the graph do not keep apart. False when out of memory. */
static bool check_order(const struct cushim__change *change, struct memory *m,
                        struct cushim__reasons *reasons)
{
    const struct cushim__recording *recording = change->graph->recording;
    char words[CUSHIM__WORK_WORDS];

    if (!cushim__demands_check(&m->demands, recording))
        return false;
    for (size_t i = 0; i < m->demands.n; i++) {
        const struct cushim__demand *demand = &m->demands.items[i];

        note_conflict(m, demand->before, demand->after);
        note_conflict(m, demand->after, demand->before);
    }
    for (size_t i = 0; i < change->n; i++) {
        const unsigned number = change->nodes[i].number;

        if (m->beside[number] == NOBODY)
            continue;
        cushim__work_words(recording, m->beside[number], words);
        cushim__reasons_add(
            reasons, recording, number,
            "it would use memory at the same time as %s, and one of them writes it: "
            "an update adds no edge",
            words);
    }
    return true;
}

/* What a work of the graph must come after, unless both are as they were. */
static bool demand(struct memory *m, unsigned number)
{
    const struct cushim__numbers *found = &m->cover->found;

    for (size_t i = 0; i < found->n; i++)
        if ((m->moved[number] || m->moved[found->items[i]]) &&
            !cushim__demands_add(&m->demands, found->items[i], number))
            return false;
    return true;
}

/* Uses the memory of a work as if the work was recorded now. False when out of memory. */
static bool use_again(struct memory *m, unsigned number, const struct cushim__access *accesses,
                      size_t n)
{
    cushim__search_begin(m->cover);
    for (size_t i = 0; i < n; i++)
        if (!cushim__recorded_memory_find(m->cover, &accesses[i]))
            return false;
    m->cover->n_works++;
    for (size_t i = 0; i < n; i++) {
        cushim__recorded_memory_note(m->cover, &accesses[i]);
        m->accesses[m->n_accesses++] = accesses[i];
    }
    return demand(m, number);
}

static bool cover(struct memory *m, const struct cushim__recording *recording)
{
    size_t n;

    m->cover->works = calloc(recording->n_works + 1, sizeof(*m->cover->works));
    if (!m->cover->works)
        return false;
    for (unsigned i = 0; i < recording->n_works; i++) {
        const struct cushim__access *accesses = accesses_of(recording, m, i, &n);

        if (!use_again(m, i, accesses, n))
            return false;
    }
    m->list = cushim__recorded_memory_list(m->cover, &m->n_list);
    return m->list != NULL;
}

static size_t count_accesses(const struct memory *m, const struct cushim__recording *recording)
{
    size_t all = 0, n;

    for (unsigned i = 0; i < recording->n_works; i++) {
        accesses_of(recording, m, i, &n);
        all += n;
    }
    return all;
}

static void free_memory(struct memory *m)
{
    free(m->changed);
    free(m->moved);
    free(m->beside);
    free(m->demands.items);
    free(m->accesses);
    free(m->list);
}

static void note_changes(const struct cushim__change *change, struct memory *m)
{
    const struct cushim__recording *recording = change->graph->recording;

    for (size_t i = 0; i < recording->n_works; i++)
        m->beside[i] = NOBODY;
    for (size_t i = 0; i < change->n; i++) {
        struct cushim__node_change *node = &change->nodes[i];

        m->changed[node->number] = node;
        m->moved[node->number] = !change->is_ordered && !same_memory(recording, node);
    }
}

/* Finds what the graph will use, and what of that has no order. */
static bool find_memory(const struct cushim__change *change, struct memory *m,
                        struct cushim__reasons *reasons)
{
    const struct cushim__recording *recording = change->graph->recording;
    const size_t n = recording->n_works + 1;

    m->changed = calloc(n, sizeof(*m->changed));
    m->moved = calloc(n, sizeof(*m->moved));
    m->beside = malloc(n * sizeof(*m->beside));
    m->cover = calloc(1, sizeof(*m->cover));
    if (!m->changed || !m->moved || !m->beside || !m->cover)
        return false;
    note_changes(change, m);
    m->accesses = calloc(count_accesses(m, recording) + 1, sizeof(*m->accesses));
    return m->accesses && cover(m, recording) && check_order(change, m, reasons);
}

static bool all_same(const struct cushim__change *change)
{
    for (size_t i = 0; i < change->n; i++)
        if (!same_memory(change->graph->recording, &change->nodes[i]))
            return false;
    return true;
}

/* --- the driver --- */

static CUgraphNode node_of(const struct cushim__recording *recording, unsigned number)
{
    return recording->nodes[recording->works[number].first_node];
}

static void refuse(const struct cushim__recording *recording, unsigned number, int result,
                   struct cushim__reasons *reasons)
{
    cushim__reasons_add(reasons, recording, number, "the driver answers %d %s", result,
                        cushim__status_name(result));
}

/* Gives the graph that is launched the parameters back that the other one still has. */
static void set_back(const struct cushim__change *change, size_t n, const unsigned char *is_set)
{
    const struct cushim__graph *graph = change->graph;
    struct cushim__node_params params;

    for (size_t i = 0; i < n; i++) {
        const CUgraphNode node = node_of(graph->recording, change->nodes[i].number);

        if (is_set[i] && !cushim__node_params_get(change->scope, node, &params))
            cushim__node_params_set_exec(change->scope, graph->exec, node, &params);
    }
}

/* The graph that is launched comes first: the driver checks all that it cannot change there. */
static void set_all(const struct cushim__change *change, unsigned char *is_set,
                    struct cushim__reasons *reasons)
{
    struct cushim__graph *graph = change->graph;
    const size_t before = reasons->n;

    for (size_t i = 0; i < change->n; i++) {
        const struct cushim__node_change *node = &change->nodes[i];
        const int result = cushim__node_params_set_exec(
            change->scope, graph->exec, node_of(graph->recording, node->number), &node->params);

        if (result)
            refuse(graph->recording, node->number, result, reasons);
        is_set[i] = !result;
    }
    if (reasons->n != before) {
        set_back(change, change->n, is_set);
        return;
    }
    for (size_t i = 0; i < change->n; i++)
        if (cushim__node_params_set(change->scope,
                                    node_of(graph->recording, change->nodes[i].number),
                                    &change->nodes[i].params))
            graph->differs = true;
}

/* --- all of it --- */

/* Cannot fail. */
static void use(struct cushim__change *change, struct memory *m)
{
    struct cushim__graph *graph = change->graph;
    struct cushim__recording *recording = graph->recording;
    const struct cushim__tree tree = recording->memory;
    size_t first = 0, n;

    for (unsigned i = 0; i < recording->n_works; i++) {
        accesses_of(recording, m, i, &n);
        recording->works[i].first_access = first;
        recording->works[i].n_accesses = n;
        first += n;
    }
    recording->memory = m->cover->memory;
    m->cover->memory = tree;
    change->before = TAKE_PTR(m->cover);
    free(recording->accesses);
    recording->accesses = TAKE_PTR(m->accesses);
    recording->n_accesses = recording->max_accesses = m->n_accesses;
    free(graph->accesses);
    graph->accesses = TAKE_PTR(m->list);
    graph->accesses[m->n_list] = (struct cushim__access){graph->launches, 0, 1, false};
    graph->n = m->n_list + 1;
}

static cushim_status set(const struct cushim__change *change, struct cushim__reasons *reasons)
{
    SCOPED_FREE void *is_set = calloc(change->n + 1, 1);

    if (!is_set)
        return fail_memory(change->scope);
    if (!reasons->n)
        set_all(change, is_set, reasons);
    return reasons->n ? cushim__reasons_fail(change->scope, reasons) : CUSHIM_OK;
}

/* What the driver knows of the nodes is not what is launched, so nothing could be given back. */
static cushim_status fail_differs(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, scope->call, scope->label,
                           "%s: the graph stays as it was: the driver has failed in the midst of "
                           "an earlier change, so it must be recorded anew",
                           scope->call);
}

cushim_status cushim__change_make(struct cushim__change *change, struct cushim__reasons *reasons)
{
    struct memory m = {0};
    cushim_status status = CUSHIM_OK;

    if (change->graph->differs)
        return fail_differs(change->scope);
    if (reasons->n || all_same(change))
        return set(change, reasons);
    if (!find_memory(change, &m, reasons))
        status = fail_memory(change->scope);
    if (!status)
        status = set(change, reasons);
    if (!status)
        use(change, &m);
    else
        change->before = TAKE_PTR(m.cover);
    free_memory(&m);
    return status;
}
