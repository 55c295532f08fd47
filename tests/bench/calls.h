/* SPDX-License-Identifier: MIT */
/* Calls of the benchmarks, which end the program if they fail. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include <stdio.h>
#include <stdlib.h>

#include <cushim/cushim.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        if (call) {                                                                                \
            fprintf(stderr, "%s: %s\n", #call, cushim_error_text());                               \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Calls a driver function by its row in the program's `table`. */
#define CU(name, types, args)                                                                      \
    do {                                                                                           \
        const int result = ((int(*) types) table[CUSHIM_ROW_##name]) args;                         \
                                                                                                   \
        if (result) {                                                                              \
            fprintf(stderr, "%s: %d\n", #name, result);                                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#endif
