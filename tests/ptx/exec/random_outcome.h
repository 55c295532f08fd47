/* SPDX-License-Identifier: MIT */
/* What a launch of a random kernel did: random_outcome.c. */
#ifndef CUSHIM_TESTS_PTX_RANDOM_OUTCOME_H
#define CUSHIM_TESTS_PTX_RANDOM_OUTCOME_H

#include "mock/ptx/machine/run.h"
#include "random.h"

enum { RANDOM_RANGES = 5, RANDOM_FINDINGS = 1 << 14 };

extern const size_t random_sizes[RANDOM_RANGES];

/* What a launch did. */
struct random_outcome {
    int result;
    unsigned char *memory[RANDOM_RANGES];
    uint64_t noted; /* which bytes it has read and written, mixed */
    char findings[RANDOM_FINDINGS];
    size_t length;
};

/* Ends the process. */
void random_stop(const char *what);

/* The address of a range, and what is in all of them before a launch. */
uint64_t random_begin_of(const struct random_program *program, unsigned range);
void random_begin(const struct random_program *program, struct random_outcome *outcome);

/* Appends a finding: for struct ptx__launch. */
void random_find(void *user, enum ptx__finding_kind kind, bool ends, uint64_t address, size_t bytes,
                 const char *text);

/* Tells whether both did the same; say: prints what differs. */
bool random_same(const struct random_outcome *a, const struct random_outcome *b, bool say);

uint64_t random_mixed_outcome(const struct random_outcome *outcome);

#endif
