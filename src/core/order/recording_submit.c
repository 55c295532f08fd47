/* SPDX-License-Identifier: MIT */
/* Recorded work, and the nodes of the graph that the driver makes for it. */
#include "core/order/recording_works.h"

#include <stdlib.h>
#include <string.h>

/* Works that come after more than so many get a node between them. */
enum { MANY = 8 };

/* --- the driver --- */

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t) * (const CUgraphNode *) a;
    const uintptr_t y = (uintptr_t) * (const CUgraphNode *) b;

    return (x > y) - (x < y);
}

/* Works without a node of their own have those that they come after, so nodes may be listed twice.
 */
static size_t list_once(CUgraphNode *nodes, size_t n)
{
    size_t kept = 0;

    if (n > 1)
        qsort(nodes, n, sizeof(*nodes), by_address);
    for (size_t i = 0; i < n; i++)
        if (!kept || nodes[kept - 1] != nodes[i])
            nodes[kept++] = nodes[i];
    return kept;
}

/*
 * Returns the nodes of the found works, behind those that the recording keeps. NULL when out of
 * memory.
 */
static CUgraphNode *found_nodes(struct cushim__recording *recording, size_t *ret_n)
{
    const struct cushim__numbers *found = &recording->found;
    CUgraphNode *nodes;
    size_t n = 0;

    for (size_t i = 0; i < found->n; i++)
        n += recording->works[found->items[i]].n_nodes;
    if (!cushim__grow(&recording->nodes, &recording->max_nodes, recording->n_nodes + n + 1,
                      sizeof(CUgraphNode)))
        return NULL;
    nodes = &recording->nodes[recording->n_nodes];
    for (size_t i = 0; i < found->n; i++) {
        const struct cushim__recorded *work = &recording->works[found->items[i]];

        memcpy(nodes, &recording->nodes[work->first_node], work->n_nodes * sizeof(CUgraphNode));
        nodes += work->n_nodes;
    }
    nodes -= n;
    *ret_n = list_once(nodes, n);
    return nodes;
}

static cushim_status fail_memory(const struct cushim__scope *scope)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, scope->call, scope->label,
                           "%s: no memory to record", scope->call);
}

/* The next work that is submitted to the CUstream comes after the found works. */
static cushim_status depend(const struct cushim__scope *scope, struct cushim__recording *recording)
{
    size_t n = 0;
    CUgraphNode *nodes = found_nodes(recording, &n);

    if (!nodes)
        return fail_memory(scope);
    return CU_CALL(scope, cuStreamUpdateCaptureDependencies,
                   (recording->cu, nodes, n, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
}

cushim_status cushim__capture_ask(const struct cushim__scope *scope,
                                  const struct cushim__recording *recording,
                                  struct cushim__capture *ret_capture)
{
    uint64_t id;

    *ret_capture = (struct cushim__capture){0};
    return CU_CALL(scope, cuStreamGetCaptureInfo_v2,
                   (recording->cu, &ret_capture->status, &id, &ret_capture->graph,
                    &ret_capture->nodes, &ret_capture->n));
}

/* --- works --- */

/* Makes room for one more work, in its branch, too. */
static bool reserve_work(struct cushim__recording *recording, struct cushim__branch *branch)
{
    return cushim__grow(&recording->works, &recording->max_works, recording->n_works + 1,
                        sizeof(*recording->works)) &&
           cushim__numbers_reserve(&branch->ends, branch->ends.n + 1) &&
           cushim__numbers_reserve(&branch->after, 1);
}

/*
 * Adds a work that comes after the found ones. branch is that which it belongs to, or NULL. Its
 * nodes are not known yet. False when out of memory.
 */
static bool add_work(struct cushim__recording *recording, struct cushim__branch *branch)
{
    const struct cushim__numbers *found = &recording->found;
    struct cushim__numbers *before = &recording->before;

    if (!cushim__numbers_reserve(before, before->n + found->n))
        return false;
    recording->works[recording->n_works] = (struct cushim__recorded){
        .branch = branch,
        .first_node = recording->n_nodes,
        .first_before = before->n,
        .n_before = found->n,
        .place = (unsigned) recording->n_works,
    };
    recording->n_works++;
    if (found->n)
        memcpy(&before->items[before->n], found->items, found->n * sizeof(*found->items));
    before->n += found->n;
    return true;
}

/* The nodes of the last work are those that the next one would come after. */
static void add_nodes(struct cushim__recording *recording, const CUgraphNode *nodes, size_t n)
{
    if (!cushim__grow(&recording->nodes, &recording->max_nodes, recording->n_nodes + n,
                      sizeof(CUgraphNode))) {
        recording->broken = CUSHIM_ERROR_NO_MEMORY;
        return;
    }
    if (n)
        memcpy(&recording->nodes[recording->n_nodes], nodes, n * sizeof(CUgraphNode));
    recording->n_nodes += n;
    recording->works[recording->n_works - 1].n_nodes = n;
}

/* All further work of a branch comes after the last work. There is room. */
static void come_after_last(struct cushim__branch *branch)
{
    branch->ends.n = 0;
    branch->after.n = 1;
    branch->after.items[0] = cushim__recording_last(branch->recording);
}

static bool reserve_all(struct cushim__recording *recording)
{
    for (struct cushim__branch *b = recording->branches; b; b = b->next)
        if (!reserve_work(recording, b))
            return false;
    return true;
}

/* All further work comes after the last work. */
static void all_come_after_last(struct cushim__recording *recording)
{
    for (struct cushim__branch *b = recording->branches; b; b = b->next)
        come_after_last(b);
}

/* --- work that the program submits itself --- */

static cushim_status count_nodes(const struct cushim__scope *scope,
                                 const struct cushim__capture *capture, size_t *ret_n)
{
    return CU_CALL(scope, cuGraphGetNodes, (capture->graph, NULL, ret_n));
}

/*
 * Work that the program has submitted itself came after everything. What comes now comes after it.
 */
static cushim_status find_own_work(const struct cushim__scope *scope,
                                   struct cushim__recording *recording)
{
    struct cushim__capture capture;
    size_t n = 0;

    CUSHIM_TRY(cushim__capture_ask(scope, recording, &capture));
    CUSHIM_TRY(count_nodes(scope, &capture, &n));
    if (n == recording->n_in_graph)
        return CUSHIM_OK;
    cushim__search_begin(recording);
    if (!reserve_all(recording) || !cushim__search_add_everything(recording) ||
        !add_work(recording, NULL))
        return fail_memory(scope);
    add_nodes(recording, capture.nodes, capture.n);
    all_come_after_last(recording);
    recording->n_in_graph = n;
    return CUSHIM_OK;
}

/* What the program submits itself from now on comes after everything. */
static cushim_status let_own_work_come_last(const struct cushim__scope *scope,
                                            struct cushim__recording *recording)
{
    struct cushim__capture capture;

    cushim__search_begin(recording);
    if (!cushim__search_add_everything(recording))
        return fail_memory(scope);
    cushim__search_leave_out(recording);
    CUSHIM_TRY(depend(scope, recording));
    CUSHIM_TRY(cushim__capture_ask(scope, recording, &capture));
    return count_nodes(scope, &capture, &recording->n_in_graph);
}

cushim_status cushim__recording_expose(const struct cushim__scope *scope,
                                       struct cushim__timeline *timeline)
{
    cushim_status status = CUSHIM_OK;

    cushim__timeline_lock(timeline);
    if (timeline->branch && !timeline->branch->recording->exposed) {
        status = let_own_work_come_last(scope, timeline->branch->recording);
        timeline->branch->recording->exposed = !status;
    }
    cushim__timeline_unlock(timeline);
    return status;
}

/* --- submissions --- */

bool cushim__search_add_memory(struct cushim__recording *recording,
                               const struct cushim__submission *s)
{
    for (size_t i = 0; i < s->n; i++) {
        struct cushim__buffer *code = s->accesses[i].buffer->code;

        if (!cushim__recorded_memory_find(recording, &s->accesses[i]) ||
            (code &&
             !cushim__recorded_memory_find(recording, &(struct cushim__access){code, 0, 1, true})))
            return false;
    }
    return true;
}

/*
 * Where the next works would each have an edge from many works, one node without work stands
 * between them.
 */
static cushim_status gather(const struct cushim__scope *scope, struct cushim__branch *branch)
{
    struct cushim__recording *recording = branch->recording;
    struct cushim__capture capture;
    CUgraphNode node = NULL, *nodes;
    size_t n = 0;

    if (branch->after.n <= MANY || recording->order == CUSHIM__ORDER_BY_HAND || recording->by_node)
        return CUSHIM_OK;
    cushim__search_begin(recording);
    nodes = reserve_work(recording, branch) && cushim__search_add_all(recording, &branch->after)
                ? found_nodes(recording, &n)
                : NULL;
    if (!nodes)
        return fail_memory(scope);
    CUSHIM_TRY(cushim__capture_ask(scope, recording, &capture));
    CUSHIM_TRY(CU_CALL(scope, cuGraphAddEmptyNode, (&node, capture.graph, nodes, n)));
    recording->n_in_graph++;
    if (!add_work(recording, branch))
        return fail_memory(scope);
    add_nodes(recording, &node, 1);
    recording->works[cushim__recording_last(recording)].own = true;
    branch->after.n = 1;
    branch->after.items[0] = cushim__recording_last(recording);
    return CUSHIM_OK;
}

/* Finds what a submission comes after, and makes room for it. */
static cushim_status find(const struct cushim__submission *s, struct cushim__branch *branch)
{
    struct cushim__recording *recording = branch->recording;
    bool room = reserve_all(recording);

    cushim__search_begin(recording);
    room = room && cushim__search_add_memory(recording, s);
    /* The edges of a graph that is updated node by node are checked when the update ends. */
    if (recording->order == CUSHIM__ORDER_BY_HAND && !recording->by_node)
        return room ? cushim__search_by_hand(s->scope, branch) : fail_memory(s->scope);
    if (recording->order == CUSHIM__ORDER_AS_RECORDED)
        room = room && cushim__search_add_everything(recording);
    else if (s->in_order)
        room = room && cushim__search_add_branch(branch);
    else
        room = room && cushim__search_add_all(recording, &branch->after);
    room = room && cushim__search_add_all(recording, &branch->given);
    return room ? CUSHIM_OK : fail_memory(s->scope);
}

/* The last work of a branch comes after the found ones. */
static void follow(struct cushim__recording *recording, const struct cushim__branch *branch)
{
    for (size_t i = 0; i < recording->found.n; i++) {
        struct cushim__recorded *work = &recording->works[recording->found.items[i]];

        work->followed |= work->branch == branch;
    }
}

/* Notes the work that begins, with what it comes after and what it uses. */
static cushim_status note(const struct cushim__submission *s, struct cushim__branch *branch)
{
    struct cushim__recording *recording = branch->recording;

    cushim__search_leave_out(recording);
    CUSHIM_TRY(depend(s->scope, recording));
    if (!add_work(recording, branch) || !cushim__recorded_work_describe(recording, s))
        return fail_memory(s->scope);
    follow(recording, branch);
    if (recording->order == CUSHIM__ORDER_AS_RECORDED)
        all_come_after_last(recording);
    else if (s->in_order && recording->order == CUSHIM__ORDER_BY_MEMORY)
        come_after_last(branch);
    else
        branch->ends.items[branch->ends.n++] = cushim__recording_last(recording);
    if (recording->by_node)
        recording->works[cushim__recording_last(recording)].place = branch->place;
    branch->has_place = false;
    branch->last = cushim__recording_last(recording);
    branch->n_works++;
    branch->given.n = 0;
    return CUSHIM_OK;
}

cushim_status cushim__fail_other_recording(const struct cushim__scope *scope,
                                           const struct cushim__buffer *buffer)
{
    return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, scope->call, scope->label,
                           buffer->recording == CUSHIM__NO_RECORDING
                               ? "%s: the memory is that of a dry run (arena.h), in which there is "
                                 "none"
                               : "%s: the memory is of nodes of a graph (.memory_nodes), for work "
                                 "of their recording alone",
                           scope->call);
}

/* Bodies of conditional nodes use the arena of their graph. */
static bool is_of_arena(const struct cushim__recording *recording,
                        const struct cushim__buffer *buffer)
{
    for (; recording; recording = recording->outer)
        if (recording->arena && recording->arena->buffer == buffer)
            return true;
    return false;
}

/* Some memory is there only for certain recordings. */
static cushim_status check_memory(const struct cushim__submission *s,
                                  const struct cushim__recording *recording)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct cushim__buffer *buffer = s->accesses[i].buffer;

        if (buffer->recording && buffer->recording != recording->id &&
            !is_of_arena(recording, buffer))
            return cushim__fail_other_recording(s->scope, buffer);
    }
    return CUSHIM_OK;
}

/* What a body does is done by its node, and by the nodes that this is in. */
static cushim_status check_outer(const struct cushim__submission *s,
                                 const struct cushim__recording *recording)
{
    if (recording->order != CUSHIM__ORDER_BY_HAND)
        return CUSHIM_OK;
    for (struct cushim__recording *outer = recording->outer; outer; outer = outer->outer)
        CUSHIM_TRY(cushim__check_outer_by_hand(s, outer));
    return CUSHIM_OK;
}

cushim_status cushim__recording_submit(const struct cushim__submission *s)
{
    struct cushim__branch *branch = s->timeline->branch;

    CUSHIM_TRY(check_memory(s, branch->recording));
    /* The conditional node stays the last work as long as its bodies are recorded. */
    CUSHIM_TRY(cushim__recording_check_bodies(s->scope, branch->recording));
    CUSHIM_TRY(check_outer(s, branch->recording));
    if (branch->recording->exposed)
        CUSHIM_TRY(find_own_work(s->scope, branch->recording));
    if (branch->recording->by_node && !branch->has_place)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, s->scope->call, s->scope->label,
                               "%s: whose place does this take? Call cushim_graph_update_node() "
                               "before each work of this update",
                               s->scope->call);
    /* What the program submits itself comes after everything anyway. */
    if (s->waits_only)
        return CUSHIM_OK;
    CUSHIM_TRY(gather(s->scope, branch));
    CUSHIM_TRY(find(s, branch));
    return note(s, branch);
}

/* Tells whether a node is one of those that the last work comes after. */
static bool is_found(const struct cushim__recording *recording, CUgraphNode node)
{
    for (size_t i = 0; i < recording->found.n; i++) {
        const struct cushim__recorded *work = &recording->works[recording->found.items[i]];

        for (size_t k = 0; k < work->n_nodes; k++)
            if (recording->nodes[work->first_node + k] == node)
                return true;
    }
    return false;
}

void cushim__recording_submitted(const struct cushim__submission *s)
{
    struct cushim__recording *recording = s->timeline->branch->recording;
    struct cushim__error before;
    struct cushim__capture capture;
    cushim_status status;

    cushim__error_keep(&before);
    status = cushim__capture_ask(s->scope, recording, &capture);
    if (!status) {
        add_nodes(recording, capture.nodes, capture.n);
        recording->works[cushim__recording_last(recording)].own =
            capture.n == 1 && !is_found(recording, capture.nodes[0]);
        if (recording->exposed)
            status = let_own_work_come_last(s->scope, recording);
    }
    if (status)
        recording->broken = status;
    cushim__error_restore(&before);
}

/* --- the end --- */

cushim_status cushim__recording_come_together(const struct cushim__scope *scope,
                                              struct cushim__recording *recording)
{
    if (recording->exposed)
        return CUSHIM_OK;
    cushim__search_begin(recording);
    if (!cushim__search_add_everything(recording))
        return fail_memory(scope);
    cushim__search_leave_out(recording);
    return depend(scope, recording);
}
