/* SPDX-License-Identifier: MIT */
#include "interpose/lists.h"

#include "base/status.h"

const struct cushim__list cushim__lists[CUSHIM__LISTS] = {
    [CUSHIM_LIBRARY_CUDA] = {&cushim__cuda_rows, 0, "cuda", "cu", "CUDA_ERROR_",
                             cushim__cuda_result_name},
    [CUSHIM_LIBRARY_NVRTC] = {&cushim__nvrtc_rows, CUSHIM__FIRST_NVRTC, "nvrtc", "nvrtc",
                              "NVRTC_ERROR_", cushim__nvrtc_result_name},
    [CUSHIM_LIBRARY_NVJITLINK] = {&cushim__nvjitlink_rows, CUSHIM__FIRST_NVJITLINK, "nvjitlink",
                                  "nvJitLink", "NVJITLINK_ERROR_", cushim__nvjitlink_result_name},
};

const struct cushim__list *cushim__list_at(size_t number)
{
    const struct cushim__list *list = &cushim__lists[CUSHIM__LISTS - 1];

    while (number < list->first)
        list--;
    return list;
}
