/* SPDX-License-Identifier: MIT */
/*
 * The callback is replaced again and again while many threads log. What a replaced callback
 * used is freed at once: a thread that were still inside would be found by the
 * sanitizers, and a second one inside at the same time by the thread sanitizer.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include "base/log.h"
#include "plain.h"

enum { THREADS = 8, REPLACEMENTS = 400 };

struct sink {
    int number;
    long messages; /* not atomic: calls of the callback come one at a time */
};

static atomic_bool finished;
static atomic_long received;

static void receive(enum cushim_log_level level, const char *message, void *user)
{
    struct sink *sink = user;

    CHECK_EQ(level, CUSHIM_LOG_INFO);
    CHECK_STR(message, "message 42");
    CHECK_EQ(sink->number >= 0, 1);
    sink->messages++;
    atomic_fetch_add(&received, 1);
}

static void *body(void *unused)
{
    (void) unused;
    while (!atomic_load(&finished)) {
        cushim__log(CUSHIM_LOG_INFO, "message %d", 42);
        cushim__log(CUSHIM_LOG_DEBUG, "not %s", "wanted");
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    long messages = 0;

    start_threads(threads, THREADS, body);
    for (int i = 0; i < REPLACEMENTS; i++) {
        struct sink *sink = calloc(1, sizeof(*sink));

        sink->number = i;
        cushim_log_set(CUSHIM_LOG_INFO, receive, sink);
        while (i == 0 && !atomic_load(&received))
            sched_yield();
        cushim_log_set(CUSHIM_LOG_INFO, i % 2 ? NULL : receive, i % 2 ? NULL : sink);
        cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
        messages += sink->messages;
        sink->number = -1;
        free(sink);
    }
    atomic_store(&finished, true);
    join_threads(threads, THREADS);
    CHECK_EQ(messages, atomic_load(&received));
    return 0;
}
