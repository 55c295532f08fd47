/* SPDX-License-Identifier: MIT */
/* NVRTC's options, made from the fields of struct cushim_compile_params. */
#include <ctype.h>
#include <string.h>

#include "base/status.h"
#include "core/code/rtc.h"

static void add(struct cushim__rtc_options *options, const char *name, const char *value)
{
    cushim__str_append(&options->text, "%s%s%c", name, value, 0);
    options->count++;
}

static void add_choice(struct cushim__rtc_options *options, const char *name,
                       enum cushim_choice choice)
{
    if (choice != CUSHIM_DEFAULT)
        add(options, name, choice == CUSHIM_ON ? "true" : "false");
}

static void add_number(struct cushim__rtc_options *options, const char *name, int number)
{
    cushim__str_append(&options->text, "%s%d%c", name, number, 0);
    options->count++;
}

static void add_list(struct cushim__rtc_options *options, const char *name,
                     const char *const *values)
{
    for (; values && *values; values++)
        add(options, name, *values);
}

bool cushim__rtc_wants_real(enum cushim_image_kind kind)
{
    return kind == CUSHIM_IMAGE_CUBIN;
}

/*
 * Adds the architecture. A number gets the prefix that the kind needs: a cubin is for a real
 * architecture, PTX for a virtual one.
 */
static void add_arch(struct cushim__rtc_options *options, const char *arch,
                     enum cushim_image_kind kind)
{
    const char *prefix = cushim__rtc_wants_real(kind) ? "sm_" : "compute_";

    if (!arch || !*arch)
        return;
    cushim__str_append(&options->text, "--gpu-architecture=%s%s%c",
                       isdigit((unsigned char) *arch) ? prefix : "", arch, 0);
    options->count++;
}

static void add_kind(struct cushim__rtc_options *options, enum cushim_image_kind kind)
{
    if (kind == CUSHIM_IMAGE_LTOIR)
        add(options, "--dlink-time-opt", "");
    if (kind == CUSHIM_IMAGE_OPTIXIR)
        add(options, "--optix-ir", "");
}

static bool is_choice(enum cushim_choice choice)
{
    return (unsigned) choice <= CUSHIM_OFF;
}

static cushim_status check(const struct cushim_compile_params *params, const char *call)
{
    if ((unsigned) params->kind > CUSHIM_IMAGE_OPTIXIR)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, params->name,
                               "%s: %d is no kind of image", call, (int) params->kind);
    if (!is_choice(params->ftz) || !is_choice(params->prec_sqrt) || !is_choice(params->prec_div) ||
        !is_choice(params->fmad))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, params->name,
                               "%s: a choice is CUSHIM_DEFAULT, CUSHIM_ON or CUSHIM_OFF", call);
    if (params->max_registers < 0)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, params->name,
                               "%s: max_registers is %d", call, params->max_registers);
    return CUSHIM_OK;
}

cushim_status cushim__rtc_options_make(const struct cushim_compile_params *params, const char *call,
                                       struct cushim__rtc_options *ret_options)
{
    struct cushim__rtc_options options = {.count = 0};

    CUSHIM_TRY(check(params, call));
    add_choice(&options, "--ftz=", params->ftz);
    add_choice(&options, "--prec-sqrt=", params->prec_sqrt);
    add_choice(&options, "--prec-div=", params->prec_div);
    add_choice(&options, "--fmad=", params->fmad);
    if (params->fast_math)
        add(&options, "--use_fast_math", "");
    if (params->max_registers)
        add_number(&options, "--maxrregcount=", params->max_registers);
    if (params->line_info)
        add(&options, "--generate-line-info", "");
    if (params->device_debug)
        add(&options, "--device-debug", "");
    if (params->std)
        add(&options, "--std=", params->std);
    add_list(&options, "--include-path=", params->include_paths);
    add_list(&options, "--define-macro=", params->definitions);
    add_arch(&options, params->arch, params->kind);
    add_kind(&options, params->kind);
    add_list(&options, "", params->options);
    if (options.text.failed) {
        cushim__str_finish(&options.text);
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, params->name,
                               "no memory for the options of a compilation");
    }
    *ret_options = options;
    return CUSHIM_OK;
}
