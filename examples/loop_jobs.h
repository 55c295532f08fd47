/* SPDX-License-Identifier: MIT */
/*
 * What the examples of event loops have in common: a thousand jobs for a device. Each has a future,
 * and numbers that only its own job may have changed when the loop is told of it.
 */
#ifndef LOOP_JOBS_H
#define LOOP_JOBS_H

#include <stdio.h>

#include <cushim/cushim.h>

#include "op_kernels.h"

enum { JOBS = 1000, NUMBERS = 32 };

struct job {
    cushim_future future;
    float y[NUMBERS];
};

/* Zero before jobs_open(). */
struct jobs {
    cushim_driver driver;
    cushim_context context;
    cushim_module module;
    cushim_policy policy;
    cushim_function saxpy;
    struct job all[JOBS];
};

static inline cushim_status jobs_open(struct jobs *jobs)
{
    CUSHIM_TRY(cushim_open(NULL, &jobs->driver));
    CUSHIM_TRY(cushim_context_primary(jobs->driver, 0, &jobs->context));
    CUSHIM_TRY(cushim_module_load_text(jobs->context, op_kernels_ptx, NULL, &jobs->module));
    CUSHIM_TRY(cushim_module_function(jobs->module, "saxpy", &jobs->saxpy));
    return cushim_policy_round_robin(jobs->context, NULL, &jobs->policy);
}

/* Freeing a future waits for nothing. */
static inline void jobs_close(struct jobs *jobs)
{
    for (int i = 0; i < JOBS; i++)
        cushim_future_free(&jobs->all[i].future);
    cushim_policy_free(&jobs->policy);
    cushim_module_free(&jobs->module);
    cushim_context_free(&jobs->context);
    cushim_close(&jobs->driver);
}

/* Job i computes y = i * x + y, where x is 1 and y is 2, and does not wait for it. */
static inline cushim_status job_submit(struct jobs *jobs, int i)
{
    struct job *job = &jobs->all[i];
    const size_t n = NUMBERS;
    const float a = (float) i;
    cushim_op x, y, sum;

    for (int k = 0; k < NUMBERS; k++)
        job->y[k] = 2;
    x = cushim_op_fill(cushim_op_alloc(CUSHIM_ELEMENT(float), n), 1.0f);
    y = cushim_op_from(job->y, n);
    sum = cushim_op_launch(jobs->saxpy, cushim_for_elements(n), CUSHIM_VALUE(a), CUSHIM_OP_IN(x),
                           CUSHIM_OP_INOUT(y), CUSHIM_VALUE(n));
    return cushim_op_submit(cushim_op_to_host(cushim_op_output(sum, 2), job->y, n), jobs->policy,
                            &job->future);
}

/* Says whether a job, of which the loop was told, is done and right. Frees its future. */
static inline bool job_is_right(struct jobs *jobs, struct job *job)
{
    const float expected = (float) (job - jobs->all) + 2;
    const cushim_status status = cushim_future_poll(job->future); /* writes y, too */
    bool right = status == CUSHIM_OK;

    if (status != CUSHIM_OK)
        fprintf(stderr, "job %d: %s\n", (int) (job - jobs->all),
                status == CUSHIM_PENDING ? "told before its end" : cushim_error_text());
    for (int k = 0; k < NUMBERS; k++)
        right &= job->y[k] == expected;
    cushim_future_free(&job->future);
    return right;
}

#endif
