/* SPDX-License-Identifier: MIT */
#include "loader/kind.h"

static const struct cushim__kind *const kinds[CUSHIM__KINDS] = {
    [CUSHIM_LIBRARY_CUDA] = &cushim__kind_cuda,
    [CUSHIM_LIBRARY_NVRTC] = &cushim__kind_nvrtc,
    [CUSHIM_LIBRARY_NVJITLINK] = &cushim__kind_nvjitlink,
};

const struct cushim__kind *cushim__kind(enum cushim_library id)
{
    return kinds[id];
}

const struct cushim__kind *cushim__kind_of(const struct cushim__rows *rows)
{
    for (unsigned id = 0; id < CUSHIM__KINDS; id++)
        if (kinds[id]->rows == rows)
            return kinds[id];
    return NULL;
}
