/* SPDX-License-Identifier: MIT */
/*
 * What a module declares: its kernels with their parameter lists, and its
 * variables with their initial values. Instructions are not looked at.
 */
#ifndef CUSHIM_MOCK_PTX_ENTRIES_H
#define CUSHIM_MOCK_PTX_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/functions.h"

struct mock__parameter {
    size_t offset, size, alignment;
};

struct mock__entry {
    char *name;
    struct mock__parameter *parameters;
    size_t n_parameters;
    size_t parameter_bytes;
    size_t shared_bytes, local_bytes;
    size_t max_threads; /* .maxntid or .reqntid as one number, 0 if it says neither */
};

/* A place in an initial value where the address of a variable goes. */
struct mock__ptx_address {
    char *symbol;
    size_t offset, bytes;
    uint64_t addend;
    uint64_t mask; /* the bits of the address that are wanted, moved to the lowest place */
};

struct mock__variable {
    char *name;
    size_t bytes, alignment;
    bool constant, managed;
    unsigned char *values; /* the initial ones; beyond n_values they are zeros */
    size_t n_values;
    struct mock__ptx_address *addresses;
    size_t n_addresses;
};

struct mock__ptx {
    int version; /* 10 * major + minor */
    int target;  /* 52 for sm_52 */
    struct mock__entry *entries;
    size_t n_entries;
    struct mock__variable *variables;
    size_t n_variables;
    size_t constant_bytes;
};

struct mock__ptx_error {
    int line; /* 0: in none */
    char text[160];
};

/*
 * Reads PTX text for a device of a compute capability such as 90. Answers what a driver
 * does: CUDA_ERROR_INVALID_IMAGE for what is no PTX at all, CUDA_ERROR_INVALID_PTX,
 * CUDA_ERROR_UNSUPPORTED_PTX_VERSION. ptx is to be finished in any case.
 */
CUresult mock__ptx_read(const char *source, int capability, struct mock__ptx *ptx,
                        struct mock__ptx_error *error);

void mock__ptx_finish(struct mock__ptx *ptx);

#endif
