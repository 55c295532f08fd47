/* SPDX-License-Identifier: MIT */
#include <cushim/compile.h>

#include <stdlib.h>
#include <string.h>

#include "base/params.h"
#include "base/status.h"
#include "core/code/cache.h"
#include "core/code/rtc.h"
#include "core/code/tool.h"

enum { NOT_FOUND = 500 }; /* CUDA_ERROR_NOT_FOUND */

static struct cushim__image *pin(cushim_image image, const char *call)
{
    return cushim__handle_pin(image.id, CUSHIM__HANDLE_IMAGE, call);
}

cushim_status cushim_compile(const char *source, const struct cushim_compile_params *params,
                             cushim_image *ret_image)
{
    struct cushim_compile_params given;
    struct cushim__image *image = NULL;
    struct cushim__tool rtc;
    cushim_status status;

    if (!source || !ret_image)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_compile: %s is NULL",
                            source ? "ret_image" : "source");
    CUSHIM_TRY(PARAMS_READ(cushim_compile_params, options, params, &given));
    CUSHIM_TRY(cushim__tool_pin(CUSHIM_LIBRARY_NVRTC, given.nvrtc.id, __func__, &rtc));
    status = cushim__rtc_compile(rtc.driver, source, &given, __func__, &image);
    cushim__tool_unpin(&rtc);
    if (status)
        return status;
    status = cushim__handle_create(CUSHIM__HANDLE_IMAGE, image, cushim__image_destroy, __func__,
                                   &ret_image->id);
    if (status)
        cushim__image_free(image);
    return status;
}

cushim_status cushim_compile_cache_counts(struct cushim_cache_counts *ret_counts)
{
    struct cushim_cache_counts counts;

    if (!ret_counts)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: ret_counts is NULL", __func__);
    cushim__cache_counts(&counts);
    return PARAMS_WRITE(cushim_cache_counts, removed, &counts, ret_counts);
}

cushim_status cushim_compile_cache_look(const char *folder, struct cushim_cache_state *ret_state)
{
    struct cushim_cache_state state;

    if (!ret_state)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: ret_state is NULL", __func__);
    CUSHIM_TRY(cushim__cache_look(folder, __func__, &state));
    return PARAMS_WRITE(cushim_cache_state, unwritable, &state, ret_state);
}

void cushim_image_free(cushim_image *image)
{
    cushim__handle_free(image ? &image->id : NULL, CUSHIM__HANDLE_IMAGE, __func__);
}

const void *cushim_image_data(cushim_image handle, size_t *ret_bytes)
{
    const struct cushim__image *image = pin(handle, __func__);
    const void *bytes;

    if (!image)
        return NULL;
    bytes = image->bytes;
    if (ret_bytes)
        *ret_bytes = image->n_bytes;
    cushim__handle_unpin(handle.id);
    return bytes;
}

cushim_status cushim_image_kind(cushim_image handle, enum cushim_image_kind *ret_kind)
{
    const struct cushim__image *image;

    if (!ret_kind)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_image_kind: ret_kind is NULL");
    image = pin(handle, __func__);
    if (!image)
        return cushim__error()->status;
    *ret_kind = image->kind;
    cushim__handle_unpin(handle.id);
    return CUSHIM_OK;
}

const char *cushim_image_log(cushim_image handle)
{
    const struct cushim__image *image = pin(handle, __func__);
    const char *log = image ? image->log : NULL;

    if (image)
        cushim__handle_unpin(handle.id);
    return log;
}

cushim_status cushim_image_lowered_name(cushim_image handle, const char *expression,
                                        const char **ret_name)
{
    const struct cushim__image *image;
    const char *name;

    if (!expression || !ret_name)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "cushim_image_lowered_name: %s is NULL",
                            expression ? "ret_name" : "expression");
    image = pin(handle, __func__);
    if (!image)
        return cushim__error()->status;
    name = cushim__image_lowered(image, expression);
    if (!name)
        cushim__fail_at(NOT_FOUND, __func__, image->name,
                        "%s: '%s' was not among the name expressions of %s", __func__, expression,
                        image->name);
    cushim__handle_unpin(handle.id);
    if (!name)
        return NOT_FOUND;
    *ret_name = name;
    return CUSHIM_OK;
}

cushim_status cushim_compile_architectures(cushim_nvrtc nvrtc, int *archs, size_t capacity,
                                           size_t *ret_count)
{
    struct cushim__tool rtc;
    cushim_status status;
    size_t count = 0;
    int *all = NULL;

    if (!ret_count || (capacity && !archs))
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT,
                            "cushim_compile_architectures: %s is NULL",
                            ret_count ? "archs" : "ret_count");
    CUSHIM_TRY(cushim__tool_pin(CUSHIM_LIBRARY_NVRTC, nvrtc.id, __func__, &rtc));
    status = cushim__rtc_architectures(rtc.driver, __func__, &all, &count);
    cushim__tool_unpin(&rtc);
    if (status)
        return status;
    if (capacity)
        memcpy(archs, all, (capacity < count ? capacity : count) * sizeof(*all));
    free(all);
    *ret_count = count;
    return CUSHIM_OK;
}
