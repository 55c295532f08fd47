/* SPDX-License-Identifier: MIT */
/*
 * What each kind of work costs through the safe layer, beside the same work by hand-written calls
 * of the driver, in the same run.
 *
 * bench_work [LIBRARY]     a driver's path, or "auto"; medians of both ways, and of their ratios.
 *                          Without a library the driver does nothing, so that what is added shows.
 * bench_work WAY N         one kind of work, N times, for a program that counts instructions
 *
 * A batch is short, and the device is idle when it begins. So the device's queue never fills up: a
 * thread that waits for room in it would hide what is added.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cushim/cushim.h>

#include "calls.h"
#include "nothing.h"

enum { ROUNDS = 61, BATCH = 400, MAX_STREAMS = 8, N = 256 };

static const char ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry bench(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) { ret; }\n"
    ".visible .entry touch(.param .u64 a) { ret; }\n";

/* A stream, with memory that only this stream uses. */
struct lane {
    cushim_stream stream;
    void *raw_stream;
    cushim_slice a, b, c;
    uint64_t addresses[3];
};

static cushim_driver driver;
static cushim_context context;
static cushim_module module;
static cushim_function bench, touch;
static cushim_slice shared;
static uint64_t shared_address;
static void *raw_bench, *raw_touch, *raw_event;
static struct lane lanes[MAX_STREAMS];
static const cushim_entry *table;
static char host[1024];

static void prepare_lane(struct lane *lane)
{
    cushim_slice *slices[] = {&lane->a, &lane->b, &lane->c};

    TRY(cushim_stream_new(context, NULL, &lane->stream));
    TRY(cushim_stream_raw(lane->stream, &lane->raw_stream));
    for (int i = 0; i < 3; i++) {
        TRY(cushim_slice_zeros(lane->stream, sizeof(float), N, slices[i]));
        TRY(cushim_slice_use(lane->stream, *slices[i], true, &lane->addresses[i]));
    }
}

static void prepare(const char *library)
{
    const char *path = library && strcmp(library, "auto") ? library : NULL;

    TRY(cushim_open(
        cushim_open_params(.library = path, .resolver = library ? NULL : nothing_resolve),
        &driver));
    TRY(cushim_context_primary(driver, 0, &context));
    TRY(cushim_context_set_current(context));
    TRY(cushim_module_load_text(context, ptx, NULL, &module));
    TRY(cushim_module_function(module, "bench", &bench));
    TRY(cushim_module_function(module, "touch", &touch));
    TRY(cushim_function_raw(bench, &raw_bench));
    TRY(cushim_function_raw(touch, &raw_touch));
    for (int i = 0; i < MAX_STREAMS; i++)
        prepare_lane(&lanes[i]);
    TRY(cushim_slice_zeros(lanes[0].stream, sizeof(float), N, &shared));
    TRY(cushim_slice_use(lanes[0].stream, shared, false, &shared_address));
    table = cushim_driver_functions(driver, CUSHIM_CUDA_ROWS);
    CU(cuEventCreate, (void **, unsigned), (&raw_event, 2));
}

/* --- one thread --- */

static void raw_launch(void *function, void *stream, void **params)
{
    CU(cuLaunchKernel,
       (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
        void **, void **),
       (function, 1, 1, 1, 256, 1, 1, 0, stream, params, NULL));
}

static void raw_launch_on(struct lane *l, uint64_t third)
{
    int count = N;
    void *params[] = {&l->addresses[0], &l->addresses[1], &third, &count};

    raw_launch(raw_bench, l->raw_stream, params);
}

static void launch_on(const struct lane *l, cushim_slice third)
{
    const int count = N;

    TRY(cushim_launch(l->stream, bench, cushim_for_elements(N), CUSHIM_INOUT(l->a), CUSHIM_IN(l->b),
                      CUSHIM_IN(third), CUSHIM_VALUE(count)));
}

static void raw_one(int i)
{
    (void) i;
    raw_launch_on(&lanes[0], lanes[0].addresses[2]);
}

static void safe_one(int i)
{
    (void) i;
    launch_on(&lanes[0], lanes[0].c);
}

static void raw_four(int i)
{
    raw_launch_on(&lanes[i % 4], lanes[i % 4].addresses[2]);
}

static void safe_four(int i)
{
    launch_on(&lanes[i % 4], lanes[i % 4].c);
}

static void raw_views(int i)
{
    struct lane *l = &lanes[0];
    uint64_t half = l->addresses[0] + sizeof(float) * N / 2;
    int count = N / 2;
    void *params[] = {&l->addresses[0], &half, &l->addresses[2], &count};

    (void) i;
    raw_launch(raw_bench, l->raw_stream, params);
}

static void safe_views(int i)
{
    const struct lane *l = &lanes[0];
    const int count = N / 2;
    cushim_view low, high;

    (void) i;
    TRY(cushim_view_part(CUSHIM_VIEW(l->a), 0, N / 2, &low));
    TRY(cushim_view_part(CUSHIM_VIEW(l->a), N / 2, N / 2, &high));
    TRY(cushim_launch(l->stream, bench, cushim_for_elements(N), CUSHIM_INOUT(low), CUSHIM_IN(high),
                      CUSHIM_IN(l->c), CUSHIM_VALUE(count)));
}

static void raw_ping_pong(int i)
{
    void *before = lanes[(i + 1) % 2].raw_stream, *stream = lanes[i % 2].raw_stream;
    void *params[] = {&shared_address};

    CU(cuEventRecord, (void *, void *), (raw_event, before));
    CU(cuStreamWaitEvent, (void *, void *, unsigned), (stream, raw_event, 0));
    raw_launch(raw_touch, stream, params);
}

static void safe_ping_pong(int i)
{
    TRY(cushim_launch(lanes[i % 2].stream, touch, cushim_for_elements(N), CUSHIM_INOUT(shared)));
}

static void raw_alloc(int i)
{
    uint64_t address = 0;

    (void) i;
    CU(cuMemAllocAsync, (uint64_t *, size_t, void *), (&address, 4096, lanes[0].raw_stream));
    CU(cuMemFreeAsync, (uint64_t, void *), (address, lanes[0].raw_stream));
}

static void safe_alloc(int i)
{
    cushim_slice slice = CUSHIM_NONE;

    (void) i;
    TRY(cushim_slice_alloc(lanes[0].stream, 1, 4096, &slice));
    cushim_slice_free(&slice);
}

static void raw_fill(int i)
{
    CU(cuMemsetD32Async, (uint64_t, unsigned, size_t, void *),
       (lanes[0].addresses[0], (unsigned) i, N, lanes[0].raw_stream));
}

static void safe_fill(int i)
{
    TRY(cushim_slice_fill(lanes[0].stream, lanes[0].a, (float) i));
}

static void raw_wait(void)
{
    CU(cuStreamSynchronize, (void *), (lanes[0].raw_stream));
}

static void raw_write(int i)
{
    (void) i;
    CU(cuMemcpyHtoDAsync_v2, (uint64_t, const void *, size_t, void *),
       (lanes[0].addresses[0], host, sizeof(host), lanes[0].raw_stream));
    raw_wait();
}

static void safe_write(int i)
{
    (void) i;
    TRY(cushim_slice_write(lanes[0].stream, lanes[0].a, (float *) host, N));
}

static void raw_read(int i)
{
    (void) i;
    CU(cuMemcpyDtoHAsync_v2, (void *, uint64_t, size_t, void *),
       (host, lanes[0].addresses[0], sizeof(host), lanes[0].raw_stream));
    raw_wait();
}

static void safe_read(int i)
{
    (void) i;
    TRY(cushim_slice_read(lanes[0].stream, lanes[0].a, (float *) host, N));
}

/* --- several threads, each with a stream of its own --- */

static struct {
    int n;
    bool safe, one_reads; /* all of them read one slice */
    pthread_barrier_t begin, end;
} team;

static void *work(void *user)
{
    struct lane *l = user;

    TRY(cushim_context_set_current(context));
    for (int round = 0; round <= 2 * ROUNDS; round++) {
        pthread_barrier_wait(&team.begin);
        for (int i = 0; i < BATCH; i++)
            if (team.safe)
                launch_on(l, team.one_reads ? shared : l->c);
            else
                raw_launch_on(l, team.one_reads ? shared_address : l->addresses[2]);
        pthread_barrier_wait(&team.end);
    }
    return NULL;
}

/* --- the times --- */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double) t.tv_sec + (double) t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof(values[0]), compare);
    return values[ROUNDS / 2];
}

static struct times {
    double raw[ROUNDS], safe[ROUNDS], ratio[ROUNDS];
} times;

static void add(int round, double raw, double safe)
{
    times.raw[round] = raw;
    times.safe[round] = safe;
    times.ratio[round] = safe / raw;
}

static void report(const char *name)
{
    printf("%-34s %9.1f ns by hand, %9.1f ns here, %.3f times\n", name, median(times.raw),
           median(times.safe), median(times.ratio));
    fflush(stdout);
}

static double batch(void (*once)(int i))
{
    double start;

    TRY(cushim_context_synchronize(context));
    start = now();
    for (int i = 0; i < BATCH; i++)
        once(i);
    return (now() - start) / BATCH;
}

/* Each round takes both ways in turn, so that what slows the machine slows both. */
static void time_one(const char *name, void (*raw)(int i), void (*safe)(int i))
{
    batch(raw);
    batch(safe);
    for (int round = 0; round < ROUNDS; round++) {
        const double by_hand = batch(raw);

        add(round, by_hand, batch(safe));
    }
    report(name);
}

static double team_batch(bool safe)
{
    double start;

    TRY(cushim_context_synchronize(context));
    team.safe = safe;
    pthread_barrier_wait(&team.begin);
    start = now();
    pthread_barrier_wait(&team.end);
    return (now() - start) / (BATCH * team.n);
}

static void time_team(int n, bool one_reads)
{
    pthread_t threads[MAX_STREAMS];
    char name[64];

    team.n = n;
    team.one_reads = one_reads;
    pthread_barrier_init(&team.begin, NULL, (unsigned) n + 1);
    pthread_barrier_init(&team.end, NULL, (unsigned) n + 1);
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, work, &lanes[i]);
    team_batch(true);
    for (int round = 0; round < ROUNDS; round++) {
        const double by_hand = team_batch(false);

        add(round, by_hand, team_batch(true));
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    snprintf(name, sizeof(name), "launch, %d thread%s%s", n, n > 1 ? "s" : "",
             one_reads ? ", one slice read by all" : "");
    report(name);
}

static void finish(void)
{
    cushim_slice_free(&shared);
    for (int i = 0; i < MAX_STREAMS; i++) {
        cushim_slice_free(&lanes[i].a);
        cushim_slice_free(&lanes[i].b);
        cushim_slice_free(&lanes[i].c);
        cushim_stream_free(&lanes[i].stream);
    }
    CU(cuEventDestroy_v2, (void *), (raw_event));
    cushim_module_free(&module);
    cushim_context_free(&context);
    cushim_close(&driver);
}

static const struct way {
    const char *name, *text;
    void (*raw)(int i), (*safe)(int i);
} ways[] = {
    {"one", "launch, one stream", raw_one, safe_one},
    {"four", "launch, four streams", raw_four, safe_four},
    {"views", "launch, two views and a slice", raw_views, safe_views},
    {"ping-pong", "ping-pong over two streams", raw_ping_pong, safe_ping_pong},
    {"alloc", "alloc and free, 4 KB", raw_alloc, safe_alloc},
    {"fill", "fill", raw_fill, safe_fill},
    {"write", "write 1 KB, waiting", raw_write, safe_write},
    {"read", "read 1 KB, waiting", raw_read, safe_read},
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static void time_all(void)
{
    for (int w = 0; w < WAYS; w++)
        time_one(ways[w].text, ways[w].raw, ways[w].safe);
    for (int n = 1; n <= MAX_STREAMS; n *= 2)
        time_team(n, false);
    for (int n = 2; n <= MAX_STREAMS; n *= 2)
        time_team(n, true);
}

static void repeat(void (*once)(int i), int n)
{
    for (int i = 0; i < n; i++)
        once(i);
}

int main(int argc, char **argv)
{
    prepare(argc == 2 ? argv[1] : NULL);
    if (argc < 3)
        time_all();
    for (int w = 0; argc == 3 && w < WAYS; w++)
        if (!strcmp(argv[1], ways[w].name))
            repeat(ways[w].safe, atoi(argv[2]));
    finish();
    return 0;
}
