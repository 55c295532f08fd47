/* SPDX-License-Identifier: MIT */
/*
 * loop_uv: a thousand futures in a loop of libuv. A thread of the driver tells of the end of each
 * (cushim_future_notify()): it puts the job into a queue and wakes the loop by uv_async_send(),
 * which any thread may call. One async handle does for all jobs, and no job needs a descriptor.
 * libuv makes one call of several that come soon after each other, so the queue says which jobs
 * are done.
 *
 * Exit status: 0 all results are right, 1 some are not, there is no usable driver or a call failed.
 */
#include <uv.h>

#include "loop_jobs.h"

static struct jobs jobs;
static uv_async_t wake;
static int done, right;

/* Jobs that are done, under the lock. */
static uv_mutex_t lock;
static struct job *queue[JOBS];
static int queued;

/* In a thread of the driver, which must not call cushim here. */
static void tell(void *job)
{
    uv_mutex_lock(&lock);
    queue[queued++] = job;
    uv_mutex_unlock(&lock);
    uv_async_send(&wake);
}

/* In the loop's thread. The lock is not held while cushim is called. */
static void check(uv_async_t *handle)
{
    struct job *told;

    for (;;) {
        uv_mutex_lock(&lock);
        told = done < queued ? queue[done] : NULL;
        uv_mutex_unlock(&lock);
        if (!told)
            break;
        done++;
        right += job_is_right(&jobs, told);
    }
    if (done == JOBS)
        uv_close((uv_handle_t *) handle, NULL); /* the loop ends when it has no handle */
}

static cushim_status submit_all(void)
{
    CUSHIM_TRY(jobs_open(&jobs));
    for (int i = 0; i < JOBS; i++) {
        CUSHIM_TRY(job_submit(&jobs, i));
        CUSHIM_TRY(cushim_future_notify(jobs.all[i].future, tell, &jobs.all[i]));
    }
    return CUSHIM_OK;
}

int main(void)
{
    uv_loop_t *loop = uv_default_loop();

    if (uv_mutex_init(&lock) || uv_async_init(loop, &wake, check)) {
        fprintf(stderr, "loop_uv: libuv has no lock or no handle\n");
        return 1;
    }
    if (submit_all() == CUSHIM_OK) {
        uv_run(loop, UV_RUN_DEFAULT);
        printf("%d of %d results are right\n", right, JOBS);
    } else {
        fprintf(stderr, "loop_uv: %s\n", cushim_error_text());
    }
    jobs_close(&jobs); /* after this, tell() is not called any more */
    if (done < JOBS) {
        uv_close((uv_handle_t *) &wake, NULL);
        uv_run(loop, UV_RUN_DEFAULT);
    }
    uv_loop_close(loop);
    uv_mutex_destroy(&lock);
    return right == JOBS ? 0 : 1;
}
