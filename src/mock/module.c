/* SPDX-License-Identifier: MIT */
/* cuModule* */
#include "mock/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "mock/memory.h"
#include "mock/schedule.h"
#include "mock/state.h"

CUresult mock__module_find(CUmodule handle, struct mock__module **ret_module)
{
    struct mock__module *module = mock__object_find(MOCK__MODULE, handle);

    MOCK__REQUIRE(module, CUDA_ERROR_INVALID_HANDLE);
    *ret_module = module;
    return mock__context_usable(module->context);
}

/* The compiler's log, of which the caller may want to have the errors. */
struct log {
    char *buffer;
    size_t size;
    void **ret_size; /* where the length written goes */
};

static struct log find_log(unsigned n, const CUjit_option *options, void **values)
{
    struct log log = {.buffer = NULL};

    for (unsigned i = 0; i < n; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            log.buffer = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            log.size = (size_t) (uintptr_t) values[i];
            log.ret_size = &values[i];
        }
    }
    return log;
}

static void write_log(const struct log *log, const struct mock__ptx_error *error)
{
    char text[256] = "";

    if (!log->buffer || !log->size)
        return;
    if (error->line)
        snprintf(text, sizeof(text), "ptxas application ptx input, line %d; fatal   : %s\n",
                 error->line, error->text);
    snprintf(log->buffer, log->size, "%s", text);
    if (log->ret_size)
        *log->ret_size = (void *) (uintptr_t) strlen(log->buffer);
}

static CUresult load(CUmodule *ret_module, const void *image, const struct log *log)
{
    struct mock__module *module = NULL;
    struct mock__ptx_error error;
    CUresult result;

    MOCK__ENTER_CONTEXT(context);
    MOCK__REQUIRE(ret_module && image, CUDA_ERROR_INVALID_VALUE);
    result = mock__module_load(context, image, &error, &module);
    write_log(log, &error);
    if (result == CUDA_SUCCESS)
        *ret_module = MOCK__HANDLE(module);
    return result;
}

CUresult mock_cuModuleLoadData(CUmodule *module, const void *image)
{
    return load(module, image, &(struct log){.buffer = NULL});
}

CUresult mock_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
                                 CUjit_option *options, void **optionValues)
{
    struct log log;

    MOCK__REQUIRE(!numOptions || (options && optionValues), CUDA_ERROR_INVALID_VALUE);
    log = find_log(numOptions, options, optionValues);
    return load(module, image, &log);
}

CUresult mock_cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
    return load(module, fatCubin, &(struct log){.buffer = NULL});
}

/* The whole file, with an end as texts have it; NULL if it cannot be read. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = -1;

    if (!file)
        return NULL;
    if (!fseek(file, 0, SEEK_END))
        size = ftell(file);
    if (size >= 0 && !fseek(file, 0, SEEK_SET))
        text = calloc(1, (size_t) size + 1);
    if (text && fread(text, 1, (size_t) size, file) != (size_t) size) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static CUresult check_context(void)
{
    MOCK__ENTER_CONTEXT(context);
    return CUDA_SUCCESS;
}

CUresult mock_cuModuleLoad(CUmodule *module, const char *fname)
{
    SCOPED_FREE char *text = NULL;

    MOCK__TRY(check_context());
    MOCK__REQUIRE(module && fname, CUDA_ERROR_INVALID_VALUE);
    text = read_file(fname);
    MOCK__REQUIRE(text, CUDA_ERROR_FILE_NOT_FOUND);
    return load(module, text, &(struct log){.buffer = NULL});
}

CUresult mock_cuModuleUnload(CUmodule hmod)
{
    struct mock__module *module;

    MOCK__ENTER();
    module = mock__object_find(MOCK__MODULE, hmod);
    MOCK__REQUIRE(module, CUDA_ERROR_INVALID_HANDLE);
    /* Its kernels may have been launched and not have run. */
    mock__wait_context(module->context);
    module = mock__object_find(MOCK__MODULE, hmod);
    MOCK__REQUIRE(module, CUDA_ERROR_INVALID_HANDLE);
    mock__module_destroy(module);
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 11070
CUresult mock_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    MOCK__ENTER();
    MOCK__REQUIRE(mode, CUDA_ERROR_INVALID_VALUE);
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}
#endif

static struct mock__function *find_function(const struct mock__module *module, const char *name)
{
    for (size_t i = 0; i < module->ptx.n_entries; i++) {
        if (!strcmp(module->ptx.entries[i].name, name))
            return module->functions[i];
    }
    return NULL;
}

CUresult mock_cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    struct mock__module *module = NULL;
    struct mock__function *function;

    MOCK__ENTER();
    MOCK__REQUIRE(hfunc && name && *name, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__module_find(hmod, &module));
    function = find_function(module, name);
    MOCK__REQUIRE(function, CUDA_ERROR_NOT_FOUND);
    *hfunc = MOCK__HANDLE(function);
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12040
CUresult mock_cuModuleGetFunctionCount(unsigned int *count, CUmodule mod)
{
    struct mock__module *module = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(count, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__module_find(mod, &module));
    *count = (unsigned) module->ptx.n_entries;
    return CUDA_SUCCESS;
}

CUresult mock_cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions,
                                         CUmodule mod)
{
    struct mock__module *module = NULL;

    MOCK__ENTER();
    MOCK__REQUIRE(functions && numFunctions, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__module_find(mod, &module));
    for (size_t i = 0; i < numFunctions && i < module->ptx.n_entries; i++)
        functions[i] = MOCK__HANDLE(module->functions[i]);
    return CUDA_SUCCESS;
}
#endif

/* The number of the variable; n_variables if there is none. */
static size_t find_variable(const struct mock__module *module, const char *name)
{
    size_t i = 0;

    while (i < module->ptx.n_variables && strcmp(module->ptx.variables[i].name, name))
        i++;
    return i;
}

CUresult mock_cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod,
                                   const char *name)
{
    struct mock__module *module = NULL;
    size_t i;

    MOCK__ENTER();
    MOCK__REQUIRE((dptr || bytes) && name && *name, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(mock__module_find(hmod, &module));
    MOCK__REQUIRE(!find_function(module, name), CUDA_ERROR_INVALID_VALUE);
    i = find_variable(module, name);
    MOCK__REQUIRE(i < module->ptx.n_variables, CUDA_ERROR_NOT_FOUND);
    if (dptr)
        *dptr = module->variables[i] ? module->variables[i]->address : 0;
    if (bytes)
        *bytes = module->ptx.variables[i].bytes;
    return CUDA_SUCCESS;
}
