/* SPDX-License-Identifier: MIT */
/*
 * The log of a thread's last error. It may be long, so it is not a part of struct cushim__error,
 * which is often copied. Instead the error has the number of its log. If the stored log has another
 * number, it belongs to another error, and is not returned.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

struct log {
    unsigned number;
    char text[];
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int no_key;

static void make_key(void)
{
    no_key = pthread_key_create(&key, free);
}

static struct log *last_log(void)
{
    pthread_once(&once, make_key);
    return no_key ? NULL : pthread_getspecific(key);
}

void cushim__error_add_log(const char *text)
{
    static _Thread_local unsigned number;
    struct log *old = last_log(), *log = NULL;
    const size_t length = text ? strlen(text) : 0;

    if (length && !no_key)
        log = malloc(sizeof(*log) + length + 1);
    if (!log)
        return;
    log->number = ++number ? number : ++number; /* 0 means no log */
    memcpy(log->text, text, length + 1);
    if (pthread_setspecific(key, log)) {
        free(log);
        return;
    }
    free(old);
    cushim__error()->log = log->number;
}

const char *cushim__error_log(void)
{
    const struct log *log = last_log();

    return log && log->number == cushim__error()->log ? log->text : "";
}
