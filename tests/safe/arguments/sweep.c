/* SPDX-License-Identifier: MIT */
/*
 * Every public function is called with every bad value of each of its arguments, one at a time, and
 * with some pairs of them. A call returns, and if it fails it says why and has changed nothing.
 * What it has made is freed, and the world works as before.
 *
 *     safe-arguments [FUNCTION...]
 *
 * without names sweeps all functions. tests/rules/test_arguments.py finds functions without a row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"
#include "../../unit/plain.h"

/* Most calls are of pairs, which the other builds try. The program has one thread. */
static int pairs(void)
{
#ifdef __SANITIZE_THREAD__
    return 20;
#else
    return RUNNING_ON_VALGRIND ? 8 : 200;
#endif
}

/* The sanitizers must not end the process where memory cannot be had. */
#define MAY_FAIL "allocator_may_return_null=1"
__attribute__((visibility("default"))) const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__asan_default_options(void)
{
    return MAY_FAIL;
}
const char *__tsan_default_options(void)
{
    return MAY_FAIL;
}

static const struct rows *const all[] = {&driver_rows, &work_rows,  &memory_rows, &shared_rows,
                                         &code_rows,   &async_rows, &mock_rows};

static unsigned draw(unsigned *random, size_t below)
{
    *random = *random * 1664525u + 1013904223u;
    return (unsigned) ((*random >> 8) % below);
}

static bool is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return argc == 1;
}

/* After all calls of a function. */
static void world_check(const struct world *w)
{
    const char *why;

    if (!world_works(w, &why))
        world_fail("after this, a saxpy fails: %s", why);
}

static void sweep_one_by_one(struct world *w, const struct row *row)
{
    const struct bad *bad[MOST_ARGUMENTS] = {NULL};

    call_row(w, row, bad);
    for (unsigned i = 0; i < row->n; i++) {
        const struct bad_values *values = bad_values(w, row->kinds[i]);

        for (size_t k = 0; k < values->n; k++) {
            bad[i] = &values->list[k];
            call_row(w, row, bad);
        }
        bad[i] = NULL;
    }
}

static void sweep_pairs(struct world *w, const struct row *row)
{
    const int tried = pairs();
    unsigned random = 1;

    for (int n = 0; row->n > 1 && n < tried; n++) {
        const struct bad *bad[MOST_ARGUMENTS] = {NULL};
        const unsigned first = draw(&random, row->n), second = draw(&random, row->n);
        const struct bad_values *one = bad_values(w, row->kinds[first]);
        const struct bad_values *two = bad_values(w, row->kinds[second]);

        if (first == second || !one->n || !two->n)
            continue;
        bad[first] = &one->list[draw(&random, one->n)];
        bad[second] = &two->list[draw(&random, two->n)];
        call_row(w, row, bad);
    }
}

/* Returns how many functions there were. */
static size_t sweep(struct world *w, const struct rows *rows, int argc, char **argv)
{
    size_t n = 0;

    for (size_t i = 0; i < rows->n; i++)
        if (is_wanted(rows->list[i].name, argc, argv)) {
            sweep_one_by_one(w, &rows->list[i]);
            sweep_pairs(w, &rows->list[i]);
            if (rows != &early_rows)
                world_check(w);
            n++;
        }
    return n;
}

int main(int argc, char **argv)
{
    struct world *w = calloc(1, sizeof(*w));
    size_t n;

    /* No library of the machine, and no files in its folders. */
    if (!w || setenv("CUSHIM_LIBCUDA", "none", 1) || setenv("CUSHIM_LIBNVRTC", "none", 1) ||
        setenv("CUSHIM_LIBNVJITLINK", "none", 1) || chdir("/proc"))
        return 1;
    tell_at_signals();
    world_begin(w);
    n = sweep(w, &early_rows, argc, argv);
    world_open(w);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        n += sweep(w, all[i], argc, argv);
    world_close(w);
    free(w);
    printf("%zu calls of %zu functions, %zu were wrong\n", calls, n, wrongs);
    return n && !wrongs ? 0 : 1;
}
