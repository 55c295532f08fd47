/* SPDX-License-Identifier: MIT */
/* Modules from images; cuModule* is in module.c. */
#include <stdlib.h>
#include <string.h>

#include "mock/memory.h"
#include "mock/module.h"
#include "mock/state.h"

static bool begins_with(const void *image, const char *bytes, size_t length)
{
    const char *text = image;

    /* Byte by byte: an image that is a short text may end before the last of them. */
    for (size_t i = 0; i < length; i++) {
        if (text[i] != bytes[i])
            return false;
    }
    return true;
}

/* Machine code, alone or in a fat binary, or the structure that points to one. */
static bool is_binary(const void *image)
{
    static const char elf[] = {0x7f, 'E', 'L', 'F'};

    return begins_with(image, elf, 4) || begins_with(image, "\x50\xed\x55\xba", 4) ||
           begins_with(image, "\xb1\x43\x62\x46", 4);
}

static int capability(const struct mock__device *device)
{
    return 10 * mock__attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           mock__attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

static CUresult add_functions(struct mock__module *module)
{
    const struct mock__ptx *ptx = &module->ptx;

    if (!ptx->n_entries)
        return CUDA_SUCCESS;
    module->functions = calloc(ptx->n_entries, sizeof(struct mock__function *));
    MOCK__REQUIRE(module->functions, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < ptx->n_entries; i++) {
        module->functions[i] = mock__function_new(module, &ptx->entries[i]);
        MOCK__REQUIRE(module->functions[i], CUDA_ERROR_OUT_OF_MEMORY);
    }
    return CUDA_SUCCESS;
}

static CUresult add_variables(struct mock__module *module)
{
    const struct mock__ptx *ptx = &module->ptx;

    if (!ptx->n_variables)
        return CUDA_SUCCESS;
    module->variables = calloc(ptx->n_variables, sizeof(struct mock__memory *));
    MOCK__REQUIRE(module->variables, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < ptx->n_variables; i++) {
        const size_t bytes = ptx->variables[i].bytes;

        if (!bytes)
            continue;
        MOCK__TRY(mock__memory_alloc(module->context, bytes, &module->variables[i]));
        module->variables[i]->in_module = true;
        memset(module->variables[i]->host, 0, bytes);
    }
    return CUDA_SUCCESS;
}

static CUresult fill(struct mock__module *module, const char *source, struct mock__ptx_error *error)
{
    MOCK__TRY(mock__ptx_read(source, capability(module->context->device), &module->ptx, error));
    MOCK__TRY(add_functions(module));
    return add_variables(module);
}

CUresult mock__module_load(struct mock__context *context, const void *image,
                           struct mock__ptx_error *error, struct mock__module **ret_module)
{
    struct mock__module *module;
    CUresult result;

    *error = (struct mock__ptx_error){.line = 0};
    MOCK__REQUIRE(!is_binary(image), CUDA_ERROR_NO_BINARY_FOR_GPU);
    module = mock__object_new(MOCK__MODULE, sizeof(*module));
    MOCK__REQUIRE(module, CUDA_ERROR_OUT_OF_MEMORY);
    module->context = context;
    result = fill(module, image, error);
    if (result != CUDA_SUCCESS) {
        mock__module_destroy(module);
        return result;
    }
    *ret_module = module;
    return CUDA_SUCCESS;
}

void mock__module_destroy(struct mock__module *module)
{
    for (size_t i = 0; module->functions && i < module->ptx.n_entries; i++)
        mock__object_free(module->functions[i]);
    for (size_t i = 0; module->variables && i < module->ptx.n_variables; i++) {
        if (module->variables[i])
            mock__memory_free(module->variables[i]);
    }
    free(module->functions);
    free(module->variables);
    mock__ptx_finish(&module->ptx);
    mock__object_free(module);
}

void mock__modules_destroy(const struct mock__context *context)
{
    struct mock__module *module;

    for (size_t cursor = 0; (module = mock__object_next(MOCK__MODULE, &cursor));) {
        if (module->context == context)
            mock__module_destroy(module);
    }
}
