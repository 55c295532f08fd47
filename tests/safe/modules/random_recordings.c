/* SPDX-License-Identifier: MIT */
/*
 * random_recordings [FIRST LAST [DRIVER]]: random recordings of kernels, copies, fills, host
 * functions, events, forks and joins, thirty for each seed, which is also the seed of the mock's
 * scheduler.
 *
 * What comes after what is computed here from reads and writes of every pair of steps. The graph
 * must have the same order, and no edge that follows from others. Launched twice, it must give the
 * results of the same steps in program order on the host. Each seed has a process of its own,
 * because the mock takes its seed when it starts. With DRIVER, such as libcuda.so.1, they run on
 * that.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "../../unit/plain.h"

#define CHECK(call) CHECK_EQ(call, CUSHIM_OK)

enum { PROGRAMS = 30, STEPS = 40, RECORDERS = 3, SLICES = 4, N = 32, NODES = 4 * STEPS };

typedef uint64_t steps; /* a set of steps */

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry mix(.param .u64 to, .param .u64 from, .param .u32 value, .param .u32 n)\n{\n"
    "  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<4>;\n"
    "  mov.u32 %r0, %tid.x; ld.param.u32 %r1, [n]; setp.ge.u32 %p, %r0, %r1; @%p ret;\n"
    "  ld.param.u64 %d0, [to]; ld.param.u64 %d1, [from]; ld.param.u32 %r2, [value];\n"
    "  mad.wide.u32 %d2, %r0, 4, %d0; mad.wide.u32 %d3, %r0, 4, %d1;\n"
    "  ld.global.u32 %r3, [%d2]; ld.global.u32 %r4, [%d3];\n"
    "  mad.lo.u32 %r3, %r3, 3, %r4; add.u32 %r3, %r3, %r2;\n"
    "  st.global.u32 [%d2], %r3;\n"
    "  ret;\n}\n";

struct part {
    uint32_t slice, first, length;
    bool write;
};

/* What the host does for a step, when all is launched. */
struct step {
    enum { FILL, COPY, MIX, HOST, EVENT } kind;
    struct part to, from; /* length 0: none */
    uint32_t value;
    steps after; /* all steps that it comes after */
};

static struct program {
    cushim_stream recorders[RECORDERS];
    steps must[RECORDERS], of[RECORDERS]; /* what the next step comes after; the recorder's own */
    struct step steps[STEPS];
    int n;
    cushim_event events[STEPS];
} program;

static cushim_driver driver;
static cushim_context context;
static cushim_stream stream;
static cushim_module module;
static cushim_function mix;
static cushim_slice slices[SLICES];
static uint32_t expected[SLICES][N], calls[STEPS], random_state;

/* Calls a function of the driver that cushim does not wrap. */
#define RAW(name, types, ...)                                                                      \
    ((int(*) types) cushim_driver_functions(driver, CUSHIM_CUDA_ROWS)[CUSHIM_ROW_##name])(         \
        __VA_ARGS__)

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % below;
}

static struct part draw_part(bool write)
{
    struct part part = {.slice = draw(SLICES), .first = draw(N), .write = write};

    part.length = 1 + draw(N - part.first);
    if (draw(3) == 0)
        part = (struct part){part.slice, 0, N, write};
    return part;
}

static cushim_view view_of(const struct part *part)
{
    cushim_view view;

    CHECK(cushim_view_part(CUSHIM_VIEW(slices[part->slice]), part->first, part->length, &view));
    return view;
}

/* --- the order, by brute force --- */

static bool conflict(const struct part *a, const struct part *b)
{
    return a->length && b->length && a->slice == b->slice && (a->write || b->write) &&
           a->first < b->first + b->length && b->first < a->first + a->length;
}

static bool conflicts(const struct step *a, const struct step *b)
{
    return conflict(&a->to, &b->to) || conflict(&a->to, &b->from) || conflict(&a->from, &b->to);
}

/* Adds a step of a recorder. One in order comes after all of the recorder's, and before the next.
 */
static void add(const struct step *step, int recorder, bool in_order)
{
    struct step *s = &program.steps[program.n];
    steps direct = program.must[recorder];

    *s = *step;
    if (in_order)
        direct |= program.of[recorder];
    for (int i = 0; i < program.n; i++)
        if (conflicts(&program.steps[i], s))
            direct |= (steps) 1 << i;
    s->after = direct;
    for (int i = 0; i < program.n; i++)
        if (direct >> i & 1)
            s->after |= program.steps[i].after;
    program.of[recorder] |= (steps) 1 << program.n;
    if (in_order)
        program.must[recorder] |= (steps) 1 << program.n;
    program.n++;
}

/* --- what is recorded --- */

static void count_call(void *user)
{
    ++*(uint32_t *) user;
}

static void record_work(int recorder)
{
    struct step step = {.kind = draw(3), .to = draw_part(true), .value = draw(1000)};
    const cushim_stream on = program.recorders[recorder];

    if (step.kind != FILL) {
        do
            step.from = draw_part(false);
        while (step.from.slice == step.to.slice);
        if (step.from.length < step.to.length)
            step.to.length = step.from.length;
        step.from.length = step.to.length;
    }
    if (step.kind == FILL)
        CHECK(cushim_slice_fill(on, view_of(&step.to), step.value));
    else if (step.kind == COPY)
        CHECK(cushim_slice_copy(on, view_of(&step.to), cushim_view_const(view_of(&step.from))));
    else
        CHECK(cushim_launch(on, mix, cushim_for_elements(step.to.length),
                            CUSHIM_INOUT(view_of(&step.to)), CUSHIM_IN(view_of(&step.from)),
                            CUSHIM_VALUE(step.value), CUSHIM_VALUE(step.to.length)));
    add(&step, recorder, false);
}

static void record_in_order(int recorder)
{
    const int n = program.n;

    if (draw(2)) {
        CHECK(
            cushim_stream_host_function(program.recorders[recorder], count_call, &calls[n], NULL));
        add(&(struct step){.kind = HOST}, recorder, true);
    } else {
        CHECK(cushim_event_new(context, 0, &program.events[n]));
        CHECK(cushim_event_record(program.events[n], program.recorders[recorder]));
        add(&(struct step){.kind = EVENT}, recorder, true);
    }
}

static void order(int recorder)
{
    const int other = (int) draw(RECORDERS), n = (int) draw(STEPS);

    if (n < program.n && program.events[n].id) {
        CHECK(cushim_stream_wait(program.recorders[recorder], program.events[n]));
        program.must[recorder] |= (steps) 1 << n;
    } else if (other && draw(2)) {
        cushim_stream_free(&program.recorders[other]);
        if (other == recorder)
            recorder = 0;
        CHECK(cushim_stream_fork(program.recorders[recorder], &program.recorders[other]));
        program.must[other] = program.must[recorder] | program.of[recorder];
        program.of[other] = 0;
    } else {
        CHECK(cushim_stream_join(program.recorders[recorder], program.recorders[other]));
        if (recorder != other)
            program.must[recorder] |= program.must[other] | program.of[other];
    }
}

static cushim_graph record(void)
{
    cushim_graph graph = CUSHIM_NONE;

    memset(&program, 0, sizeof(program));
    CHECK(cushim_capture_begin(context, &program.recorders[0]));
    for (int i = 1; i < RECORDERS; i++)
        CHECK(cushim_stream_fork(program.recorders[0], &program.recorders[i]));
    while (program.n < STEPS) {
        const int recorder = (int) draw(RECORDERS);
        const uint32_t what = draw(10);

        if (what < 7)
            record_work(recorder);
        else if (what < 8)
            record_in_order(recorder);
        else
            order(recorder);
    }
    for (int i = 1; i < RECORDERS; i++)
        if (draw(2))
            cushim_stream_free(&program.recorders[i]);
    CHECK(cushim_capture_end(&program.recorders[0], &graph));
    for (int i = 1; i < RECORDERS; i++)
        cushim_stream_free(&program.recorders[i]);
    return graph;
}

/* --- the graph's order --- */

static struct {
    void *nodes[NODES], *from[NODES * NODES], *to[NODES * NODES];
    size_t n_nodes, n_edges;
    int step[NODES]; /* -1: a node without work */
    steps after[NODES];
} got;

static int index_of(const void *node)
{
    for (size_t i = 0; i < got.n_nodes; i++)
        if (got.nodes[i] == node)
            return (int) i;
    return -1;
}

/* Both drivers list nodes in the order in which they were added. */
static void read_graph(cushim_graph graph)
{
    enum { EMPTY = 5 };
    void *raw = NULL;
    int n = 0;

    CHECK(cushim_graph_raw(graph, &raw, NULL));
    got.n_nodes = NODES;
    got.n_edges = NODES * NODES;
    CHECK_EQ(RAW(cuGraphGetNodes, (void *, void **, size_t *), raw, got.nodes, &got.n_nodes), 0);
    CHECK_EQ(RAW(cuGraphGetEdges, (void *, void **, void **, size_t *), raw, got.from, got.to,
                 &got.n_edges),
             0);
    for (size_t i = 0; i < got.n_nodes; i++) {
        int type = 0;

        CHECK_EQ(RAW(cuGraphNodeGetType, (void *, int *), got.nodes[i], &type), 0);
        got.step[i] = type == EMPTY ? -1 : n++;
        got.after[i] = 0;
    }
    CHECK_EQ(n, STEPS);
}

/* Edges lead from nodes to later ones. */
static void follow_edges(void)
{
    for (size_t i = 0; i < got.n_nodes; i++)
        for (size_t k = 0; k < got.n_edges; k++) {
            const int from = index_of(got.from[k]);

            if (got.to[k] != got.nodes[i])
                continue;
            got.after[i] |= got.after[from];
            if (got.step[from] >= 0)
                got.after[i] |= (steps) 1 << got.step[from];
        }
}

/* Tells whether another edge leads to the same order. */
static bool is_needed(size_t edge)
{
    const int from = index_of(got.from[edge]);

    for (size_t k = 0; k < got.n_edges; k++) {
        const int other = index_of(got.from[k]);

        if (k != edge && got.to[k] == got.to[edge] && got.step[from] >= 0 &&
            got.after[other] >> got.step[from] & 1)
            return false;
    }
    return true;
}

static void check_order(cushim_graph graph)
{
    read_graph(graph);
    follow_edges();
    for (size_t i = 0; i < got.n_nodes; i++)
        if (got.step[i] >= 0)
            CHECK_EQ(got.after[i], program.steps[got.step[i]].after);
    for (size_t k = 0; k < got.n_edges; k++)
        CHECK_EQ(is_needed(k), true);
}

/* --- the results --- */

static void do_step(const struct step *s)
{
    uint32_t *to = &expected[s->to.slice][s->to.first];
    const uint32_t *from = &expected[s->from.slice][s->from.first];

    for (uint32_t i = 0; i < s->to.length; i++)
        to[i] = s->kind == FILL   ? s->value
                : s->kind == COPY ? from[i]
                                  : to[i] * 3 + from[i] + s->value;
}

static void check_results(cushim_graph graph)
{
    uint32_t values[N];

    memset(calls, 0, sizeof(calls));
    for (int i = 0; i < 2; i++) {
        CHECK(cushim_graph_launch(graph, stream));
        for (int k = 0; k < STEPS; k++)
            do_step(&program.steps[k]);
    }
    for (int i = 0; i < SLICES; i++) {
        CHECK(cushim_slice_read(stream, slices[i], values, N));
        for (int k = 0; k < N; k++)
            CHECK_EQ(values[k], expected[i][k]);
    }
    CHECK(cushim_stream_synchronize(stream));
    for (int k = 0; k < STEPS; k++) {
        CHECK_EQ(calls[k], program.steps[k].kind == HOST ? 2 : 0);
        if (program.events[k].id)
            CHECK(cushim_event_query(program.events[k]));
    }
}

static void begin(const char *library)
{
    CHECK(cushim_open(cushim_open_params(.library = library), &driver));
    CHECK(cushim_context_primary(driver, 0, &context));
    CHECK(cushim_stream_new(context, NULL, &stream));
    CHECK(cushim_module_load_text(context, ptx, NULL, &module));
    CHECK(cushim_module_function(module, "mix", &mix));
    for (int i = 0; i < SLICES; i++)
        CHECK(cushim_slice_zeros(stream, 4, N, &slices[i]));
}

static void end(void)
{
    for (int i = 0; i < SLICES; i++)
        cushim_slice_free(&slices[i]);
    cushim_module_free(&module);
    cushim_stream_free(&stream);
    cushim_context_free(&context);
    cushim_close(&driver);
}

static int run(uint32_t seed, const char *library)
{
    const struct cushim_mock_finding *findings = NULL;
    size_t n;

    random_state = seed * 2654435761u;
    if (!library)
        CHECK(cushim_mock_configure(cushim_mock_config(.seed = seed)));
    begin(library ? library : MOCK);
    for (int i = 0; i < PROGRAMS; i++) {
        cushim_graph graph = record();

        check_order(graph);
        check_results(graph);
        cushim_graph_free(&graph);
        for (int k = 0; k < STEPS; k++)
            cushim_event_free(&program.events[k]);
    }
    end();
    if (library)
        return 0;
    cushim_mock_leaks();
    n = cushim_mock_findings(&findings);
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "%s\n", findings[i].text);
    return n != 0;
}

int main(int argc, char **argv)
{
    const uint32_t first = argc > 2 ? (uint32_t) atoi(argv[1]) : 1;
    const uint32_t last = argc > 2 ? (uint32_t) atoi(argv[2]) : 64;
    const char *library = argc > 3 ? argv[3] : NULL;

    for (uint32_t seed = first; seed <= last; seed++) {
        const pid_t child = fork();
        int status = 0;

        if (child == 0) {
            alarm(120);
            exit(run(seed, library));
        }
        if (waitpid(child, &status, 0) != child || status) {
            fprintf(stderr, "seed %u: status 0x%x\n", (unsigned) seed, (unsigned) status);
            return 1;
        }
    }
    printf("%u recordings of %d steps with %u seeds: right\n", (last - first + 1) * PROGRAMS, STEPS,
           last - first + 1);
    return 0;
}
