/* SPDX-License-Identifier: MIT */
/*
 * random [FIRST LAST [DRIVER]]: random programs over streams, slices and views, one for each seed,
 * which is also the seed of the mock's scheduler. The result must be that of doing the same in
 * program order on the host, and the mock must find nothing that is not ordered. Each seed has a
 * process of its own, because the mock takes its seed when it starts. With DRIVER, such as
 * libcuda.so.1, they run on that: then only the results are looked at.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cushim/cushim.h>
#include <cushim/mock.h>

#include "plain.h"

enum { STEPS = 300, STREAMS = 5, SLICES = 4, N = 48 };

static const char *library; /* NULL for the mock */

struct program {
    uint32_t random;
    cushim_driver driver;
    cushim_context contexts[2];
    cushim_stream streams[STREAMS]; /* 0 is default, 1 per-thread, 4 of the second context */
    cushim_slice slices[SLICES];    /* 3 is of the second context */
    cushim_pinned pinned;
    uint32_t expected[SLICES][N], expected_pinned[N];
};

static uint32_t draw(struct program *p, uint32_t below)
{
    p->random = p->random * 1664525u + 1013904223u;
    return (p->random >> 16) % below;
}

static cushim_context context_of(struct program *p, uint32_t slice)
{
    return p->contexts[slice == 3];
}

/* A stream in which work on a slice may be done. */
static cushim_stream stream_for(struct program *p, uint32_t slice)
{
    return p->streams[slice == 3 ? 4 : draw(p, 4)];
}

/* The same range of the slice and of what is expected of it. */
static cushim_view part(struct program *p, uint32_t slice, size_t first, size_t length)
{
    cushim_view view;

    CHECK_OK(cushim_view_part(CUSHIM_VIEW(p->slices[slice]), first, length, &view));
    return view;
}

static void do_fill(struct program *p)
{
    const uint32_t slice = draw(p, SLICES), value = draw(p, 1000), first = draw(p, N),
                   length = draw(p, N - first + 1);

    CHECK_OK(cushim_slice_fill(stream_for(p, slice), part(p, slice, first, length), value));
    for (uint32_t i = 0; i < length; i++)
        p->expected[slice][first + i] = value;
}

static void do_copy(struct program *p)
{
    const uint32_t to = draw(p, SLICES), from = (to + 1 + draw(p, SLICES - 1)) % SLICES;
    const uint32_t length = draw(p, N), to_first = draw(p, N - length),
                   from_first = draw(p, N - length);
    const cushim_stream stream = stream_for(p, draw(p, 2) ? to : from);

    CHECK_OK(cushim_slice_copy(stream, part(p, to, to_first, length),
                               cushim_view_const(part(p, from, from_first, length))));
    memcpy(&p->expected[to][to_first], &p->expected[from][from_first], length * 4);
}

static void do_pinned(struct program *p)
{
    const uint32_t slice = draw(p, SLICES);
    uint32_t *host = NULL;
    void *pointer = NULL;

    if (draw(p, 3) == 0) {
        CHECK_OK(cushim_pinned_write(p->pinned, &pointer));
        host = pointer;
        for (uint32_t i = 0; i < N; i++)
            host[i] = p->expected_pinned[i] = draw(p, 1000);
    } else if (draw(p, 2)) {
        CHECK_OK(cushim_slice_copy(stream_for(p, slice), p->pinned, p->slices[slice]));
        memcpy(p->expected_pinned, p->expected[slice], sizeof(p->expected_pinned));
    } else {
        CHECK_OK(cushim_slice_copy(stream_for(p, slice), p->slices[slice], p->pinned));
        memcpy(p->expected[slice], p->expected_pinned, sizeof(p->expected_pinned));
    }
}

static void compare(const uint32_t *got, const uint32_t *wanted, uint32_t n, const char *what)
{
    for (uint32_t i = 0; i < n; i++)
        if (got[i] != wanted[i]) {
            fprintf(stderr, "element %u of %s is %u, expected %u\n", i, what, got[i], wanted[i]);
            _exit(1);
        }
}

static void do_read(struct program *p)
{
    const uint32_t slice = draw(p, SLICES), first = draw(p, N), length = draw(p, N - first + 1);
    uint32_t values[N];
    const void *pointer = NULL;

    if (draw(p, 4) == 0) {
        CHECK_OK(cushim_pinned_read(p->pinned, &pointer));
        compare(pointer, p->expected_pinned, N, "pinned memory");
        return;
    }
    CHECK_OK(
        cushim_slice_read(stream_for(p, slice), part(p, slice, first, length), values, length));
    compare(values, &p->expected[slice][first], length, "a slice");
}

static void do_write(struct program *p)
{
    const uint32_t slice = draw(p, SLICES), first = draw(p, N), length = draw(p, N - first + 1);
    uint32_t values[N];

    for (uint32_t i = 0; i < length; i++)
        values[i] = p->expected[slice][first + i] = draw(p, 1000);
    CHECK_OK(
        cushim_slice_write(stream_for(p, slice), part(p, slice, first, length), values, length));
    memset(values, 0xee, sizeof(values)); /* they may be used again */
}

/* A stream that ends with work under way, and a slice whose memory does. */
static void do_renew(struct program *p)
{
    const uint32_t slice = draw(p, SLICES), stream = 2 + draw(p, 2);

    if (draw(p, 2)) {
        cushim_stream_free(&p->streams[stream]);
        if (draw(p, 2))
            CHECK_OK(cushim_stream_fork(p->streams[draw(p, 2)], &p->streams[stream]));
        else
            CHECK_OK(cushim_stream_new(p->contexts[0],
                                       cushim_stream_params(.blocking = draw(p, 2) != 0),
                                       &p->streams[stream]));
        return;
    }
    cushim_slice_free(&p->slices[slice]);
    CHECK_OK(cushim_slice_zeros(stream_for(p, slice), 4, N, &p->slices[slice]));
    memset(p->expected[slice], 0, sizeof(p->expected[slice]));
}

static void do_order(struct program *p)
{
    const uint32_t a = draw(p, STREAMS), b = draw(p, STREAMS);

    if (draw(p, 2))
        CHECK_OK(cushim_stream_join(p->streams[a], p->streams[b]));
    else if (draw(p, 3) == 0)
        CHECK_OK(cushim_stream_synchronize(p->streams[a]));
    else if (cushim_stream_query(p->streams[a]) == 600 && draw(p, 4) == 0)
        CHECK_OK(cushim_context_synchronize(p->contexts[draw(p, 2)]));
}

static void step(struct program *p)
{
    static void (*const steps[])(struct program *) = {do_fill,   do_fill, do_copy,  do_copy,
                                                      do_copy,   do_read, do_write, do_renew,
                                                      do_pinned, do_order};

    steps[draw(p, sizeof(steps) / sizeof(steps[0]))](p);
}

static void begin(struct program *p)
{
    void *pointer = NULL;
    int devices = 0;

    CHECK_OK(cushim_open(cushim_open_params(.library = library ? library : MOCK), &p->driver));
    CHECK_OK(cushim_device_count(p->driver, &devices));
    CHECK_OK(cushim_context_primary(p->driver, 0, &p->contexts[0]));
    if (devices > 1)
        CHECK_OK(cushim_context_primary(p->driver, 1, &p->contexts[1]));
    else
        CHECK_OK(cushim_context_create(p->driver, 0, 0, &p->contexts[1]));
    CHECK_OK(cushim_stream_default(p->contexts[0], &p->streams[0]));
    CHECK_OK(cushim_stream_per_thread(p->contexts[0], &p->streams[1]));
    for (int i = 2; i < STREAMS; i++)
        CHECK_OK(cushim_stream_new(p->contexts[i == 4], NULL, &p->streams[i]));
    for (uint32_t i = 0; i < SLICES; i++)
        CHECK_OK(cushim_slice_zeros(stream_for(p, i), 4, N, &p->slices[i]));
    CHECK_OK(cushim_pinned_alloc(context_of(p, 0), 4, N, 0, &p->pinned));
    CHECK_OK(cushim_pinned_write(p->pinned, &pointer));
    memset(pointer, 0, N * 4);
}

/* In an order that is drawn, too. */
static void end(struct program *p)
{
    const uint32_t context = draw(p, 2);
    uint32_t values[N];

    for (uint32_t i = 0; i < SLICES; i++) {
        CHECK_OK(cushim_slice_read(stream_for(p, i), p->slices[i], values, N));
        compare(values, p->expected[i], N, "a slice at the end");
    }
    cushim_context_free(&p->contexts[context]);
    for (int i = context ? 0 : 1; i < STREAMS; i++)
        cushim_stream_free(&p->streams[i]);
    for (int i = 0; i < SLICES; i++)
        cushim_slice_free(&p->slices[i]);
    cushim_pinned_free(&p->pinned);
    cushim_context_free(&p->contexts[!context]);
    cushim_close(&p->driver);
}

static int run(uint64_t seed)
{
    const struct cushim_mock_config *config =
        cushim_mock_config(.devices = "h200,h200", .seed = seed);
    const struct cushim_mock_finding *findings = NULL;
    struct program p = {.random = (uint32_t) seed * 2654435761u};

    if (!library)
        CHECK_OK(cushim_mock_configure(config));
    begin(&p);
    for (int i = 0; i < STEPS; i++)
        step(&p);
    end(&p);
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
                   few = RUNNING_ON_VALGRIND ? 16 : 64, /* most of its time is to start them */
        last = argc > 2 ? (unsigned) atoi(argv[2]) : few;
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
    printf("seeds %u to %u, %d steps each: right\n", first, last, STEPS);
    return 0;
}
