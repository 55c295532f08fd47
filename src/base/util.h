/* SPDX-License-Identifier: MIT */
/* Small helpers for all layers. */
#ifndef CUSHIM_BASE_UTIL_H
#define CUSHIM_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the value of a pointer and sets the pointer to NULL. */
#define TAKE_PTR(pointer)                                                                          \
    __extension__({                                                                                \
        __typeof__(pointer) take_ptr = (pointer);                                                  \
        (pointer) = NULL;                                                                          \
        take_ptr;                                                                                  \
    })

static inline void cushim__freep(void *pointer)
{
    free(*(void **) pointer);
}

/* Declares a pointer from malloc() that is freed when it goes out of scope. */
#define SCOPED_FREE __attribute__((cleanup(cushim__freep)))

/*
 * For variables of a thread that are a few words: they are found without a call. There is little
 * room for such in a process that opens this library late.
 */
#define TLS_OF_WORDS __attribute__((tls_model("initial-exec")))

/* Marks functions that must be fast together. The compiler places them near each other. */
#define HOT __attribute__((hot))

/*
 * Allocates zeroed memory for a small object that is made often. glibc keeps small blocks of each
 * thread ready, and before 2.41 calloc() did not use them. Compilers would make calloc() of the two
 * calls, if they knew that this is the same memory. Freed with free().
 */
static inline void *cushim__zalloc(size_t bytes)
{
    void *memory = malloc(bytes);

    __asm__("" : "+r"(memory));
    return memory ? memset(memory, 0, bytes) : NULL;
}

/*
 * Allocates zeroed memory that shares no cache line with other memory. Freed with free(). NULL when
 * out of memory.
 */
static inline void *cushim__zalloc_lines(size_t bytes)
{
    enum { LINE = 64 };
    const size_t rounded = (bytes + LINE - 1) / LINE * LINE;
    void *memory = aligned_alloc(LINE, rounded);

    return memory ? memset(memory, 0, rounded) : NULL;
}

/*
 * Pauses between the questions of a thread that polls: nothing for the first ones, then up to a
 * millisecond, and never beyond the deadline. False when the deadline is reached.
 */
static inline bool cushim__poll_pause(unsigned asked, uint64_t now, uint64_t deadline)
{
    const uint64_t limit = asked < 64 ? 0 : asked < 84 ? UINT64_C(1) << (asked - 64) : 1000000;
    const uint64_t left = deadline > now ? deadline - now : 0;
    const uint64_t pause = limit < left ? limit : left;
    const struct timespec t = {.tv_sec = 0, .tv_nsec = (long) pause};

    if (pause)
        nanosleep(&t, NULL);
    return left > 0;
}

static inline uint64_t cushim__now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

#endif
