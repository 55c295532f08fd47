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

    MOCK__ENTER();
    MOCK__REQUIRE(pTexRef && name && *name, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(hmod, name, PTX_TEXREF, &module, &address));
    MOCK__TRY(mock__context_usable(module->context));
    reference = mock__texture_reference_at(address);
    if (!reference)
        reference = mock__texture_reference_new(module->context, module, address);
    MOCK__REQUIRE(reference, CUDA_ERROR_OUT_OF_MEMORY);
    *pTexRef = MOCK__HANDLE(reference);
    return CUDA_SUCCESS;
}

/* Of variables. */
static struct cushim__tree surfaces;

struct mock__surface_reference *mock__surface_reference_at(uint64_t address)
{
    return CUSHIM__TREE_MEMBER(cushim__tree_find(&surfaces, address, 0),
                               struct mock__surface_reference, by_address);
}

static struct mock__surface_reference *new_surface_reference(uint64_t address)
{
    struct mock__surface_reference *reference =
        mock__object_new(MOCK__SURFACE_REFERENCE, sizeof(*reference));

    if (!reference)
        return NULL;
    reference->address = address;
    cushim__tree_add(&surfaces, &reference->by_address, address, 0);
    return reference;
}

CUresult mock_cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name)
{
    const struct mock__module *module = NULL;
    struct mock__surface_reference *reference;
    uint64_t address = 0;

    MOCK__ENTER();
    MOCK__REQUIRE(pSurfRef && name && *name, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(hmod, name, PTX_SURFREF, &module, &address));
    MOCK__TRY(mock__context_usable(module->context));
    reference = mock__surface_reference_at(address);
    if (!reference)
        reference = new_surface_reference(address);
    MOCK__REQUIRE(reference, CUDA_ERROR_OUT_OF_MEMORY);
    reference->context = module->context;
    reference->module = module;
    *pSurfRef = MOCK__HANDLE(reference);
    return CUDA_SUCCESS;
}

static void destroy_at(uint64_t address)
{
    struct mock__texture_reference *texture = mock__texture_reference_at(address);
    struct mock__surface_reference *surface = mock__surface_reference_at(address);

    if (texture)
        mock__texture_reference_free(texture);
    if (surface)
        cushim__tree_remove(&surfaces, &surface->by_address);
    mock__object_free(surface);
}

void mock__references_destroy(const struct mock__module *module)
{
    const struct ptx__module *ptx = &module->ptx.module;

    for (uint32_t i = 0; i < ptx->n_variables; i++)
        if (ptx->variables[i].type == PTX_TEXREF || ptx->variables[i].type == PTX_SURFREF)
            destroy_at(ptx->variables[i].address);
}
