/* SPDX-License-Identifier: MIT */
/* cuTexRef*: texture references, which are older than texture objects. */
#include <string.h>

#include "mock/allocation/array.h"
#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/module/module.h"
#include "mock/texture/texture.h"

#define FLAGS 0x3fu /* bits 2 and 3 are no flags, and refused by no driver */

/* The numbers of attributes. */
enum { TEXTURE_ALIGNMENT = 14, LINEAR_2D_HEIGHT = 71, LINEAR_2D_PITCH = 72, PITCH_ALIGNMENT = 51 };

/* Of variables. */
static struct cushim__tree references;

struct mock__texture_reference *mock__texture_reference_at(uint64_t address)
{
    return CUSHIM__TREE_MEMBER(cushim__tree_find(&references, address, 0),
                               struct mock__texture_reference, by_address);
}

void mock__texture_reference_free(struct mock__texture_reference *reference)
{
    cushim__tree_remove(&references, &reference->by_address);
    mock__object_free(reference);
}

struct mock__texture_reference *mock__texture_reference_new(struct mock__context *context,
                                                            const struct mock__module *module,
                                                            uint64_t address)
{
    struct mock__texture_reference *reference =
        mock__object_new(MOCK__TEXTURE_REFERENCE, sizeof(*reference));

    if (!reference)
        return NULL;
    reference->context = context;
    mock__object_own(context, reference);
    reference->module = module;
    reference->address = address;
    reference->format = CU_AD_FORMAT_FLOAT;
    reference->channels = 1;
    for (int i = 0; i < 3; i++)
        reference->texture.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    if (address)
        cushim__tree_add(&references, &reference->by_address, address, 0);
    return reference;
}

CUresult mock_cuTexRefCreate(CUtexref *pTexRef)
{
    struct mock__texture_reference *reference;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(pTexRef, CUDA_ERROR_INVALID_VALUE);
    reference = mock__texture_reference_new(context, NULL, 0);
    MOCK__REQUIRE(reference, CUDA_ERROR_OUT_OF_MEMORY);
    mock__made(&reference->object.made, "cuTexRefCreate");
    *pTexRef = MOCK__HANDLE(reference);
    return CUDA_SUCCESS;
}

static size_t attribute(const struct mock__texture_reference *reference, int number)
{
    return (size_t) mock__attribute(reference->context->device, (CUdevice_attribute) number);
}

/* What a driver says of a handle that is no reference: see mock__stranger(). */
static CUresult no_reference(CUtexref handle)
{
    return mock__object_any((uintptr_t) handle) ? CUDA_ERROR_INVALID_CONTEXT
                                                : CUDA_ERROR_INVALID_HANDLE;
}

/* The lock, and the reference of a handle, whose own context is used, whichever is current. */
#define ENTER_REFERENCE(reference, handle, wanted)                                                 \
    MOCK__ENTER();                                                                                 \
    struct mock__texture_reference *const reference =                                              \
        mock__object_find(MOCK__TEXTURE_REFERENCE, handle);                                        \
    MOCK__REQUIRE(reference, no_reference(handle));                                                \
    MOCK__TRY(mock__context_usable(reference->context));                                           \
    MOCK__REQUIRE(wanted, CUDA_ERROR_INVALID_VALUE)

/* That of a variable stays as long as its module. */
CUresult mock_cuTexRefDestroy(CUtexref hTexRef)
{
    ENTER_REFERENCE(reference, hTexRef, true);
    if (!reference->module)
        mock__texture_reference_free(reference);
    return CUDA_SUCCESS;
}

static CUresult bind(struct mock__texture_reference *reference, const CUDA_RESOURCE_DESC *resource)
{
    MOCK__TRY(mock__resource_check(reference->context, resource));
    reference->resource = *resource;
    reference->bound = true;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags)
{
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res.array.hArray = hArray};

    ENTER_REFERENCE(reference, hTexRef, !(Flags & ~CU_TRSA_OVERRIDE_FORMAT));
    return bind(reference, &resource);
}

CUresult mock_cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray,
                                        unsigned int Flags)
{
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
                                         .res.mipmap.hMipmappedArray = hMipmappedArray};

    ENTER_REFERENCE(reference, hTexRef, !(Flags & ~CU_TRSA_OVERRIDE_FORMAT));
    return bind(reference, &resource);
}

/* An address that is not aligned is bound at one that is, and the caller told how far off. */
static CUresult set_address(size_t *ret_offset, CUtexref hTexRef, CUdeviceptr address, size_t bytes)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    size_t offset;

    ENTER_REFERENCE(reference, hTexRef, true);
    offset = address % attribute(reference, TEXTURE_ALIGNMENT);
    MOCK__REQUIRE((!offset || ret_offset) && bytes <= SIZE_MAX - offset, CUDA_ERROR_INVALID_VALUE);
    resource.res.linear.devPtr = address - offset;
    resource.res.linear.sizeInBytes = bytes + offset;
    resource.res.linear.format = reference->format;
    resource.res.linear.numChannels = reference->channels;
    /* NULL binds nothing. */
    reference->bound = false;
    if (address > offset)
        MOCK__TRY(bind(reference, &resource));
    if (ret_offset)
        *ret_offset = offset;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefSetAddress_v2(size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr,
                                    size_t bytes)
{
    return set_address(ByteOffset, hTexRef, dptr, bytes);
}

/* The first versions look at the handle before they look at the current context. */
static CUresult refuse_narrow(CUtexref handle)
{
    MOCK__ENTER();
    MOCK__REQUIRE(mock__object_find(MOCK__TEXTURE_REFERENCE, handle), no_reference(handle));
    return mock__context_narrow();
}

CUresult mock_cuTexRefSetAddress(unsigned int *ByteOffset, CUtexref hTexRef, CUdeviceptr_v1 dptr,
                                 unsigned int bytes)
{
    size_t offset = 0;

    MOCK__TRY(refuse_narrow(hTexRef));
    MOCK__TRY(set_address(&offset, hTexRef, dptr, bytes));
    if (ByteOffset)
        *ByteOffset = (unsigned) offset;
    return CUDA_SUCCESS;
}

/*
 * A row has to fit into the pitch, of a format without a size any one. The first versions do not
 * look at the pitch any further.
 */
static bool is_plane(const struct mock__texture_reference *reference,
                     const CUDA_ARRAY_DESCRIPTOR *descriptor, size_t pitch, bool checks_pitch)
{
    const size_t element = mock__array_element(descriptor->Format, descriptor->NumChannels);

    if ((uint32_t) descriptor->Width * element > pitch)
        return false;
    return !checks_pitch ||
           (pitch && pitch % attribute(reference, PITCH_ALIGNMENT) == 0 &&
            pitch <= attribute(reference, LINEAR_2D_PITCH) &&
            (uint32_t) descriptor->Height <= attribute(reference, LINEAR_2D_HEIGHT));
}

static CUresult set_address_2d(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *descriptor,
                               CUdeviceptr address, size_t pitch, bool checks_pitch)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};

    ENTER_REFERENCE(reference, hTexRef, descriptor);
    MOCK__REQUIRE(address % attribute(reference, TEXTURE_ALIGNMENT) == 0 &&
                      is_plane(reference, descriptor, pitch, checks_pitch),
                  CUDA_ERROR_INVALID_VALUE);
    resource.res.pitch2D.devPtr = address;
    resource.res.pitch2D.format = descriptor->Format;
    resource.res.pitch2D.numChannels = descriptor->NumChannels;
    resource.res.pitch2D.width = (uint32_t) descriptor->Width;
    resource.res.pitch2D.height = (uint32_t) descriptor->Height;
    resource.res.pitch2D.pitchInBytes = pitch;
    reference->resource = resource;
    reference->bound = address != 0;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc,
                                      CUdeviceptr dptr, size_t Pitch)
{
    return set_address_2d(hTexRef, desc, dptr, Pitch, true);
}

CUresult mock_cuTexRefSetAddress2D_v2(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc,
                                      CUdeviceptr dptr, size_t Pitch)
{
    return set_address_2d(hTexRef, desc, dptr, Pitch, false);
}

CUresult mock_cuTexRefSetAddress2D(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR_v1 *desc,
                                   CUdeviceptr_v1 dptr, unsigned int Pitch)
{
    CUDA_ARRAY_DESCRIPTOR wide = {0};

    MOCK__TRY(refuse_narrow(hTexRef));
    if (desc)
        wide = (CUDA_ARRAY_DESCRIPTOR){desc->Width, desc->Height, desc->Format, desc->NumChannels};
    return set_address_2d(hTexRef, desc ? &wide : NULL, dptr, Pitch, false);
}

/* The driver looks at no format, and not at negative numbers. */
CUresult mock_cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents)
{
    ENTER_REFERENCE(reference, hTexRef, NumPackedComponents <= 2 || NumPackedComponents == 4);
    reference->format = fmt;
    reference->channels = (unsigned) NumPackedComponents;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am)
{
    ENTER_REFERENCE(reference, hTexRef, dim >= 0 && dim < 3);
    reference->texture.addressMode[dim] = am;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm)
{
    ENTER_REFERENCE(reference, hTexRef, true);
    reference->texture.filterMode = fm;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm)
{
    ENTER_REFERENCE(reference, hTexRef, (unsigned) fm <= CU_TR_FILTER_MODE_LINEAR);
    reference->texture.mipmapFilterMode = fm;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias)
{
    ENTER_REFERENCE(reference, hTexRef, true);
    reference->texture.mipmapLevelBias = bias;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp,
                                          float maxMipmapLevelClamp)
{
    ENTER_REFERENCE(reference, hTexRef, true);
    reference->texture.minMipmapLevelClamp = minMipmapLevelClamp;
    reference->texture.maxMipmapLevelClamp = maxMipmapLevelClamp;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso)
{
    ENTER_REFERENCE(reference, hTexRef, true);
    reference->texture.maxAnisotropy = maxAniso;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefSetBorderColor(CUtexref hTexRef, float *pBorderColor)
{
    ENTER_REFERENCE(reference, hTexRef, pBorderColor);
    memcpy(reference->texture.borderColor, pBorderColor, sizeof(reference->texture.borderColor));
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags)
{
    ENTER_REFERENCE(reference, hTexRef, !(Flags & ~FLAGS));
    reference->texture.flags = Flags;
    return CUDA_SUCCESS;
}

/* Tells whether it is bound to a resource of this type. */
static bool is_bound(const struct mock__texture_reference *reference, CUresourcetype type)
{
    return reference->bound && reference->resource.resType == type;
}

static CUresult get_address(CUtexref hTexRef, CUdeviceptr *ret_address)
{
    ENTER_REFERENCE(reference, hTexRef, true);
    if (is_bound(reference, CU_RESOURCE_TYPE_PITCH2D))
        *ret_address = reference->resource.res.pitch2D.devPtr;
    else if (is_bound(reference, CU_RESOURCE_TYPE_LINEAR))
        *ret_address = reference->resource.res.linear.devPtr;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefGetAddress_v2(CUdeviceptr *pdptr, CUtexref hTexRef)
{
    CUdeviceptr address = 0;

    MOCK__TRY(get_address(hTexRef, &address));
    if (pdptr)
        *pdptr = address;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefGetAddress(CUdeviceptr_v1 *pdptr, CUtexref hTexRef)
{
    CUdeviceptr address = 0;

    MOCK__TRY(refuse_narrow(hTexRef));
    MOCK__TRY(get_address(hTexRef, &address));
    MOCK__REQUIRE(address <= UINT32_MAX, CUDA_ERROR_INVALID_VALUE);
    if (pdptr)
        *pdptr = (CUdeviceptr_v1) address;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefGetArray(CUarray *phArray, CUtexref hTexRef)
{
    ENTER_REFERENCE(reference, hTexRef, phArray && is_bound(reference, CU_RESOURCE_TYPE_ARRAY));
    *phArray = reference->resource.res.array.hArray;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefGetMipmappedArray(CUmipmappedArray *phMipmappedArray, CUtexref hTexRef)
{
    ENTER_REFERENCE(reference, hTexRef,
                    phMipmappedArray && is_bound(reference, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY));
    *phMipmappedArray = reference->resource.res.mipmap.hMipmappedArray;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefGetAddressMode(CUaddress_mode *pam, CUtexref hTexRef, int dim)
{
    ENTER_REFERENCE(reference, hTexRef, pam && dim >= 0 && dim < 3);
    *pam = reference->texture.addressMode[dim];
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefGetFilterMode(CUfilter_mode *pfm, CUtexref hTexRef)
{
    ENTER_REFERENCE(reference, hTexRef, pfm);
    *pfm = reference->texture.filterMode;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefGetFormat(CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef)
{
    ENTER_REFERENCE(reference, hTexRef, true);
    if (pFormat)
        *pFormat = reference->format;
    if (pNumChannels)
        *pNumChannels = (int) reference->channels;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefGetMipmapFilterMode(CUfilter_mode *pfm, CUtexref hTexRef)
{
    ENTER_REFERENCE(reference, hTexRef, pfm);
    *pfm = reference->texture.mipmapFilterMode;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefGetMipmapLevelBias(float *pbias, CUtexref hTexRef)
{
    ENTER_REFERENCE(reference, hTexRef, pbias);
    *pbias = reference->texture.mipmapLevelBias;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp,
                                          CUtexref hTexRef)
{
    ENTER_REFERENCE(reference, hTexRef, pminMipmapLevelClamp && pmaxMipmapLevelClamp);
    *pminMipmapLevelClamp = reference->texture.minMipmapLevelClamp;
    *pmaxMipmapLevelClamp = reference->texture.maxMipmapLevelClamp;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefGetMaxAnisotropy(int *pmaxAniso, CUtexref hTexRef)
{
    ENTER_REFERENCE(reference, hTexRef, pmaxAniso);
    *pmaxAniso = (int) reference->texture.maxAnisotropy;
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefGetBorderColor(float *pBorderColor, CUtexref hTexRef)
{
    ENTER_REFERENCE(reference, hTexRef, pBorderColor);
    memcpy(pBorderColor, reference->texture.borderColor, sizeof(reference->texture.borderColor));
    return CUDA_SUCCESS;
}

CUresult mock_cuTexRefGetFlags(unsigned int *pFlags, CUtexref hTexRef)
{
    ENTER_REFERENCE(reference, hTexRef, pFlags);
    *pFlags = reference->texture.flags;
    return CUDA_SUCCESS;
}

/* A function finds the references of its own module by itself. No other one can be given to it. */
CUresult mock_cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef)
{
    const struct mock__texture_reference *reference;
    struct mock__function *function = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find_here(hfunc, &function));
    MOCK__REQUIRE(texunit == CU_PARAM_TR_DEFAULT, CUDA_ERROR_INVALID_VALUE);
    reference = mock__object_find(MOCK__TEXTURE_REFERENCE, hTexRef);
    MOCK__REQUIRE(reference && reference->context == function->module->context,
                  CUDA_ERROR_INVALID_HANDLE);
    return reference->module == function->module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
