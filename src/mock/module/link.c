/* SPDX-License-Identifier: MIT */
/*
 * cuLink*. The inputs are PTX texts, and the result is one text that holds all of them: an image
 * that a module is loaded from, which links them anew. libcudadevrt.a is an input, too:
 * a text of our own stands for it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    char *image;     /* once it is complete */
    CUresult spoilt; /* by an input: what its completion answers */
};

struct input {
    const void *data;
    size_t size;
    unsigned n_options;
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

/* A text may be shorter than a program says, and ends with a zero then. */
static bool begins_with(const void *data, size_t size, const char *magic)
{
    return size >= strlen(magic) && !strncmp(data, magic, strlen(magic));
}

static bool is_machine_code(const void *data, size_t size)
{
    return begins_with(data, size, "\177ELF") || begins_with(data, size, "!<arch>\n");
}

/* Machine code is not linked. What is said to be something else than it is has an error by type. */
static CUresult check_type(CUjitInputType type, const struct input *input)
{
    const bool known = (unsigned) type < CU_JIT_NUM_INPUT_TYPES;

    if (known && is_machine_code(input->data, input->size))
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    switch ((int) type) {
    case CU_JIT_INPUT_PTX:
    case CU_JIT_INPUT_FATBINARY:
        return CUDA_SUCCESS;
    case CU_JIT_INPUT_CUBIN:
        return input->n_options ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_IMAGE;
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY:
        return CUDA_ERROR_UNKNOWN;
    case CU_JIT_INPUT_NVVM:
        return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* A link does not recover from these. */
static bool spoils(CUresult result)
{
    return result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
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

static CUresult add_input(CUlinkState state, CUjitInputType type, const struct input *input,
                          const struct ptx__limits *limits)
{
    SCOPED_FREE char *text = NULL;
    struct link *link = NULL;
    CUresult result;

    MOCK__ENTER_EARLY();
    MOCK__TRY(find(state, &link));
    MOCK__REQUIRE(input->data && input->size && input->size < SIZE_MAX, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(limits && !link->image, CUDA_ERROR_INVALID_VALUE);
    if (type == CU_JIT_INPUT_LIBRARY && ptx__is_device_runtime(input->data, input->size)) {
        link->linker.has_runtime = true;
        return CUDA_SUCCESS;
    }
    result = check_type(type, input);
    if (spoils(result))
        link->spoilt = result;
    MOCK__TRY(result);
    MOCK__TRY(mock__image_text(input->data, input->size, link->linker.capability, &text));
    set_limits(link, limits);
    return add_text(link, text);
}

CUresult mock_cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                               const char *name, unsigned int numOptions, CUjit_option *options,
                               void **optionValues)
{
    struct ptx__limits limits;

    (void) name;
    return add_input(state, type, &(struct input){data, size, numOptions},
                     limits_of(numOptions, options, optionValues, &limits));
}

static CUresult check_state(CUlinkState state)
{
    struct link *link = NULL;

    MOCK__ENTER_EARLY();
    return find(state, &link);
}

static CUresult add_file(CUlinkState state, CUjitInputType type, const char *path,
                         unsigned n_options, const struct ptx__limits *limits)
{
    SCOPED_FREE char *text = NULL;
    size_t size = 0;

    MOCK__TRY(check_state(state));
    MOCK__REQUIRE(path, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__image_file(path, "cuLinkAddFile", &text, &size));
    return add_input(state, type, &(struct input){text, size + 1, n_options}, limits);
}

CUresult mock_cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
                               unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    struct ptx__limits limits;

    return add_file(state, type, path, numOptions,
                    limits_of(numOptions, options, optionValues, &limits));
}

/* Of no inputs, the image is one of no functions. */
static CUresult add_nothing(struct link *link)
{
    char text[64];

    snprintf(text, sizeof(text), ".version 7.0\n.target sm_%d\n.address_size 64\n",
             link->linker.capability);
    return add_text(link, text);
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
    MOCK__REQUIRE(cubinOut, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!link->image, CUDA_ERROR_INVALID_HANDLE);
    MOCK__TRY(link->spoilt);
    MOCK__TRY(link->linker.n_texts ? CUDA_SUCCESS : add_nothing(link));
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
