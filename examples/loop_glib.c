/* SPDX-License-Identifier: MIT */
/*
 * loop_glib: a thousand futures in a main loop of GLib. A thread of the driver tells of the end of
 * each (cushim_future_notify()), and g_idle_add(), which any thread may call, hands the job to the
 * loop. So no job needs a descriptor: GLib gives all of its descriptors to poll() each time, which
 * is slow for thousands. g_main_context_invoke() would not do: it may call its function at once, in
 * the thread of the driver.
 *
 * Exit status: 0 all results are right, 1 some are not, there is no usable driver or a call failed.
 */
#include <glib.h>

#include "loop_jobs.h"

static struct jobs jobs;
static GMainLoop *loop;
static int done, right;

/* In the loop's thread. */
static gboolean check(gpointer job)
{
    right += job_is_right(&jobs, job);
    if (++done == JOBS)
        g_main_loop_quit(loop);
    return G_SOURCE_REMOVE;
}

/* In a thread of the driver, which must not call cushim here. */
static void tell(void *job)
{
    g_idle_add(check, job);
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
    loop = g_main_loop_new(NULL, FALSE);
    if (submit_all() == CUSHIM_OK) {
        g_main_loop_run(loop);
        printf("%d of %d results are right\n", right, JOBS);
    } else {
        fprintf(stderr, "loop_glib: %s\n", cushim_error_text());
    }
    jobs_close(&jobs);
    g_main_loop_unref(loop);
    return right == JOBS ? 0 : 1;
}
