/* SPDX-License-Identifier: MIT */
/* Modules from images; cuModule* is in module.c. */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/base/upcalls.h"
#include "mock/module/module.h"
#include "mock/module/program.h"

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

/* Variables of other spaces are the kernels' own. */
static bool has_memory(const struct ptx__variable *variable)
{
    return variable->bytes && !variable->replaced &&
           (variable->space == PTX_GLOBAL || variable->space == PTX_CONST);
}

/* context: NULL for a variable of no context. */
static CUresult allocate(struct mock__context *context, const struct ptx__variable *variable,
                         struct mock__memory **ret_memory)
{
    struct mock__memory *memory = NULL;

    if (variable->managed)
        MOCK__TRY(mock__memory_alloc_host(context, variable->bytes, MOCK__MANAGED_MEMORY,
                                          CU_MEM_ATTACH_GLOBAL, &memory));
    else
        MOCK__TRY(mock__memory_alloc(context, variable->bytes, &memory));
    memory->in_module = true;
    memory->variable = variable;
    mock__memory_clear(memory);
    if (variable->values)
        memcpy(memory->host, variable->values, variable->n_values);
    *ret_memory = memory;
    return CUDA_SUCCESS;
}

CUresult mock__managed_make(const struct mock__ptx *ptx, struct mock__managed *managed)
{
    const struct ptx__module *module = &ptx->module;

    managed->variables = calloc(module->n_variables + 1, sizeof(struct mock__memory *));
    MOCK__REQUIRE(managed->variables, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < module->n_variables; i++) {
        if (!module->variables[i].managed || !has_memory(&module->variables[i]))
            continue;
        MOCK__TRY(allocate(NULL, &module->variables[i], &managed->variables[i]));
        managed->variables[i]->device = mock__device_find(0);
    }
    return CUDA_SUCCESS;
}

void mock__managed_finish(const struct mock__ptx *ptx, struct mock__managed *managed)
{
    for (size_t i = 0; managed->variables && i < ptx->module.n_variables; i++) {
        if (managed->variables[i])
            mock__memory_free(managed->variables[i]);
    }
    free(managed->variables);
    *managed = (struct mock__managed){.variables = NULL};
}

static bool is_shared(const struct mock__module *module, size_t number)
{
    return module->managed && module->managed->variables[number];
}

static CUresult add_variable(struct mock__module *module, size_t number)
{
    struct ptx__variable *variable = &module->ptx.module.variables[number];

    if (!has_memory(variable))
        return CUDA_SUCCESS;
    if (is_shared(module, number))
        module->variables[number] = module->managed->variables[number];
    else
        MOCK__TRY(allocate(module->context, variable, &module->variables[number]));
    variable->address = module->variables[number]->address;
    return CUDA_SUCCESS;
}

static uint64_t address_of(const struct mock__module *module, const struct ptx__address *address)
{
    const struct ptx__module *ptx = &module->ptx.module;
    uint64_t value = address->addend;

    if (address->symbol.kind == PTX_MODULE_VARIABLE)
        value += ptx->variables[address->symbol.number].address;
    if (address->symbol.kind == PTX_FUNCTION)
        value += ptx->functions[address->symbol.number].address;
    return address->mask ? (value & address->mask) >> __builtin_ctzll(address->mask) : 0;
}

/*
 * Writes the addresses of variables and functions into a variable's initial contents. All of them
 * must have their addresses already.
 */
static void write_addresses(struct mock__module *module, size_t number)
{
    const struct ptx__variable *variable = &module->ptx.module.variables[number];

    for (size_t i = 0; i < variable->n_addresses && module->variables[number]; i++) {
        const struct ptx__address *address = &variable->addresses[i];
        const uint64_t value = address_of(module, address);

        for (size_t j = 0; j < address->bytes && j < sizeof(value); j++)
            module->variables[number]->host[address->offset + j] = (unsigned char) (value >> 8 * j);
    }
}

static CUresult add_variables(struct mock__module *module)
{
    const size_t n = module->ptx.module.n_variables;

    module->variables = calloc(n + 1, sizeof(struct mock__memory *));
    MOCK__REQUIRE(module->variables, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < n; i++)
        MOCK__TRY(add_variable(module, i));
    for (size_t i = 0; i < n; i++) {
        if (!is_shared(module, i) || !module->managed->addressed)
            write_addresses(module, i);
    }
    if (module->managed)
        module->managed->addressed = true;
    return CUDA_SUCCESS;
}

static CUresult fill(struct mock__module *module, const void *image, size_t size,
                     struct ptx__log *log)
{
    const int capability = mock__capability(module->context->device);
    SCOPED_FREE char *text = NULL;

    MOCK__TRY(mock__image_text(image, size, capability, &text));
    MOCK__TRY(mock__ptx_read(text, capability, &module->ptx, log));
    MOCK__TRY(add_functions(module));
    MOCK__TRY(add_variables(module));
    return mock__program_make(module, log);
}

CUresult mock__module_load(struct mock__context *context, const void *image, size_t size,
                           struct mock__managed *managed, struct ptx__log *log,
                           struct mock__module **ret_module)
{
    struct mock__module *module = mock__object_new(MOCK__MODULE, sizeof(*module));
    CUresult result;

    MOCK__REQUIRE(module, CUDA_ERROR_OUT_OF_MEMORY);
    module->context = context;
    mock__object_own(context, module);
    module->managed = managed;
    result = fill(module, image, size, log);
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
    if (module->library) {
        *module->link_of_library = module->next_of_library;
        if (module->next_of_library)
            module->next_of_library->link_of_library = module->link_of_library;
    }
    for (size_t i = module->variables ? module->ptx.module.n_variables : 0; i-- > 0;) {
        if (module->variables[i] && !is_shared(module, i))
            mock__memory_free(module->variables[i]);
    }
    mock__upcalls.module_end(module);
    mock__program_free(module);
    free(module->functions);
    free(module->variables);
    mock__ptx_finish(&module->ptx);
    mock__object_free(module);
}

void mock__modules_destroy(const struct mock__context *context)
{
    struct mock__module *module;

    for (size_t cursor = 0; (module = mock__object_next_of(context, MOCK__MODULE, &cursor));)
        mock__module_destroy(module);
    mock__links_destroy(context);
}
