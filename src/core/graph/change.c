/* SPDX-License-Identifier: MIT */
#include "core/graph/change.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/graph/condition.h"
#include "core/graph/paths.h"
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

struct memory {
    struct cushim__node_change **changed; /* for each work of the graph its change, or NULL */
    unsigned char *paths;
    struct cushim__access *accesses; /* of all works, one after another */
    size_t n_accesses;
    struct cushim__recording *cover; /* holds the buffers */
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

static bool conflict(const struct cushim__recording *recording, const struct memory *m, unsigned a,
                     unsigned b)
{
    size_t n_a, n_b;
    const struct cushim__access *of_a = accesses_of(recording, m, a, &n_a);
    const struct cushim__access *of_b = accesses_of(recording, m, b, &n_b);

    for (size_t i = 0; i < n_a; i++)
        for (size_t k = 0; k < n_b; k++)
            if (cushim__accesses_conflict(&of_a[i], &of_b[k]))
                return true;
    return false;
}

/* Looks for work that uses the node's new memory and may run at the same time. */
static void check_order(const struct cushim__recording *recording, const struct memory *m,
                        unsigned number, struct cushim__reasons *reasons)
{
    char words[CUSHIM__WORK_WORDS];

    cushim__paths_find(recording, number, m->paths);
    for (unsigned other = 0; other < recording->n_works; other++) {
        if (m->paths[other] || !conflict(recording, m, number, other))
            continue;
        cushim__work_words(recording, other, words);
        cushim__reasons_add(
            reasons, recording, number,
            "it would use memory at the same time as %s, and one of them writes it: "
            "an update adds no edge",
            words);
        return;
    }
}

static bool cover(struct memory *m, const struct cushim__recording *recording)
{
    size_t n;

    for (unsigned i = 0; i < recording->n_works; i++) {
        const struct cushim__access *accesses = accesses_of(recording, m, i, &n);

        for (size_t k = 0; k < n; k++) {
            if (!cushim__recorded_memory_cover(m->cover, &accesses[k]))
                return false;
            m->accesses[m->n_accesses++] = accesses[k];
        }
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
    free(m->paths);
    free(m->accesses);
    free(m->list);
}

/* Finds what the graph will use, and what of that has no order. */
static bool find_memory(const struct cushim__change *change, struct memory *m,
                        struct cushim__reasons *reasons)
{
    const struct cushim__recording *recording = change->graph->recording;

    m->changed = calloc(recording->n_works + 1, sizeof(*m->changed));
    m->paths = malloc(recording->n_works + 1);
    m->cover = calloc(1, sizeof(*m->cover));
    if (!m->changed || !m->paths || !m->cover)
        return false;
    for (size_t i = 0; i < change->n; i++)
        m->changed[change->nodes[i].number] = &change->nodes[i];
    m->accesses = calloc(count_accesses(m, recording) + 1, sizeof(*m->accesses));
    if (!m->accesses || !cover(m, recording))
        return false;
    for (size_t i = 0; i < change->n && !change->is_ordered; i++)
        if (!same_memory(recording, &change->nodes[i]))
            check_order(recording, m, change->nodes[i].number, reasons);
    return true;
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
