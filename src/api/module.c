/* SPDX-License-Identifier: MIT */
#include <cushim/module.h>

#include <stdio.h>
#include <string.h>

#include "base/params.h"
#include "core/code/module_registry.h"
#include "core/code/rtc.h"
#include "core/code/tool.h"

enum { NO_BINARY_FOR_GPU = 209 };

/* Returns the module's name for messages, from the parameters if they have one. */
static const char *label_of(const struct cushim_module_params *params, const char *otherwise)
{
    if (params->label)
        return params->label;
    return params->name ? params->name : otherwise;
}

/*
 * Loads code. label is the module's name for messages if the parameters have none. The code may be
 * freed after the call.
 */
static cushim_status load(cushim_context context, const struct cushim__code *code,
                          const struct cushim__image *image, const char *label,
                          const struct cushim_module_params *params, const char *call,
                          cushim_module *ret_module)
{
    struct cushim__scope scope;
    cushim_status status;

    CUSHIM_TRY(cushim__context_enter(context.id, call, &scope));
    scope.label = label_of(params, label);
    status = cushim__module_load(&scope, code, image, params, &ret_module->id);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_module_load(cushim_context context, const void *data, size_t bytes,
                                 const struct cushim_module_params *params,
                                 cushim_module *ret_module)
{
    struct cushim_module_params given;
    struct cushim__code code;
    cushim_status status;

    CHECK_OUTPUT(data);
    CHECK_OUTPUT(ret_module);
    CUSHIM_TRY(PARAMS_READ(cushim_module_params, n_options, params, &given));
    CUSHIM_TRY(cushim__code_copy(data, bytes, label_of(&given, NULL), __func__, &code));
    status = load(context, &code, NULL, NULL, &given, __func__, ret_module);
    cushim__code_finish(&code);
    return status;
}

cushim_status cushim_module_load_text(cushim_context context, const char *ptx,
                                      const struct cushim_module_params *params,
                                      cushim_module *ret_module)
{
    struct cushim_module_params given;
    struct cushim__code code;
    cushim_status status;

    CHECK_OUTPUT(ptx);
    CHECK_OUTPUT(ret_module);
    CUSHIM_TRY(PARAMS_READ(cushim_module_params, n_options, params, &given));
    CUSHIM_TRY(cushim__code_copy(ptx, strlen(ptx), label_of(&given, NULL), __func__, &code));
    status = load(context, &code, NULL, NULL, &given, __func__, ret_module);
    cushim__code_finish(&code);
    return status;
}

cushim_status cushim_module_load_file(cushim_context context, const char *path,
                                      const struct cushim_module_params *params,
                                      cushim_module *ret_module)
{
    struct cushim_module_params given;
    struct cushim__code code;
    cushim_status status;

    CHECK_OUTPUT(ret_module);
    CUSHIM_TRY(PARAMS_READ(cushim_module_params, n_options, params, &given));
    if (!path)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: path is NULL", __func__);
    CUSHIM_TRY(cushim__code_read(path, __func__, &code));
    status = load(context, &code, NULL, path, &given, __func__, ret_module);
    cushim__code_finish(&code);
    return status;
}

/* Loads the module of an image. The caller has pinned the image, or no other thread knows it. */
static cushim_status load_image(cushim_context context, const struct cushim__image *image,
                                const struct cushim_module_params *params, const char *call,
                                cushim_module *ret_module)
{
    const struct cushim__code code = {
        .kind = image->kind == CUSHIM_IMAGE_CUBIN ? CUSHIM__CODE_CUBIN : CUSHIM__CODE_PTX,
        .bytes = image->bytes,
        .n_bytes = image->n_bytes,
    };

    if (image->kind != CUSHIM_IMAGE_CUBIN && image->kind != CUSHIM_IMAGE_PTX)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, image->name,
                               "%s: '%s' is neither PTX nor a cubin", call, image->name);
    return load(context, &code, image, image->name, params, call, ret_module);
}

cushim_status cushim_module_load_image(cushim_context context, cushim_image image,
                                       const struct cushim_module_params *params,
                                       cushim_module *ret_module)
{
    struct cushim_module_params given;
    const struct cushim__image *pinned;
    cushim_status status;

    CHECK_OUTPUT(ret_module);
    CUSHIM_TRY(PARAMS_READ(cushim_module_params, n_options, params, &given));
    pinned = cushim__handle_pin(image.id, CUSHIM__HANDLE_IMAGE, __func__);
    if (!pinned)
        return cushim__error()->status;
    status = load_image(context, pinned, &given, __func__, ret_module);
    cushim__handle_unpin(image.id);
    return status;
}

/*
 * Returns the newest architecture that both NVRTC and the device support, or the device's own if
 * NVRTC cannot list its architectures.
 */
static int best_arch(const struct cushim__driver *rtc, int device, const char *call)
{
    int *archs = NULL, best = 0;
    size_t n = 0;

    if (!rtc->library->has[CUSHIM_ROW_nvrtcGetSupportedArchs] ||
        cushim__rtc_architectures(rtc, call, &archs, &n))
        return device;
    for (size_t i = 0; i < n; i++)
        if (archs[i] <= device && archs[i] > best)
            best = archs[i];
    free(archs);
    return best ? best : device;
}

/* Why machine code was made without being asked for: the versions, or zeros if it was not. */
struct versions {
    int nvrtc, driver;
};

static cushim_status compile_for(const struct cushim__context *context,
                                 const struct cushim__driver *rtc, const char *source,
                                 const struct cushim_compile_params *params, const char *call,
                                 struct cushim__image **ret_image, struct versions *ret_versions)
{
    const int device = 10 * context->limits.major + context->limits.minor;
    struct cushim_compile_params suited = *params;
    char arch[16];
    int best;

    if (!suited.arch) {
        best = best_arch(rtc, device, call);
        /* A driver refuses PTX of a newer CUDA version, but it loads machine code. */
        if (best == device && rtc->library->version > context->driver->library->version) {
            suited.kind = CUSHIM_IMAGE_CUBIN;
            *ret_versions =
                (struct versions){rtc->library->version, context->driver->library->version};
        }
        snprintf(arch, sizeof(arch), "%d", best);
        suited.arch = arch;
    }
    return cushim__rtc_compile(rtc, source, &suited, call, ret_image);
}

static cushim_status compile(cushim_context context, const char *source,
                             const struct cushim_compile_params *params, const char *call,
                             struct cushim__image **ret_image, struct versions *ret_versions)
{
    const struct cushim__context *pinned;
    struct cushim__tool rtc;
    cushim_status status;

    pinned = cushim__handle_pin(context.id, CUSHIM__HANDLE_CONTEXT, call);
    if (!pinned)
        return cushim__error()->status;
    status = cushim__tool_pin(CUSHIM_LIBRARY_NVRTC, params->nvrtc.id, call, &rtc);
    if (!status) {
        status = compile_for(pinned, rtc.driver, source, params, call, ret_image, ret_versions);
        cushim__tool_unpin(&rtc);
    }
    cushim__handle_unpin(context.id);
    return status;
}

/* Adds to the thread's last error why the driver got machine code, which it does not run. */
static void explain_machine_code(const struct versions *versions)
{
    const int nvrtc = versions->nvrtc, driver = versions->driver;

    cushim__error_append(
        "; NVRTC %d.%d is newer than this driver (%d.%d), so machine code was made: name an "
        "NVRTC up to %d.%d in CUSHIM_LIBNVRTC",
        nvrtc / 1000, nvrtc % 1000 / 10, driver / 1000, driver % 1000 / 10, driver / 1000,
        driver % 1000 / 10);
}

cushim_status cushim_module_compile(cushim_context context, const char *source,
                                    const struct cushim_compile_params *params,
                                    cushim_module *ret_module)
{
    static const struct cushim_module_params plain;
    struct cushim_compile_params given;
    struct cushim__image *image = NULL;
    struct versions versions = {0};
    cushim_status status;

    CHECK_OUTPUT(ret_module);
    if (!source)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: source is NULL", __func__);
    CUSHIM_TRY(PARAMS_READ(cushim_compile_params, options, params, &given));
    CUSHIM_TRY(compile(context, source, &given, __func__, &image, &versions));
    status = load_image(context, image, &plain, __func__, ret_module);
    if (status == NO_BINARY_FOR_GPU && versions.nvrtc)
        explain_machine_code(&versions);
    cushim__image_free(image);
    return status;
}

void cushim_module_free(cushim_module *module)
{
    cushim__object_close(module ? &module->id : NULL, CUSHIM__HANDLE_MODULE, __func__);
}

cushim_status cushim_module_raw(cushim_module handle, void **ret_cu_module)
{
    const struct cushim__module *module;

    CHECK_OUTPUT(ret_cu_module);
    module = cushim__handle_pin(handle.id, CUSHIM__HANDLE_MODULE, __func__);
    if (!module)
        return cushim__error()->status;
    *ret_cu_module = module->cu;
    cushim__handle_unpin(handle.id);
    return CUSHIM_OK;
}

const char *cushim_module_log(cushim_module handle)
{
    const struct cushim__module *module =
        cushim__handle_pin(handle.id, CUSHIM__HANDLE_MODULE, __func__);
    const char *log = module ? module->log : NULL;

    if (module)
        cushim__handle_unpin(handle.id);
    return log;
}

cushim_status cushim_module_function(cushim_module handle, const char *name,
                                     cushim_function *ret_function)
{
    struct cushim__module *module;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_function);
    if (!name)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: name is NULL", __func__);
    CUSHIM_TRY(cushim__object_enter(handle.id, CUSHIM__HANDLE_MODULE, __func__, &scope, &module));
    status = cushim__module_function(&scope, module, name, &ret_function->id);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_module_global(cushim_module handle, const char *name, cushim_slice *ret_slice)
{
    struct cushim__module *module;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_slice);
    if (!name)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: name is NULL", __func__);
    CUSHIM_TRY(cushim__object_enter(handle.id, CUSHIM__HANDLE_MODULE, __func__, &scope, &module));
    status = cushim__module_global(&scope, module, name, &ret_slice->id);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_module_find(cushim_context context, const char *name,
                                 cushim_module *ret_module)
{
    struct cushim__module *module;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_module);
    if (!name)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: name is NULL", __func__);
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    module = cushim__registry_find(scope.context, name, __func__);
    status =
        module ? cushim__module_handle(module, __func__, &ret_module->id) : cushim__error()->status;
    if (module)
        cushim__module_unuse(module);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_function_find(cushim_context context, const char *module_name,
                                   const char *function, cushim_function *ret_function)
{
    struct cushim__module *module;
    struct cushim__scope scope;
    cushim_status status;

    CHECK_OUTPUT(ret_function);
    if (!module_name || !function)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", __func__,
                            module_name ? "function" : "module");
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    module = cushim__registry_find(scope.context, module_name, __func__);
    status = module ? cushim__module_function(&scope, module, function, &ret_function->id)
                    : cushim__error()->status;
    if (module)
        cushim__module_unuse(module);
    return cushim__scope_leave(&scope, status);
}

cushim_status cushim_module_unregister(cushim_context context, const char *name)
{
    struct cushim__scope scope;
    cushim_status status;

    if (!name)
        return cushim__fail(CUSHIM_ERROR_INVALID_ARGUMENT, "%s: name is NULL", __func__);
    CUSHIM_TRY(cushim__context_enter(context.id, __func__, &scope));
    status = cushim__registry_remove(scope.context, name, __func__);
    return cushim__scope_leave(&scope, status);
}
