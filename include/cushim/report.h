/* SPDX-License-Identifier: MIT */
/*
 * Search reports. A search report lists each candidate that the loader tried and the result.
 * `cushim info` prints it.
 */
#ifndef CUSHIM_REPORT_H
#define CUSHIM_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include <cushim/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Why the loader tried a candidate. X(name, value, word): word is the text in printed reports. */
#define CUSHIM_ORIGIN_MAP(X)                                                                       \
    X(CUSHIM_ORIGIN_PARAMETER, 0, "parameter")     /* cushim_open_params.library */                \
    X(CUSHIM_ORIGIN_ENVIRONMENT, 1, "environment") /* CUSHIM_LIBCUDA and its like */               \
    X(CUSHIM_ORIGIN_PROCESS, 2, "loaded already")  /* the process had loaded it */                 \
    X(CUSHIM_ORIGIN_LINKER, 3, "library path")     /* the dynamic linker's search for a name */    \
    X(CUSHIM_ORIGIN_PLACE, 4, "usual place")       /* a folder where it often is */                \
    X(CUSHIM_ORIGIN_RESOLVER, 5, "resolver")       /* cushim_open_params.resolver */

enum cushim_origin {
#define CUSHIM__ORIGIN_ENUM(name, value, word) name = (value),
    CUSHIM_ORIGIN_MAP(CUSHIM__ORIGIN_ENUM)
#undef CUSHIM__ORIGIN_ENUM
};

/** The result for a candidate. X(name, value, word): word is the text in printed reports. */
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

/** One library that the loader tried. */
struct cushim_candidate {
    const char *name;            /* the name that was tried: "libcuda.so.1", or a path */
    const char *path;            /* the file that was found, before following links, or "" */
    enum cushim_origin origin;   /* why it was tried */
    enum cushim_verdict verdict; /* the result */
    const char *detail;          /* an explanation, from dlerror() if possible, or "" */
    int version;                 /* the CUDA version that it reports, 0 if not asked */
    size_t found;                /* if chosen: how many of the known functions it has */
};

/** A known function that the chosen library does not have. */
struct cushim_missing {
    const char *symbol;
    int since; /* the CUDA version that brought it, as 1000 * major + 10 * minor */
    int until; /* the first version that no longer has it, 0 if there is none */
};

/**
 * The search report of one library. All pointers in it belong to the report, and nothing in it
 * changes.
 */
struct cushim_report {
    enum cushim_library library;
    cushim_status status; /* what opening with the same parameters returns */
    const char *text;     /* the error text for this status, "" on success */

    const struct cushim_candidate *const *candidates; /* in the order they were tried */
    size_t n_candidates;

    /*
     * The accepted candidate, which is the last one, or NULL. It is also set if the library was
     * found and only cuInit() failed. If it is NULL, the fields about the chosen library are 0.
     */
    const struct cushim_candidate *chosen;
    int version;                          /* of the chosen library */
    size_t found;                         /* how many of the known functions it has */
    const struct cushim_missing *missing; /* the functions that it does not have, in row order */
    size_t n_missing;

    size_t rows;         /* how many functions cushim knows */
    int process;         /* id of the process that initialised the driver, 0 if none has */
    uint64_t load_ns;    /* time in dlopen(), in nanoseconds */
    uint64_t resolve_ns; /* time for looking up functions, 0 if done before */
    uint64_t init_ns;    /* time in cuInit(), 0 if done before */
    uint64_t total_ns;   /* the total time of the search */
};

/**
 * Does what cushim_open(), or the function for the other library, would do with these parameters,
 * and returns a search report. CUSHIM_OK means that there is a report, also if no library was
 * found: report->status tells that. Opening with the same parameters afterwards opens the library
 * that the report names. The caller frees the report with cushim_report_free(). params may be NULL.
 * Thread-safe.
 */
CUSHIM_API CUSHIM_CHECKED cushim_status
cushim_report_create(enum cushim_library library, const struct cushim_open_params *params,
                     const struct cushim_report **ret_report);

/**
 * Frees a search report and sets the pointer to NULL. If the pointer is NULL already, the function
 * does nothing.
 */
CUSHIM_API void cushim_report_free(const struct cushim_report **report);

/** Returns the text for a verdict, such as "stub library". It is never NULL, and static. */
CUSHIM_API const char *cushim_verdict_word(enum cushim_verdict verdict);

/** Returns the text for an origin, such as "environment". It is never NULL, and static. */
CUSHIM_API const char *cushim_origin_word(enum cushim_origin origin);

#ifdef __cplusplus
}
#endif

#endif
