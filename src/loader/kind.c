/* SPDX-License-Identifier: MIT */
#include "loader/kind.h"

const struct cushim__kind *cushim__kind(enum cushim_library id)
{
    return id == CUSHIM_LIBRARY_NVRTC ? &cushim__kind_nvrtc : &cushim__kind_cuda;
}
