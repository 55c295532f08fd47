/* SPDX-License-Identifier: MIT */
/* What the benchmark of kernels computes, and by what. */
#ifndef BENCH_KERNELS_PROBLEMS_H
#define BENCH_KERNELS_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>

enum { MEMORIES = 3, MOST_STEPS = 3 };

/* A kernel of kernels.cu, which is launched for a problem. */
struct step {
    const char *kernel;
    unsigned grid[3], block[3];
    int n;
};

enum values { SMALL_FLOATS, WORDS, BFLOATS };

struct problem {
    const char *name;
    int n;
    size_t count[MEMORIES]; /* of floats or words */
    enum values values;     /* what memories a and b have at the beginning; c has zeros */
    bool rounded;           /* the results are not exact */
    void (*c)(float *a, float *b, float *c, int n);
    struct step steps[MOST_STEPS];
};

struct memories {
    float *m[MEMORIES];
};

/* NULL if there is none. problems_name() is NULL behind the last one. */
const struct problem *problems_find(const char *name);
const char *problems_name(size_t i);

/* Memory as it is before a problem is solved. */
struct memories problems_memories(const struct problem *problem);
void problems_free(struct memories *memories);

/* Says on standard error where the first difference is. */
bool problems_equal(const struct problem *problem, const struct memories *expected,
                    const struct memories *actual);

/* How many threads C uses from now on, up to one for each processor. Returns how many these are. */
int problems_threads(bool all);

/* A way to solve problems: reads memory, and launches as often as it is called, then writes. */
struct way {
    /* Returns NULL, or why there is no such way here. */
    const char *(*begin)(const struct problem *problem, const char *source, struct memories *m);
    void (*launch)(const struct problem *problem);
    void (*read)(const struct problem *problem, struct memories *m);
};

extern const struct way way_driver, way_opencl;

#endif
