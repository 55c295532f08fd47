/* SPDX-License-Identifier: MIT */
/* What a module has, by name. */
#include <string.h>

#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/module/module.h"

size_t mock__find_entry(const struct mock__ptx *ptx, const char *name)
{
    size_t i = 0;

    while (i < ptx->n_entries && strcmp(ptx->entries[i].name, name))
        i++;
    return i;
}

/* Those that memory is allocated for when the module is loaded. */
static bool is_variable(const struct ptx__variable *variable, const char *name)
{
    return (variable->space == PTX_GLOBAL || variable->space == PTX_CONST) && !variable->replaced &&
           !strcmp(variable->name, name);
}

size_t mock__find_variable(const struct mock__ptx *ptx, const char *name)
{
    const struct ptx__module *module = &ptx->module;
    size_t i = 0;

    while (i < module->n_variables && !is_variable(&module->variables[i], name))
        i++;
    return i;
}

CUresult mock__module_variable(const struct mock__module *module, const char *name,
                               CUdeviceptr *ret_address, size_t *ret_bytes)
{
    const struct mock__ptx *ptx = &module->ptx;
    const size_t i = mock__find_variable(ptx, name);

    /* A kernel is there, and is no variable. */
    MOCK__REQUIRE(mock__find_entry(ptx, name) == ptx->n_entries, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(i < ptx->module.n_variables, CUDA_ERROR_NOT_FOUND);
    if (ret_address)
        *ret_address = module->variables[i] ? module->variables[i]->address : 0;
    if (ret_bytes)
        *ret_bytes = ptx->module.variables[i].bytes;
    return CUDA_SUCCESS;
}
