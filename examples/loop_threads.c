/* SPDX-License-Identifier: MIT */
/*
 * loop_threads: a thousand futures without any event loop. Each of four threads submits its jobs,
 * and takes their results in the order in which they come (cushim_future_wait_any()). The last few
 * it awaits one by one. No job needs a descriptor, and no function is called in another thread.
 *
 * Exit status: 0 all results are right, 1 some are not, there is no usable driver or a call failed.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "loop_jobs.h"

enum { THREADS = 4, EACH = JOBS / THREADS, LAST = 10 };

static struct jobs jobs;
static atomic_int right;

/* The jobs of a thread that are not done, and their futures in the same order. */
struct waiting {
    cushim_future futures[EACH];
    struct job *jobs[EACH];
    size_t n;
};

static cushim_status submit(struct waiting *w, int first)
{
    for (int i = first; i < first + EACH; i++) {
        CUSHIM_TRY(job_submit(&jobs, i));
        w->futures[w->n] = jobs.all[i].future;
        w->jobs[w->n++] = &jobs.all[i];
    }
    return CUSHIM_OK;
}

/* Checks job i, and puts the last one into its place. */
static void check(struct waiting *w, size_t i)
{
    right += job_is_right(&jobs, w->jobs[i]);
    w->n--;
    w->futures[i] = w->futures[w->n];
    w->jobs[i] = w->jobs[w->n];
}

static cushim_status work(int first)
{
    struct waiting w = {.n = 0};
    size_t i;

    CUSHIM_TRY(submit(&w, first));
    while (w.n > LAST) {
        CUSHIM_TRY(cushim_future_wait_any(w.futures, w.n, CUSHIM_FOREVER, &i));
        check(&w, i);
    }
    while (w.n) {
        CUSHIM_TRY(cushim_future_wait(w.futures[w.n - 1], CUSHIM_FOREVER));
        check(&w, w.n - 1);
    }
    return CUSHIM_OK;
}

static void *thread(void *first)
{
    if (work(*(const int *) first) != CUSHIM_OK)
        fprintf(stderr, "loop_threads: %s\n", cushim_error_text());
    return NULL;
}

int main(void)
{
    static int firsts[THREADS];
    pthread_t threads[THREADS];
    int n = 0;

    if (jobs_open(&jobs) == CUSHIM_OK) {
        for (; n < THREADS; n++) {
            firsts[n] = n * EACH;
            if (pthread_create(&threads[n], NULL, thread, &firsts[n]))
                break;
        }
        for (int i = 0; i < n; i++)
            pthread_join(threads[i], NULL);
        printf("%d of %d results are right\n", right, JOBS);
    } else {
        fprintf(stderr, "loop_threads: %s\n", cushim_error_text());
    }
    jobs_close(&jobs);
    return right == JOBS ? 0 : 1;
}
