/* SPDX-License-Identifier: MIT */
/* Arrays, textures and surfaces. */
#include "make.h"

#include "world.h"

DESTROY(destroy_array, CUarray, cuArrayDestroy)
DESTROY(destroy_mipmap, CUmipmappedArray, cuMipmappedArrayDestroy)
DESTROY(destroy_texref, CUtexref, cuTexRefDestroy)
DESTROY(destroy_texture, CUtexObject, cuTexObjectDestroy)
DESTROY(destroy_surface, CUsurfObject, cuSurfObjectDestroy)

uint64_t make_array(const struct param *param)
{
    CUDA_ARRAY3D_DESCRIPTOR desc = {.Width = 16,
                                    .Height = 16,
                                    .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                                    .NumChannels = 4,
                                    .Flags = CUDA_ARRAY3D_SURFACE_LDST};

    (void) param;
    MAKE(CUarray, destroy_array, cuArray3DCreate_v2, (&object, &desc));
}

uint64_t make_mipmap(const struct param *param)
{
    CUDA_ARRAY3D_DESCRIPTOR desc = {
        .Width = 16, .Height = 16, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};

    (void) param;
    MAKE(CUmipmappedArray, destroy_mipmap, cuMipmappedArrayCreate, (&object, &desc, 3));
}

uint64_t make_texref(const struct param *param)
{
    (void) param;
    MAKE(CUtexref, destroy_texref, cuTexRefCreate, (&object));
}

uint64_t make_module_texref(const struct param *param)
{
    CUtexref texref = NULL;

    made(CALL(cuModuleGetTexRef, (&texref, (CUmodule) make_module(param), "tex")));
    return (uint64_t) texref;
}

uint64_t make_surfref(const struct param *param)
{
    CUsurfref surfref = NULL;

    made(CALL(cuModuleGetSurfRef, (&surfref, (CUmodule) make_module(param), "surf")));
    return (uint64_t) surfref;
}

static CUDA_RESOURCE_DESC of_array(void)
{
    CUDA_RESOURCE_DESC desc = {.resType = CU_RESOURCE_TYPE_ARRAY};

    desc.res.array.hArray = (CUarray) make_array(NULL);
    return desc;
}

uint64_t make_texture(const struct param *param)
{
    CUDA_RESOURCE_DESC desc = of_array();
    CUDA_TEXTURE_DESC texture = {.flags = CU_TRSF_READ_AS_INTEGER};

    (void) param;
    MAKE(CUtexObject, destroy_texture, cuTexObjectCreate, (&object, &desc, &texture, NULL));
}

uint64_t make_surface(const struct param *param)
{
    CUDA_RESOURCE_DESC desc = of_array();

    (void) param;
    MAKE(CUsurfObject, destroy_surface, cuSurfObjectCreate, (&object, &desc));
}

uint64_t make_texref_address(const struct param *param)
{
    uint64_t texref = make_texref(param);
    size_t offset;

    made(CALL(cuTexRefSetFormat, ((CUtexref) texref, CU_AD_FORMAT_FLOAT, 1)));
    made(CALL(cuTexRefSetAddress_v2, (&offset, (CUtexref) texref, make_memory(param), 256)));
    return texref;
}

uint64_t make_texref_array(const struct param *param)
{
    uint64_t texref = make_texref(param);

    made(CALL(cuTexRefSetArray,
              ((CUtexref) texref, (CUarray) make_array(param), CU_TRSA_OVERRIDE_FORMAT)));
    return texref;
}

uint64_t make_texref_mipmap(const struct param *param)
{
    uint64_t texref = make_texref(param);

    made(CALL(cuTexRefSetMipmappedArray,
              ((CUtexref) texref, (CUmipmappedArray) make_mipmap(param), CU_TRSA_OVERRIDE_FORMAT)));
    return texref;
}

uint64_t make_surfref_array(const struct param *param)
{
    uint64_t surfref = make_surfref(param);

    made(CALL(cuSurfRefSetArray, ((CUsurfref) surfref, (CUarray) make_array(param), 0)));
    return surfref;
}

uint64_t make_viewed_texture(const struct param *param)
{
    CUDA_RESOURCE_DESC desc = of_array();
    CUDA_TEXTURE_DESC texture = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUDA_RESOURCE_VIEW_DESC view = {
        .format = CU_RES_VIEW_FORMAT_UINT_4X8, .width = 16, .height = 16};

    (void) param;
    MAKE(CUtexObject, destroy_texture, cuTexObjectCreate, (&object, &desc, &texture, &view));
}
