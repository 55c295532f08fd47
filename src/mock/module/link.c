/* SPDX-License-Identifier: MIT */
/*
 * cuLink*. The inputs are PTX texts, and the result is one text that holds all of them: an image
 * that a module is loaded from, which links them anew. libcudadevrt.a is an input, too:
 * a text of our own stands for it.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/util.h"
#include "mock/base/objects.h"
#include "mock/base/state.h"
#include "mock/module/jit_limits.h"
#include "mock/module/jit_log.h"
#include "mock/module/jit_options.h"
#include "mock/module/module.h"
#include "mock/ptx/container/device_runtime.h"
#include "mock/ptx/container/linker.h"

struct link {
    struct mock__object object;
    struct mock__context *context;
    struct mock__jit_log log;
    struct ptx__linker linker;
    char *image; /* once it is complete */
};

static CUresult find(CUlinkState handle, struct link **ret_link)
{
    struct link *link = mock__object_find(MOCK__LINK, handle);

    MOCK__REQUIRE(link, CUDA_ERROR_INVALID_HANDLE);
    *ret_link = link;
    return CUDA_SUCCESS;
}

static CUresult create(enum mock__jit_use use, unsigned int numOptions, CUjit_option *options,
                       void **optionValues, CUlinkState *stateOut)
{
    struct ptx__limits limits;
    struct link *link;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(stateOut, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__jit_options_check(use, numOptions, options, optionValues));
    MOCK__TRY(mock__jit_limits_find(numOptions, options, optionValues, &limits));
    link = mock__object_new(MOCK__LINK, sizeof(*link));
    MOCK__REQUIRE(link, CUDA_ERROR_OUT_OF_MEMORY);
    mock__made(&link->object.made, "cuLinkCreate");
    link->context = context;
    mock__object_own(context, link);
    link->linker.capability = mock__capability(context->device);
    link->linker.limits = limits;
    /* The values are the caller's for as long as the state lives. */
    link->log = mock__jit_log_find(numOptions, options, optionValues);
    *stateOut = MOCK__HANDLE(link);
    return CUDA_SUCCESS;
}

CUresult mock_cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
                              CUlinkState *stateOut)
{
    return create(MOCK__JIT_LINK, numOptions, options, optionValues, stateOut);
}

CUresult mock_cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                           CUlinkState *stateOut)
{
    return create(MOCK__JIT_OLD_LINK, numOptions, options, optionValues, stateOut);
}

static CUresult add_text(struct link *link, const char *text)
{
    struct ptx__log messages = {.messages = NULL};
    const CUresult result = mock__ptx_result(ptx__linker_add(&link->linker, text, &messages),
                                             link->linker.capability, &messages);

    mock__jit_log_write(&link->log, &messages);
    ptx__log_finish(&messages);
    return result;
}

static CUresult check_type(CUjitInputType type)
{
    switch ((int) type) {
    case CU_JIT_INPUT_PTX:
    case CU_JIT_INPUT_FATBINARY:
        return CUDA_SUCCESS;
    case CU_JIT_INPUT_CUBIN:
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY:
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    case CU_JIT_INPUT_NVVM:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Returns the limits of registers in the options, NULL if these are not valid. */
static const struct ptx__limits *limits_of(unsigned n, const CUjit_option *options,
                                           void *const *values, struct ptx__limits *ret_limits)
{
    if (mock__jit_options_check(MOCK__JIT_INPUT, n, options, values) != CUDA_SUCCESS ||
        mock__jit_limits_find(n, options, values, ret_limits) != CUDA_SUCCESS)
        return NULL;
    return ret_limits;
}

/* Options of an input count for more than those of the whole. */
static void set_limits(struct link *link, const struct ptx__limits *limits)
{
    struct ptx__limits *whole = &link->linker.limits;

    whole->registers = limits->registers ? limits->registers : whole->registers;
    whole->threads = limits->threads ? limits->threads : whole->threads;
}

static CUresult add_data(CUlinkState state, CUjitInputType type, const void *data, size_t size,
                         const struct ptx__limits *limits)
{
    SCOPED_FREE char *text = NULL;
    struct link *link = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(find(state, &link));
    MOCK__REQUIRE(data && size && size < SIZE_MAX, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(limits && !link->image, CUDA_ERROR_INVALID_VALUE);
    if (type == CU_JIT_INPUT_LIBRARY && ptx__is_device_runtime(data, size)) {
        link->linker.has_runtime = true;
        return CUDA_SUCCESS;
    }
    MOCK__TRY(check_type(type));
    MOCK__TRY(mock__image_text(data, size, link->linker.capability, &text));
    set_limits(link, limits);
    return add_text(link, text);
}

CUresult mock_cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                               const char *name, unsigned int numOptions, CUjit_option *options,
                               void **optionValues)
{
    struct ptx__limits limits;

    (void) name;
    return add_data(state, type, data, size, limits_of(numOptions, options, optionValues, &limits));
}

static CUresult check_state(CUlinkState state)
{
    struct link *link = NULL;

    MOCK__ENTER_EARLY();
    return find(state, &link);
}

static CUresult add_file(CUlinkState state, CUjitInputType type, const char *path,
                         const struct ptx__limits *limits)
{
    SCOPED_FREE char *text = NULL;
    size_t size = 0;

    MOCK__TRY(check_state(state));
    MOCK__REQUIRE(path, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__image_file(path, "cuLinkAddFile", &text, &size));
    return add_data(state, type, text, size + 1, limits);
}

CUresult mock_cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
                               unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    struct ptx__limits limits;

    return add_file(state, type, path, limits_of(numOptions, options, optionValues, &limits));
}

static CUresult complete(const struct link *link, char **ret_image, size_t *ret_length)
{
    struct ptx__log messages = {.messages = NULL};
    const CUresult result =
        mock__ptx_result(ptx__linker_complete(&link->linker, ret_image, ret_length, &messages),
                         link->linker.capability, &messages);

    mock__jit_log_write(&link->log, &messages);
    ptx__log_finish(&messages);
    return result;
}

CUresult mock_cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    SCOPED_FREE char *image = NULL;
    struct link *link = NULL;
    size_t length = 0;

    MOCK__ENTER_EARLY();
    MOCK__TRY(find(state, &link));
    MOCK__REQUIRE(cubinOut && link->linker.n_texts, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!link->image, CUDA_ERROR_INVALID_HANDLE);
    MOCK__TRY(complete(link, &image, &length));
    link->image = TAKE_PTR(image);
    *cubinOut = link->image;
    if (sizeOut)
        *sizeOut = length + 1;
    return CUDA_SUCCESS;
}

static void destroy(struct link *link)
{
    ptx__linker_finish(&link->linker);
    free(link->image);
    mock__object_free(link);
}

CUresult mock_cuLinkDestroy(CUlinkState state)
{
    struct link *link;

    MOCK__ENTER_EARLY();
    link = mock__object_find(MOCK__LINK, state);
    MOCK__REQUIRE(link, CUDA_ERROR_INVALID_HANDLE);
    destroy(link);
    return CUDA_SUCCESS;
}

void mock__links_destroy(const struct mock__context *context)
{
    struct link *link;

    for (size_t cursor = 0; (link = mock__object_next_of(context, MOCK__LINK, &cursor));)
        destroy(link);
}
