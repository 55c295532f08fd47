/* SPDX-License-Identifier: MIT */
/* Conditional nodes within each other, at random, and what a model says of them. */
#include "conditional.h"

#include "mock/queue/schedule.h"

#if CUDA_VERSION >= 12080

enum { MOST_STEPS = 3, MOST_BODIES = 3, DEEPEST = 3, MOST_NODES = 1000 };

/* A chain of steps. A conditional step has bodies; the one of a loop counts up to its limit. */
struct chain;
struct step {
    enum { DIGIT, CONDITIONAL } kind;
    unsigned digit;
    int type;
    unsigned size, initial, limit;
    bool sets; /* a kernel before the node sets the value */
    unsigned set_to;
    unsigned number; /* of the value and the counter, of all */
    struct chain *bodies[MOST_BODIES];
};
struct chain {
    struct step steps[MOST_STEPS];
    unsigned n;
};

static struct chain chains[MOST_NODES];
static unsigned n_chains, n_values;
static CUgraphConditionalHandle handles[MOST_NODES];
static CUdeviceptr counters;
static uint64_t state;

static unsigned draw(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned) (state >> 33) % below;
}

/* --- what is to be done --- */

static struct chain *new_chain(unsigned depth);

static void draw_conditional(struct step *step, unsigned depth)
{
    step->kind = CONDITIONAL;
    step->type = (int) draw(3);
    step->size = step->type == WHILE ? 1 : step->type == IF ? 1 + draw(2) : 1 + draw(MOST_BODIES);
    step->initial = draw(4);
    step->sets = draw(2);
    step->set_to = draw(4);
    step->limit = 1 + draw(3);
    step->number = n_values++;
    for (unsigned i = 0; i < step->size; i++)
        step->bodies[i] = new_chain(depth + 1);
}

static struct chain *new_chain(unsigned depth)
{
    struct chain *chain = &chains[n_chains++];

    cr_assert(lt(uint, n_chains, MOST_NODES));
    *chain = (struct chain){.n = 1 + draw(MOST_STEPS)};
    for (unsigned i = 0; i < chain->n; i++) {
        chain->steps[i].digit = draw(10);
        if (depth < DEEPEST && draw(2))
            draw_conditional(&chain->steps[i], depth);
    }
    return chain;
}

/* --- the model --- */

static unsigned number, values[MOST_NODES], counted[MOST_NODES];

static void model(const struct chain *chain);

static void model_loop(const struct step *step)
{
    counted[step->number] = 0;
    while (values[step->number]) {
        model(step->bodies[0]);
        values[step->number] = ++counted[step->number] < step->limit;
    }
}

static void model_step(const struct step *step)
{
    const unsigned value_of_it = step->sets ? step->set_to : values[step->number];
    const unsigned body = step->type == SWITCH ? value_of_it : !value_of_it;

    values[step->number] = value_of_it;
    if (step->type == WHILE)
        model_loop(step);
    else if (body < step->size)
        model(step->bodies[body]);
}

static void model(const struct chain *chain)
{
    for (unsigned i = 0; i < chain->n; i++)
        if (chain->steps[i].kind == DIGIT)
            number = number * 10 + chain->steps[i].digit;
        else
            model_step(&chain->steps[i]);
}

static void model_defaults(void)
{
    for (unsigned i = 0; i < n_chains; i++)
        for (unsigned k = 0; k < chains[i].n; k++)
            if (chains[i].steps[k].kind == CONDITIONAL)
                values[chains[i].steps[k].number] = chains[i].steps[k].initial;
}

static unsigned modelled(const struct chain *chain)
{
    model_defaults();
    number = 0;
    model(chain);
    return number;
}

/* --- the graph --- */

static CUgraphNode build(CUgraph in, const struct chain *chain);

static CUgraphNode build_counter(CUgraph in, CUgraphNode after, CUdeviceptr counter)
{
    const CUDA_MEMSET_NODE_PARAMS fill = {
        .dst = counter, .elementSize = 4, .width = 1, .height = 1};
    CUgraphNode node = NULL;

    OK(mock_cuGraphAddMemsetNode(&node, in, &after, after != NULL, &fill, context));
    return node;
}

static void build_end_of_loop(CUgraph in, CUgraphNode after, const struct step *step)
{
    CUdeviceptr counter = counters + 4 * step->number;
    unsigned limit = step->limit;

    add_kernel(in, after, loop, (void *[]){&counter, &handles[step->number], &limit});
}

static CUgraphNode build_step(CUgraph in, CUgraphNode after, const struct step *step)
{
    CUgraphConditionalHandle *handle = &handles[step->number];
    struct conditional made;

    *handle = new_handle_of(draw(2) ? graph : in, step->initial);
    if (step->sets)
        after = add_set(in, after, *handle, step->set_to);
    if (step->type == WHILE)
        after = build_counter(in, after, counters + 4 * step->number);
    made = add_in(in, after, *handle, step->type, step->size);
    for (unsigned i = 0; i < step->size; i++) {
        CUgraphNode last = build(made.bodies[i], step->bodies[i]);

        if (step->type == WHILE)
            build_end_of_loop(made.bodies[i], last, step);
    }
    return made.node;
}

/* Returns the last node, or NULL. */
static CUgraphNode build(CUgraph in, const struct chain *chain)
{
    CUgraphNode last = NULL;

    for (unsigned i = 0; i < chain->n; i++)
        if (chain->steps[i].kind == DIGIT)
            last = add_digit(in, last, chain->steps[i].digit);
        else
            last = build_step(in, last, &chain->steps[i]);
    return last;
}

static void compare(unsigned seed)
{
    const struct chain *chain;
    CUgraphExec exec;

    state = seed;
    n_chains = n_values = 0;
    chain = new_chain(0);
    graph = new_graph();
    build(graph, chain);
    exec = instantiate(graph);
    mock__schedule_seed(seed);
    cr_expect(eq(uint, launched(exec), modelled(chain)), "seed %u", seed);
    cr_expect(eq(uint, launched(exec), modelled(chain)), "seed %u, again", seed);
    OK(mock_cuGraphExecDestroy(exec));
    OK(mock_cuGraphDestroy(graph));
}

TestSuite(graph_conditional_random, .init = begin_conditional);

Test(graph_conditional_random, graphs_do_what_the_model_does)
{
    counters = allocate(4 * MOST_NODES);
    for (unsigned seed = 0; seed < 300; seed++)
        compare(seed);
    silent();
}

/* Two loops side by side, each with its own counter, among all orders. */
Test(graph_conditional_random, loops_run_side_by_side)
{
    CUgraphConditionalHandle first, second;
    unsigned limit = 20, seven = 7, both[2] = {0};
    CUdeviceptr other;
    CUgraphExec exec;

    counters = allocate(8);
    other = counters + 4;
    first = new_handle(1);
    second = new_handle(1);
    add_kernel(add(first, WHILE, 1).bodies[0], NULL, loop, (void *[]){&counters, &first, &limit});
    add_kernel(add(second, WHILE, 1).bodies[0], NULL, loop, (void *[]){&other, &second, &seven});
    exec = instantiate(graph);
    for (unsigned seed = 0; seed < 64; seed++) {
        mock__schedule_seed(seed);
        OK(mock_cuMemsetD32Async(counters, 0, 2, one));
        OK(mock_cuGraphLaunch(exec, one));
        OK(mock_cuMemcpyDtoHAsync_v2(both, counters, 8, one));
        while (mock_cuStreamQuery(one) == CUDA_ERROR_NOT_READY)
            ;
        cr_expect(eq(uint, both[0], 20), "seed %u", seed);
        cr_expect(eq(uint, both[1], 7), "seed %u", seed);
    }
    silent();
}

#endif
