/* SPDX-License-Identifier: MIT */
/*
 * What a launch costs: cuLaunchKernel() through the table, and cushim_launch() with three slices
 * and a value, in the same run.
 *
 * bench_launch [LIBRARY]       nanoseconds a launch, medians, and the ratio. Without a
 *                              library the driver does nothing, so that what is added shows.
 * bench_launch WAY N           N launches by one way, for a program that counts instructions
 *
 *     raw       cuCtxGetCurrent() and cuLaunchKernel()
 *     one       cushim_launch(), all on one stream
 *     several   the same with four streams in use, each with slices of its own
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cushim/cushim.h>

#include "calls.h"
#include "nothing.h"

enum { ROUNDS = 31, CALLS = 2000, STREAMS = 4, N = 256 };

static const char ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry bench(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) { ret; }\n";

/* --- what is launched --- */

struct lane {
    cushim_stream stream;
    void *raw_stream;
    cushim_slice a, b, c;
    uint64_t addresses[3];
};

static cushim_driver driver;
static cushim_context context;
static cushim_module module;
static cushim_function bench;
static struct lane lanes[STREAMS];
static void *raw_function;
static const cushim_entry *table;

static void prepare_lane(struct lane *lane)
{
    TRY(cushim_stream_new(context, NULL, &lane->stream));
    TRY(cushim_stream_raw(lane->stream, &lane->raw_stream));
    TRY(cushim_slice_zeros(lane->stream, sizeof(float), N, &lane->a));
    TRY(cushim_slice_zeros(lane->stream, sizeof(float), N, &lane->b));
    TRY(cushim_slice_zeros(lane->stream, sizeof(float), N, &lane->c));
    TRY(cushim_slice_use(lane->stream, lane->a, true, &lane->addresses[0]));
    TRY(cushim_slice_use(lane->stream, lane->b, true, &lane->addresses[1]));
    TRY(cushim_slice_use(lane->stream, lane->c, true, &lane->addresses[2]));
}

static void prepare(const char *library)
{
    TRY(cushim_open(
        cushim_open_params(.library = library, .resolver = library ? NULL : nothing_resolve),
        &driver));
    TRY(cushim_context_primary(driver, 0, &context));
    TRY(cushim_context_set_current(context));
    TRY(cushim_module_load_text(context, ptx, NULL, &module));
    TRY(cushim_module_function(module, "bench", &bench));
    TRY(cushim_function_raw(bench, &raw_function));
    for (int i = 0; i < STREAMS; i++)
        prepare_lane(&lanes[i]);
    table = cushim_driver_functions(driver, CUSHIM_CUDA_ROWS);
}

static void synchronize(void)
{
    TRY(cushim_context_synchronize(context));
}

/* --- the loops --- */

typedef int get_current(void **ret_context);
typedef int launch_kernel(void *function, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, unsigned, void *stream, void **params, void **extra);

__attribute__((noinline)) static void raw(long n)
{
    get_current *current = (get_current *) table[CUSHIM_ROW_cuCtxGetCurrent];
    launch_kernel *launch = (launch_kernel *) table[CUSHIM_ROW_cuLaunchKernel];

    for (long i = 0; i < n; i++) {
        struct lane *l = &lanes[0];
        int count = N;
        void *params[] = {&l->addresses[0], &l->addresses[1], &l->addresses[2], &count}, *now;

        if (current(&now) ||
            launch(raw_function, 1, 1, 1, 256, 1, 1, 0, l->raw_stream, params, NULL))
            exit(1);
    }
}

static void launch_on(const struct lane *l)
{
    const int count = N;

    TRY(cushim_launch(l->stream, bench, cushim_for_elements(N), CUSHIM_INOUT(l->a), CUSHIM_IN(l->b),
                      CUSHIM_IN(l->c), CUSHIM_VALUE(count)));
}

__attribute__((noinline)) static void one(long n)
{
    for (long i = 0; i < n; i++)
        launch_on(&lanes[0]);
}

__attribute__((noinline)) static void several(long n)
{
    for (long i = 0; i < n; i++)
        launch_on(&lanes[i % STREAMS]);
}

static const struct way {
    const char *name;
    void (*loop)(long n);
} ways[] = {{"raw", raw}, {"one", one}, {"several", several}};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

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

/* Every round takes all ways in turn, so that what slows the machine slows all of them. */
static void time_all(void)
{
    static double ns[WAYS][ROUNDS], ratio[WAYS][ROUNDS];

    for (int w = 0; w < WAYS; w++)
        ways[w].loop(CALLS);
    for (int round = 0; round < ROUNDS; round++) {
        for (int w = 0; w < WAYS; w++) {
            double start;

            synchronize();
            start = now();
            ways[w].loop(CALLS);
            ns[w][round] = (now() - start) / CALLS;
        }
        for (int w = 0; w < WAYS; w++)
            ratio[w][round] = ns[w][round] / ns[0][round];
    }
    synchronize();
    for (int w = 0; w < WAYS; w++)
        printf("launch %-8s %9.1f ns, %.3f times the raw call\n", ways[w].name, median(ns[w]),
               median(ratio[w]));
}

static void finish(void)
{
    for (int i = 0; i < STREAMS; i++) {
        cushim_slice_free(&lanes[i].a);
        cushim_slice_free(&lanes[i].b);
        cushim_slice_free(&lanes[i].c);
        cushim_stream_free(&lanes[i].stream);
    }
    cushim_module_free(&module);
    cushim_context_free(&context);
    cushim_close(&driver);
}

int main(int argc, char **argv)
{
    prepare(argc == 2 ? argv[1] : NULL);
    if (argc < 3)
        time_all();
    for (int w = 0; argc == 3 && w < WAYS; w++)
        if (!strcmp(argv[1], ways[w].name))
            ways[w].loop(atol(argv[2]));
    finish();
    return 0;
}
