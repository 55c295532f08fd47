/* SPDX-License-Identifier: MIT */
/* cuModuleGetTexRef, cuModuleGetSurfRef: references are variables of a module. */
#include "mock/base/state.h"
#include "mock/module/module.h"
#include "mock/texture/texture.h"

static CUresult find(CUmodule hmod, const char *name, enum ptx__type type,
                     const struct mock__module **ret_module, uint64_t *ret_address)
{
    struct mock__module *module = NULL;
    const struct ptx__variable *variable;
    size_t i;

    MOCK__TRY(mock__module_find(hmod, &module));
    i = mock__find_variable(&module->ptx, name);
    MOCK__REQUIRE(i < module->ptx.module.n_variables, CUDA_ERROR_NOT_FOUND);
    variable = &module->ptx.module.variables[i];
    MOCK__REQUIRE(variable->type == type, CUDA_ERROR_NOT_FOUND);
    *ret_module = module;
    *ret_address = variable->address;
    return CUDA_SUCCESS;
}

/* The one of a variable is made when it is asked for first, and goes with the module. */
CUresult mock_cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name)
{
    const struct mock__module *module = NULL;
    struct mock__texture_reference *reference;
    uint64_t address = 0;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(pTexRef && name && *name, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(hmod, name, PTX_TEXREF, &module, &address));
    for (size_t cursor = 0; (reference = mock__object_next(MOCK__TEXTURE_REFERENCE, &cursor));)
        if (reference->address == address)
            break;
    if (!reference)
        reference = mock__texture_reference_new(context, module, address);
    MOCK__REQUIRE(reference, CUDA_ERROR_OUT_OF_MEMORY);
    *pTexRef = MOCK__HANDLE(reference);
    return CUDA_SUCCESS;
}

CUresult mock_cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name)
{
    const struct mock__module *module = NULL;
    struct mock__surface_reference *reference;
    uint64_t address = 0;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(pSurfRef && name && *name, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(hmod, name, PTX_SURFREF, &module, &address));
    for (size_t cursor = 0; (reference = mock__object_next(MOCK__SURFACE_REFERENCE, &cursor));)
        if (reference->address == address)
            break;
    if (!reference)
        reference = mock__object_new(MOCK__SURFACE_REFERENCE, sizeof(*reference));
    MOCK__REQUIRE(reference, CUDA_ERROR_OUT_OF_MEMORY);
    reference->context = context;
    reference->module = module;
    reference->address = address;
    *pSurfRef = MOCK__HANDLE(reference);
    return CUDA_SUCCESS;
}

void mock__references_destroy(const struct mock__module *module)
{
    struct mock__texture_reference *texture;
    struct mock__surface_reference *surface;

    for (size_t cursor = 0; (texture = mock__object_next(MOCK__TEXTURE_REFERENCE, &cursor));)
        if (texture->module == module)
            mock__object_free(texture);
    for (size_t cursor = 0; (surface = mock__object_next(MOCK__SURFACE_REFERENCE, &cursor));)
        if (surface->module == module)
            mock__object_free(surface);
}
