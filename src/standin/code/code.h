/* SPDX-License-Identifier: MIT */
/*
 * Code in place of machine code: an image that holds the PTX of all inputs, which the mock loads.
 * What stands in for NVIDIA's linkers and assemblers makes it.
 */
#ifndef CUSHIM_STANDIN_CODE_CODE_H
#define CUSHIM_STANDIN_CODE_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "mock/ptx/container/linker.h"

/* The version of CUDA that what stands in says it has. */
enum { CODE_CUDA_MAJOR = 13, CODE_CUDA_MINOR = 5 };

struct code {
    const char *tool; /* who says what is wrong with an input or a link; NULL: the library */
    char arch[16];    /* such as "sm_90a" */
    struct ptx__linker linker;
    struct cushim__str errors, infos; /* the logs */
    bool links; /* the tool is a linker */
    bool skips_other_targets; /* an input that has PTX for others alone is no error of the log */
};

/*
 * Sets the architecture: "sm_90", "compute_90a" or "lto_90". False if it is none of CUDA's, or if
 * it is too long.
 */
bool code_set_arch(struct code *code, const char *arch);

/*
 * Adds the PTX of an input: a text, a fat binary, or an image of this kind. name is what messages
 * call it. On failure the log of errors says why.
 */
enum ptx__status code_add(struct code *code, const void *data, size_t size, const char *name);

/*
 * Returns the image of all inputs, which the caller frees, and its size with the NUL at its end.
 * On failure the log of errors says why. is_verbose: the log of infos says what each kernel uses.
 */
enum ptx__status code_complete(struct code *code, bool is_verbose, char **ret_image,
                               size_t *ret_size);

/* The same without linking them: what is missing comes from inputs of a later link. */
enum ptx__status code_join(const struct code *code, char **ret_image, size_t *ret_size);

void code_finish(struct code *code);

#endif
