/* SPDX-License-Identifier: MIT */
#include "mock/ptx/container/image.h"

#include <stdlib.h>
#include <string.h>

#include "mock/ptx/container/fatbin.h"

/* Copies a text, which ends at its size or with a NUL before that. */
static enum ptx__status copy_text(const char *image, size_t size, size_t most, char **ret_text)
{
    size = strnlen(image, size <= most ? size : most + 1);
    if (size > most)
        return PTX_TOO_LARGE;
    *ret_text = calloc(1, size + 1);
    if (!*ret_text)
        return PTX_OUT_OF_MEMORY;
    memcpy(*ret_text, image, size);
    return PTX_OK;
}

enum ptx__status ptx__image_text(const void *image, size_t size, int capability, size_t most,
                                 char **ret_text)
{
    if (ptx__is_fatbin(image, size))
        return ptx__fatbin_text(image, size, capability, most, ret_text);
    return ptx__is_elf(image, size) ? PTX_MACHINE_CODE : copy_text(image, size, most, ret_text);
}
