/* SPDX-License-Identifier: MIT */
/* Objects and memory, and findings about them. */
#include "growth_calls.h"

#include <dlfcn.h>

#include <cushim/mock.h>

static void streams(void)
{
    CUstream *all = new_streams();

    for (int i = 0; i < n; i++)
        TRY(cu->cuStreamDestroy(all[mixed(i)]));
}

static void events(void)
{
    CUevent *all = MANY(CUevent);

    for (int i = 0; i < n; i++) {
        all[i] = new_event();
        TRY(cu->cuEventRecord(all[i], NULL));
    }
    for (int i = 0; i < n; i++)
        TRY(cu->cuEventDestroy(all[mixed(i)]));
}

/* Contexts are large, so there are few of them; each has something. */
static void contexts(void)
{
    CUcontext *all = MANY(CUcontext);
    CUstream stream;

    for (int i = 0; i < n; i++) {
        TRY(cu->cuCtxCreate_v2(&all[i], 0, 0));
        for (int k = 0; k < 100; k++)
            TRY(cu->cuStreamCreate(&stream, 0));
    }
    for (int i = 0; i < n; i++)
        TRY(cu->cuCtxDestroy(all[i]));
}

static const char tiny[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".global .u32 v = 1;\n.visible .entry k() { ret; }\n";

static void modules(void)
{
    CUmodule *all = MANY(CUmodule);

    for (int i = 0; i < n; i++)
        TRY(cu->cuModuleLoadData(&all[i], tiny));
    for (int i = 0; i < n; i++)
        TRY(cu->cuModuleUnload(all[i]));
}

static void libraries(void)
{
    CUlibrary *all = MANY(CUlibrary);
    CUfunction function;
    CUkernel kernel;

    for (int i = 0; i < n; i++) {
        TRY(cu->cuLibraryLoadData(&all[i], tiny, NULL, NULL, 0, NULL, NULL, 0));
        TRY(cu->cuLibraryGetKernel(&kernel, all[i], "k"));
        TRY(cu->cuKernelGetFunction(&function, kernel));
        TRY(cu->cuKernelGetFunction(&function, kernel));
    }
    for (int i = 0; i < n; i++)
        TRY(cu->cuLibraryUnload(all[i]));
}

static char *text_of_kernels(void)
{
    char *text = calloc((size_t) n + 4, 64), *at = text;

    at += sprintf(at, ".version 7.0\n.target sm_70\n.address_size 64\n");
    for (int i = 0; i < n; i++)
        at += sprintf(at, ".visible .entry k%d() { ret; }\n", i);
    return text;
}

/* A library with many kernels, each of which is set and launched. */
static void kernels(void)
{
    char *text = text_of_kernels(), name[32];
    CUfunction function;
    CUlibrary library;
    CUkernel kernel;

    TRY(cu->cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "k%d", i);
        TRY(cu->cuLibraryGetKernel(&kernel, library, name));
        TRY(cu->cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, kernel,
                                     0));
        TRY(cu->cuKernelGetFunction(&function, kernel));
        TRY(cu->cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    }
    TRY(cu->cuCtxSynchronize());
}

static void textures(void)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    CUDA_TEXTURE_DESC texture = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUtexObject *all = MANY(CUtexObject);

    resource.res.linear.devPtr = some_memory(4096);
    resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = 4096;
    for (int i = 0; i < n; i++)
        TRY(cu->cuTexObjectCreate(&all[i], &resource, &texture, NULL));
    for (int i = 0; i < n; i++)
        TRY(cu->cuTexObjectDestroy(all[i]));
}

static void destroy_nothing(void *user)
{
    (void) user;
}

static void user_objects(void)
{
    CUuserObject *all = MANY(CUuserObject);
    CUgraph graph, copy;

    TRY(cu->cuGraphCreate(&graph, 0));
    for (int i = 0; i < n; i++) {
        TRY(cu->cuUserObjectCreate(&all[i], NULL, destroy_nothing, 1,
                                   CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
        TRY(cu->cuGraphRetainUserObject(graph, all[i], 1, 0));
    }
    TRY(cu->cuGraphClone(&copy, graph));
    for (int i = 0; i < n; i++) {
        TRY(cu->cuGraphReleaseUserObject(graph, all[mixed(i)], 1));
        TRY(cu->cuUserObjectRelease(all[mixed(i)], 1));
    }
    TRY(cu->cuGraphDestroy(copy));
}

/* --- memory --- */

static void allocations(void)
{
    CUdeviceptr *all = allocate_many();

    for (int i = 0; i < n; i++)
        TRY(cu->cuMemFree(all[i]));
}

/* Freed and allocated again in between. */
static void allocations_mixed(void)
{
    CUdeviceptr *all = allocate_many();

    for (int i = 0; i < n; i++) {
        TRY(cu->cuMemFree(all[mixed(i)]));
        all[mixed(i)] = some_memory(256 + (size_t) i % 1024);
    }
}

static void allocations_async(void)
{
    CUdeviceptr *all = MANY(CUdeviceptr);

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < n; i++)
            TRY(cu->cuMemAllocAsync(&all[i], 512 + 512 * ((size_t) i % 7), NULL));
        for (int i = 0; i < n; i++)
            TRY(cu->cuMemFreeAsync(all[mixed(i)], NULL));
    }
    TRY(cu->cuCtxSynchronize());
}

static void pools(void)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemoryPool *all = MANY(CUmemoryPool);
    CUdeviceptr memory;

    for (int i = 0; i < n; i++) {
        TRY(cu->cuMemPoolCreate(&all[i], &properties));
        TRY(cu->cuMemAllocFromPoolAsync(&memory, 512, all[i], NULL));
        TRY(cu->cuMemFreeAsync(memory, NULL));
        TRY(cu->cuStreamSynchronize(NULL));
    }
    for (int i = 0; i < n; i++)
        TRY(cu->cuMemPoolDestroy(all[i]));
}

/* Ranges of addresses, each with the same memory, and used. */
static void mappings(void)
{
    enum { UNIT = 2 << 20 };
    CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr *all = MANY(CUdeviceptr);
    CUmemGenericAllocationHandle handle;

    TRY(cu->cuMemCreate(&handle, UNIT, &properties, 0));
    for (int i = 0; i < n; i++) {
        TRY(cu->cuMemAddressReserve(&all[i], UNIT, 0, 0, 0));
        TRY(cu->cuMemMap(all[i], UNIT, 0, handle, 0));
        TRY(cu->cuMemSetAccess(all[i], UNIT, &access, 1));
    }
    for (int i = 0; i < n; i++)
        TRY(cu->cuMemsetD8(all[mixed(i)], 1, 16));
    for (int i = 0; i < n; i++) {
        TRY(cu->cuMemUnmap(all[i], UNIT));
        TRY(cu->cuMemAddressFree(all[i], UNIT));
    }
}

static void advise(CUdeviceptr page)
{
#if CUDA_VERSION >= 13000
    const CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE};

    TRY(cu->cuMemAdvise(page, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, location));
#else
    TRY(cu->cuMemAdvise(page, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
#endif
}

/* One large managed allocation, of which each part is told something. */
static void advice(void)
{
    const size_t bytes = (size_t) n * 4096;
    CUdeviceptr memory;

    TRY(cu->cuMemAllocManaged(&memory, bytes, CU_MEM_ATTACH_GLOBAL));
    for (int i = 0; i < n; i++)
        if (mixed(i) % 2)
            advise(memory + (CUdeviceptr) mixed(i) * 4096);
    TRY(cu->cuMemFree(memory));
}

static void launches(void)
{
    CUfunction function;
    CUmodule module;

    allocate_many();
    TRY(cu->cuModuleLoadData(&module, tiny));
    TRY(cu->cuModuleGetFunction(&function, module, "k"));
    for (int i = 0; i < n; i++)
        TRY(cu->cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    TRY(cu->cuCtxSynchronize());
}

/* --- what is told --- */

static void labels(void)
{
    void *mock = dlopen(library_path, RTLD_NOW | RTLD_NOLOAD);
    cushim_status (*give)(uint64_t, const char *);
    CUdeviceptr *all = allocate_many();
    char label[32];

    *(void **) &give = dlsym(mock, "cushim_mock_label");
    for (int i = 0; i < n; i++) {
        snprintf(label, sizeof(label), "label %d", i);
        give(all[i], label);
    }
}

/* Reads of what nothing has written, each of another allocation. */
static void findings(void)
{
    CUdeviceptr *all = allocate_many();
    char byte;

    for (int i = 0; i < n; i++)
        TRY(cu->cuMemcpyDtoH(&byte, all[i], 1));
}

const struct growth_case growth_objects[] = {
    CASE(streams),           CASE(events),
    CASE(contexts),          CASE(modules),
    CASE(libraries),         CASE(kernels),
    CASE(textures),          CASE(user_objects),
    CASE(allocations),       CASE(allocations_mixed),
    CASE(allocations_async), CASE(pools),
    CASE(mappings),          CASE(advice),
    CASE(launches),          CASE(labels),
    CASE(findings),          {NULL, NULL},
};
