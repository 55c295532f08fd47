/* SPDX-License-Identifier: MIT */
/*
 * random_recordings [FIRST LAST [DRIVER]]: random recordings of kernels, copies, fills, host
 * functions, events, forks, joins, allocations and frees, thirty for each seed, which is also the
 * seed of the mock's scheduler.
 *
 * What comes after what is computed here from reads and writes of every pair of steps, by their
 * addresses. The graph must have the same order, and no edge that follows from others. Launched
 * twice, and once more after other graphs that share its arena, it must give the results of the
 * same steps in program order on the host. Slices of an arena must be where the first free bytes
 * are. Each seed has a process of its own, because the mock takes its seed when it starts. With
 * DRIVER, such as libcuda.so.1, they run on that.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random_recordings.h"

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

struct program program;
cushim_driver driver;
static struct program kept[KEPT];
static cushim_context context;
static cushim_stream stream, streams[2];
static cushim_module module;
static cushim_function mix;
static struct memory memories[SLICES + MADE]; /* length 0: none */
static cushim_arena shared;
static struct arena arenas[PROGRAMS + 1], *shared_bytes = &arenas[PROGRAMS];
static uint32_t n_arenas, first_values[SLICES][N];
static uint32_t calls[STEPS], random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % below;
}

static struct part draw_part(bool write)
{
    struct part part = {.write = write};

    do
        part.in = memories[draw(SLICES + MADE)];
    while (!part.in.length);
    part.first = draw(part.in.length);
    part.length = 1 + draw(part.in.length - part.first);
    if (draw(3) == 0) {
        part.first = 0;
        part.length = part.in.length;
    }
    if (part.length > N)
        part.length = N;
    return part;
}

static cushim_view view_of(const struct part *part)
{
    cushim_view view;

    CHECK(cushim_view_part(CUSHIM_VIEW(part->in.slice), part->first, part->length, &view));
    return view;
}

/* --- the order, by brute force --- */

static bool conflict(const struct part *a, const struct part *b)
{
    const uint64_t x = a->in.address + 4 * a->first, y = b->in.address + 4 * b->first;

    return a->length && b->length && (a->write || b->write) && x < y + 4 * b->length &&
           y < x + 4 * a->length;
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
        while (step.from.in.address == step.to.in.address);
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

/* --- allocations --- */

/* Returns the first units that are free, so many in a row. */
static uint32_t first_free(const struct arena *arena, uint32_t units)
{
    uint32_t n = 0, i = 0;

    for (; n < units; i++)
        n = arena->taken[i] ? 0 : n + 1;
    return i - units;
}

static void mark(const struct memory *memory, bool taken)
{
    const uint64_t first = (memory->address - memory->arena->address) / UNIT;

    for (uint32_t i = 0; i < (4 * memory->length + UNIT - 1) / UNIT; i++) {
        CHECK_EQ(memory->arena->taken[first + i], !taken);
        memory->arena->taken[first + i] = taken;
    }
}

/* The first step that uses new memory writes all of it. */
static void allocate(int recorder, struct memory *memory)
{
    const struct step fill = {.kind = FILL, .value = draw(1000)};
    const cushim_stream on = program.recorders[recorder];
    struct arena *arena = program.arena;
    uint32_t place;

    *memory = (struct memory){.length = 1 + draw(LONGEST), .arena = arena};
    place = first_free(arena, (4 * memory->length + UNIT - 1) / UNIT);
    CHECK(cushim_slice_alloc(on, 4, memory->length, &memory->slice));
    CHECK(cushim_slice_use(on, memory->slice, true, &memory->address));
    if (!arena->address)
        arena->address = memory->address;
    CHECK_EQ(memory->address, arena->address + place * UNIT);
    mark(memory, true);
    memory->values = &arena->values[place * UNIT / 4];
    CHECK(cushim_slice_fill(on, memory->slice, fill.value));
    add(&(struct step){.kind = FILL, .value = fill.value, .to = {*memory, 0, memory->length, true}},
        recorder, false);
}

static void free_made(struct memory *memory)
{
    mark(memory, false);
    cushim_slice_free(&memory->slice);
    memory->length = 0;
}

static void allocate_or_free(int recorder)
{
    struct memory *memory = &memories[SLICES + draw(MADE)];

    if (memory->length)
        free_made(memory);
    else
        allocate(recorder, memory);
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

static void begin_recording(void)
{
    const bool shares = draw(2);

    program.arena = shares ? shared_bytes : &arenas[n_arenas++];
    CHECK(cushim_capture_begin_with(
        context, cushim_capture_params(.arena = shares ? shared : (cushim_arena){0}),
        &program.recorders[0]));
}

static void record(void)
{
    memset(&program, 0, sizeof(program));
    begin_recording();
    for (int i = 1; i < RECORDERS; i++)
        CHECK(cushim_stream_fork(program.recorders[0], &program.recorders[i]));
    while (program.n < STEPS) {
        const int recorder = (int) draw(RECORDERS);
        const uint32_t what = draw(12);

        if (what < 7)
            record_work(recorder);
        else if (what < 9)
            allocate_or_free(recorder);
        else if (what < 10)
            record_in_order(recorder);
        else
            order(recorder);
    }
    for (int i = 1; i < RECORDERS; i++)
        if (draw(2))
            cushim_stream_free(&program.recorders[i]);
    CHECK(cushim_capture_end(&program.recorders[0], &program.graph));
    for (int i = 1; i < RECORDERS; i++)
        cushim_stream_free(&program.recorders[i]);
}

/* --- the results --- */

static uint32_t *values_of(const struct part *part)
{
    return part->length ? &part->in.values[part->first] : NULL;
}

static void do_step(const struct step *s)
{
    uint32_t *to = values_of(&s->to);
    const uint32_t *from = values_of(&s->from);

    for (uint32_t i = 0; i < s->to.length; i++)
        to[i] = s->kind == FILL   ? s->value
                : s->kind == COPY ? from[i]
                                  : to[i] * 3 + from[i] + s->value;
}

static void launch(const struct program *p, int times)
{
    for (int i = 0; i < times; i++) {
        CHECK(cushim_graph_launch(p->graph, streams[draw(2)]));
        for (int k = 0; k < STEPS; k++)
            do_step(&p->steps[k]);
    }
}

static void check_results(void)
{
    uint32_t values[LONGEST];

    for (int i = 0; i < SLICES + MADE; i++) {
        if (!memories[i].length)
            continue;
        CHECK(cushim_slice_read(stream, memories[i].slice, values, memories[i].length));
        for (uint32_t k = 0; k < memories[i].length; k++)
            CHECK_EQ(values[k], memories[i].values[k]);
    }
}

/* Events and calls of the program, which was launched three times. */
static void check_calls(void)
{
    CHECK(cushim_context_synchronize(context));
    for (int k = 0; k < STEPS; k++) {
        CHECK_EQ(calls[k], program.steps[k].kind == HOST ? 3 : 0);
        if (program.events[k].id)
            CHECK(cushim_event_query(program.events[k]));
    }
}

static void launch_all(void)
{
    memset(calls, 0, sizeof(calls));
    launch(&program, 2);
    check_results();
    for (int i = 0; i < KEPT; i++)
        if (kept[i].graph.id)
            launch(&kept[i], 1);
    check_results();
    launch(&program, 1);
    check_results();
    memset(calls, 0, sizeof(calls));
    launch(&program, 3);
    check_calls();
}

/* Slices that live on, and what other graphs do to them, are for the next programs. */
static void keep_or_free(void)
{
    const uint32_t i = draw(KEPT);

    for (int k = 0; k < STEPS; k++)
        cushim_event_free(&program.events[k]);
    cushim_graph_free(&kept[i].graph);
    kept[i] = program;
    for (int k = SLICES; k < SLICES + MADE; k++)
        if (memories[k].length && draw(3) == 0)
            free_made(&memories[k]);
}

static void begin(const char *library)
{
    CHECK(cushim_open(cushim_open_params(.library = library), &driver));
    CHECK(cushim_context_primary(driver, 0, &context));
    CHECK(cushim_stream_new(context, NULL, &stream));
    CHECK(cushim_stream_new(context, NULL, &streams[1]));
    streams[0] = stream;
    CHECK(cushim_arena_new(context, NULL, &shared));
    CHECK(cushim_module_load_text(context, ptx, NULL, &module));
    CHECK(cushim_module_function(module, "mix", &mix));
    for (int i = 0; i < SLICES; i++) {
        memories[i] = (struct memory){.length = N, .values = first_values[i]};
        CHECK(cushim_slice_zeros(stream, 4, N, &memories[i].slice));
        CHECK(cushim_slice_use(stream, memories[i].slice, true, &memories[i].address));
    }
}

static void end(void)
{
    for (int i = 0; i < SLICES + MADE; i++)
        cushim_slice_free(&memories[i].slice);
    for (int i = 0; i < KEPT; i++)
        cushim_graph_free(&kept[i].graph);
    cushim_arena_free(&shared);
    cushim_module_free(&module);
    cushim_stream_free(&stream);
    cushim_stream_free(&streams[1]);
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
        record();
        check_order();
        launch_all();
        keep_or_free();
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
