/* SPDX-License-Identifier: MIT */
/*
 * random_threads [FIRST LAST [DRIVER]]: like random.c, but 16 threads run one program together. A
 * step takes the locks of the memory that it uses, submits its work, does the same on the host, and
 * releases them. So the order of the steps on each memory is known, and the result must be that of
 * the host; everything else happens at the same time: streams, which all threads share, and what
 * the layer keeps of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "plain.h"

enum { THREADS = 16, STEPS = 60, STREAMS = 8, SLICES = 7, N = 48, OF_SECOND = SLICES - 1 };

static const char ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry add(.param .u64 y, .param .u64 x, .param .u32 n)\n{\n"
    "    .reg .u64 %rd<4>; .reg .u32 %r<6>; .reg .pred %p;\n"
    "    ld.param.u64 %rd1, [y]; ld.param.u64 %rd2, [x]; ld.param.u32 %r1, [n];\n"
    "    mov.u32 %r2, %tid.x; mov.u32 %r5, %ctaid.x; mov.u32 %r4, %ntid.x;\n"
    "    mad.lo.u32 %r2, %r5, %r4, %r2; setp.ge.u32 %p, %r2, %r1; @%p bra END;\n"
    "    mul.wide.u32 %rd3, %r2, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;\n"
    "    ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd2]; add.u32 %r3, %r3, %r4;\n"
    "    st.global.u32 [%rd1], %r3;\nEND:\n    ret;\n}\n";

static const char *library; /* NULL for the mock */
static cushim_driver driver;
static cushim_context contexts[2];
static cushim_function add;

/* Streams 6 and 7 are of the second context, and so is the last slice. */
static cushim_stream streams[STREAMS];
static struct memory {
    pthread_mutex_t lock;
    cushim_slice slice;
    uint32_t expected[N];
} memories[SLICES];

struct thread {
    uint32_t random;
    cushim_stream own; /* the per-thread default stream */
};

static uint32_t draw(struct thread *t, uint32_t below)
{
    t->random = t->random * 1664525u + 1013904223u;
    return (t->random >> 16) % below;
}

static cushim_stream stream_for(struct thread *t, uint32_t memory)
{
    if (memory == OF_SECOND)
        return streams[6 + draw(t, 2)];
    return draw(t, 5) ? streams[draw(t, 6)] : t->own;
}

static cushim_view part(uint32_t memory, size_t first, size_t length)
{
    cushim_view view;

    CHECK_OK(cushim_view_part(CUSHIM_VIEW(memories[memory].slice), first, length, &view));
    return view;
}

/* In the order of their numbers, so that no two threads wait for each other. */
static void lock_two(uint32_t a, uint32_t b)
{
    pthread_mutex_lock(&memories[a < b ? a : b].lock);
    pthread_mutex_lock(&memories[a < b ? b : a].lock);
}

static void unlock_two(uint32_t a, uint32_t b)
{
    pthread_mutex_unlock(&memories[a].lock);
    pthread_mutex_unlock(&memories[b].lock);
}

static void do_fill(struct thread *t)
{
    const uint32_t memory = draw(t, SLICES), value = draw(t, 1000), first = draw(t, N),
                   length = draw(t, N - first + 1);
    const bool whole = draw(t, 2);
    struct memory *m = &memories[memory];

    pthread_mutex_lock(&m->lock);
    if (whole)
        CHECK_OK(cushim_slice_fill(stream_for(t, memory), m->slice, value));
    else
        CHECK_OK(cushim_slice_fill(stream_for(t, memory), part(memory, first, length), value));
    for (uint32_t i = whole ? 0 : first; i < (whole ? N : first + length); i++)
        m->expected[i] = value;
    pthread_mutex_unlock(&m->lock);
}

static void do_copy(struct thread *t)
{
    const uint32_t to = draw(t, SLICES), from = (to + 1 + draw(t, SLICES - 1)) % SLICES;
    const uint32_t length = draw(t, N), to_first = draw(t, N - length),
                   from_first = draw(t, N - length);

    lock_two(to, from);
    CHECK_OK(cushim_slice_copy(stream_for(t, draw(t, 2) ? to : from), part(to, to_first, length),
                               cushim_view_const(part(from, from_first, length))));
    memcpy(&memories[to].expected[to_first], &memories[from].expected[from_first], length * 4);
    unlock_two(to, from);
}

/* Whole slices take the fast path of a launch where their streams allow it. */
static void do_launch(struct thread *t)
{
    const uint32_t to = draw(t, SLICES - 1);
    const uint32_t from = (to + 1 + draw(t, SLICES - 2)) % (SLICES - 1);
    const bool whole = draw(t, 4);
    const uint32_t n = whole ? N : draw(t, N);
    struct memory *y = &memories[to], *x = &memories[from];

    lock_two(to, from);
    if (whole)
        CHECK_OK(cushim_launch(stream_for(t, to), add, cushim_for_elements(N),
                               CUSHIM_INOUT(y->slice), CUSHIM_IN(x->slice), CUSHIM_VALUE(n)));
    else
        CHECK_OK(cushim_launch(stream_for(t, to), add, cushim_for_elements(n),
                               CUSHIM_INOUT(part(to, 0, n)), CUSHIM_IN(part(from, 0, n)),
                               CUSHIM_VALUE(n)));
    for (uint32_t i = 0; i < n; i++)
        y->expected[i] += x->expected[i];
    unlock_two(to, from);
}

static void compare(const uint32_t *got, const uint32_t *wanted, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (got[i] != wanted[i]) {
            fprintf(stderr, "element %u is %u, expected %u\n", i, got[i], wanted[i]);
            _exit(1);
        }
}

static void do_read(struct thread *t)
{
    const uint32_t memory = draw(t, SLICES), first = draw(t, N), length = draw(t, N - first + 1);
    uint32_t values[N];

    pthread_mutex_lock(&memories[memory].lock);
    CHECK_OK(cushim_slice_read(stream_for(t, memory), part(memory, first, length), values, length));
    compare(values, &memories[memory].expected[first], length);
    pthread_mutex_unlock(&memories[memory].lock);
}

static void do_write(struct thread *t)
{
    const uint32_t memory = draw(t, SLICES), first = draw(t, N), length = draw(t, N - first + 1);
    uint32_t values[N];

    pthread_mutex_lock(&memories[memory].lock);
    for (uint32_t i = 0; i < length; i++)
        values[i] = memories[memory].expected[first + i] = draw(t, 1000);
    CHECK_OK(
        cushim_slice_write(stream_for(t, memory), part(memory, first, length), values, length));
    pthread_mutex_unlock(&memories[memory].lock);
}

/* The memory is freed with work under way. */
static void do_renew(struct thread *t)
{
    const uint32_t memory = draw(t, SLICES);
    struct memory *m = &memories[memory];

    pthread_mutex_lock(&m->lock);
    cushim_slice_free(&m->slice);
    CHECK_OK(cushim_slice_zeros(stream_for(t, memory), 4, N, &m->slice));
    memset(m->expected, 0, sizeof(m->expected));
    pthread_mutex_unlock(&m->lock);
}

static void do_order(struct thread *t)
{
    const uint32_t a = draw(t, STREAMS), b = draw(t, STREAMS);
    const uint32_t what = draw(t, 8);

    if (what < 4)
        CHECK_OK(cushim_stream_join(streams[a], streams[b]));
    else if (what < 6)
        CHECK_OK(cushim_stream_synchronize(streams[a]));
    else if (what < 7)
        (void) !cushim_stream_query(streams[a]);
    else
        CHECK_OK(cushim_context_synchronize(contexts[draw(t, 2)]));
}

/* A stream that only this thread knows, and that ends with work under way. */
static void do_short_stream(struct thread *t)
{
    const uint32_t memory = draw(t, SLICES - 1), value = draw(t, 1000);
    struct memory *m = &memories[memory];
    cushim_stream stream = CUSHIM_NONE;

    CHECK_OK(cushim_stream_new(contexts[0], NULL, &stream));
    pthread_mutex_lock(&m->lock);
    CHECK_OK(cushim_slice_fill(stream, m->slice, value));
    for (uint32_t i = 0; i < N; i++)
        m->expected[i] = value;
    pthread_mutex_unlock(&m->lock);
    cushim_stream_free(&stream);
}

static uint32_t seed_of_threads;

static void *work(void *user)
{
    static void (*const steps[])(struct thread *) = {
        do_fill, do_copy,  do_copy,  do_launch, do_launch,      do_launch,
        do_read, do_write, do_renew, do_order,  do_short_stream};
    struct thread t = {.random =
                           (seed_of_threads * THREADS + (uint32_t) (size_t) user) * 2654435761u};

    CHECK_OK(cushim_stream_per_thread(contexts[0], &t.own));
    for (int i = 0; i < STEPS; i++)
        steps[draw(&t, sizeof(steps) / sizeof(steps[0]))](&t);
    cushim_stream_free(&t.own);
    return NULL;
}

static void begin(cushim_module *ret_module)
{
    int devices = 0;

    CHECK_OK(cushim_open(cushim_open_params(.library = library ? library : MOCK), &driver));
    CHECK_OK(cushim_device_count(driver, &devices));
    CHECK_OK(cushim_context_primary(driver, 0, &contexts[0]));
    if (devices > 1)
        CHECK_OK(cushim_context_primary(driver, 1, &contexts[1]));
    else
        CHECK_OK(cushim_context_create(driver, 0, 0, &contexts[1]));
    CHECK_OK(cushim_module_load_text(contexts[0], ptx, NULL, ret_module));
    CHECK_OK(cushim_module_function(*ret_module, "add", &add));
    for (uint32_t i = 0; i < STREAMS; i++)
        CHECK_OK(cushim_stream_new(contexts[i >= 6], cushim_stream_params(.blocking = i % 2),
                                   &streams[i]));
    for (uint32_t i = 0; i < SLICES; i++) {
        pthread_mutex_init(&memories[i].lock, NULL);
        CHECK_OK(cushim_slice_zeros(streams[i == OF_SECOND ? 6 : i], 4, N, &memories[i].slice));
    }
}

static void end(cushim_module *module)
{
    uint32_t values[N];

    for (uint32_t i = 0; i < SLICES; i++) {
        CHECK_OK(cushim_slice_read(streams[i == OF_SECOND ? 6 : i], memories[i].slice, values, N));
        compare(values, memories[i].expected, N);
        cushim_slice_free(&memories[i].slice);
    }
    for (int i = 0; i < STREAMS; i++)
        cushim_stream_free(&streams[i]);
    cushim_module_free(module);
    cushim_context_free(&contexts[0]);
    cushim_context_free(&contexts[1]);
    cushim_close(&driver);
}

static int run(uint64_t seed)
{
    const struct cushim_mock_config *config =
        cushim_mock_config(.devices = "h200,h200", .seed = seed);
    const struct cushim_mock_finding *findings = NULL;
    cushim_module module = CUSHIM_NONE;
    pthread_t threads[THREADS];

    if (!library)
        CHECK_OK(cushim_mock_configure(config));
    begin(&module);
    seed_of_threads = (uint32_t) seed;
    start_threads(threads, THREADS, work);
    join_threads(threads, THREADS);
    end(&module);
    if (library)
        return 0;
    cushim_mock_leaks();
    if (!cushim_mock_findings(&findings))
        return 0;
    fprintf(stderr, "the mock found: %s\n", findings[0].text);
    return 1;
}

int main(int argc, char **argv)
{
    const unsigned first = argc > 2 ? (unsigned) atoi(argv[1]) : 1,
                   last = argc > 2 ? (unsigned) atoi(argv[2]) : 64;
    int status = 0;

    library = argc > 3 ? argv[3] : NULL;
    for (unsigned seed = first; seed <= last; seed++) {
        const pid_t child = fork();

        if (child == 0)
            _exit(run(seed));
        if (waitpid(child, &status, 0) != child || status) {
            fprintf(stderr, "seed %u: status 0x%x\n", seed, (unsigned) status);
            return 1;
        }
    }
    printf("seeds %u to %u, %d threads, %d steps each: right\n", first, last, THREADS, STEPS);
    return 0;
}
