/* SPDX-License-Identifier: MIT */
/* Looking up the kernels and variables of a module by name. */
#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/module/module.h"

static size_t number_of(const struct ptx__name_index *index, const char *name, size_t otherwise)
{
    const uint32_t number = ptx__name_find(index, 0, name);

    return number == PTX_NONE ? otherwise : number;
}

size_t mock__find_entry(const struct mock__ptx *ptx, const char *name)
{
    return number_of(&ptx->entries_by_name, name, ptx->n_entries);
}

/* Finds a variable that gets memory when the module is loaded. */
size_t mock__find_variable(const struct mock__ptx *ptx, const char *name)
{
    return number_of(&ptx->variables_by_name, name, ptx->module.n_variables);
}

CUresult mock__module_variable(const struct mock__module *module, const char *name,
                               CUdeviceptr *ret_address, size_t *ret_bytes)
{
    const struct mock__ptx *ptx = &module->ptx;
    const size_t i = mock__find_variable(ptx, name);

    /* The name of a kernel exists, but is not a variable. */
    MOCK__REQUIRE(mock__find_entry(ptx, name) == ptx->n_entries, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(i < ptx->module.n_variables, CUDA_ERROR_NOT_FOUND);
    if (ret_address)
        *ret_address = module->variables[i] ? module->variables[i]->address : 0;
    if (ret_bytes)
        *ret_bytes = ptx->module.variables[i].bytes;
    return CUDA_SUCCESS;
}
