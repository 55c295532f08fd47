/* SPDX-License-Identifier: MIT */
/* Recorded works that the program names: the order by hand. */
#include <cushim/node.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/order/recording_works.h"

static cushim_status fail_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory to record", scope->call);
}

static cushim_status fail_not_recording(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: the stream records for no graph, see cushim_capture_begin()",
                           scope->call);
}

void cushim__work_words(const struct cushim__recording *recording, unsigned number,
                        char words[CUSHIM__WORK_WORDS])
{
    const char *name = recording->works[number].about.name;

    if (name)
        snprintf(words, CUSHIM__WORK_WORDS, "node %u, the launch of '%.60s'", number, name);
    else
        snprintf(words, CUSHIM__WORK_WORDS, "node %u", number);
}

/* --- what the next work comes after --- */

static cushim_status check_node(const struct cushim__scope *scope,
                                const struct cushim__recording *recording,
                                const struct cushim_node *node, size_t index)
{
    if (node->recording == recording->id && node->number < recording->n_works)
        return CUSHIM_OK;
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: nodes[%zu] is not of this recording; cushim_capture_node() returns "
                           "the node of recorded work",
                           scope->call, index);
}

/* Under the stream lock. */
static cushim_status after(const struct cushim__scope *scope, struct cushim__branch *branch,
                           const struct cushim_node *nodes, size_t n)
{
    struct cushim__numbers *given;

    if (!branch)
        return fail_not_recording(scope);
    for (size_t i = 0; i < n; i++)
        CUSHIM_TRY(check_node(scope, branch->recording, &nodes[i], i));
    given = &branch->given;
    if (!cushim__numbers_reserve(given, given->n + n))
        return fail_memory(scope);
    for (size_t i = 0; i < n; i++)
        given->items[given->n++] = (unsigned) nodes[i].number;
    return CUSHIM_OK;
}

cushim_status cushim__recording_after(const struct cushim__scope *scope,
                                      struct cushim__timeline *timeline,
                                      const struct cushim_node *nodes, size_t n)
{
    cushim_status status;

    cushim__timeline_lock(timeline);
    status = after(scope, timeline->branch, nodes, n);
    cushim__timeline_unlock(timeline);
    return status;
}

static cushim_status fail_order(const struct cushim__scope *scope,
                                const struct cushim__recording *recording, unsigned number)
{
    char words[CUSHIM__WORK_WORDS];

    cushim__work_words(recording, number, words);
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           "%s: this must come after %s: both use the same memory, and one of them "
                           "writes it; name the node, or one that comes after it, in "
                           "cushim_capture_after()",
                           scope->call, words);
}

static unsigned smallest_of(const unsigned *numbers, size_t n)
{
    unsigned smallest = numbers[0];

    for (size_t i = 1; i < n; i++)
        if (numbers[i] < smallest)
            smallest = numbers[i];
    return smallest;
}

/* Replaces the found works by given ones. Fails if these do not come after all that was found. */
static cushim_status check_given(const struct cushim__scope *scope,
                                 struct cushim__recording *recording,
                                 const struct cushim__numbers *given)
{
    const size_t n = recording->found.n;
    SCOPED_FREE void *copy = malloc((n + 1) * sizeof(unsigned));
    const unsigned *demanded = copy;

    if (!copy)
        return fail_memory(scope);
    if (n)
        memcpy(copy, recording->found.items, n * sizeof(*demanded));
    cushim__search_begin(recording);
    if (!cushim__search_add_all(recording, given))
        return fail_memory(scope);
    if (n)
        cushim__search_reach(recording, smallest_of(demanded, n));
    for (size_t i = 0; i < n; i++) {
        const struct cushim__recorded *work = &recording->works[demanded[i]];

        if (work->listed != recording->searches && work->reached != recording->searches)
            return fail_order(scope, recording, demanded[i]);
    }
    return CUSHIM_OK;
}

cushim_status cushim__search_by_hand(const struct cushim__scope *scope,
                                     struct cushim__branch *branch)
{
    return check_given(scope, branch->recording, &branch->given);
}

/* Another body of the node may have used the memory. */
static void leave_out_last(struct cushim__recording *recording)
{
    struct cushim__numbers *found = &recording->found;
    size_t kept = 0;

    for (size_t i = 0; i < found->n; i++)
        if (found->items[i] != cushim__recording_last(recording))
            found->items[kept++] = found->items[i];
    found->n = kept;
}

cushim_status cushim__check_outer_by_hand(const struct cushim__submission *s,
                                          struct cushim__recording *outer)
{
    const struct cushim__recorded *node = &outer->works[cushim__recording_last(outer)];
    const struct cushim__numbers before = {.items = outer->before.items + node->first_before,
                                           .n = node->n_before};

    cushim__search_begin(outer);
    if (!cushim__search_add_memory(outer, s))
        return fail_memory(s->scope);
    leave_out_last(outer);
    return check_given(s->scope, outer, &before);
}

/* --- nodes --- */

/* Under the stream lock. */
static cushim_status last_node(const struct cushim__scope *scope,
                               const struct cushim__branch *branch, struct cushim_node *ret_node)
{
    if (!branch)
        return fail_not_recording(scope);
    if (!branch->n_works)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                               "%s: nothing was recorded on this stream yet", scope->call);
    *ret_node = (struct cushim_node){branch->recording->id, branch->last};
    return CUSHIM_OK;
}

cushim_status cushim__recording_node(const struct cushim__scope *scope,
                                     struct cushim__timeline *timeline,
                                     struct cushim_node *ret_node)
{
    cushim_status status;

    cushim__timeline_lock(timeline);
    status = last_node(scope, timeline->branch, ret_node);
    cushim__timeline_unlock(timeline);
    return status;
}

cushim_status cushim__recording_add_node(const struct cushim__scope *scope,
                                         const struct cushim__recording *recording,
                                         CUgraphNode node)
{
    return CU_CALL(scope, cuStreamUpdateCaptureDependencies,
                   (recording->cu, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
}

/* Under the stream lock. */
static cushim_status add_empty(const struct cushim__scope *scope,
                               const struct cushim__recording *recording)
{
    struct cushim__capture capture;
    CUgraphNode node = NULL;

    CUSHIM_TRY(cushim__capture_ask(scope, recording, &capture));
    CUSHIM_TRY(
        CU_CALL(scope, cuGraphAddEmptyNode, (&node, capture.graph, capture.nodes, capture.n)));
    return cushim__recording_add_node(scope, recording, node);
}

cushim_status cushim__recording_empty(struct cushim__scope *scope,
                                      struct cushim__timeline *timeline)
{
    struct cushim__submission s = {
        .scope = scope, .timeline = timeline, .recordable = true, .in_order = true};
    cushim_status status = cushim__submit_begin(&s);

    if (status)
        return status;
    status = timeline->branch ? add_empty(scope, timeline->branch->recording)
                              : fail_not_recording(scope);
    cushim__submit_end(&s);
    return status;
}
