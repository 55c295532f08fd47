/* SPDX-License-Identifier: MIT */
/* cuKernel*. Replacement kernels are in kernels.c. */
#include "mock/base/newer.h"
#include "mock/module/library.h"

#if CUDA_VERSION >= 12000

static const struct mock__entry *entry_of(const struct mock__kernel *kernel)
{
    return &kernel->library->ptx.entries[kernel->number];
}

struct mock__kernel *mock__kernel_new(struct mock__library *library, size_t number)
{
    struct mock__kernel *kernel = mock__object_new(MOCK__KERNEL, sizeof(*kernel));

    if (!kernel)
        return NULL;
    kernel->library = library;
    kernel->number = number;
    return kernel;
}

CUresult mock__kernel_function(struct mock__kernel *kernel, struct mock__function **ret_function)
{
    struct mock__context *context = NULL;
    struct mock__module *module = NULL;

    MOCK__TRY(mock__context_current(&context));
    MOCK__TRY(mock__library_module(kernel->library, context, &module));
    *ret_function = module->functions[kernel->number];
    return CUDA_SUCCESS;
}

/* An attribute that was set on a function itself counts for more, whichever came first. */
static void apply(struct mock__function *function, const struct mock__kernel_settings *settings)
{
    for (unsigned i = 0; i < MOCK__N_FUNCTION_ATTRIBUTES; i++) {
        if ((settings->set & ~function->set) >> i & 1)
            function->attributes[i] = settings->values[i];
    }
    if (!function->cache_config)
        function->cache_config = settings->cache_config;
}

void mock__kernel_settings_apply(struct mock__module *module)
{
    const struct mock__library *library = module->library;
    const int device = module->context->device->ordinal;

    for (size_t i = 0; i < library->ptx.n_entries; i++)
        apply(module->functions[i], &library->kernels[i]->settings[device]);
}

void mock__kernel_setting_apply(const struct mock__kernel *kernel, struct mock__module *module)
{
    apply(module->functions[kernel->number], &kernel->settings[module->context->device->ordinal]);
}

static CUresult find(CUkernel handle, struct mock__kernel **ret_kernel)
{
    struct mock__kernel *kernel = mock__object_find(MOCK__KERNEL, handle);

    MOCK__REQUIRE(kernel, CUDA_ERROR_INVALID_HANDLE);
    *ret_kernel = kernel;
    return mock__initialised();
}

CUresult mock_cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
    struct mock__kernel *found = NULL;
    struct mock__function *function = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(pFunc, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(kernel, &found));
    MOCK__TRY(mock__kernel_function(found, &function));
    *pFunc = MOCK__HANDLE(function);
    return CUDA_SUCCESS;
}

CUresult mock_cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel,
                                   CUdevice dev)
{
    const struct mock__kernel_settings *settings;
    const struct mock__device *device;
    const unsigned number = (unsigned) attrib;
    struct mock__kernel *found = NULL;
    int attributes[MOCK__N_FUNCTION_ATTRIBUTES];

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(pi && number < MOCK__N_FUNCTION_ATTRIBUTES, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(kernel, &found));
    device = mock__device_find(dev);
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_DEVICE);
    settings = &found->settings[dev];
    mock__function_attributes(device, &found->library->ptx, entry_of(found), attributes);
    *pi = settings->set >> number & 1 ? settings->values[number] : attributes[number];
    return CUDA_SUCCESS;
}

/* In the contexts of the device that have the kernel already. */
static void apply_to_loaded(const struct mock__kernel *kernel, const struct mock__device *device)
{
    struct mock__module *module = kernel->library->modules;

    for (; module; module = module->next_of_library)
        if (module->context->device == device)
            mock__kernel_setting_apply(kernel, module);
}

CUresult mock_cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel,
                                   CUdevice dev)
{
    const unsigned number = (unsigned) attrib;
    struct mock__kernel *found = NULL;
    const struct mock__device *device;

    MOCK__ENTER_EARLY();
    MOCK__TRY(find(kernel, &found));
    device = mock__device_find(dev);
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_DEVICE);
    MOCK__REQUIRE(mock__function_settable(device, (int) entry_of(found)->shared_bytes, number, val),
                  CUDA_ERROR_INVALID_VALUE);
    found->settings[dev].values[number] = val;
    found->settings[dev].set |= 1u << number;
    apply_to_loaded(found, device);
    return CUDA_SUCCESS;
}

CUresult mock_cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    struct mock__kernel *found = NULL;
    const struct mock__device *device;

    MOCK__ENTER_EARLY();
    MOCK__TRY(find(kernel, &found));
    device = mock__device_find(dev);
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_DEVICE);
    MOCK__REQUIRE((unsigned) config <= CU_FUNC_CACHE_PREFER_EQUAL, CUDA_ERROR_INVALID_VALUE);
    found->settings[dev].cache_config = (int) config;
    apply_to_loaded(found, device);
    return CUDA_SUCCESS;
}

#endif

#if CUDA_VERSION >= 12030
CUresult mock_cuKernelGetName(const char **name, CUkernel hfunc)
{
    struct mock__kernel *kernel = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(name && hfunc, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(hfunc, &kernel));
    *name = entry_of(kernel)->name;
    return CUDA_SUCCESS;
}
#endif

#if CUDA_VERSION >= 12000
CUresult mock_cuKernelGetParamCount(CUkernel kernel, size_t *paramCount)
{
    struct mock__kernel *found = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(paramCount, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(kernel, &found));
    *paramCount = entry_of(found)->n_parameters;
    return CUDA_SUCCESS;
}
#endif

#if CUDA_VERSION >= 12040
CUresult mock_cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
                                   size_t *paramSize)
{
    struct mock__context *context = NULL;
    struct mock__kernel *found = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(kernel, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(kernel, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(kernel, &found));
    MOCK__TRY(mock__context_current(&context));
    return mock__entry_parameter(entry_of(found), paramIndex, paramOffset, paramSize);
}
#endif

#if CUDA_VERSION >= 12050
CUresult mock_cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel)
{
    struct mock__kernel *found = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(pLib, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find(kernel, &found));
    *pLib = MOCK__HANDLE(found->library);
    return CUDA_SUCCESS;
}
#endif
