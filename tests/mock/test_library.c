/* SPDX-License-Identifier: MIT */
/* Libraries and their kernels. */
#include <cushim/mock.h>
#include <string.h>
#include <unistd.h>

#include "mock/base/newer.h"
#include "support.h"

TestSuite(library);

#if CUDA_VERSION >= 12050

#define S(text) ((char *) (text))

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".global .u32 counter = 41;\n"
                          ".global .attribute(.managed) .align 4 .b8 shared_by_all[16] = {1, 2};\n"
                          ".visible .entry first(.param .u64 p, .param .u8 c) { ret; }\n"
                          ".visible .entry second() { .shared .align 4 .b8 s[1024]; ret; }\n";

static int device_of_launch = -1;

static void note_device(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) args;
    device_of_launch = launch->device;
}

static CUlibrary load(void)
{
    CUlibrary library = NULL;

    OK(mock_cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    return library;
}

static CUkernel kernel(CUlibrary library, const char *name)
{
    CUkernel found = NULL;

    OK(mock_cuLibraryGetKernel(&found, library, name));
    return found;
}

static void use_device(int ordinal)
{
    CUcontext context = NULL;

    OK(mock_cuDevicePrimaryCtxRetain(&context, ordinal));
    OK(mock_cuCtxSetCurrent(context));
}

Test(library, load_needs_no_context)
{
    CUlibrary library = NULL;
    CUfunction function;

    OK(mock_cuInit(0));
    library = load();
    EXPECT(CUDA_ERROR_INVALID_CONTEXT,
           mock_cuKernelGetFunction(&function, kernel(library, "first")));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, mock_cuLibraryGetModule(&(CUmodule){0}, library));
    EXPECT(CUDA_SUCCESS, mock_cuLibraryUnload(library));
}

Test(library, bad_images)
{
    CUlibraryOption option = CU_LIBRARY_NUM_OPTIONS;
    CUlibrary library = NULL;
    void *value = NULL;

    start();
    EXPECT(CUDA_ERROR_INVALID_IMAGE,
           mock_cuLibraryLoadData(&library, "no", NULL, NULL, 0, NULL, NULL, 0));
    EXPECT(CUDA_ERROR_INVALID_PTX,
           mock_cuLibraryLoadData(&library, ".version 7.0\n", NULL, NULL, 0, NULL, NULL, 0));
    EXPECT(CUDA_ERROR_NO_BINARY_FOR_GPU, mock_cuLibraryLoadData(&library,
                                                                "\x7f"
                                                                "ELF",
                                                                NULL, NULL, 0, NULL, NULL, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuLibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuLibraryLoadData(&library, ptx, NULL, NULL, 0, &option, &value, 1));
    EXPECT(CUDA_ERROR_FILE_NOT_FOUND,
           mock_cuLibraryLoadFromFile(&library, "/nonexistent", NULL, NULL, 0, NULL, NULL, 0));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuLibraryUnload(NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuLibraryUnload(GARBAGE));
}

Test(library, file)
{
    char path[] = "/tmp/cushim-mock-test-XXXXXX";
    const int file = mkstemp(path);
    CUlibrary library = NULL;

    cr_assert(ge(int, file, 0));
    cr_assert(eq(long, (long) write(file, ptx, strlen(ptx)), (long) strlen(ptx)));
    close(file);
    start();
    EXPECT(CUDA_SUCCESS, mock_cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    unlink(path);
    kernel(library, "second");
}

Test(library, kernels)
{
    CUkernel kernels[3] = {NULL};
    CUlibrary library, of = NULL;
    size_t offset = 0, size = 0;
    const char *name = NULL;
    unsigned count = 0;

    start();
    library = load();
    OK(mock_cuLibraryGetKernelCount(&count, library));
    cr_expect(eq(uint, count, 2));
    OK(mock_cuLibraryEnumerateKernels(kernels, 3, library));
    cr_expect(eq(ptr, kernels[0], kernel(library, "first")));
    cr_expect(eq(ptr, kernels[2], NULL));
    OK(mock_cuKernelGetName(&name, kernels[1]));
    cr_expect(eq(str, S(name), S("second")));
    OK(mock_cuKernelGetLibrary(&of, kernels[0]));
    cr_expect(eq(ptr, of, library));
    OK(mock_cuKernelGetParamInfo(kernels[0], 1, &offset, &size));
    cr_expect(eq(sz, offset, 8));
    cr_expect(eq(sz, size, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuKernelGetParamInfo(kernels[0], 2, &offset, &size));
    OK(mock_cuKernelGetParamCount(kernels[0], &size));
    cr_expect(eq(sz, size, 2));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuKernelGetParamCount(kernels[0], NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuKernelGetParamCount(NULL, &size));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuLibraryGetKernel(kernels, library, "counter"));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuLibraryGetKernel(kernels, GARBAGE, "first"));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuKernelGetName(&name, NULL));
}

Test(library, functions_are_of_the_current_context)
{
    CUfunction zero = NULL, one = NULL, again = NULL;
    CUlibrary library;

    start();
    library = load();
    OK(mock_cuKernelGetFunction(&zero, kernel(library, "second")));
    use_device(1);
    OK(mock_cuKernelGetFunction(&one, kernel(library, "second")));
    OK(mock_cuKernelGetFunction(&again, kernel(library, "second")));
    cr_expect(ne(ptr, zero, one));
    cr_expect(eq(ptr, again, one));
}

Test(library, a_kernel_is_launched_in_the_current_context)
{
    CUkernel second;

    start();
    second = kernel(load(), "second");
    cr_assert(eq(int, cushim_mock_register_kernel("second", note_device, NULL), CUSHIM_OK));
    for (int i = 0; i < 2; i++) {
        use_device(i);
        EXPECT(CUDA_SUCCESS,
               mock_cuLaunchKernel((CUfunction) second, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
        EXPECT(CUDA_SUCCESS, mock_cuCtxSynchronize());
        cr_expect(eq(int, device_of_launch, i));
    }
}

static int function_attribute(CUfunction function, CUfunction_attribute name)
{
    int value = -99;

    OK(mock_cuFuncGetAttribute(&value, name, function));
    return value;
}

static int kernel_attribute(CUkernel of, CUfunction_attribute name, int device)
{
    int value = -99;

    OK(mock_cuKernelGetAttribute(&value, name, of, device));
    return value;
}

#define DYNAMIC  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
#define CARVEOUT CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT

Test(library, attributes_are_of_a_device)
{
    CUfunction function = NULL, later = NULL;
    CUkernel second;

    start();
    second = kernel(load(), "second");
    OK(mock_cuKernelGetFunction(&function, second));
    cr_expect(eq(int, kernel_attribute(second, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 0), 1024));
    OK(mock_cuKernelSetAttribute(DYNAMIC, 65536, second, 0));
    OK(mock_cuKernelSetAttribute(CARVEOUT, 25, second, 1));
    cr_expect(eq(int, function_attribute(function, DYNAMIC), 65536));
    cr_expect(eq(int, kernel_attribute(second, DYNAMIC, 1), 49152 - 1024));
    use_device(1);
    OK(mock_cuKernelGetFunction(&later, second));
    cr_expect(eq(int, function_attribute(later, CARVEOUT), 25));
    cr_expect(eq(int, function_attribute(function, CARVEOUT), -1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuKernelSetAttribute(DYNAMIC, 1 << 24, second, 0));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, mock_cuKernelSetAttribute(DYNAMIC, 1, second, 9));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuKernelSetAttribute(DYNAMIC, 1, GARBAGE, 0));
    EXPECT(CUDA_SUCCESS, mock_cuKernelSetCacheConfig(second, CU_FUNC_CACHE_PREFER_L1, 0));
}

Test(library, what_a_function_was_set_to_counts_for_more)
{
    CUfunction function = NULL;
    CUkernel second;

    start();
    second = kernel(load(), "second");
    OK(mock_cuKernelGetFunction(&function, second));
    OK(mock_cuFuncSetAttribute(function, CARVEOUT, 50));
    OK(mock_cuKernelSetAttribute(CARVEOUT, 75, second, 0));
    cr_expect(eq(int, function_attribute(function, CARVEOUT), 50));
    cr_expect(eq(int, kernel_attribute(second, CARVEOUT, 0), 75));
}

Test(library, variables)
{
    CUdeviceptr zero = 0, one = 0, managed = 0;
    CUlibrary library;
    size_t bytes = 0;
    int value = 0;

    start();
    library = load();
    OK(mock_cuLibraryGetGlobal(&zero, &bytes, library, "counter"));
    cr_expect(eq(sz, bytes, 4));
    OK(mock_cuMemcpyDtoH_v2(&value, zero, sizeof(value)));
    cr_expect(eq(int, value, 41));
    OK(mock_cuLibraryGetManaged(&managed, &bytes, library, "shared_by_all"));
    cr_expect(eq(sz, bytes, 16));
    cr_expect(eq(int, ((const char *) (uintptr_t) managed)[1], 2));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuLibraryGetManaged(&managed, &bytes, library, "counter"));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuLibraryGetGlobal(&zero, &bytes, library, "none"));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuLibraryGetUnifiedFunction(&(void *){0}, library, "first"));
    use_device(1);
    OK(mock_cuLibraryGetGlobal(&one, NULL, library, "counter"));
    cr_expect(ne(u64, one, zero));
}

/* They belong to the library, and not to a context: as on an H200. */
Test(library, managed_variables_need_no_context)
{
    CUdeviceptr managed = 0, again = 0;
    CUcontext of = GARBAGE;
    CUlibrary library;
    size_t bytes = 77;
    int is = 0;

    OK(mock_cuInit(0));
    library = load();
    OK(mock_cuLibraryGetManaged(&managed, &bytes, library, "shared_by_all"));
    cr_expect(eq(sz, bytes, 16));
    cr_expect(eq(int, ((const char *) (uintptr_t) managed)[1], 2));
    OK(mock_cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
    cr_expect(eq(int, is, 1));
    OK(mock_cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, managed));
    cr_expect(eq(ptr, of, NULL));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuLibraryGetManaged(&again, &bytes, library, "counter"));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuLibraryGetManaged(&again, &bytes, library, "none"));
    EXPECT(CUDA_ERROR_NOT_FOUND, mock_cuLibraryGetManaged(&again, &bytes, library, "first"));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuLibraryGetManaged(NULL, NULL, library, "shared_by_all"));
    cr_expect(eq(u64, again, 0));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT,
           mock_cuLibraryGetGlobal(&again, &bytes, library, "shared_by_all"));
    ((char *) (uintptr_t) managed)[1] = 7;
    use_device(0);
    OK(mock_cuLibraryGetGlobal(&again, &bytes, library, "shared_by_all"));
    cr_expect(eq(u64, again, managed));
    cr_expect(eq(int, ((const char *) (uintptr_t) managed)[1], 7), "loading it did not reset it");
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemFree_v2(managed));
    OK(mock_cuDevicePrimaryCtxReset_v2(0));
    OK(mock_cuLibraryGetManaged(&again, NULL, library, "shared_by_all"));
    cr_expect(eq(u64, again, managed));
    OK(mock_cuLibraryUnload(library));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           mock_cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
}

Test(library, unload_takes_all_with_it)
{
    CUfunction function = NULL;
    CUmodule module = NULL;
    CUkernel second;
    CUlibrary library;

    start();
    library = load();
    second = kernel(library, "second");
    OK(mock_cuLibraryGetModule(&module, library));
    OK(mock_cuKernelGetFunction(&function, second));
    EXPECT(CUDA_ERROR_NOT_PERMITTED, mock_cuModuleUnload(module));
    OK(mock_cuLibraryUnload(library));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuKernelGetFunction(&function, second));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuFuncGetModule(&module, function));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuModuleUnload(module));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuLibraryUnload(library));
}

Test(library, outlives_a_context)
{
    CUfunction before = NULL, after = NULL;
    CUlibrary library;

    start();
    library = load();
    OK(mock_cuKernelGetFunction(&before, kernel(library, "first")));
    OK(mock_cuDevicePrimaryCtxReset_v2(0));
    use_device(0);
    OK(mock_cuKernelGetFunction(&after, kernel(library, "first")));
    cr_expect(ne(ptr, before, after));
}

#endif
