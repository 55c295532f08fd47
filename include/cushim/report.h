/* SPDX-License-Identifier: MIT */
/*
 * What the loader tried, and what came of it. `cushim info` prints this.
 */
#ifndef CUSHIM_REPORT_H
#define CUSHIM_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include <cushim/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where the idea to try a candidate came from. X(name, value, word): see verdicts below. */
#define CUSHIM_ORIGIN_MAP(X)                                                                       \
    X(CUSHIM_ORIGIN_PARAMETER, 0, "parameter")     /* cushim_open_params.library */                \
    X(CUSHIM_ORIGIN_ENVIRONMENT, 1, "environment") /* CUSHIM_LIBCUDA or CUSHIM_LIBNVRTC */         \
    X(CUSHIM_ORIGIN_PROCESS, 2, "loaded already")  /* the process has it already */                \
    X(CUSHIM_ORIGIN_LINKER, 3, "library path")     /* the dynamic linker's search for a name */    \
    X(CUSHIM_ORIGIN_PLACE, 4, "usual place")       /* a folder where it often is */                \
    X(CUSHIM_ORIGIN_RESOLVER, 5, "resolver")       /* the caller's */

enum cushim_origin {
#define CUSHIM__ORIGIN_ENUM(name, value, word) name = (value),
    CUSHIM_ORIGIN_MAP(CUSHIM__ORIGIN_ENUM)
#undef CUSHIM__ORIGIN_ENUM
};

/** What became of a candidate. X(name, value, word): the word is what reports print. */
#define CUSHIM_VERDICT_MAP(X)                                                                      \
    X(CUSHIM_VERDICT_CHOSEN, 0, "chosen")                                                          \
    X(CUSHIM_VERDICT_ABSENT, 1, "absent")                                                          \
    X(CUSHIM_VERDICT_DISABLED, 2, "disabled")                                                      \
    X(CUSHIM_VERDICT_NOT_A_FILE, 3, "not a file")                                                  \
    X(CUSHIM_VERDICT_UNREADABLE, 4, "unreadable")                                                  \
    X(CUSHIM_VERDICT_EMPTY, 5, "empty file")                                                       \
    X(CUSHIM_VERDICT_NOT_ELF, 6, "not a library")                                                  \
    X(CUSHIM_VERDICT_OTHER_MACHINE, 7, "another architecture")                                     \
    X(CUSHIM_VERDICT_LOAD_FAILED, 8, "cannot be loaded")                                           \
    X(CUSHIM_VERDICT_STUB, 9, "stub library")                                                      \
    X(CUSHIM_VERDICT_SELF, 10, "cushim itself")                                                    \
    X(CUSHIM_VERDICT_INCOMPLETE, 11, "functions missing")                                          \
    X(CUSHIM_VERDICT_REPEATED, 12, "tried already")

enum cushim_verdict {
#define CUSHIM__VERDICT_ENUM(name, value, word) name = (value),
    CUSHIM_VERDICT_MAP(CUSHIM__VERDICT_ENUM)
#undef CUSHIM__VERDICT_ENUM
};

/** One thing that was tried. */
struct cushim_candidate {
    const char *name;            /* what was asked for: "libcuda.so.1", or a path */
    const char *path;            /* the file that this led to, links not followed, or "" */
    enum cushim_origin origin;   /* whose idea it was */
    enum cushim_verdict verdict; /* what became of it */
    const char *detail;          /* a sentence, dlerror()'s where there is one, or "" */
    int version;                 /* CUDA version it says it has, 0 if it was not asked */
    size_t found;                /* how many of the known functions it has; chosen ones only */
};

/** A known function that the chosen library does not have. */
struct cushim_missing {
    const char *symbol;
    int since; /* the CUDA version that brought it, as 1000 * major + 10 * minor */
    int until; /* the first version without it again, 0 if there is none */
};

/** The whole story of one search. Everything in it belongs to it, and is constant. */
struct cushim_report {
    enum cushim_library library;
    cushim_status status; /* what opening with these parameters returns */
    const char *text;     /* the sentence that goes with it, "" on success */

    const struct cushim_candidate *const *candidates; /* in the order they were tried */
    size_t n_candidates;

    /*
     * The candidate that was accepted: the last one, or NULL. It is set, and so is
     * what follows, when the library was found and only cuInit() failed; without
     * it, what follows is 0.
     */
    const struct cushim_candidate *chosen;
    int version;                          /* of the chosen library */
    size_t found;                         /* how many of the known functions it has */
    const struct cushim_missing *missing; /* the others, in row order */
    size_t n_missing;

    size_t rows;         /* how many functions are known */
    int process;         /* id of the process that initialised the driver, 0 if none did */
    uint64_t load_ns;    /* time spent in dlopen(), nanoseconds */
    uint64_t resolve_ns; /* time spent finding functions, 0 if that was done before */
    uint64_t init_ns;    /* time spent in cuInit(), 0 if that was done before */
    uint64_t total_ns;   /* all of it */
};

/**
 * Does what cushim_open() or cushim_nvrtc_open() would do with these parameters,
 * and tells all about it. CUSHIM_OK means that there is a report, not that there
 * is a driver: see its status. Opening with the same parameters afterwards leads to
 * the library that the report chose. The report is freed with cushim_report_free().
 * Thread-safe. params may be NULL.
 */
CUSHIM_API cushim_status cushim_report_create(enum cushim_library library,
                                              const struct cushim_open_params *params,
                                              const struct cushim_report **ret_report);

/** Frees a report and zeroes the pointer. Does nothing on a NULL one. */
CUSHIM_API void cushim_report_free(const struct cushim_report **report);

/** The word for a verdict or an origin, such as "stub library". Never NULL, static. */
CUSHIM_API const char *cushim_verdict_word(enum cushim_verdict verdict);
CUSHIM_API const char *cushim_origin_word(enum cushim_origin origin);

#ifdef __cplusplus
}
#endif

#endif
