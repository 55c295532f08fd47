/* SPDX-License-Identifier: MIT */
#include "mock/module/module_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "mock/base/state.h"
#include "mock/module/jit_limits.h"
#include "mock/module/kernels.h"
#include "mock/ptx/container/fatbin.h"

/* The first line of a linked text, which goes on with the length of each part. */
#define JOINED "// cushim: joined texts of "

static CUresult result_of(enum ptx__status status)
{
    static const CUresult results[] = {
        [PTX_OK] = CUDA_SUCCESS,
        [PTX_NO_PTX] = CUDA_ERROR_INVALID_IMAGE,
        [PTX_INVALID] = CUDA_ERROR_INVALID_PTX,
        [PTX_NEWER_VERSION] = CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        [PTX_REFUSED] = CUDA_ERROR_NOT_SUPPORTED,
        [PTX_NO_TARGET] = CUDA_ERROR_NO_BINARY_FOR_GPU,
        [PTX_OUT_OF_MEMORY] = CUDA_ERROR_OUT_OF_MEMORY,
    };

    return results[status];
}

char *mock__join_texts(const char *const *texts, size_t n, size_t *ret_length)
{
    struct cushim__str joined = {.text = NULL};

    cushim__str_append(&joined, JOINED);
    for (size_t i = 0; i < n; i++)
        cushim__str_append(&joined, "%zu ", strlen(texts[i]));
    cushim__str_append(&joined, "bytes\n");
    for (size_t i = 0; i < n; i++)
        cushim__str_append(&joined, "%s", texts[i]);
    if (joined.failed) {
        cushim__str_finish(&joined);
        return NULL;
    }
    *ret_length = joined.length;
    return joined.text;
}

struct parts {
    const char **texts;
    size_t *lengths, n;
};

static void finish_parts(struct parts *parts)
{
    free(parts->texts);
    free(parts->lengths);
}

static bool add_part(struct parts *parts, const char *text, size_t length)
{
    const char **texts = realloc(parts->texts, (parts->n + 1) * sizeof(*texts));
    size_t *lengths;

    if (!texts)
        return false;
    parts->texts = texts;
    lengths = realloc(parts->lengths, (parts->n + 1) * sizeof(*lengths));
    if (!lengths)
        return false;
    parts->lengths = lengths;
    texts[parts->n] = text;
    lengths[parts->n++] = length;
    return true;
}

/* The parts of a joined text; any other text is its only part. */
static CUresult split(const char *text, struct parts *parts)
{
    const char *line = strchr(text, '\n'), *at = text + strlen(JOINED);
    size_t left = strlen(text);
    char *end;

    if (strncmp(text, JOINED, strlen(JOINED)) || !line)
        return add_part(parts, text, left) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    left -= (size_t) (++line - text);
    for (; *at >= '0' && *at <= '9'; at = end + 1) {
        const size_t length = strtoull(at, &end, 10);

        MOCK__REQUIRE(length <= left && *end == ' ', CUDA_ERROR_INVALID_IMAGE);
        MOCK__REQUIRE(add_part(parts, line, length), CUDA_ERROR_OUT_OF_MEMORY);
        line += length;
        left -= length;
    }
    return parts->n ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

static CUresult fill_entry(const struct ptx__function *function, uint32_t number,
                           const struct mock__jit_limits *limits, struct mock__entry *entry)
{
    *entry = (struct mock__entry){
        .name = function->name,
        .parameters = calloc(function->n_parameters + 1, sizeof(*entry->parameters)),
        .n_parameters = function->n_parameters,
        .parameter_bytes = function->usage.parameter_bytes,
        .shared_bytes = function->usage.shared_bytes,
        .local_bytes = function->usage.local_bytes,
        .max_threads = function->usage.max_threads,
        .registers = ptx__limit_registers(function, limits->registers, limits->threads),
        .cluster = {function->req_cluster[0], function->req_cluster[1], function->req_cluster[2]},
        .max_cluster = function->max_cluster_rank,
        .must_cluster = function->explicit_cluster,
        .function = number,
    };
    MOCK__REQUIRE(entry->parameters, CUDA_ERROR_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < function->n_parameters; i++) {
        const struct ptx__parameter *parameter = &function->parameters[i];

        entry->parameters[i] =
            (struct mock__parameter){parameter->offset, parameter->bytes, parameter->alignment};
    }
    return CUDA_SUCCESS;
}

static CUresult add_entries(struct mock__ptx *ptx, const struct mock__jit_limits *limits)
{
    const struct ptx__module *module = &ptx->module;

    ptx->entries = calloc(module->n_functions + 1, sizeof(*ptx->entries));
    MOCK__REQUIRE(ptx->entries, CUDA_ERROR_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < module->n_functions; i++) {
        const struct ptx__function *function = &module->functions[i];

        if (function->is_kernel && function->has_body && !function->replaced)
            MOCK__TRY(fill_entry(function, i, limits, &ptx->entries[ptx->n_entries++]));
    }
    return CUDA_SUCCESS;
}

CUresult mock__ptx_read_part(const char *text, int capability, struct mock__ptx *ptx,
                             struct ptx__log *log)
{
    const struct mock__jit_limits limits = {.registers = 0};
    const enum ptx__status status =
        ptx__read_part(text, strlen(text), capability, &ptx->module, log);

    ptx->entries = NULL;
    ptx->n_entries = 0;
    return status == PTX_OK ? add_entries(ptx, &limits) : result_of(status);
}

CUresult mock__ptx_read(const char *text, int capability, struct mock__ptx *ptx,
                        struct ptx__log *log)
{
    const struct mock__jit_limits limits = mock__jit_limits_read(text);
    struct parts parts = {.n = 0};
    CUresult result;

    *ptx = (struct mock__ptx){.n_entries = 0};
    result = split(text, &parts);
    if (result == CUDA_SUCCESS)
        result = result_of(
            ptx__read(parts.texts, parts.lengths, parts.n, capability, &ptx->module, log));
    finish_parts(&parts);
    MOCK__TRY(result);
    return add_entries(ptx, &limits);
}

bool mock__stood_for(const struct mock__ptx *ptx)
{
    struct cushim_mock_kernel kernel;

    for (size_t i = 0; i < ptx->n_entries; i++)
        if (!mock__kernel_find(ptx->entries[i].name, &kernel))
            return false;
    return ptx->n_entries;
}

void mock__ptx_finish(struct mock__ptx *ptx)
{
    for (size_t i = 0; i < ptx->n_entries; i++)
        free(ptx->entries[i].parameters);
    free(ptx->entries);
    ptx__finish(&ptx->module);
    *ptx = (struct mock__ptx){.n_entries = 0};
}

CUresult mock__image_text(const void *image, size_t size, int capability, char **ret_text)
{
    if (ptx__is_fatbin(image, size))
        return result_of(ptx__fatbin_text(image, size, capability, ret_text));
    MOCK__REQUIRE(!ptx__is_elf(image, size), CUDA_ERROR_NO_BINARY_FOR_GPU);
    /* A text may end with its size, or with a NUL before. */
    size = strnlen(image, size);
    *ret_text = calloc(1, size + 1);
    MOCK__REQUIRE(*ret_text, CUDA_ERROR_OUT_OF_MEMORY);
    memcpy(*ret_text, image, size);
    return CUDA_SUCCESS;
}
