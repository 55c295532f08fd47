/* SPDX-License-Identifier: MIT */
/* For test programs without a framework: threads, and checks that print both values. */
#ifndef CUSHIM_TESTS_UNIT_PLAIN_H
#define CUSHIM_TESTS_UNIT_PLAIN_H

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_VALGRIND
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

/* Ends the program, red, where two numbers differ. */
#define CHECK_EQ(got, wanted)                                                                      \
    do {                                                                                           \
        const int64_t got_ = (int64_t) (got), wanted_ = (int64_t) (wanted);                        \
        if (got_ != wanted_) {                                                                     \
            fprintf(stderr, "%s:%d: %s is %" PRId64 ", not %s, %" PRId64 "\n", __FILE__, __LINE__, \
                    #got, got_, #wanted, wanted_);                                                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_STR(got, wanted)                                                                     \
    do {                                                                                           \
        const char *got_ = (got), *wanted_ = (wanted);                                             \
        if (strcmp(got_, wanted_)) {                                                               \
            fprintf(stderr, "%s:%d: %s is '%s', not '%s'\n", __FILE__, __LINE__, #got, got_,       \
                    wanted_);                                                                      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Ends the program, or the child of a fork, where a call of cushim fails, and says why. */
#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        const int status_ = (call);                                                                \
        if (status_) {                                                                             \
            fprintf(stderr, "%s:%d: %s: %d, %s\n", __FILE__, __LINE__, #call, status_,             \
                    cushim_error_text());                                                          \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* Starts n threads; each gets its number. join_threads() ends them. */
static inline void start_threads(pthread_t *threads, size_t n, void *(*body)(void *) )
{
    for (size_t i = 0; i < n; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, body, (void *) i), 0);
}

static inline void join_threads(const pthread_t *threads, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

#endif
