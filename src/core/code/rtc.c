/* SPDX-License-Identifier: MIT */
#include "core/code/rtc.h"

#include <stdlib.h>
#include <string.h>

#include <cushim/rows.h>

#include "base/log.h"
#include "base/status.h"
#include "base/util.h"
#include "core/code/cache.h"
#include "loader/missing.h"

#define FUNCTION(rtc, type, name) ((__typeof__(type) *) (rtc)->table[CUSHIM_ROW_##name])

/* One running compilation. */
struct job {
    const struct cushim__driver *rtc;
    const struct cushim_compile_params *params;
    const char *call;
    void *program;
    struct cushim__image *image;
};

static const char *program_name(const struct cushim_compile_params *params)
{
    return params->name && *params->name ? params->name : "kernel.cu";
}

/* Reports an error of NVRTC, with the first error of the compiler's log. */
static cushim_status fail(const struct job *job, int result, const char *function)
{
    const cushim_status status = CUSHIM_STATUS_NVRTC(result);
    const char *name = program_name(job->params);
    char line[512];

    cushim__log_first_error(job->image ? job->image->log : "", line, sizeof(line));
    if (!*line)
        cushim__fail_at(status, function, name, "%s: %s, %s", job->call, name,
                        cushim__status_text(status));
    else if (strstr(line, name))
        cushim__fail_at(status, function, name, "%s: %s", job->call, line);
    else
        cushim__fail_at(status, function, name, "%s: %s: %s", job->call, name, line);
    if (job->image)
        cushim__error_add_log(job->image->log);
    return status;
}

static cushim_status no_memory(const struct job *job)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, job->call, program_name(job->params),
                           "no memory for a compiled program");
}

/*
 * Reads the result of two NVRTC functions: one returns a size, the other that many bytes. Puts a
 * NUL behind the bytes.
 */
static cushim_status read_bytes(const struct job *job, unsigned size_row, unsigned row,
                                void **ret_bytes, size_t *ret_size)
{
    cushim__entry *const *table = job->rtc->table;
    size_t size = 0;
    char *bytes;
    int result = ((cushim__rtc_get *) table[size_row])(job->program, &size);

    if (result)
        return fail(job, result, cushim__row_symbol(&cushim__nvrtc_rows, size_row));
    bytes = cushim__arena_alloc(&job->image->arena, size + 1);
    if (!bytes)
        return no_memory(job);
    result = size ? ((cushim__rtc_get *) table[row])(job->program, bytes) : 0;
    if (result)
        return fail(job, result, cushim__row_symbol(&cushim__nvrtc_rows, row));
    *ret_bytes = bytes;
    *ret_size = size;
    return CUSHIM_OK;
}

static cushim_status read_log(const struct job *job)
{
    void *log = NULL;
    size_t size;

    CUSHIM_TRY(read_bytes(job, CUSHIM_ROW_nvrtcGetProgramLogSize, CUSHIM_ROW_nvrtcGetProgramLog,
                          &log, &size));
    job->image->log = log;
    return CUSHIM_OK;
}

static const struct kind_rows {
    unsigned size, get;
} kinds[] = {
    [CUSHIM_IMAGE_PTX] = {CUSHIM_ROW_nvrtcGetPTXSize, CUSHIM_ROW_nvrtcGetPTX},
    [CUSHIM_IMAGE_CUBIN] = {CUSHIM_ROW_nvrtcGetCUBINSize, CUSHIM_ROW_nvrtcGetCUBIN},
    [CUSHIM_IMAGE_LTOIR] = {CUSHIM_ROW_nvrtcGetLTOIRSize, CUSHIM_ROW_nvrtcGetLTOIR},
    [CUSHIM_IMAGE_OPTIXIR] = {CUSHIM_ROW_nvrtcGetOptiXIRSize, CUSHIM_ROW_nvrtcGetOptiXIR},
};

static cushim_status read_image(const struct job *job)
{
    const struct kind_rows *rows = &kinds[job->params->kind];
    struct cushim__image *image = job->image;

    CUSHIM_TRY(read_bytes(job, rows->size, rows->get, &image->bytes, &image->n_bytes));
    if (!image->n_bytes)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, job->call, program_name(job->params),
                               "%s: %s: no machine code was made: it takes an arch \"sm_...\"",
                               job->call, program_name(job->params));
    /* For PTX, NVRTC counts the NUL at the end. */
    if (job->params->kind == CUSHIM_IMAGE_PTX)
        image->n_bytes--;
    return CUSHIM_OK;
}

static size_t count_names(const char *const *names)
{
    size_t n = 0;

    while (names && names[n])
        n++;
    return n;
}

static cushim_status add_expressions(const struct job *job)
{
    const char *const *names = job->params->name_expressions;

    for (size_t i = 0; names && names[i]; i++) {
        const int result = FUNCTION(job->rtc, int(void *, const char *),
                                    nvrtcAddNameExpression)(job->program, names[i]);

        if (result)
            return fail(job, result, "nvrtcAddNameExpression");
    }
    return CUSHIM_OK;
}

static cushim_status read_names(const struct job *job)
{
    const char *const *names = job->params->name_expressions;
    const size_t n = count_names(names);
    struct cushim__image *image = job->image;

    image->lowered = cushim__arena_alloc(&image->arena, (n + 1) * sizeof(*image->lowered));
    for (size_t i = 0; image->lowered && i < n; i++) {
        const char *lowered = NULL;
        const int result = FUNCTION(job->rtc, int(void *, const char *, const char **),
                                    nvrtcGetLoweredName)(job->program, names[i], &lowered);

        if (result)
            return fail(job, result, "nvrtcGetLoweredName");
        image->lowered[image->n_lowered++] = (struct cushim__lowered){
            .expression = cushim__arena_printf(&image->arena, "%s", names[i]),
            .name = cushim__arena_printf(&image->arena, "%s", lowered),
        };
    }
    return image->arena.failed ? no_memory(job) : CUSHIM_OK;
}

static cushim_status create_program(struct job *job, const char *source)
{
    const struct cushim_header *headers = job->params->headers;
    const char **names, **texts;
    size_t n = 0;
    int result;

    while (headers && headers[n].name)
        n++;
    names = cushim__arena_alloc(&job->image->arena, (n + 1) * sizeof(*names));
    texts = cushim__arena_alloc(&job->image->arena, (n + 1) * sizeof(*texts));
    if (!names || !texts)
        return no_memory(job);
    for (size_t i = 0; i < n; i++) {
        names[i] = headers[i].name;
        texts[i] = headers[i].text ? headers[i].text : "";
    }
    result = FUNCTION(
        job->rtc,
        int(void **, const char *, const char *, int, const char *const *, const char *const *),
        nvrtcCreateProgram)(&job->program, source, program_name(job->params), (int) n, texts,
                            names);
    return result ? fail(job, result, "nvrtcCreateProgram") : CUSHIM_OK;
}

static cushim_status run_compiler(const struct job *job, const struct cushim__rtc_options *options)
{
    const char **list =
        cushim__arena_alloc(&job->image->arena, (options->count + 1) * sizeof(*list));
    const char *next = options->text.text;
    int result;

    if (!list)
        return no_memory(job);
    for (size_t i = 0; i < options->count; i++, next += strlen(next) + 1)
        list[i] = next;
    result = FUNCTION(job->rtc, int(void *, int, const char *const *),
                      nvrtcCompileProgram)(job->program, (int) options->count, list);
    /*
     * After an error the log is most useful. If it cannot be read either, the compiler's error
     * counts.
     */
    if (!result)
        return read_log(job);
    read_log(job);
    return fail(job, result, "nvrtcCompileProgram");
}

/* Checks before anything is compiled that this NVRTC has the functions that are needed. */
static cushim_status check_functions(const struct job *job)
{
    const struct cushim__library *library = job->rtc->library;
    const unsigned row = kinds[job->params->kind].get;

    if (!library->has[row])
        return cushim__fail_missing(library, row, job->call);
    if (job->params->name_expressions && !library->has[CUSHIM_ROW_nvrtcGetLoweredName])
        return cushim__fail_missing(library, CUSHIM_ROW_nvrtcGetLoweredName, job->call);
    return CUSHIM_OK;
}

static cushim_status compile(struct job *job, const char *source,
                             const struct cushim__rtc_options *options)
{
    CUSHIM_TRY(check_functions(job));
    CUSHIM_TRY(create_program(job, source));
    CUSHIM_TRY(add_expressions(job));
    CUSHIM_TRY(run_compiler(job, options));
    CUSHIM_TRY(read_image(job));
    return read_names(job);
}

/* Runs NVRTC. The image is in job->image, or NULL after an error. */
static cushim_status make_image(struct job *job, const char *source,
                                const struct cushim__rtc_options *options)
{
    cushim_status status;

    job->image = cushim__image_new();
    status = job->image ? compile(job, source, options) : no_memory(job);
    if (job->program)
        FUNCTION(job->rtc, int(void **), nvrtcDestroyProgram)(&job->program);
    if (status) {
        cushim__image_free(TAKE_PTR(job->image));
        return status;
    }
    job->image->kind = job->params->kind;
    return CUSHIM_OK;
}

/* Takes the image from the cache, or makes it. */
static cushim_status find_or_make(struct job *job, const char *source,
                                  const struct cushim__rtc_options *options)
{
    const struct cushim__cache_input input = {.rtc = job->rtc,
                                              .name = program_name(job->params),
                                              .source = source,
                                              .params = job->params,
                                              .options = options};
    struct cushim__cache cache;
    cushim_status status = CUSHIM_OK;

    CUSHIM_TRY(cushim__cache_open(&input, job->call, &cache));
    job->image = cushim__cache_find(&cache);
    if (!job->image) {
        status = make_image(job, source, options);
        if (!status)
            cushim__cache_keep(&cache, job->image);
    }
    cushim__cache_close(&cache);
    return status;
}

cushim_status cushim__rtc_compile(const struct cushim__driver *rtc, const char *source,
                                  const struct cushim_compile_params *params, const char *call,
                                  struct cushim__image **ret_image)
{
    struct job job = {.rtc = rtc, .params = params, .call = call};
    struct cushim__rtc_options options;
    cushim_status status;

    CUSHIM_TRY(cushim__rtc_options_make(params, call, &options));
    status = find_or_make(&job, source, &options);
    cushim__str_finish(&options.text);
    CUSHIM_TRY(status);
    job.image->name = cushim__arena_printf(&job.image->arena, "%s", program_name(params));
    *ret_image = job.image;
    return CUSHIM_OK;
}

static cushim_status archs_failed(int result, const char *call, const char *function)
{
    return cushim__fail_at(CUSHIM_STATUS_NVRTC(result), function, NULL, "%s: %s: %s", call,
                           function, cushim__status_text(CUSHIM_STATUS_NVRTC(result)));
}

cushim_status cushim__rtc_architectures(const struct cushim__driver *rtc, const char *call,
                                        int **ret_archs, size_t *ret_count)
{
    int *archs, n = 0, result;

    if (!rtc->library->has[CUSHIM_ROW_nvrtcGetSupportedArchs])
        return cushim__fail_missing(rtc->library, CUSHIM_ROW_nvrtcGetSupportedArchs, call);
    result = FUNCTION(rtc, int(int *), nvrtcGetNumSupportedArchs)(&n);
    if (result || n < 0)
        return archs_failed(result, call, "nvrtcGetNumSupportedArchs");
    archs = calloc((size_t) n + 1, sizeof(*archs));
    if (!archs)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, NULL, "no memory for architectures");
    result = FUNCTION(rtc, int(int *), nvrtcGetSupportedArchs)(archs);
    if (result) {
        free(archs);
        return archs_failed(result, call, "nvrtcGetSupportedArchs");
    }
    *ret_archs = archs;
    *ret_count = (size_t) n;
    return CUSHIM_OK;
}
