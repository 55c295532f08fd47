/* SPDX-License-Identifier: MIT */
/* cuModuleGetTexRef, cuModuleGetSurfRef */
#include "mock/module.h"
#include "mock/state.h"

/* What a module declares is read without its textures and surfaces, so there are none to find. */
static CUresult find(const void *ret_reference, CUmodule hmod, const char *name)
{
    struct mock__module *module = NULL;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(ret_reference && name && *name, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__module_find(hmod, &module));
    return CUDA_ERROR_NOT_FOUND;
}

CUresult mock_cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name)
{
    return find(pTexRef, hmod, name);
}

CUresult mock_cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name)
{
    return find(pSurfRef, hmod, name);
}
