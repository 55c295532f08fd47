/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/fork.h"
#include "base/str.h"
#include "base/util.h"

/*
 * The mutex makes sure that the callback is called by one thread at a time, and that
 * cushim__log_set() returns only when no thread is inside. The level is read without it, so that a
 * disabled log costs only one load.
 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int level_wanted;
static cushim_log_fn callback;
static void *callback_user;
static _Thread_local bool inside; /* this thread is inside the callback */

CUSHIM__OPEN_IN_CHILD(mutex);

static void to_stderr(enum cushim_log_level level, const char *message, void *user)
{
    static const char *const words[] = {"", "error", "warning", "info", "debug"};

    (void) user;
    fprintf(stderr, "cushim: %s: %s\n", words[level], message);
}

static void read_environment(void)
{
    static const char *const words[] = {"none", "error", "warning", "info", "debug"};
    const char *word = cushim__env("CUSHIM_LOG");
    char message[256];

    if (!word)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        if (!strcmp(word, words[i])) {
            callback = to_stderr;
            atomic_store(&level_wanted, (int) i);
            return;
        }
    }
    /* Whoever sets the variable wants to see messages, so this one is not left out. */
    snprintf(message, sizeof(message),
             "CUSHIM_LOG is '%.100s'; it must be none, error, warning, info or debug", word);
    cushim__str_one_line(message);
    to_stderr(CUSHIM_LOG_WARNING, message, NULL);
}

bool cushim__log_wants(enum cushim_log_level level)
{
    pthread_once(&once, read_environment);
    return (int) level <= atomic_load_explicit(&level_wanted, memory_order_relaxed);
}

void cushim__log(enum cushim_log_level level, const char *format, ...)
{
    char message[1024];
    va_list list;

    /* A message that the callback itself causes is dropped: this thread holds the mutex already. */
    if (inside || !cushim__log_wants(level))
        return;
    va_start(list, format);
    vsnprintf(message, sizeof(message), format, list);
    va_end(list);
    cushim__str_one_line(message);
    pthread_mutex_lock(&mutex);
    /* The check is repeated under the mutex, because the callback may have been replaced. */
    if (callback && cushim__log_wants(level)) {
        inside = true;
        callback(level, message, callback_user);
        inside = false;
    }
    pthread_mutex_unlock(&mutex);
}

void cushim__log_set(enum cushim_log_level level, cushim_log_fn fn, void *user)
{
    pthread_once(&once, read_environment);
    pthread_mutex_lock(&mutex);
    callback = fn;
    callback_user = user;
    atomic_store(&level_wanted, fn ? (int) level : CUSHIM_LOG_NONE);
    pthread_mutex_unlock(&mutex);
}
