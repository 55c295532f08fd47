/* SPDX-License-Identifier: MIT */
/*
 * What programs load modules from, and give to linkers: texts, fat binaries and machine code.
 * Nothing here is shared between threads.
 */
#ifndef CUSHIM_MOCK_PTX_CONTAINER_IMAGE_H
#define CUSHIM_MOCK_PTX_CONTAINER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "mock/ptx/syntax/log.h"

/*
 * Returns the text in an image for a device of a capability such as 90, of at most `most` bytes.
 * The caller frees it. With a size of SIZE_MAX the image ends by itself: a text ends with a NUL,
 * and a fat binary contains its size. The result is that of ptx__fatbin_text(); PTX_MACHINE_CODE
 * for machine code alone.
 */
enum ptx__status ptx__image_text(const void *image, size_t size, int capability, size_t most,
                                 char **ret_text);

#endif
