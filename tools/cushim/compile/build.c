/* SPDX-License-Identifier: MIT */
#include "build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "command.h"

enum { COMPILATION_FAILED = 6 }; /* NVRTC_ERROR_COMPILATION */

/* Returns the exit status for a status of the library. */
static int exit_status(cushim_status status)
{
    return status == CUSHIM_ERROR_NO_NVRTC || status == CUSHIM_ERROR_NO_MEMORY ? COMMAND_FAILED
                                                                               : COMMAND_NO;
}

/* Writes a log, which ends with a line end or not. */
static void print_log(const char *log)
{
    const size_t length = log ? strlen(log) : 0;

    if (length)
        fprintf(stderr, "%s%s", log, log[length - 1] == '\n' ? "" : "\n");
}

static int failed(const struct request *request, cushim_status status)
{
    if (status == CUSHIM_STATUS_NVRTC(COMPILATION_FAILED))
        print_log(cushim_error_log());
    else
        fprintf(stderr, "cushim compile: %s: %s\n", request->source, cushim_error_text());
    return exit_status(status);
}

int build_text(const struct request *request, const char *text, const struct arch *arch,
               const char *const *expressions, bool warn, struct built *ret_built)
{
    const struct cushim_compile_params params = {
        .size = sizeof(params),
        .kind = arch->machine_code ? CUSHIM_IMAGE_CUBIN : CUSHIM_IMAGE_PTX,
        .name = request->source,
        .arch = arch->text,
        .fast_math = request->fast_math,
        .line_info = request->line_info,
        .std = request->std,
        .include_paths = request->include_paths,
        .definitions = request->definitions,
        .name_expressions = expressions,
        .options = request->options,
    };
    struct built built = {.arch = arch};
    const cushim_status status = cushim_compile(text, &params, &built.image);

    if (status)
        return failed(request, status);
    if (warn)
        print_log(cushim_image_log(built.image));
    built.bytes = cushim_image_data(built.image, &built.n_bytes);
    *ret_built = built;
    return -1;
}

static bool has_arch(const int *archs, size_t n, const struct arch *arch)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned) archs[i] == arch->number)
            return true;
    return false;
}

static int no_arch(const struct arch *arch, const int *archs, size_t n)
{
    fprintf(stderr, "cushim compile: NVRTC has no architecture %s; it has", arch->text);
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, "%s %d", i ? "," : "", archs[i]);
    fputs("\n", stderr);
    return COMMAND_NO;
}

int check_archs(const struct request *request)
{
    int archs[MOST_OPTIONS];
    size_t n = 0;
    const cushim_status status =
        cushim_compile_architectures((cushim_nvrtc) CUSHIM_NONE, archs, MOST_OPTIONS, &n);

    if (status == CUSHIM_ERROR_MISSING_SYMBOL) /* an old one tells it when it compiles */
        return -1;
    if (status)
        return failed(request, status);
    for (size_t i = 0; i < request->n_archs; i++)
        if (request->archs[i].text && n < MOST_OPTIONS && !has_arch(archs, n, &request->archs[i]))
            return no_arch(&request->archs[i], archs, n);
    return -1;
}
