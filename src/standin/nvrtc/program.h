/* SPDX-License-Identifier: MIT */
/* A program, as NVRTC's functions make and ask it. */
#ifndef CUSHIM_STANDIN_NVRTC_PROGRAM_H
#define CUSHIM_STANDIN_NVRTC_PROGRAM_H

#include "standin/nvrtc/answer.h"

/* The results of NVRTC that are returned here. */
enum {
    RTC_SUCCESS = 0,
    RTC_OUT_OF_MEMORY = 1,
    RTC_INVALID_INPUT = 3,
    RTC_INVALID_PROGRAM = 4,
    RTC_BUILTIN_OPERATION_FAILURE = 7,
    RTC_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    RTC_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    RTC_NAME_EXPRESSION_NOT_VALID = 10,
    RTC_INTERNAL_ERROR = 11,
    RTC_NO_PCH_CREATE_ATTEMPTED = 13,
};

struct program {
    struct cushim__arena arena;
    const char *name, *source;
    struct list header_names, header_texts, expressions;
    struct list options, folders; /* of the last compilation; folders are for #include */
    struct answer *answer;        /* to the last compilation, or NULL */
    struct cushim__str miss;      /* the log if there is no answer */
};

/* Sets the options of a compilation, and the folders that are among them. */
bool program_set_options(struct program *program, int n, const char *const *options);

/*
 * Makes an answer without results: what is asked for, with the digest of it and of the files that
 * the program includes here. It belongs to the arena. NULL when out of memory.
 */
struct answer *program_question(struct program *program, struct cushim__arena *arena);

#endif
