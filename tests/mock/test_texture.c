/* SPDX-License-Identifier: MIT */
#include "mock/texture/texture.h"
#include "watch.h"

enum { WIDTH = 16, HEIGHT = 8 };

TestSuite(texture);

static CUDA_RESOURCE_DESC array_resource(unsigned flags)
{
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = {.Width = WIDTH,
                                                .Height = HEIGHT,
                                                .Format = CU_AD_FORMAT_FLOAT,
                                                .NumChannels = 2,
                                                .Flags = flags};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};

    OK(mock_cuArray3DCreate_v2(&resource.res.array.hArray, &descriptor));
    return resource;
}

static CUDA_RESOURCE_DESC linear_resource(CUdeviceptr address, size_t bytes, CUarray_format format)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};

    resource.res.linear.devPtr = address;
    resource.res.linear.format = format;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = bytes;
    return resource;
}

static CUresult try(const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                    const CUDA_RESOURCE_VIEW_DESC *view)
{
    CUtexObject object = 0;

    return mock_cuTexObjectCreate(&object, resource, texture, view);
}

Test(texture, an_object_keeps_what_it_was_made_of)
{
    const CUDA_TEXTURE_DESC texture = {.filterMode = CU_TR_FILTER_MODE_LINEAR, .maxAnisotropy = 4};
    CUDA_RESOURCE_DESC resource, got;
    CUDA_TEXTURE_DESC how;
    CUDA_RESOURCE_VIEW_DESC view;
    CUtexObject object = 0;

    start();
    resource = array_resource(0);
    OK(mock_cuTexObjectCreate(&object, &resource, &texture, NULL));
    OK(mock_cuTexObjectGetResourceDesc(&got, object));
    cr_expect(eq(ptr, got.res.array.hArray, resource.res.array.hArray));
    OK(mock_cuTexObjectGetTextureDesc(&how, object));
    cr_expect(eq(uint, how.maxAnisotropy, 4));
    OK(mock_cuTexObjectGetResourceViewDesc(&view, object));
    cr_expect(eq(int, (int) view.format, CU_RES_VIEW_FORMAT_NONE));
    OK(mock_cuTexObjectDestroy(object));
    OK(mock_cuTexObjectDestroy(object));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuTexObjectGetTextureDesc(&how, object));
}

Test(texture, what_it_cannot_be_made_of)
{
    CUDA_TEXTURE_DESC texture = {.maxAnisotropy = 0};
    CUDA_RESOURCE_DESC resource;
    CUdeviceptr p;

    start();
    p = allocate(4096);
    resource = linear_resource(p, 4096, CU_AD_FORMAT_FLOAT);
    EXPECT(CUDA_SUCCESS, try(&resource, &texture, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(NULL, &texture, NULL));
    resource = linear_resource(p + 4, 64, CU_AD_FORMAT_FLOAT);
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, NULL));
    /* Only a kernel finds out that there is less memory. */
    resource = linear_resource(p, 4097, CU_AD_FORMAT_FLOAT);
    EXPECT(CUDA_SUCCESS, try(&resource, &texture, NULL));
    resource = linear_resource(0, 4096, CU_AD_FORMAT_FLOAT);
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, NULL));
    resource = linear_resource(p, 4096, 0x66);
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, NULL));
    resource = linear_resource(p, 4096, CU_AD_FORMAT_UNSIGNED_INT32);
    texture.filterMode = 2;
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, NULL));
    texture = (CUDA_TEXTURE_DESC){.flags = 0x1000};
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, NULL));
    texture = (CUDA_TEXTURE_DESC){.addressMode = {4}};
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, NULL));
    texture = (CUDA_TEXTURE_DESC){.maxAnisotropy = 0};
    resource.flags = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, NULL));
    resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY};
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, NULL));
}

Test(texture, pitched_memory)
{
    const CUDA_TEXTURE_DESC texture = {.maxAnisotropy = 0};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    struct mock__texels texels;

    start();
    resource.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT8;
    resource.res.pitch2D.numChannels = 4;
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    OK(mock_cuMemAllocPitch_v2(&resource.res.pitch2D.devPtr, &resource.res.pitch2D.pitchInBytes,
                               WIDTH * 4, HEIGHT, 4));
    EXPECT(CUDA_SUCCESS, try(&resource, &texture, NULL));
    OK(mock__texels_of(&resource, 0, &texels));
    cr_expect(eq(sz, texels.pitch, 512));
    cr_expect(eq(sz, texels.rows, HEIGHT));
    resource.res.pitch2D.pitchInBytes = 500;
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, NULL));
    resource.res.pitch2D.pitchInBytes = 512;
    resource.res.pitch2D.height = 1 << 20;
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, NULL));
}

Test(texture, views)
{
    const CUDA_TEXTURE_DESC texture = {.maxAnisotropy = 0};
    CUDA_RESOURCE_VIEW_DESC view = {
        .format = CU_RES_VIEW_FORMAT_FLOAT_2X32, .width = WIDTH, .height = HEIGHT};
    CUDA_RESOURCE_DESC resource;

    start();
    resource = array_resource(0);
    EXPECT(CUDA_SUCCESS, try(&resource, &texture, &view));
    view.lastMipmapLevel = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, &view));
    view.lastMipmapLevel = 0;
    view.lastLayer = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, &view));
    view.lastLayer = 0;
    view.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, &view));
    view.width = 4 * WIDTH;
    view.height = 4 * HEIGHT;
    EXPECT(CUDA_SUCCESS, try(&resource, &texture, &view));
    view.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC2;
    EXPECT(CUDA_ERROR_INVALID_VALUE, try(&resource, &texture, &view));
}

/* What an engine that samples will do: from the handle to the bytes. */
Test(texture, the_elements_can_be_found)
{
    const CUDA_TEXTURE_DESC texture = {.maxAnisotropy = 0};
    CUDA_RESOURCE_DESC resource;
    struct mock__texels texels;
    CUtexObject object = 0;

    start();
    resource = array_resource(0);
    OK(mock_cuTexObjectCreate(&object, &resource, &texture, NULL));
    OK(mock__texels_of(&mock__texture_find(object)->resource, 0, &texels));
    cr_expect(eq(sz, texels.width, WIDTH));
    cr_expect(eq(sz, texels.element, 8));
    cr_expect(eq(sz, texels.pitch, WIDTH * 8));
    cr_expect(eq(uint, texels.channels, 2));
    OK(mock_cuArrayDestroy(resource.res.array.hArray));
    EXPECT(CUDA_ERROR_INVALID_HANDLE,
           mock__texels_of(&mock__texture_find(object)->resource, 0, &texels));
}

Test(texture, surfaces_need_arrays_that_were_made_for_it)
{
    CUDA_RESOURCE_DESC plain, resource, got;
    CUsurfObject object = 0;

    start();
    plain = array_resource(0);
    resource = array_resource(CUDA_ARRAY3D_SURFACE_LDST);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuSurfObjectCreate(&object, &plain));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuSurfObjectCreate(NULL, &resource));
    OK(mock_cuSurfObjectCreate(&object, &resource));
    OK(mock_cuSurfObjectGetResourceDesc(&got, object));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuSurfObjectGetResourceDesc(NULL, object));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuSurfObjectGetResourceDesc(&got, object + 1));
    cr_expect(eq(ptr, got.res.array.hArray, resource.res.array.hArray));
    /* The surface, both arrays and the primary context. */
    cr_expect(eq(sz, cushim_mock_leaks(), 4));
    OK(mock_cuSurfObjectDestroy(object));
    OK(mock_cuSurfObjectDestroy(object));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuSurfObjectGetResourceDesc(&got, object));
}

Test(texture, references)
{
    CUarray_format format = 0;
    CUtexref reference = NULL;
    CUarray array = NULL;
    CUDA_RESOURCE_DESC resource;
    CUdeviceptr p, got = 0;
    size_t offset = 99;
    int channels = 0;

    start();
    resource = array_resource(0);
    p = allocate(4096);
    OK(mock_cuTexRefCreate(&reference));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuTexRefGetArray(&array, reference));
    OK(mock_cuTexRefSetArray(reference, resource.res.array.hArray, CU_TRSA_OVERRIDE_FORMAT));
    OK(mock_cuTexRefGetArray(&array, reference));
    cr_expect(eq(ptr, array, resource.res.array.hArray));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuTexRefSetArray(reference, array, 2));
    OK(mock_cuTexRefSetFormat(reference, CU_AD_FORMAT_SIGNED_INT16, 2));
    OK(mock_cuTexRefGetFormat(&format, &channels, reference));
    cr_expect(eq(int, (int) format, CU_AD_FORMAT_SIGNED_INT16));
    cr_expect(eq(int, channels, 2));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 3));
    OK(mock_cuTexRefSetAddress_v2(&offset, reference, p + 12, 64));
    cr_expect(eq(sz, offset, 12));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuTexRefSetAddress_v2(NULL, reference, p + 12, 64));
    OK(mock_cuTexRefGetAddress_v2(&got, reference));
    cr_expect(eq(ulong, got, p));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuTexRefGetAddress(&(CUdeviceptr_v1){0}, reference));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuTexRefGetAddress(&(CUdeviceptr_v1){0}, NULL));
    for (int dim = 0; dim < 3; dim++) {
        CUaddress_mode mode = (CUaddress_mode) -1;

        OK(mock_cuTexRefSetAddressMode(reference, dim, CU_TR_ADDRESS_MODE_BORDER));
        OK(mock_cuTexRefGetAddressMode(&mode, reference, dim));
        cr_expect(eq(int, (int) mode, CU_TR_ADDRESS_MODE_BORDER), "%d", dim);
    }
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuTexRefSetAddressMode(reference, -1, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuTexRefSetAddressMode(reference, 3, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuTexRefSetMipmapFilterMode(reference, 2));
    OK(mock_cuTexRefDestroy(reference));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuTexRefDestroy(reference));
}

Test(texture, a_module_without_references)
{
    CUmodule module = NULL;
    CUtexref reference = NULL;

    start();
    OK(mock_cuModuleLoadData(&module, watch_ptx));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuModuleGetTexRef(&reference, module, "none"));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuModuleGetTexRef(&reference, module, ""));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuModuleGetTexRef(NULL, module, "none"));
}
