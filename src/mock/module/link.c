/* SPDX-License-Identifier: MIT */
/*
 * cuLink*. The inputs are PTX texts, and the result is one text that holds all of them: an image
 * that a module is loaded from, which links them anew. libcudadevrt.a is an input, too: the
 * functions of the device's runtime are the mock's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/base/objects.h"
#include "mock/base/state.h"
#include "mock/module/jit_limits.h"
#include "mock/module/jit_log.h"
#include "mock/module/module.h"

struct link {
    struct mock__object object;
    struct mock__context *context;
    struct mock__jit_log log;
    struct mock__jit_limits limits;
    char **texts;
    size_t n_texts;
    char **names; /* of the kernels that the texts define */
    size_t n_names;
    struct ptx__name_index by_name;
    char *image; /* once it is complete */
};

static CUresult find(CUlinkState handle, struct link **ret_link)
{
    struct link *link = mock__object_find(MOCK__LINK, handle);

    MOCK__REQUIRE(link, CUDA_ERROR_INVALID_HANDLE);
    *ret_link = link;
    return mock__context_usable(link->context);
}

CUresult mock_cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
                              CUlinkState *stateOut)
{
    struct mock__jit_limits limits;
    struct link *link;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(stateOut && (!numOptions || (options && optionValues)), CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__jit_limits_find(numOptions, options, optionValues, &limits));
    link = mock__object_new(MOCK__LINK, sizeof(*link));
    MOCK__REQUIRE(link, CUDA_ERROR_OUT_OF_MEMORY);
    mock__made(&link->object.made, "cuLinkCreate");
    link->context = context;
    mock__object_own(context, link);
    link->limits = limits;
    /* The values are the caller's for as long as the state lives. */
    link->log = mock__jit_log_find(numOptions, options, optionValues);
    *stateOut = MOCK__HANDLE(link);
    return CUDA_SUCCESS;
}

/* Takes over the string. */
static CUresult add_string(char ***list, size_t *n, char *string)
{
    char **larger = *list;

    /* It doubles whenever its length is a power of two. */
    if (!(*n & (*n - 1)))
        larger = realloc(*list, (*n ? 2 * *n : 1) * sizeof(*larger));

    if (larger)
        *list = larger;
    if (!larger || !string) {
        free(string);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    larger[(*n)++] = string;
    return CUDA_SUCCESS;
}

static CUresult add_name(struct link *link, const char *name)
{
    uint32_t *number;

    MOCK__TRY(add_string(&link->names, &link->n_names, strdup(name)));
    number = ptx__name_at(&link->by_name, 0, link->names[link->n_names - 1]);
    MOCK__REQUIRE(number, CUDA_ERROR_OUT_OF_MEMORY);
    *number = 0;
    return CUDA_SUCCESS;
}

/* Kernels are seen by all inputs, so that a second one of a name is a mistake. */
static CUresult add_names(struct link *link, const struct mock__ptx *ptx, struct ptx__log *messages)
{
    for (size_t i = 0; i < ptx->n_entries; i++) {
        if (ptx__name_find(&link->by_name, 0, ptx->entries[i].name) != PTX_NONE) {
            ptx__report(messages, PTX_ERROR, (struct ptx__place){0, 0},
                        "Multiple definition of '%.100s'", ptx->entries[i].name);
            return CUDA_ERROR_INVALID_IMAGE;
        }
    }
    for (size_t i = 0; i < ptx->n_entries; i++)
        MOCK__TRY(add_name(link, ptx->entries[i].name));
    return CUDA_SUCCESS;
}

/* Names that a text takes from other texts are looked for when there are no more texts. */
static CUresult read_part(struct link *link, const char *text, struct ptx__log *messages)
{
    struct mock__ptx ptx;
    CUresult result =
        mock__ptx_read_part(text, mock__capability(link->context->device), &ptx, messages);

    if (result == CUDA_SUCCESS)
        result = add_names(link, &ptx, messages);
    mock__ptx_finish(&ptx);
    return result;
}

static CUresult add_text(struct link *link, const char *text)
{
    struct ptx__log messages = {.messages = NULL};
    CUresult result = read_part(link, text, &messages);
    char *copy = strdup(text);

    if (result == CUDA_SUCCESS && copy)
        result = mock__jit_limits_write(&link->limits, &copy);
    if (result == CUDA_SUCCESS)
        result = add_string(&link->texts, &link->n_texts, copy);
    else
        free(copy);
    mock__jit_log_write(&link->log, &messages);
    ptx__log_finish(&messages);
    return result;
}

/*
 * Tells whether an archive is the library of the device's runtime: it has the member of that name.
 * A name is in the member's head, or in a member of long names, which comes before those that use
 * it.
 */
static bool is_device_runtime(const char *data, size_t size)
{
    enum { MAGIC = 8, HEAD = 60, SIZE_AT = 48 };
    static const char magic[] = "!<arch>\n", name[] = "cuda_device_runtime.o/";
    size_t at = MAGIC;

    if (size < MAGIC || memcmp(data, magic, MAGIC) != 0)
        return false;
    while (size - at > HEAD) {
        char text[11] = "";
        size_t length;

        memcpy(text, data + at + SIZE_AT, sizeof(text) - 1);
        length = strtoul(text, NULL, 10);
        if (length > size - at - HEAD)
            return false;
        if (!memcmp(data + at, "//", 2))
            return memmem(data + at + HEAD, length, name, sizeof(name) - 1);
        at += HEAD + length + length % 2;
        if (at > size)
            return false;
    }
    return false;
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

/* Returns the limits of registers in the options, NULL if they are not valid. */
static const struct mock__jit_limits *limits_of(unsigned n, const CUjit_option *options,
                                                void *const *values,
                                                struct mock__jit_limits *ret_limits)
{
    const bool there = !n || (options && values);

    return there && mock__jit_limits_find(n, options, values, ret_limits) == CUDA_SUCCESS
               ? ret_limits
               : NULL;
}

/* Options of an input count for more than those of the whole. */
static void set_limits(struct link *link, const struct mock__jit_limits *limits)
{
    link->limits.registers = limits->registers ? limits->registers : link->limits.registers;
    link->limits.threads = limits->threads ? limits->threads : link->limits.threads;
}

static CUresult add_data(CUlinkState state, CUjitInputType type, const void *data, size_t size,
                         const struct mock__jit_limits *limits)
{
    SCOPED_FREE char *text = NULL;
    struct link *link = NULL;

    MOCK__ENTER();
    MOCK__TRY(find(state, &link));
    MOCK__REQUIRE(data && size && size < SIZE_MAX, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(limits && !link->image, CUDA_ERROR_INVALID_VALUE);
    /* Its functions are here in any case, as far as there are such: see ptx/exec/builtin.h. */
    if (type == CU_JIT_INPUT_LIBRARY && is_device_runtime(data, size))
        return CUDA_SUCCESS;
    MOCK__TRY(check_type(type));
    MOCK__TRY(mock__image_text(data, size, mock__capability(link->context->device), &text));
    set_limits(link, limits);
    return add_text(link, text);
}

CUresult mock_cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                               const char *name, unsigned int numOptions, CUjit_option *options,
                               void **optionValues)
{
    struct mock__jit_limits limits;

    (void) name;
    return add_data(state, type, data, size, limits_of(numOptions, options, optionValues, &limits));
}

static CUresult check_state(CUlinkState state)
{
    struct link *link = NULL;

    MOCK__ENTER();
    return find(state, &link);
}

static CUresult add_file(CUlinkState state, CUjitInputType type, const char *path,
                         const struct mock__jit_limits *limits)
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
    struct mock__jit_limits limits;

    return add_file(state, type, path, limits_of(numOptions, options, optionValues, &limits));
}

/* All texts as one module, to hear now what does not fit together. */
static CUresult check_whole(const struct link *link, const char *image)
{
    struct ptx__log messages = {.messages = NULL};
    struct mock__ptx ptx;
    const CUresult result =
        mock__ptx_read(image, mock__capability(link->context->device), &ptx, &messages);

    mock__ptx_finish(&ptx);
    mock__jit_log_write(&link->log, &messages);
    ptx__log_finish(&messages);
    return result;
}

CUresult mock_cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    SCOPED_FREE char *image = NULL;
    struct link *link = NULL;
    size_t length = 0;

    MOCK__ENTER();
    MOCK__TRY(find(state, &link));
    MOCK__REQUIRE(cubinOut && link->n_texts, CUDA_ERROR_INVALID_VALUE);
    image = mock__join_texts((const char *const *) link->texts, link->n_texts, &length);
    MOCK__REQUIRE(image, CUDA_ERROR_OUT_OF_MEMORY);
    MOCK__TRY(check_whole(link, image));
    if (!link->image)
        link->image = TAKE_PTR(image);
    *cubinOut = link->image;
    if (sizeOut)
        *sizeOut = length + 1;
    return CUDA_SUCCESS;
}

static void free_strings(char **list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(list[i]);
    free(list);
}

static void destroy(struct link *link)
{
    ptx__name_index_finish(&link->by_name);
    free_strings(link->names, link->n_names);
    free_strings(link->texts, link->n_texts);
    free(link->image);
    mock__object_free(link);
}

CUresult mock_cuLinkDestroy(CUlinkState state)
{
    struct link *link;

    MOCK__ENTER();
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
