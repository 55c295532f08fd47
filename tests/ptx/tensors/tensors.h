/* SPDX-License-Identifier: MIT */
/*
 * Questions about tensor maps, one a line. A word and what it changes:
 *
 *   NAME = KIND key=value...     a base; KIND is tiled, im2col, wide, or raw (the map's own words)
 *   NAME key=value...            a question: the base, with other values
 *
 * What there is to ask: the map itself; `new`, the map after cuTensorMapReplaceAddress(); `edit`,
 * the map after tensormap.replace in a kernel; `do`, what a kernel copies that uses it. Addresses
 * of copies are relative to the memory that they copy from.
 */
#ifndef CUSHIM_TESTS_TENSORS_H
#define CUSHIM_TESTS_TENSORS_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TENSORS_LINE = 1024, TENSORS_WORD = 96, TENSORS_MAP = 128, TENSORS_MEMORY = 1 << 18 };

enum tensors_kind { TENSORS_TILED, TENSORS_IM2COL, TENSORS_WIDE, TENSORS_RAW };

struct tensors_question {
    enum tensors_kind kind;
    uint32_t type, rank;
    uint64_t at;
    uint64_t dims[6], strides[6];
    uint32_t box[6], steps[6];
    int lower[4], upper[4];
    uint32_t channels, pixels, mode;
    uint32_t interleave, swizzle, promote, fill;
    uint32_t raw[32];
    uint32_t shift;          /* of the map in the host's memory, and in the kernel's */
    char null[TENSORS_WORD]; /* the argument that is NULL */
    bool alone;              /* there is no context */
    bool replaces;
    uint64_t replacement;
    char edit[TENSORS_WORD]; /* "rank:3", "box_dim.2:16" */
    /* The instruction: "load", "store", "add" and other reductions, "prefetch". */
    char what[TENSORS_WORD];
    char form[TENSORS_WORD];  /* "tile", "im2col", ... */
    char to[TENSORS_WORD];    /* "cluster" or "cta" */
    char place[TENSORS_WORD]; /* of the map: "param", "global", "const", "shared", "freed" */
    uint32_t n_coordinates;   /* 0: as many as the rank */
    int coordinates[5];
    int offsets[3];
    uint32_t near;         /* where it lies in shared memory */
    int64_t expect;        /* bytes; below 0: those of the box */
    uint32_t bytes;        /* of shared memory that count */
    uint32_t blocks, mask; /* of a cluster, and that get the data; 0: no multicast */
    uint32_t data;         /* which numbers there are */
};

/* question.c. Ends the program with a sentence where a line makes no sense; false: a base. */
bool tensors_read(const char *line, struct tensors_question *ret_question);

/* driver.c: the functions of a library, by name. */
void tensors_open(const char *library);
CUresult tensors_begin(void); /* a context */

#define TENSORS_FUNCTIONS(X)                                                                       \
    X(cuInit, (unsigned) )                                                                         \
    X(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                           \
    X(cuCtxSetCurrent, (CUcontext))                                                                \
    X(cuCtxSynchronize, (void) )                                                                   \
    X(cuMemAlloc_v2, (CUdeviceptr *, size_t))                                                      \
    X(cuMemFree_v2, (CUdeviceptr))                                                                 \
    X(cuMemcpyHtoD_v2, (CUdeviceptr, const void *, size_t))                                        \
    X(cuMemcpyDtoH_v2, (void *, CUdeviceptr, size_t))                                              \
    X(cuMemsetD32_v2, (CUdeviceptr, unsigned, size_t))                                             \
    X(cuModuleLoadDataEx, (CUmodule *, const void *, unsigned, int *, void **) )                   \
    X(cuModuleGetFunction, (CUfunction *, CUmodule, const char *) )                                \
    X(cuModuleGetGlobal_v2, (CUdeviceptr *, size_t *, CUmodule, const char *) )                    \
    X(cuFuncSetAttribute, (CUfunction, int, int) )                                                 \
    X(cuLaunchKernelEx, (const CUlaunchConfig *, CUfunction, void **, void **) )                   \
    X(cuTensorMapEncodeTiled, (void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,  \
                               const uint32_t *, const uint32_t *, int, int, int, int) )           \
    X(cuTensorMapEncodeIm2col,                                                                     \
      (void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const int *,             \
       const int *, uint32_t, uint32_t, const uint32_t *, int, int, int, int) )                    \
    X(cuTensorMapEncodeIm2colWide,                                                                 \
      (void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, int, int, uint32_t,      \
       uint32_t, const uint32_t *, int, int, int, int, int) )                                      \
    X(cuTensorMapReplaceAddress, (void *, void *) )

#define TENSORS_DECLARE(name, arguments) extern CUresult(*tensors_##name) arguments;
TENSORS_FUNCTIONS(TENSORS_DECLARE)
#define CU(name) tensors_##name

/* map.c: the map of a question, of 128 bytes; what the driver answers. */
CUresult tensors_map(const struct tensors_question *question, uint64_t at, unsigned char *map);
/* Prints words in hexadecimal, without the zeros at the end. */
void tensors_print_map(const unsigned char *map, char *text);
/* The bytes that a copy of the box has. */
uint64_t tensors_box_bytes(const struct tensors_question *question);

/* text.c: the module of a question. */
void tensors_text(const struct tensors_question *question, char *text, size_t size);

/*
 * copy.c: runs the kernel of a question, and prints the answer. True if the context is one to go on
 * with. `dump`: where to write what came out, or NULL.
 */
bool tensors_run(const struct tensors_question *question, char *answer, FILE *dump);

#endif
