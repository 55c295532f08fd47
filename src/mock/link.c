/* SPDX-License-Identifier: MIT */
/*
 * cuLink*. What is linked is PTX text, and the result is one text with all of it: an image that
 * a module is loaded from.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/jit_log.h"
#include "mock/module.h"
#include "mock/objects.h"
#include "mock/ptx_lexer.h"
#include "mock/state.h"

struct link {
    struct mock__object object;
    struct mock__context *context;
    struct mock__jit_log log;
    char *text;
    size_t length;
    char **names; /* of kernels and variables that the text defines */
    size_t n_names;
    bool complete;
};

static CUresult find(CUlinkState handle, struct link **ret_link)
{
    struct link *link = mock__object_find(MOCK__LINK, handle);

    MOCK__REQUIRE(link, CUDA_ERROR_INVALID_HANDLE);
    *ret_link = link;
    return mock__context_usable(link->context);
}

static CUresult create(unsigned n, const CUjit_option *options, void **values,
                       CUlinkState *ret_state)
{
    struct link *link;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(ret_state && (!n || (options && values)), CUDA_ERROR_INVALID_VALUE);
    link = mock__object_new(MOCK__LINK, sizeof(*link));
    MOCK__REQUIRE(link, CUDA_ERROR_OUT_OF_MEMORY);
    link->context = context;
    /* The values are the caller's for as long as the state lives. */
    link->log = mock__jit_log_find(n, options, values);
    *ret_state = MOCK__HANDLE(link);
    return CUDA_SUCCESS;
}

CUresult mock_cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues,
                           CUlinkState *stateOut)
{
    return create(numOptions, options, optionValues, stateOut);
}

CUresult mock_cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
                              CUlinkState *stateOut)
{
    return create(numOptions, options, optionValues, stateOut);
}

static bool defines(const struct link *link, const char *name)
{
    for (size_t i = 0; i < link->n_names; i++) {
        if (!strcmp(link->names[i], name))
            return true;
    }
    return false;
}

static CUresult add_name(struct link *link, const char *name)
{
    char **larger = realloc(link->names, (link->n_names + 1) * sizeof(*larger));
    char *copy = strdup(name);

    if (larger)
        link->names = larger;
    if (!larger || !copy) {
        free(copy);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    link->names[link->n_names++] = copy;
    return CUDA_SUCCESS;
}

/* Kernels are seen by all inputs, so that a second one of a name is a mistake. */
static CUresult add_names(struct link *link, const struct mock__ptx *ptx,
                          struct mock__ptx_error *error)
{
    for (size_t i = 0; i < ptx->n_entries; i++) {
        if (defines(link, ptx->entries[i].name)) {
            snprintf(error->text, sizeof(error->text), "Multiple definition of '%.100s'",
                     ptx->entries[i].name);
            return CUDA_ERROR_INVALID_IMAGE;
        }
    }
    for (size_t i = 0; i < ptx->n_entries; i++)
        MOCK__TRY(add_name(link, ptx->entries[i].name));
    return CUDA_SUCCESS;
}

/* Behind ".version 6.4 .target sm_52 .address_size 64", which a text has once. */
static const char *after_header(const char *text)
{
    struct ptx_lexer lexer;
    const char *end = text;

    mock__ptx_lexer_init(&lexer, text);
    while (mock__ptx_is(&lexer, ".version") || mock__ptx_is(&lexer, ".target") ||
           mock__ptx_is(&lexer, ".address_size")) {
        do {
            end = lexer.token.text + lexer.token.length;
            mock__ptx_next(&lexer);
        } while (lexer.token.kind != PTX_END && *lexer.token.text != '.');
    }
    return end;
}

static CUresult append(struct link *link, const char *text)
{
    const char *added = link->length ? after_header(text) : text;
    const size_t length = strlen(added);
    char *larger = realloc(link->text, link->length + length + 2);

    MOCK__REQUIRE(larger, CUDA_ERROR_OUT_OF_MEMORY);
    memcpy(larger + link->length, added, length);
    memcpy(larger + link->length + length, "\n", 2);
    link->text = larger;
    link->length += length + 1;
    return CUDA_SUCCESS;
}

static CUresult add_text(struct link *link, const char *text)
{
    struct mock__ptx_error error = {.line = 0};
    struct mock__ptx ptx;
    CUresult result = mock__ptx_read(text, mock__capability(link->context->device), &ptx, &error);

    if (result == CUDA_SUCCESS)
        result = add_names(link, &ptx, &error);
    if (result == CUDA_SUCCESS)
        result = append(link, text);
    mock__jit_log_write(&link->log, &error);
    mock__ptx_finish(&ptx);
    return result;
}

static CUresult check_type(CUjitInputType type)
{
    switch ((int) type) {
    case CU_JIT_INPUT_PTX:
        return CUDA_SUCCESS;
    case CU_JIT_INPUT_CUBIN:
    case CU_JIT_INPUT_FATBINARY:
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY:
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    case CU_JIT_INPUT_NVVM:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult add_data(CUlinkState state, CUjitInputType type, const void *data, size_t size,
                         bool options_valid)
{
    SCOPED_FREE char *text = NULL;
    struct link *link = NULL;

    MOCK__ENTER();
    MOCK__TRY(find(state, &link));
    MOCK__REQUIRE(data && size && size < SIZE_MAX, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(options_valid && !link->complete, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(check_type(type));
    /* A text, but one that may have no end of its own. */
    text = calloc(1, size + 1);
    MOCK__REQUIRE(text, CUDA_ERROR_OUT_OF_MEMORY);
    memcpy(text, data, size);
    return add_text(link, text);
}

CUresult mock_cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                            const char *name, unsigned int numOptions, CUjit_option *options,
                            void **optionValues)
{
    (void) name;
    return add_data(state, type, data, size, !numOptions || (options && optionValues));
}

CUresult mock_cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                               const char *name, unsigned int numOptions, CUjit_option *options,
                               void **optionValues)
{
    (void) name;
    return add_data(state, type, data, size, !numOptions || (options && optionValues));
}

static CUresult check_state(CUlinkState state)
{
    struct link *link = NULL;

    MOCK__ENTER();
    return find(state, &link);
}

static CUresult add_file(CUlinkState state, CUjitInputType type, const char *path,
                         bool options_valid)
{
    SCOPED_FREE char *text = NULL;

    MOCK__TRY(check_state(state));
    MOCK__REQUIRE(path, CUDA_ERROR_INVALID_VALUE);
    text = mock__read_file(path);
    MOCK__REQUIRE(text, CUDA_ERROR_FILE_NOT_FOUND);
    return add_data(state, type, text, strlen(text) + 1, options_valid);
}

CUresult mock_cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                            unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    return add_file(state, type, path, !numOptions || (options && optionValues));
}

CUresult mock_cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
                               unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    return add_file(state, type, path, !numOptions || (options && optionValues));
}

CUresult mock_cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    struct link *link = NULL;

    MOCK__ENTER();
    MOCK__TRY(find(state, &link));
    MOCK__REQUIRE(cubinOut && link->text, CUDA_ERROR_INVALID_VALUE);
    link->complete = true;
    *cubinOut = link->text;
    if (sizeOut)
        *sizeOut = link->length + 1;
    return CUDA_SUCCESS;
}

static void destroy(struct link *link)
{
    for (size_t i = 0; i < link->n_names; i++)
        free(link->names[i]);
    free(link->names);
    free(link->text);
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

    for (size_t cursor = 0; (link = mock__object_next(MOCK__LINK, &cursor));) {
        if (link->context == context)
            destroy(link);
    }
}
