/* SPDX-License-Identifier: MIT */
/* cuFunc* */
#include <stdlib.h>
#include <string.h>

#include "mock/base/newer.h"
#include "mock/module/library.h"
#include "mock/module/module.h"

#define DEFAULT_DYNAMIC_SHARED 49152

/*
 * The numbers are written here, because a caller's toolkit may know more attributes than the one of
 * this build.
 */
enum {
    MAX_THREADS_PER_BLOCK = 0,
    STATIC_SHARED = 1,
    CONSTANT = 2,
    LOCAL = 3,
    REGISTERS = 4,
    PTX_VERSION = 5,
    BINARY_VERSION = 6,
    MAX_DYNAMIC_SHARED = 8,
    CARVEOUT = 9,
    CLUSTER_DEPTH = MOCK__CLUSTER_WIDTH + 2,
    CLUSTER_SCHEDULING = 15,
};

void mock__function_attributes(const struct mock__device *device, const struct mock__ptx *ptx,
                               const struct mock__entry *entry, int *attributes)
{
    memset(attributes, 0, MOCK__N_FUNCTION_ATTRIBUTES * sizeof(*attributes));
    attributes[MAX_THREADS_PER_BLOCK] =
        entry->max_threads ? (int) entry->max_threads
                           : mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    attributes[STATIC_SHARED] = (int) entry->shared_bytes;
    attributes[CONSTANT] = (int) ptx->module.constant_bytes;
    attributes[LOCAL] = (int) entry->local_bytes;
    attributes[REGISTERS] = (int) entry->registers;
    attributes[PTX_VERSION] = ptx->module.target;
    attributes[BINARY_VERSION] = mock__capability(device);
    attributes[MAX_DYNAMIC_SHARED] = DEFAULT_DYNAMIC_SHARED - (int) entry->shared_bytes;
    attributes[CARVEOUT] = -1;
    attributes[MOCK__CLUSTER_MUST_BE_SET] = entry->must_cluster;
    for (unsigned i = 0; i < 3; i++)
        attributes[MOCK__CLUSTER_WIDTH + i] = (int) entry->cluster[i];
}

struct mock__function *mock__function_new(struct mock__module *module,
                                          const struct mock__entry *entry)
{
    struct mock__function *function = mock__object_new(MOCK__FUNCTION, sizeof(*function));

    if (!function)
        return NULL;
    function->module = module;
    function->entry = entry;
    mock__function_attributes(module->context->device, &module->ptx, entry, function->attributes);
    return function;
}

void mock__function_free(struct mock__function *function)
{
    if (function)
        free(function->params);
    mock__object_free(function);
}

CUresult mock__function_find_plain(CUfunction handle, struct mock__function **ret_function)
{
    struct mock__function *function = mock__object_find(MOCK__FUNCTION, handle);

    MOCK__REQUIRE(function, CUDA_ERROR_INVALID_HANDLE);
    MOCK__TRY(mock__initialised());
    *ret_function = function;
    return mock__context_usable(function->module->context);
}

CUresult mock__function_find(CUfunction handle, struct mock__function **ret_function)
{
#if CUDA_VERSION >= 12000
    struct mock__kernel *kernel = mock__object_find(MOCK__KERNEL, handle);

    if (kernel)
        return mock__kernel_function(kernel, ret_function);
#endif
    return mock__function_find_plain(handle, ret_function);
}

CUresult mock__function_find_here(CUfunction handle, struct mock__function **ret_function)
{
    struct mock__context *context = NULL;

    MOCK__TRY(mock__context_current(&context));
    MOCK__TRY(mock__function_find_plain(handle, ret_function));
    return (*ret_function)->module->context == context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult mock_cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
    struct mock__function *function = NULL;
    const unsigned number = (unsigned) attrib;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(pi && number < MOCK__N_FUNCTION_ATTRIBUTES, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__function_find_plain(hfunc, &function));
    *pi = function->attributes[number];
    return CUDA_SUCCESS;
}

bool mock__function_settable(const struct mock__device *device, int static_shared,
                             unsigned attribute, int value)
{
    const int largest =
        mock__attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);

    switch (attribute) {
    case MAX_DYNAMIC_SHARED:
        return value >= 0 && value <= largest - static_shared;
    case CARVEOUT:
        return value >= -1 && value <= 100;
    case MOCK__NON_PORTABLE_CLUSTER:
        return value == 0 || value == 1;
    case CLUSTER_SCHEDULING:
        return value >= 0 && value <= 2;
    default:
        return attribute > MOCK__CLUSTER_MUST_BE_SET && attribute <= CLUSTER_DEPTH && value >= 0;
    }
}

CUresult mock_cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
    struct mock__function *function = NULL;
    const unsigned number = (unsigned) attrib;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find_plain(hfunc, &function));
    MOCK__REQUIRE(mock__function_settable(function->module->context->device,
                                          function->attributes[STATIC_SHARED], number, value),
                  CUDA_ERROR_INVALID_VALUE);
    function->attributes[number] = value;
    function->set |= 1u << number;
    return CUDA_SUCCESS;
}

CUresult mock_cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
    struct mock__function *function = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find_plain(hfunc, &function));
    MOCK__REQUIRE((unsigned) config <= CU_FUNC_CACHE_PREFER_EQUAL, CUDA_ERROR_INVALID_VALUE);
    function->cache_config = (int) config;
    return CUDA_SUCCESS;
}

CUresult mock_cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
    struct mock__function *function = NULL;

    MOCK__ENTER();
    MOCK__TRY(mock__function_find_plain(hfunc, &function));
    MOCK__REQUIRE((unsigned) config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE,
                  CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

CUresult mock_cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
    struct mock__function *function = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(hmod && hfunc, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__function_find_plain(hfunc, &function));
    *hmod = MOCK__HANDLE(function->module);
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12030
CUresult mock_cuFuncGetName(const char **name, CUfunction hfunc)
{
    struct mock__function *function = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(name && hfunc, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__function_find_plain(hfunc, &function));
    *name = function->entry->name;
    return CUDA_SUCCESS;
}
#endif

CUresult mock__entry_parameter(const struct mock__entry *entry, size_t number, size_t *ret_offset,
                               size_t *ret_size)
{
    MOCK__REQUIRE(ret_offset && number < entry->n_parameters, CUDA_ERROR_INVALID_VALUE);
    *ret_offset = entry->parameters[number].offset;
    if (ret_size)
        *ret_size = entry->parameters[number].size;
    return CUDA_SUCCESS;
}

CUresult mock_cuFuncGetParamCount(CUfunction func, size_t *paramCount)
{
    struct mock__function *function = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(paramCount, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__function_find_plain(func, &function));
    *paramCount = function->entry->n_parameters;
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12040
CUresult mock_cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset,
                                 size_t *paramSize)
{
    struct mock__function *function = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(func, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__function_find_plain(func, &function));
    return mock__entry_parameter(function->entry, paramIndex, paramOffset, paramSize);
}

CUresult mock_cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    struct mock__function *found = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(state, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__function_find_plain(function, &found));
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
}

CUresult mock_cuFuncLoad(CUfunction function)
{
    struct mock__function *found = NULL;

    MOCK__ENTER_EARLY();
    return mock__function_find_plain(function, &found);
}
#endif
