/* SPDX-License-Identifier: MIT */
/*
 * What opening a driver costs, and where the time goes: in dlopen(), in finding functions,
 * in cuInit(), and in the rest.
 *
 * bench_open                   medians over processes of its own, for a driver that does
 *                              nothing and for the one of this machine
 * bench_open --once LIBRARY    the numbers of one process: status, then nanoseconds
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/report.h>

enum { PROCESSES = 25 };

/* The order in which --once prints them. */
enum { LOAD, RESOLVE, INIT, TOTAL, AGAIN, TIMES };

static int measure(const char *library)
{
    const struct cushim_open_params *params = cushim_open_params(.library = library);
    const struct cushim_report *first = NULL, *second = NULL;

    if (cushim_report_create(CUSHIM_LIBRARY_CUDA, params, &first) ||
        cushim_report_create(CUSHIM_LIBRARY_CUDA, params, &second)) {
        fprintf(stderr, "%s\n", cushim_error_text());
        return 1;
    }
    printf("%d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %zu %s\n", first->status,
           first->load_ns, first->resolve_ns, first->init_ns, first->total_ns, second->total_ns,
           first->found, first->chosen ? first->chosen->path : "-");
    cushim_report_free(&first);
    cushim_report_free(&second);
    return 0;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, PROCESSES, sizeof(values[0]), compare);
    return values[PROCESSES / 2];
}

struct sample {
    int status;
    double us[TIMES];
    size_t found;
    char path[512];
};

/* A fresh process: nothing is loaded, and nothing was looked for. */
static int take_sample(const char *self, const char *library, struct sample *ret)
{
    char command[1024];
    double *us = ret->us;
    FILE *pipe;
    int n;

    snprintf(command, sizeof(command), "'%s' --once '%s'", self, library);
    pipe = popen(command, "r");
    n = pipe ? fscanf(pipe, "%d %lf %lf %lf %lf %lf %zu %511[^\n]", &ret->status, &us[LOAD],
                      &us[RESOLVE], &us[INIT], &us[TOTAL], &us[AGAIN], &ret->found, ret->path)
             : 0;
    for (int t = 0; n == 8 && t < TIMES; t++)
        us[t] /= 1000;
    if (pipe)
        pclose(pipe);
    return n == 8;
}

static void print_medians(struct sample *samples)
{
    double columns[TIMES + 2][PROCESSES];

    for (int i = 0; i < PROCESSES; i++) {
        const double *us = samples[i].us;

        for (int t = 0; t < TIMES; t++)
            columns[t][i] = us[t];
        columns[TIMES][i] = us[TOTAL] - us[LOAD] - us[INIT] - us[RESOLVE];
        columns[TIMES + 1][i] = us[TOTAL] - us[LOAD] - us[INIT];
    }
    printf("  dlopen %.0f us, functions %.0f, cuInit %.0f, rest %.0f; together %.0f\n",
           median(columns[LOAD]), median(columns[RESOLVE]), median(columns[INIT]),
           median(columns[TIMES]), median(columns[TOTAL]));
    printf("  on top of dlopen and cuInit: %.0f us (budget 100)\n", median(columns[TIMES + 1]));
    printf("  the second time in a process: %.1f us\n", median(columns[AGAIN]));
}

static int benchmark(const char *self, const char *name, const char *library)
{
    static struct sample samples[PROCESSES];

    for (int i = 0; i < PROCESSES; i++)
        if (!take_sample(self, library, &samples[i])) {
            fprintf(stderr, "%s: a process gave no numbers\n", library);
            return 1;
        }
    if (!strcmp(samples[0].path, "-")) {
        printf("%s: there is none (%s)\n", name, cushim_status_name(samples[0].status));
        return 0;
    }
    printf("%s: %s, %zu functions, %s\n", name, samples[0].path, samples[0].found,
           cushim_status_name(samples[0].status));
    print_medians(samples);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--once"))
        return measure(argv[2]);
    printf("medians over %d processes\n", PROCESSES);
    return benchmark(argv[0], "a driver that does nothing", BENCH_DRIVER) |
           benchmark(argv[0], "the driver of this machine", "auto");
}
