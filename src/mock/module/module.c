/* SPDX-License-Identifier: MIT */
/* cuModule* */
#include "mock/module/module.h"

#include <limits.h>
#include <string.h>

#include "base/env.h"
#include "base/util.h"
#include "mock/base/state.h"
#include "mock/module/jit_limits.h"
#include "mock/module/jit_log.h"
#include "mock/module/jit_options.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"

CUresult mock__module_find(CUmodule handle, struct mock__module **ret_module)
{
    struct mock__module *module = mock__object_find(MOCK__MODULE, handle);

    MOCK__REQUIRE(module, CUDA_ERROR_INVALID_HANDLE);
    MOCK__TRY(mock__initialised());
    *ret_module = module;
    return mock__context_usable(module->context);
}

/* Loads an image with the limits of the options in its text. */
static CUresult load_limited(struct mock__context *context, const void *image, size_t size,
                             const struct ptx__limits *limits, struct ptx__log *messages,
                             struct mock__module **ret_module)
{
    SCOPED_FREE char *text = NULL;

    if (!limits || (!limits->registers && !limits->threads))
        return mock__module_load(context, image, size, NULL, messages, ret_module);
    MOCK__TRY(mock__image_text(image, size, mock__capability(context->device), &text));
    MOCK__REQUIRE(ptx__limits_write(limits, &text), CUDA_ERROR_OUT_OF_MEMORY);
    return mock__module_load(context, text, SIZE_MAX, NULL, messages, ret_module);
}

static CUresult load(CUmodule *ret_module, const void *image, size_t size,
                     const struct mock__jit_log *log, const struct ptx__limits *limits,
                     const char *made_by)
{
    struct mock__module *module = NULL;
    struct ptx__log messages = {.messages = NULL};
    CUresult result;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(ret_module && image, CUDA_ERROR_INVALID_VALUE);
    result = load_limited(context, image, size, limits, &messages, &module);
    mock__jit_log_write(log, &messages);
    ptx__log_finish(&messages);
    MOCK__TRY(result);
    mock__made(&module->object.made, made_by);
    *ret_module = MOCK__HANDLE(module);
    return CUDA_SUCCESS;
}

CUresult mock_cuModuleLoadData(CUmodule *module, const void *image)
{
    return load(module, image, SIZE_MAX, NULL, NULL, "cuModuleLoadData");
}

CUresult mock_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                                 CUjit_option *options, void **optionValues)
{
    struct ptx__limits limits;
    struct mock__jit_log log;

    MOCK__TRY(mock__jit_options_check(MOCK__JIT_LOAD, numOptions, options, optionValues));
    log = mock__jit_log_find(numOptions, options, optionValues);
    MOCK__TRY(mock__jit_limits_find(numOptions, options, optionValues, &limits));
    return load(module, image, SIZE_MAX, &log, &limits, "cuModuleLoadDataEx");
}

CUresult mock_cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
    return load(module, fatCubin, SIZE_MAX, NULL, NULL, "cuModuleLoadFatBinary");
}

static CUresult check_context(void)
{
    MOCK__ENTER_CONTEXT(context);
    return CUDA_SUCCESS;
}

CUresult mock_cuModuleLoad(CUmodule *module, const char *fname)
{
    SCOPED_FREE char *text = NULL;
    size_t size = 0;

    MOCK__TRY(check_context());
    MOCK__REQUIRE(module && fname, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__image_file(fname, "cuModuleLoad", &text, &size));
    return load(module, text, size, NULL, NULL, "cuModuleLoad");
}

CUresult mock_cuModuleUnload(CUmodule hmod)
{
    struct mock__module *module;

    MOCK__ENTER();
    module = mock__object_find(MOCK__MODULE, hmod);
    MOCK__REQUIRE(module, CUDA_ERROR_INVALID_HANDLE);
    /* Only cuLibraryUnload() may unload it. */
    MOCK__REQUIRE(!module->library, CUDA_ERROR_NOT_PERMITTED);
    MOCK__TRY(mock__context_usable(module->context));
    MOCK__TRY(mock__capture_unsafe());
    /*
     * Waits for launched kernels that have not run. The wait releases the lock, so the module is
     * looked up again.
     */
    mock__finish_context(module->context);
    module = mock__object_find(MOCK__MODULE, hmod);
    MOCK__REQUIRE(module, CUDA_ERROR_INVALID_HANDLE);
    mock__module_destroy(module);
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 11070
/* Which it is shows nowhere else: modules are read when they are loaded. */
CUresult mock_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    const char *loading;

    MOCK__ENTER();
    MOCK__REQUIRE(mode, CUDA_ERROR_INVALID_VALUE);
    loading = cushim__env("CUDA_MODULE_LOADING");
    *mode = loading && !strcmp(loading, "EAGER") ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}
#endif

CUresult mock_cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    struct mock__module *module = NULL;
    size_t i;

    MOCK__ENTER();
    MOCK__REQUIRE(hfunc && name && *name, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__module_find(hmod, &module));
    i = mock__find_entry(&module->ptx, name);
    MOCK__REQUIRE(i < module->ptx.n_entries, CUDA_ERROR_NOT_FOUND);
    *hfunc = MOCK__HANDLE(module->functions[i]);
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12040
CUresult mock_cuModuleGetFunctionCount(unsigned int *count, CUmodule mod)
{
    struct mock__module *module = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(count, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__module_find(mod, &module));
    *count = (unsigned) module->ptx.n_entries;
    return CUDA_SUCCESS;
}

CUresult mock_cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions,
                                         CUmodule mod)
{
    struct mock__module *module = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(functions, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__module_find(mod, &module));
    for (size_t i = 0; i < numFunctions && i < module->ptx.n_entries; i++)
        functions[i] = MOCK__HANDLE(module->functions[i]);
    return CUDA_SUCCESS;
}
#endif

CUresult mock_cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod,
                                   const char *name)
{
    struct mock__module *module = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE((dptr || bytes) && name && *name, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__module_find(hmod, &module));
    return mock__module_variable(module, name, dptr, bytes);
}

/* The first versions look at the handle before they look at the context. */
static CUresult refuse_narrow(CUmodule handle)
{
    MOCK__ENTER();
    MOCK__REQUIRE(mock__object_find(MOCK__MODULE, handle), CUDA_ERROR_INVALID_HANDLE);
    return mock__context_narrow();
}

/* It has 32 bits for addresses and sizes, but no variable has such an address. */
CUresult mock_cuModuleGetGlobal(CUdeviceptr_v1 *dptr, unsigned int *bytes, CUmodule hmod,
                                const char *name)
{
    CUdeviceptr address = 0;
    size_t size = 0;

    MOCK__TRY(refuse_narrow(hmod));
    MOCK__REQUIRE(dptr || bytes, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock_cuModuleGetGlobal_v2(&address, &size, hmod, name));
    MOCK__REQUIRE((!dptr || address <= UINT_MAX) && size <= UINT_MAX, CUDA_ERROR_INVALID_VALUE);
    if (dptr)
        *dptr = (CUdeviceptr_v1) address;
    if (bytes)
        *bytes = (unsigned) size;
    return CUDA_SUCCESS;
}
