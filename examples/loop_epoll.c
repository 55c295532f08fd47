/* SPDX-License-Identifier: MIT */
/*
 * loop_epoll: a thousand futures in an event loop of epoll. cushim_future_fd() gives each of them a
 * descriptor, and the event says which job is done: no function is called in another thread. A
 * program may have 1024 descriptors by default, so it raises its own limit. One that cannot do so
 * uses one eventfd for all, as loop_uv does it with an async handle.
 *
 * Exit status: 0 all results are right, 1 some are not, there is no usable driver or a call failed.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loop_jobs.h"

static int complain(const char *what)
{
    fprintf(stderr, "loop_epoll: %s: %s\n", what, strerror(errno));
    return -1;
}

/* Raises the soft limit by as many descriptors as there are jobs, if the hard one allows it. */
static int allow_descriptors(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit))
        return complain("getrlimit");
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= 2 * JOBS)
        return 0;
    limit.rlim_cur = 2 * JOBS;
    return setrlimit(RLIMIT_NOFILE, &limit) ? complain("setrlimit") : 0;
}

static int add(int loop, struct job *job)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = job};
    const int fd = cushim_future_fd(job->future);

    if (fd < 0) {
        fprintf(stderr, "loop_epoll: %s\n", cushim_error_text());
        return -1;
    }
    return epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event) ? complain("epoll_ctl") : 0;
}

/* Returns how many results are right. */
static int loop_until_done(int loop, struct jobs *jobs)
{
    struct epoll_event events[64];
    int right = 0;

    for (int done = 0; done < JOBS;) {
        const int n = epoll_wait(loop, events, 64, -1);

        if (n < 0 && errno != EINTR)
            return complain("epoll_wait");
        for (int i = 0; i < n; i++, done++)
            /* It frees the future, and closes the descriptor, so epoll forgets it. */
            right += job_is_right(jobs, events[i].data.ptr);
    }
    return right;
}

int main(void)
{
    static struct jobs jobs;
    const int loop = epoll_create1(EPOLL_CLOEXEC);
    cushim_status status = jobs_open(&jobs);
    int right = -1, failed = loop < 0 ? complain("epoll_create1") : allow_descriptors();

    for (int i = 0; i < JOBS && !status && !failed; i++) {
        status = job_submit(&jobs, i);
        if (!status)
            failed = add(loop, &jobs.all[i]);
    }
    if (status)
        fprintf(stderr, "loop_epoll: %s\n", cushim_error_text());
    else if (!failed)
        right = loop_until_done(loop, &jobs);
    if (right >= 0)
        printf("%d of %d results are right\n", right, JOBS);
    jobs_close(&jobs);
    close(loop);
    return right == JOBS ? 0 : 1;
}
