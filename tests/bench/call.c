/* SPDX-License-Identifier: MIT */
/*
 * What a call costs on its way to a function that does nothing.
 *
 * bench_call            the time of every way: a line of name, nanoseconds a call, and how
 *                       many times those through the PLT
 * bench_call WAY N      N calls, for a program that counts instructions
 *
 * bench_calls.py makes a table of both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cushim/rows.h>
#include <cushim/trace.h>

enum { ROUNDS = 31, CALLS = 100000 };

/* The driver's function, linked normally. */
int bench_init(unsigned flags);
/* The same, through the drop-in library. */
int cuInit(unsigned flags);

typedef int init_fn(unsigned flags);
struct table {
    init_fn *functions[CUSHIM_CUDA_ROWS];
};

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, cushim_error_text());
    exit(1);
}

static cushim_driver open_driver(void)
{
    cushim_driver driver = CUSHIM_NONE;

    if (cushim_open(cushim_open_params(.library = BENCH_DRIVER), &driver))
        fail("cushim_open");
    return driver;
}

static cushim_driver hooked(const struct cushim_hooks *hooks, size_t n)
{
    cushim_driver driver = CUSHIM_NONE;

    if (cushim_interpose(open_driver(), hooks, n, &driver))
        fail("cushim_interpose");
    return driver;
}

static const struct table *functions_of(cushim_driver driver)
{
    return (const struct table *) cushim_driver_functions(driver, CUSHIM_CUDA_ROWS);
}

/* --- the loops; not inlined, so that each is compiled as a program would have it --- */

__attribute__((noinline)) static void nothing(const struct table *table, long n)
{
    (void) table;
    for (long i = 0; i < n; i++)
        __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void through_plt(const struct table *table, long n)
{
    (void) table;
    for (long i = 0; i < n; i++)
        bench_init(0);
}

__attribute__((noinline)) static void through_table(const struct table *table, long n)
{
    for (long i = 0; i < n; i++)
        table->functions[CUSHIM_ROW_cuInit](0);
}

__attribute__((noinline)) static void through_dropin(const struct table *table, long n)
{
    (void) table;
    for (long i = 0; i < n; i++)
        cuInit(0);
}

/* --- the ways --- */

static cushim_trace trace;

static const struct table *plain_table(void)
{
    return functions_of(open_driver());
}

static const struct table *table_without_hooks(void)
{
    return functions_of(hooked(NULL, 0));
}

static bool empty_hook(struct cushim_call *call, void *user)
{
    (void) call;
    (void) user;
    return false;
}

static const struct table *table_with_a_hook(void)
{
    const struct cushim_hooks hooks = {.before = empty_hook};

    return functions_of(hooked(&hooks, 1));
}

static const struct table *table_with_a_trace(void)
{
    struct cushim_hooks hooks;

    if (cushim_trace_create(NULL, &trace))
        fail("cushim_trace_create");
    hooks = cushim_trace_hooks(trace);
    return functions_of(hooked(&hooks, 1));
}

static const struct way {
    const char *name;
    void (*loop)(const struct table *table, long n);
    const struct table *(*prepare)(void);
} ways[] = {
    {"loop", nothing, plain_table},
    {"plt", through_plt, plain_table},
    {"table", through_table, plain_table},
    {"dropin", through_dropin, plain_table},
    {"interposed", through_table, table_without_hooks},
    {"hook", through_table, table_with_a_hook},
    {"trace", through_table, table_with_a_trace},
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]), LOOP = 0, PLT = 1 };

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

static double median(const double *values)
{
    double sorted[ROUNDS];

    memcpy(sorted, values, sizeof(sorted));
    qsort(sorted, ROUNDS, sizeof(sorted[0]), compare);
    return sorted[ROUNDS / 2];
}

/* Every round takes all ways in turn, so that what slows the machine slows all of them. */
static void time_all(void)
{
    static double ns[WAYS][ROUNDS], ratio[WAYS][ROUNDS];
    const struct table *tables[WAYS];

    for (int w = 0; w < WAYS; w++) {
        tables[w] = ways[w].prepare();
        ways[w].loop(tables[w], CALLS);
    }
    for (int round = 0; round < ROUNDS; round++) {
        CUSHIM_IGNORE(cushim_trace_reset(trace));
        for (int w = 0; w < WAYS; w++) {
            const double start = now();

            ways[w].loop(tables[w], CALLS);
            ns[w][round] = (now() - start) / CALLS;
        }
        for (int w = 0; w < WAYS; w++)
            ratio[w][round] = ns[w][round] / ns[PLT][round];
    }
    for (int w = PLT; w < WAYS; w++)
        printf("%s %.3f %.3f\n", ways[w].name, median(ns[w]), median(ratio[w]));
}

static int call(const char *name, long n)
{
    for (int w = 0; w < WAYS; w++)
        if (!strcmp(name, ways[w].name)) {
            ways[w].loop(ways[w].prepare(), n);
            return 0;
        }
    fprintf(stderr, "no way is called %s\n", name);
    return 2;
}

int main(int argc, char **argv)
{
    /* What the drop-in library opens when it is first called. */
    setenv("CUSHIM_LIBCUDA", BENCH_DRIVER, 1);
    if (argc == 3)
        return call(argv[1], atol(argv[2]));
    time_all();
    return 0;
}
