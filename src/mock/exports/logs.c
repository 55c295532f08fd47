/* SPDX-License-Identifier: MIT */
/*
 * cuLogs*: the log of calls that have failed. It begins with the first call of one of these
 * functions, or with the process where CUDA_LOG_FILE names a file: only then is every call looked
 * at. The last messages are kept. A message has a number, which is what an iterator is.
 */
#include "mock/exports/logs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "base/status.h"
#include "mock/functions.h"

#define KEPT 100 /* messages, as a driver keeps them */
#define LINE 256

#define ROLLED_OVER                                                                                \
    "Log buffer has rolled over since the previous dump. The oldest messages will be missing\n"
#define TOO_SMALL                                                                                  \
    "The provided buffer is not large enough to hold all messages. Some messages will be "         \
    "missing\n"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char lines[KEPT][LINE]; /* by number, under the lock, as all that follows */
static unsigned next;          /* the number of the next message */
static bool begun;

static void open_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

/* --- what is written --- */

/* To CUDA_LOG_FILE, if it can be. */
static void write_file(const char *line)
{
    const char *path = cushim__env("CUDA_LOG_FILE");
    FILE *file;

    if (!path)
        return;
    if (!strcmp(path, "stdout") || !strcmp(path, "stderr")) {
        fputs(line, *path == 's' && path[3] == 'o' ? stdout : stderr);
        return;
    }
    file = fopen(path, "ae");
    if (!file)
        return;
    fputs(line, file);
    fclose(file);
}

static void keep(const char *message)
{
    struct timespec now;
    struct tm day;
    char *line = lines[next % KEPT];

    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &day);
    snprintf(line, LINE, "[%02d:%02d:%02d.%03ld][%ld][CUDA][E] %s\n", day.tm_hour, day.tm_min,
             day.tm_sec, now.tv_nsec / 1000000, (long) syscall(SYS_gettid), message);
    write_file(line);
    next++;
}

#if CUDA_VERSION >= 12090

struct CUlogsCallbackEntry_st {
    CUlogsCallback call;
    void *data;
    struct CUlogsCallbackEntry_st *next;
};

/* In the order in which they were registered. */
static struct CUlogsCallbackEntry_st *callbacks;

/* They are called without the lock, as they may call the driver; a copy of the list is for that. */
static void tell(const char *message)
{
    struct CUlogsCallbackEntry_st *told = NULL;
    size_t n = 0;

    pthread_mutex_lock(&lock);
    for (const struct CUlogsCallbackEntry_st *one = callbacks; one; one = one->next)
        n++;
    told = n ? calloc(n, sizeof(*told)) : NULL;
    n = 0;
    for (const struct CUlogsCallbackEntry_st *one = callbacks; told && one; one = one->next)
        told[n++] = *one;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; told && i < n; i++)
        told[i].call(told[i].data, CU_LOG_LEVEL_ERROR, (char *) (uintptr_t) message,
                     strlen(message));
    free(told);
}

#else

static void tell(const char *message)
{
    (void) message;
}

#endif

/* Answers that are no errors, and what a driver says before it is initialised, are not written. */
static bool is_error(const struct cushim_call *call)
{
    return call->result != CUDA_SUCCESS && call->result != CUDA_ERROR_NOT_READY &&
           call->result != CUDA_ERROR_NOT_INITIALIZED && strncmp(call->name, "cuLogs", 6) != 0;
}

static void see(struct cushim_call *call, void *user)
{
    char message[LINE - 64];
    const char *name;

    (void) user;
    if (!is_error(call))
        return;
    name = cushim__cuda_result_name((int) call->result);
    snprintf(message, sizeof(message), "Returning %d (%s) from %s", (int) call->result,
             name ? name : "unknown", call->name);
    pthread_mutex_lock(&lock);
    keep(message);
    pthread_mutex_unlock(&lock);
    tell(message);
}

/* Called without the lock. */
static void begin(void)
{
    bool first;

    pthread_mutex_lock(&lock);
    first = !begun;
    begun = true;
    pthread_mutex_unlock(&lock);
    if (first)
        mock__hook_calls(&(struct cushim_hooks){.after = see});
}

__attribute__((constructor)) static void begin_if_asked(void)
{
    pthread_atfork(NULL, NULL, open_in_child);
    if (cushim__env("CUDA_LOG_FILE"))
        begin();
}

#if CUDA_VERSION >= 12090

/* --- callbacks --- */

CUresult mock_cuLogsRegisterCallback(CUlogsCallback callbackFunc, void *userData,
                                     CUlogsCallbackHandle *callback_out)
{
    struct CUlogsCallbackEntry_st *entry, **end = &callbacks;

    begin();
    if (!callbackFunc)
        return CUDA_ERROR_INVALID_VALUE;
    entry = calloc(1, sizeof(*entry));
    if (!entry)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *entry = (struct CUlogsCallbackEntry_st){callbackFunc, userData, NULL};
    pthread_mutex_lock(&lock);
    while (*end)
        end = &(*end)->next;
    *end = entry;
    pthread_mutex_unlock(&lock);
    if (callback_out)
        *callback_out = entry;
    return CUDA_SUCCESS;
}

CUresult mock_cuLogsUnregisterCallback(CUlogsCallbackHandle callback)
{
    struct CUlogsCallbackEntry_st **link = &callbacks, *found;

    pthread_mutex_lock(&lock);
    while (*link && *link != callback)
        link = &(*link)->next;
    found = *link;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&lock);
    free(found);
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* --- reading --- */

static unsigned oldest(void)
{
    return next > KEPT ? next - KEPT : 0;
}

CUresult mock_cuLogsCurrent(CUlogIterator *iterator_out, unsigned int flags)
{
    (void) flags;
    begin();
    if (!iterator_out)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    *iterator_out = next;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* The messages from a number on, with a line if there were more. False if there is no such number.
 */
static bool read_from(const CUlogIterator *iterator, unsigned *ret_first, const char **ret_head)
{
    const unsigned from = iterator ? *iterator : oldest();

    *ret_head = from < oldest() ? ROLLED_OVER : "";
    *ret_first = from < oldest() ? oldest() : from;
    return from <= next;
}

static CUresult dump_to(FILE *file, CUlogIterator *iterator)
{
    const char *head = "";
    unsigned first = 0;
    bool good;

    pthread_mutex_lock(&lock);
    good = read_from(iterator, &first, &head);
    if (good)
        fputs(head, file);
    for (unsigned i = first; good && i < next; i++)
        fputs(lines[i % KEPT], file);
    if (good && iterator)
        *iterator = next;
    pthread_mutex_unlock(&lock);
    return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult mock_cuLogsDumpToFile(CUlogIterator *iterator, const char *pathToFile, unsigned int flags)
{
    CUresult result;
    FILE *file;

    (void) flags;
    begin();
    file = pathToFile ? fopen(pathToFile, "we") : NULL;
    if (!file)
        return CUDA_ERROR_INVALID_VALUE;
    result = dump_to(file, iterator);
    return fclose(file) ? CUDA_ERROR_OPERATING_SYSTEM : result;
}

/* The first of the messages from one on that fit; `next` if none does. */
static unsigned first_that_fits(unsigned first, size_t room)
{
    unsigned fits = next;

    while (fits > first && strlen(lines[(fits - 1) % KEPT]) <= room)
        room -= strlen(lines[--fits % KEPT]);
    return fits;
}

/* Copies what fits, which is the end, and a line that says so if it is not all. */
static CUresult copy(unsigned first, const char *head, char *buffer, size_t *size)
{
    const size_t room = *size;
    unsigned fits = 0;
    size_t n = 0;

    *size = 0;
    if (room > strlen(head))
        fits = first_that_fits(first, room - strlen(head) - 1);
    if (room <= strlen(head) || fits != first) {
        head = TOO_SMALL;
        if (room <= strlen(head))
            return CUDA_ERROR_INVALID_VALUE;
        fits = first_that_fits(first, room - strlen(head) - 1);
        if (fits == next)
            return CUDA_ERROR_INVALID_VALUE;
    }
    n += (size_t) snprintf(buffer, room, "%s", head);
    for (; fits < next; fits++)
        n += (size_t) snprintf(buffer + n, room - n, "%s", lines[fits % KEPT]);
    *size = n;
    return CUDA_SUCCESS;
}

CUresult mock_cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size,
                                 unsigned int flags)
{
    CUresult result = CUDA_ERROR_INVALID_VALUE;
    const char *head = "";
    unsigned first = 0;

    (void) flags;
    begin();
    if (!buffer || !size)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (read_from(iterator, &first, &head))
        result = copy(first, head, buffer, size);
    else
        *size = 0;
    if (result == CUDA_SUCCESS && iterator)
        *iterator = next;
    pthread_mutex_unlock(&lock);
    return result;
}

#endif
