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

bool mock__is_binary(const void *image)
{
    static const char elf[] = {0x7f, 'E', 'L', 'F'};

    return begins_with(image, elf, 4) || begins_with(image, "\x50\xed\x55\xba", 4) ||
           begins_with(image, "\xb1\x43\x62\x46", 4);
}

int mock__capability(const struct mock__device *device)
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

static CUresult allocate(struct mock__context *context, const struct mock__variable *variable,
                         struct mock__memory **ret_memory)
{
    if (variable->managed)
        return mock__memory_alloc_host(context, variable->bytes, MOCK__MANAGED_MEMORY,
                                       CU_MEM_ATTACH_GLOBAL, ret_memory);
    return mock__memory_alloc(context, variable->bytes, ret_memory);
}

static CUresult add_variable(struct mock__module *module, size_t number)
{
    const struct mock__variable *variable = &module->ptx.variables[number];
    struct mock__memory *memory = NULL;

    if (!variable->bytes)
        return CUDA_SUCCESS;
    MOCK__TRY(allocate(module->context, variable, &memory));
    module->variables[number] = memory;
    memory->in_module = true;
    memset(memory->host, 0, variable->bytes);
    if (variable->values)
        memcpy(memory->host, variable->values, variable->n_values);
    return CUDA_SUCCESS;
}

/* What is no variable is a function, and those have no address. */
static uint64_t address_of(const struct mock__module *module,
                           const struct mock__ptx_address *address)
{
    const size_t i = mock__find_variable(&module->ptx, address->symbol);
    uint64_t value = address->addend;

    if (i < module->ptx.n_variables && module->variables[i])
        value += module->variables[i]->address;
    return address->mask ? (value & address->mask) >> __builtin_ctzll(address->mask) : 0;
}

/* Once all variables have their addresses. */
static void write_addresses(struct mock__module *module, size_t number)
{
    const struct mock__variable *variable = &module->ptx.variables[number];

    for (size_t i = 0; i < variable->n_addresses; i++) {
        const struct mock__ptx_address *address = &variable->addresses[i];
        const uint64_t value = address_of(module, address);

        for (size_t j = 0; j < address->bytes && j < sizeof(value); j++)
            module->variables[number]->host[address->offset + j] = (unsigned char) (value >> 8 * j);
    }
}

static CUresult add_variables(struct mock__module *module)
{
    const struct mock__ptx *ptx = &module->ptx;

    if (!ptx->n_variables)
        return CUDA_SUCCESS;
    module->variables = calloc(ptx->n_variables, sizeof(struct mock__memory *));
    MOCK__REQUIRE(module->variables, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < ptx->n_variables; i++)
        MOCK__TRY(add_variable(module, i));
    for (size_t i = 0; i < ptx->n_variables; i++)
        write_addresses(module, i);
    return CUDA_SUCCESS;
}

static CUresult fill(struct mock__module *module, const char *source, struct mock__ptx_error *error)
{
    MOCK__TRY(
        mock__ptx_read(source, mock__capability(module->context->device), &module->ptx, error));
    MOCK__TRY(add_functions(module));
    return add_variables(module);
}

CUresult mock__module_load(struct mock__context *context, const void *image,
                           struct mock__ptx_error *error, struct mock__module **ret_module)
{
    struct mock__module *module;
    CUresult result;

    *error = (struct mock__ptx_error){.line = 0};
    MOCK__REQUIRE(!mock__is_binary(image), CUDA_ERROR_NO_BINARY_FOR_GPU);
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
        mock__function_free(module->functions[i]);
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
    mock__links_destroy(context);
}
