/* SPDX-License-Identifier: MIT */
/*
 * Links PTX texts to one image, as cuLink* and nvJitLink do with machine code. The image is a text
 * that holds all of them (joined.h). Nothing here is shared between threads.
 */
#ifndef CUSHIM_MOCK_PTX_CONTAINER_LINKER_H
#define CUSHIM_MOCK_PTX_CONTAINER_LINKER_H

#include "mock/ptx/container/limits.h"
#include "mock/ptx/syntax/log.h"
#include "mock/ptx/syntax/name_index.h"

struct ptx__linker {
    int capability;            /* of the device, such as 90 */
    struct ptx__limits limits; /* of the texts that are added from now on */
    char **texts;
    size_t n_texts;
    char **names; /* of the kernels that the texts define */
    size_t n_names;
    bool has_runtime; /* the library of the device's runtime is an input: device_runtime.h */
    struct ptx__name_index by_name;
};

/*
 * Adds a text, which stays the caller's. What it takes from other texts is looked for when there
 * are no more. PTX_DEFINED_TWICE if a kernel of this name was added before.
 */
enum ptx__status ptx__linker_add(struct ptx__linker *linker, const char *text,
                                 struct ptx__log *log);

/*
 * Returns the image, which the caller frees, and its length without the NUL at its end. Fails as
 * ptx__read() does if the texts do not fit together.
 */
enum ptx__status ptx__linker_complete(const struct ptx__linker *linker, char **ret_image,
                                      size_t *ret_length, struct ptx__log *log);

void ptx__linker_finish(struct ptx__linker *linker);

/* Reads an image, as ptx__read() reads texts. */
enum ptx__status ptx__read_image(const char *image, int capability, struct ptx__module *module,
                                 struct ptx__log *log);

#endif
