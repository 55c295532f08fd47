/* SPDX-License-Identifier: MIT */
/*
 * The cases of bench_growth_calls: growth_objects.c, growth_queues.c and growth_graphs.c have them,
 * and growth_calls.c has what they share.
 */
#ifndef CUSHIM_TESTS_BENCH_GROWTH_CALLS_H
#define CUSHIM_TESTS_BENCH_GROWTH_CALLS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/cushim.h>
#include <cushim/table.h>

struct growth_case {
    const char *name; /* NULL behind the last */
    void (*run)(void);
};

extern const struct growth_case growth_objects[], growth_queues[], growth_graphs[];

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }

/* Set before a case runs. */
extern const struct cushim_cuda_api *cu;
extern const char *library_path;
extern int n; /* how many */

/* Ends the program if a call fails. */
void growth_check(CUresult result, const char *what);
#define TRY(call) growth_check((call), #call)

/* Memory for n of a type, which the process keeps. */
#define MANY(type) ((type *) calloc((size_t) n + 1, sizeof(type)))

/* The i-th of all in a shuffled order: n is a power of two. */
int mixed(int i);

CUdeviceptr some_memory(size_t bytes);
CUdeviceptr *allocate_many(void);
CUstream new_stream(void);
CUstream *new_streams(void);
CUevent new_event(void);

/* Lets work of one stream wait for the work of another so far. */
void follow(CUstream after, CUstream before, CUevent event);

/* Submits a memset of byte i. */
void set_byte(CUdeviceptr memory, int i, CUstream stream);

#endif
