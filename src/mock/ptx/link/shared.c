/* SPDX-License-Identifier: MIT */
/*
 * A variable is placed behind all variables placed so far of every function that reaches it by
 * calls, because any of these functions may be running. To visit all these functions for each
 * variable would take too long.
 *
 * A function needs at least as much as each function that it calls. So it is enough to visit the
 * topmost functions. If all calls of a function come from one group of functions, the function
 * joins that group, and only the group is visited. A kernel that uses no variable of the module
 * itself and calls only one function adds nothing to the needs of that function, so the kernel is
 * passed over.
 */
#include "mock/ptx/link/shared.h"

#include <stdlib.h>

/* The needs of a function: its own variables, and the variables of the module that it names. */
struct need {
    size_t end;     /* where the last one ends */
    uint32_t group; /* the function that its group is named after */
    bool passed;    /* a kernel that is passed over */
    bool dynamic;   /* it names a variable whose size is known at the launch */
};

struct shared {
    const struct ptx__calls *calls;
    struct ptx__module *module;
    struct need *needs; /* of each function, and of all indirect calls */
    size_t *used;       /* for each group: the needs of the function that names it */
    uint32_t n;         /* elements of needs and of used */
    bool *marks;
    uint32_t *marked, n_marked;
};

/* --- groups --- */

static bool has_one_callee(const struct ptx__lists *callees, uint32_t function)
{
    const uint32_t first = callees->begins[function], end = callees->begins[function + 1];

    for (uint32_t i = first; i < end; i++)
        if (callees->targets[i] != callees->targets[first])
            return false;
    return true;
}

static void pass_over_kernels(const struct shared *shared)
{
    const struct ptx__calls *calls = shared->calls;

    for (uint32_t i = 0; i < shared->module->n_functions; i++)
        shared->needs[i].passed = shared->module->functions[i].is_kernel &&
                                  has_one_callee(&calls->callees, i) &&
                                  calls->callers.begins[i] == calls->callers.begins[i + 1];
    for (uint32_t i = 0; i < calls->users.begins[shared->module->n_variables]; i++)
        shared->needs[calls->users.targets[i]].passed = false;
}

/*
 * Returns the group of the callers if all are in one group, otherwise a group of the function's
 * own.
 */
static uint32_t group_of(const struct shared *shared, uint32_t function)
{
    const struct ptx__lists *callers = &shared->calls->callers;
    uint32_t group = PTX_NONE;

    for (uint32_t i = callers->begins[function]; i < callers->begins[function + 1]; i++) {
        const struct need *caller = &shared->needs[callers->targets[i]];

        if (caller->passed)
            continue;
        if (group != PTX_NONE && group != caller->group)
            return function;
        group = caller->group;
    }
    return group == PTX_NONE ? function : group;
}

/*
 * Visits callers before their callees. A function in a cycle of calls, or that reaches one, keeps
 * its own group.
 */
static void make_groups(const struct shared *shared)
{
    for (uint32_t i = 0; i < shared->n; i++)
        shared->needs[i].group = i;
    pass_over_kernels(shared);
    for (uint32_t i = shared->calls->n_order; i-- > 0;) {
        const uint32_t function = shared->calls->order[i];

        shared->needs[function].group = group_of(shared, function);
    }
}

/* --- placing --- */

static void mark(struct shared *shared, uint32_t group)
{
    if (shared->marks[group])
        return;
    shared->marks[group] = true;
    shared->marked[shared->n_marked++] = group;
}

/* Marks the group of a function, and all groups that reach it by calls. */
static void mark_groups(struct shared *shared, uint32_t function)
{
    const struct ptx__lists *callers = &shared->calls->callers;
    uint32_t next = shared->n_marked;

    mark(shared, shared->needs[function].group);
    for (; next < shared->n_marked; next++) {
        const uint32_t at = shared->marked[next];

        for (uint32_t i = callers->begins[at]; i < callers->begins[at + 1]; i++)
            if (!shared->needs[callers->targets[i]].passed)
                mark(shared, shared->needs[callers->targets[i]].group);
    }
}

static void clear_marked(struct shared *shared)
{
    while (shared->n_marked)
        shared->marks[shared->marked[--shared->n_marked]] = false;
}

/* Places a variable behind all variables that the marked groups have so far. */
static void place(const struct shared *shared, struct ptx__variable *variable)
{
    size_t used = 0;

    for (uint32_t i = 0; i < shared->n_marked; i++)
        if (shared->used[shared->marked[i]] > used)
            used = shared->used[shared->marked[i]];
    variable->offset = (used + variable->alignment - 1) & ~(variable->alignment - 1);
    for (uint32_t i = 0; i < shared->n_marked; i++)
        shared->used[shared->marked[i]] = variable->offset + variable->bytes;
}

static void place_of_module(struct shared *shared, uint32_t number)
{
    const struct ptx__lists *users = &shared->calls->users;
    struct ptx__variable *variable = &shared->module->variables[number];
    const uint32_t first = users->begins[number], end = users->begins[number + 1];

    for (uint32_t i = first; i < end && variable->dynamic; i++)
        shared->needs[users->targets[i]].dynamic = true;
    if (variable->dynamic)
        return;
    for (uint32_t i = first; i < end; i++)
        mark_groups(shared, users->targets[i]);
    place(shared, variable);
    clear_marked(shared);
    for (uint32_t i = first; i < end; i++)
        shared->needs[users->targets[i]].end = variable->offset + variable->bytes;
}

static void place_of_function(struct shared *shared, uint32_t number)
{
    const struct ptx__function *function = &shared->module->functions[number];

    for (uint32_t i = 0; i < function->n_variables && !function->is_kernel; i++) {
        struct ptx__variable *variable = &function->variables[i];

        if (variable->space != PTX_SHARED)
            continue;
        mark_groups(shared, number);
        place(shared, variable);
        shared->needs[number].end = variable->offset + variable->bytes;
    }
    clear_marked(shared);
}

static void place_all(struct shared *shared)
{
    const struct ptx__module *module = shared->module;

    for (uint32_t i = 0; i < module->n_variables; i++)
        if (module->variables[i].space == PTX_SHARED && !module->variables[i].replaced)
            place_of_module(shared, i);
    for (uint32_t i = 0; i < module->n_functions; i++)
        place_of_function(shared, i);
}

/* --- the shared memory that each function needs --- */

struct rank {
    size_t end;
    uint32_t function;
};

static int compare(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;

    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return a->function < b->function ? -1 : a->function > b->function;
}

/*
 * Sets the needs of functions, beginning with the variable that ends furthest. All functions that
 * reach it need that much. Of the other functions, those that reach the next variable need that
 * much, and so on.
 */
static void tell_needs(struct shared *shared, struct rank *ranks)
{
    struct ptx__function *functions = shared->module->functions;

    for (uint32_t i = 0; i < shared->n; i++)
        ranks[i] = (struct rank){shared->needs[i].end, i};
    qsort(ranks, shared->n, sizeof(*ranks), compare);
    for (uint32_t i = 0, told = 0; i < shared->n; i++) {
        shared->n_marked = ptx__mark_callers(shared->calls, ranks[i].function, shared->marks,
                                             shared->marked, shared->n_marked);
        for (; told < shared->n_marked; told++)
            if (shared->marked[told] < shared->module->n_functions)
                functions[shared->marked[told]].usage.shared_bytes = ranks[i].end;
    }
    clear_marked(shared);
}

static void tell_dynamic(struct shared *shared)
{
    struct ptx__function *functions = shared->module->functions;

    for (uint32_t i = 0; i < shared->n; i++)
        if (shared->needs[i].dynamic)
            shared->n_marked = ptx__mark_callers(shared->calls, i, shared->marks, shared->marked,
                                                 shared->n_marked);
    for (uint32_t i = 0; i < shared->n_marked; i++)
        if (shared->marked[i] < shared->module->n_functions)
            functions[shared->marked[i]].usage.uses_dynamic_shared = true;
    clear_marked(shared);
}

bool ptx__place_shared(const struct ptx__calls *calls, bool *marks, uint32_t *marked)
{
    struct shared shared = {.calls = calls,
                            .module = calls->module,
                            .n = calls->module->n_functions + 1,
                            .marks = marks,
                            .marked = marked};
    struct rank *ranks = calloc(shared.n, sizeof(*ranks));
    bool made;

    shared.needs = calloc(shared.n, sizeof(*shared.needs));
    shared.used = calloc(shared.n, sizeof(*shared.used));
    made = ranks && shared.needs && shared.used;
    if (made) {
        make_groups(&shared);
        place_all(&shared);
        tell_needs(&shared, ranks);
        tell_dynamic(&shared);
    }
    free(ranks);
    free(shared.needs);
    free(shared.used);
    return made;
}
