/* SPDX-License-Identifier: MIT */
/*
 * What happens in the middle of a call, when a host function or a hook frees and closes, or the
 * process forks. Hooks of the driver stop the call at the right place.
 */
#include <sys/wait.h>

#include "overtaken.h"

/* --- what a hook and a host function free and close --- */

static cushim_stream freed_in_hook;

static void free_stream(bool is_after)
{
    if (!is_after)
        cushim_stream_free(&freed_in_hook);
}

static void a_hook_frees_a_stream(void)
{
    prepare();
    OK(cushim_stream_new(context, NULL, &freed_in_hook));
    at_stop = free_stream;
    stop_at = "cuEventRecord"; /* the context lock is held */
    OK(cushim_event_record(event, a));
    stop_at = NULL;
    CHECK_EQ(freed_in_hook.id, 0);
    finish();
}

static cushim_driver closed_in_function;

static void free_and_close(void *user)
{
    (void) user;
    cushim_slice_free(&x);
    cushim_close(&closed_in_function);
}

/* What is deferred stays so: the driver must not be called there. */
static void a_host_function_closes_a_driver(void)
{
    prepare();
    OK(cushim_open(cushim_open_params(.library = MOCK), &closed_in_function));
    OK(cushim_stream_host_function(a, free_and_close, NULL, NULL));
    OK(cushim_stream_synchronize(a));
    OK(cushim_context_synchronize(context));
    OK(cushim_context_check(context));
    CHECK_EQ(closed_in_function.id != 0, true);
    cushim_close(&closed_in_function);
    finish();
}

/* --- a host function is refused, and its context goes meanwhile --- */

static atomic_int released;

static void release(void *user)
{
    (void) user;
    atomic_fetch_add(&released, 1);
}

/* Leaving the scope: the stream lock is free, and the stream still pinned. */
static void while_leaving(bool is_after)
{
    if (is_after)
        return;
    stop_at = NULL;
    next_step(1);
    wait_for_step(2);
}

static void *free_everything(void *user)
{
    wait_for_step(1);
    free_all();
    next_step(2);
    return user;
}

static bool refuse(struct cushim_call *call, void *user)
{
    (void) user;
    if (strcmp(call->name, "cuLaunchHostFunc"))
        return false;
    call->result = 2;
    at_stop = while_leaving;
    stop_at = "cuCtxSetCurrent";
    return true;
}

static void a_refused_host_function_is_dropped_once(void)
{
    const struct cushim_hooks hooks = {.before = refuse};
    cushim_driver refusing = CUSHIM_NONE;
    pthread_t thread;

    prepare();
    free_all();
    OK(cushim_interpose(driver, &hooks, 1, &refusing));
    OK(cushim_context_create(refusing, 0, 0, &context));
    OK(cushim_stream_new(context, NULL, &a));
    start_threads(&thread, 1, free_everything);
    CHECK_EQ(cushim_stream_host_function(a, be_slow, NULL, release), 2);
    stop_at = NULL;
    join_threads(&thread, 1);
    CHECK_EQ(atomic_load(&released), 1);
    cushim_close(&refusing);
    finish();
}

/* --- a fork while another thread is inside of a call with hooks --- */

static void *wait_for_stream(void *user)
{
    OK(cushim_stream_synchronize(a));
    return user;
}

static void tell_and_be_slow(void *user)
{
    next_step(1);
    be_slow(user);
}

static void a_child_closes_what_the_parent_uses(void)
{
    pthread_t thread;
    int status = 0;
    pid_t child;

    prepare();
    OK(cushim_stream_host_function(a, tell_and_be_slow, NULL, NULL));
    start_threads(&thread, 1, wait_for_stream);
    wait_for_step(1);
    child = fork();
    if (!child) {
        alarm(PATIENCE_S);
        cushim_close(&driver);
        _exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    join_threads(&thread, 1);
    finish();
}

int main(void)
{
    alarm(6 * PATIENCE_S);
    a_hook_frees_a_stream();
    a_host_function_closes_a_driver();
    a_refused_host_function_is_dropped_once();
    a_child_closes_what_the_parent_uses();
    printf("right\n");
    return 0;
}
