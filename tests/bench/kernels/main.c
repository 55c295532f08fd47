/* SPDX-License-Identifier: MIT */
/*
 * One problem solved in one way: by C on one thread ("c") or all ("c-all"), by OpenCL ("opencl"),
 * or by a driver of CUDA ("driver"), such as the mock, with what its variables say. The result is
 * compared with C's. Prints the time of the first launch and the median of the others in ms, and
 * how many there were; or "-", and why not.
 *
 *   bench_ptx                                    the names of the problems
 *   bench_ptx WAY PROBLEM SECONDS KERNELS        KERNELS: the path of kernels.cu
 *   bench_ptx WAY PROBLEM SECONDS KERNELS cpu    processor time, which other programs disturb less
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "problems.h"

enum { LEAST = 3, MOST = 1000 };

/* A launch of so many ms is timed once, besides the first. */
#define LONG 2000.0

static clockid_t clock_used = CLOCK_MONOTONIC;

static double now(void)
{
    struct timespec t;

    clock_gettime(clock_used, &t);
    return 1e3 * (double) t.tv_sec + 1e-6 * (double) t.tv_nsec;
}

/* --- C as a way --- */

static struct memories own;

static const char *c_begin(const struct problem *problem, const char *source, struct memories *m)
{
    (void) problem;
    (void) source;
    own = *m;
    return NULL;
}

static void c_launch(const struct problem *problem)
{
    problem->c(own.m[0], own.m[1], own.m[2], problem->n);
}

static void c_read(const struct problem *problem, struct memories *m)
{
    (void) problem;
    *m = own;
}

static const struct way way_c = {c_begin, c_launch, c_read};

/* --- one way --- */

static int order(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static void time_launches(const struct way *way, const struct problem *problem, double first,
                          double seconds)
{
    static double times[MOST];
    const double end = now() + 1e3 * seconds;
    unsigned n = 0;

    while (n < (first > LONG ? 1 : LEAST) || (n < MOST && now() < end)) {
        const double before = now();

        way->launch(problem);
        times[n++] = now() - before;
    }
    qsort(times, n, sizeof(times[0]), order);
    printf("%g %g %u\n", first, times[n / 2], n);
}

/* The first launch is compared with C, the others only take time. */
static bool first_launch(const struct way *way, const struct problem *problem, struct memories *m,
                         double *ret_time)
{
    struct memories expected = problems_memories(problem);
    const double before = now();
    bool equal;

    way->launch(problem);
    *ret_time = now() - before;
    way->read(problem, m);
    problem->c(expected.m[0], expected.m[1], expected.m[2], problem->n);
    equal = problems_equal(problem, &expected, m);
    problems_free(&expected);
    return equal;
}

static int solve(const struct way *way, const struct problem *problem, double seconds,
                 const char *source)
{
    struct memories m = problems_memories(problem);
    const char *reason = way->begin(problem, source, &m);
    double first;

    if (reason) {
        printf("- %s\n", reason);
        return 0;
    }
    if (!first_launch(way, problem, &m, &first))
        return 1;
    time_launches(way, problem, first, seconds);
    problems_free(&m);
    return 0;
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 16);

    if (!file || !text) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    text[fread(text, 1, (1 << 16) - 1, file)] = '\0';
    fclose(file);
    return text;
}

static const struct way *find_way(const char *name)
{
    problems_threads(!strcmp(name, "c-all"));
    return name[0] == 'c' ? &way_c : !strcmp(name, "opencl") ? &way_opencl : &way_driver;
}

int main(int argc, char **argv)
{
    const struct problem *problem = argc > 4 ? problems_find(argv[2]) : NULL;
    char *source;
    int status;

    for (size_t i = 0; argc == 1 && problems_name(i); i++)
        puts(problems_name(i));
    if (argc == 1)
        return 0;
    if (!problem) {
        fprintf(stderr, "bench_ptx WAY PROBLEM SECONDS KERNELS [cpu]\n");
        return 2;
    }
    if (argc > 5)
        clock_used = CLOCK_PROCESS_CPUTIME_ID;
    source = read_all(argv[4]);
    status = solve(find_way(argv[1]), problem, atof(argv[3]), source);
    free(source);
    return status;
}
