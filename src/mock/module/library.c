/* SPDX-License-Identifier: MIT */
/* cuLibrary* */
#include "mock/module/library.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/module/jit_limits.h"
#include "mock/module/jit_log.h"
#include "mock/module/jit_options.h"
#include "mock/queue/schedule.h"
#include "mock/stream/capture.h"

#if CUDA_VERSION >= 12000

CUresult mock__library_find(CUlibrary handle, struct mock__library **ret_library)
{
    struct mock__library *library = mock__object_find(MOCK__LIBRARY, handle);

    MOCK__REQUIRE(library, CUDA_ERROR_INVALID_HANDLE);
    *ret_library = library;
    return mock__initialised();
}

static void put_in(struct mock__library *library, struct mock__module *module)
{
    module->library = library;
    module->next_of_library = library->modules;
    module->link_of_library = &library->modules;
    if (library->modules)
        library->modules->link_of_library = &module->next_of_library;
    library->modules = module;
}

CUresult mock__library_module(struct mock__library *library, struct mock__context *context,
                              struct mock__module **ret_module)
{
    struct ptx__log messages = {.messages = NULL};
    struct mock__module *module;
    CUresult result;

    for (module = library->modules; module; module = module->next_of_library) {
        if (module->context == context) {
            *ret_module = module;
            return CUDA_SUCCESS;
        }
    }
    result =
        mock__module_load(context, library->image, SIZE_MAX, &library->managed, &messages, &module);
    ptx__log_finish(&messages);
    MOCK__TRY(result);
    put_in(library, module);
    mock__kernel_settings_apply(module);
    *ret_module = module;
    return CUDA_SUCCESS;
}

static void destroy(struct mock__library *library)
{
    while (library->modules)
        mock__module_destroy(library->modules);
    for (size_t i = 0; library->kernels && i < library->ptx.n_entries; i++)
        mock__object_free(library->kernels[i]);
    mock__managed_finish(&library->ptx, &library->managed);
    free(library->kernels);
    free(library->image);
    mock__ptx_finish(&library->ptx);
    mock__object_free(library);
}

/* A library that no device can run is refused; which one will run it is not known yet. */
static int largest_capability(void)
{
    int largest = 0;

    for (int i = 0; i < mock__device_count(); i++) {
        const int capability = mock__capability(mock__device_find(i));

        largest = capability > largest ? capability : largest;
    }
    return largest;
}

static CUresult fill(struct mock__library *library, const void *image, size_t size,
                     const struct ptx__limits *limits, struct ptx__log *log)
{
    MOCK__TRY(mock__image_text(image, size, largest_capability(), &library->image));
    MOCK__REQUIRE(ptx__limits_write(limits, &library->image), CUDA_ERROR_OUT_OF_MEMORY);
    MOCK__TRY(mock__ptx_read(library->image, largest_capability(), &library->ptx, log));
    MOCK__TRY(mock__managed_make(&library->ptx, &library->managed));
    library->kernels = calloc(library->ptx.n_entries + 1, sizeof(struct mock__kernel *));
    MOCK__REQUIRE(library->kernels, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < library->ptx.n_entries; i++) {
        library->kernels[i] = mock__kernel_new(library, i);
        MOCK__REQUIRE(library->kernels[i], CUDA_ERROR_OUT_OF_MEMORY);
    }
    return CUDA_SUCCESS;
}

static CUresult load(const void *image, size_t size, const struct mock__jit_log *log,
                     const struct ptx__limits *limits, const char *made_by, CUlibrary *ret_library)
{
    struct ptx__log messages = {.messages = NULL};
    struct mock__library *library;
    CUresult result;

    library = mock__object_new(MOCK__LIBRARY, sizeof(*library));
    MOCK__REQUIRE(library, CUDA_ERROR_OUT_OF_MEMORY);
    result = fill(library, image, size, limits, &messages);
    mock__jit_log_write(log, &messages);
    ptx__log_finish(&messages);
    if (result != CUDA_SUCCESS) {
        destroy(library);
        return result;
    }
    mock__made(&library->object.made, made_by);
    *ret_library = MOCK__HANDLE(library);
    return CUDA_SUCCESS;
}

/* The options of libraries say what may be spared, and the mock spares nothing. */
static bool options_valid(unsigned n, const CUlibraryOption *options, void *const *values)
{
    for (unsigned i = 0; i < n; i++) {
        if (!options || !values || (unsigned) options[i] >= CU_LIBRARY_NUM_OPTIONS)
            return false;
    }
    return true;
}

/* The options of a call, in the order of its arguments. */
struct options {
    CUjit_option *jit;
    void **jit_values;
    unsigned n_jit;
    CUlibraryOption *library;
    void **library_values;
    unsigned n_library;
};

static CUresult load_data(const void *code, size_t size, const struct options *options,
                          const char *made_by, CUlibrary *ret_library)
{
    struct ptx__limits limits;
    struct mock__jit_log log;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(ret_library && code, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(
        mock__jit_options_check(MOCK__JIT_LOAD, options->n_jit, options->jit, options->jit_values));
    MOCK__REQUIRE(options_valid(options->n_library, options->library, options->library_values),
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__initialised());
    log = mock__jit_log_find(options->n_jit, options->jit, options->jit_values);
    MOCK__TRY(mock__jit_limits_find(options->n_jit, options->jit, options->jit_values, &limits));
    return load(code, size, &log, &limits, made_by, ret_library);
}

CUresult mock_cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                                void **jitOptionsValues, unsigned int numJitOptions,
                                CUlibraryOption *libraryOptions, void **libraryOptionValues,
                                unsigned int numLibraryOptions)
{
    const struct options options = {jitOptions,     jitOptionsValues,    numJitOptions,
                                    libraryOptions, libraryOptionValues, numLibraryOptions};

    return load_data(code, SIZE_MAX, &options, "cuLibraryLoadData", library);
}

static CUresult check_initialised(void)
{
    MOCK__ENTER();
    return CUDA_SUCCESS;
}

CUresult mock_cuLibraryLoadFromFile(CUlibrary *library, const char *fileName,
                                    CUjit_option *jitOptions, void **jitOptionsValues,
                                    unsigned int numJitOptions, CUlibraryOption *libraryOptions,
                                    void **libraryOptionValues, unsigned int numLibraryOptions)
{
    const struct options options = {jitOptions,     jitOptionsValues,    numJitOptions,
                                    libraryOptions, libraryOptionValues, numLibraryOptions};
    SCOPED_FREE char *text = NULL;
    size_t size = 0;

    MOCK__TRY(check_initialised());
    MOCK__REQUIRE(library && fileName, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__image_file(fileName, "cuLibraryLoadFromFile", &text, &size));
    return load_data(text, size, &options, "cuLibraryLoadFromFile", library);
}

CUresult mock_cuLibraryUnload(CUlibrary library)
{
    struct mock__library *found = NULL;

    MOCK__ENTER_EARLY();
    MOCK__TRY(mock__capture_unsafe());
    MOCK__TRY(mock__library_find(library, &found));
    /* Its kernels may have been launched and not have run; meanwhile another may unload it. */
    mock__finish_all();
    MOCK__TRY(mock__library_find(library, &found));
    destroy(found);
    return CUDA_SUCCESS;
}

CUresult mock_cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
    struct mock__library *found = NULL;
    size_t i;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(pKernel && name, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__library_find(library, &found));
    i = mock__find_entry(&found->ptx, name);
    MOCK__REQUIRE(i < found->ptx.n_entries, CUDA_ERROR_NOT_FOUND);
    *pKernel = MOCK__HANDLE(found->kernels[i]);
    return CUDA_SUCCESS;
}

static CUresult find_module(CUlibrary handle, struct mock__module **ret_module)
{
    struct mock__context *context = NULL;
    struct mock__library *library = NULL;

    MOCK__TRY(mock__library_find(handle, &library));
    MOCK__TRY(mock__context_current(&context));
    return mock__library_module(library, context, ret_module);
}

CUresult mock_cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
    struct mock__module *module = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(pMod, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find_module(library, &module));
    *pMod = MOCK__HANDLE(module);
    return CUDA_SUCCESS;
}

CUresult mock_cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library,
                                 const char *name)
{
    struct mock__module *module = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE((dptr || bytes) && name && *name, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(find_module(library, &module));
    return mock__module_variable(module, name, dptr, bytes);
}

/* They are there as soon as the library is, so this needs no context. */
CUresult mock_cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library,
                                  const char *name)
{
    const struct mock__memory *memory = NULL;
    struct mock__library *found = NULL;
    size_t i;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE((dptr || bytes) && name && *name, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__library_find(library, &found));
    i = mock__find_variable(&found->ptx, name);
    if (i < found->ptx.module.n_variables)
        memory = found->managed.variables[i];
    MOCK__REQUIRE(memory, CUDA_ERROR_NOT_FOUND);
    if (dptr)
        *dptr = memory->address;
    if (bytes)
        *bytes = memory->bytes;
    return CUDA_SUCCESS;
}

/* Functions that host and device call alike: no device has them. */
CUresult mock_cuLibraryGetUnifiedFunction(void **fptr, CUlibrary library, const char *symbol)
{
    MOCK__ENTER();
    MOCK__REQUIRE(library, CUDA_ERROR_INVALID_HANDLE);
    (void) fptr, (void) symbol;
    return CUDA_ERROR_INVALID_VALUE; /* no module has such a function, whichever it is */
}

#endif

#if CUDA_VERSION >= 12040
CUresult mock_cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib)
{
    struct mock__library *library = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(count, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__library_find(lib, &library));
    *count = (unsigned) library->ptx.n_entries;
    return CUDA_SUCCESS;
}

CUresult mock_cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib)
{
    struct mock__library *library = NULL;

    MOCK__ENTER_EARLY();
    MOCK__REQUIRE(kernels, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__library_find(lib, &library));
    for (size_t i = 0; i < numKernels && i < library->ptx.n_entries; i++)
        kernels[i] = MOCK__HANDLE(library->kernels[i]);
    return CUDA_SUCCESS;
}
#endif
