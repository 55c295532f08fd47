/* SPDX-License-Identifier: MIT */
#include "mock/module/module_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "base/util.h"
#include "mock/base/hint.h"
#include "mock/base/state.h"
#include "mock/module/kernels.h"
#include "mock/ptx/container/fatbin.h"
#include "mock/ptx/container/image.h"
#include "mock/ptx/container/limits.h"
#include "mock/ptx/container/linker.h"
#include "mock/ptx/link/registers.h"

static CUresult result_of(enum ptx__status status)
{
    static const CUresult results[] = {
        [PTX_OK] = CUDA_SUCCESS,
        [PTX_NO_PTX] = CUDA_ERROR_INVALID_IMAGE,
        [PTX_DEFINED_TWICE] = CUDA_ERROR_INVALID_IMAGE,
        [PTX_INVALID] = CUDA_ERROR_INVALID_PTX,
        [PTX_OTHER_TARGET] = CUDA_ERROR_INVALID_PTX,
        [PTX_NEWER_VERSION] = CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        [PTX_REFUSED] = CUDA_ERROR_NOT_SUPPORTED,
        [PTX_NO_TARGET] = CUDA_ERROR_NO_BINARY_FOR_GPU,
        [PTX_MACHINE_CODE] = CUDA_ERROR_NO_BINARY_FOR_GPU,
        [PTX_TOO_LARGE] = CUDA_ERROR_OUT_OF_MEMORY,
        [PTX_NO_LIBRARY] = CUDA_ERROR_INVALID_IMAGE,
        [PTX_OUT_OF_MEMORY] = CUDA_ERROR_OUT_OF_MEMORY,
    };

    return results[status];
}

/* Prints a hint if an image has no text for a device; what says what it has instead. */
static void hint_at(enum ptx__status status, int capability, const char *what)
{
    if (status == PTX_MACHINE_CODE)
        mock__hint(
            MOCK__HINT_MACHINE_CODE,
            "a module is refused, as it has machine code only, which is not run here: keep "
            "the PTX in it (nvcc -gencode arch=compute_%d,code=compute_%d; nvrtcGetPTX() "
            "and not nvrtcGetCUBIN()), start the program with cushim run, which keeps it, or "
            "register replacement kernels (CUSHIM_MOCK_KERNELS)",
            capability, capability);
    if (status == PTX_NO_TARGET)
        mock__hint(
            MOCK__HINT_OTHER_DEVICE,
            "a module is refused, as it has PTX for other devices than sm_%d only (%s): choose "
            "one of those (CUSHIM_MOCK_DEVICES, or device.*.compute_capability in a file "
            "that CUSHIM_MOCK_CONFIG names), or build it for compute_%d",
            capability, what, capability);
    if (status == PTX_TOO_LARGE)
        mock__hint(MOCK__HINT_TOO_LARGE,
                   "a module is refused, as its text would have more than %zu bytes: "
                   "CUSHIM_MOCK_IMAGE_LIMIT sets how many it may have",
                   mock__image_limit());
    if (status == PTX_NO_LIBRARY)
        mock__hint(MOCK__HINT_NO_ZSTD,
                   "a module is refused, as it is compressed and there is no libzstd.so.1: "
                   "install that, or let nvcc not compress (--no-compress)");
}

/* The targets of all texts in a fat binary, such as "sm_90a, sm_100". */
static void name_targets(const void *image, size_t size, struct cushim__str *str)
{
    struct ptx__fatbin_entry entry;
    size_t at = 0;

    while (ptx__fatbin_next(image, size, &at, &entry)) {
        const char suffix[] = {entry.suffix, '\0'};

        if (entry.kind == PTX__FATBIN_TEXT)
            cushim__str_append(str, "%ssm_%d%s", str->length ? ", " : "", entry.target, suffix);
    }
}

static const struct ptx__message *first_error(const struct ptx__log *log)
{
    static const struct ptx__message lost = {.text = (char *) "there is no memory to say why"};

    for (size_t i = 0; i < log->n_messages; i++) {
        if (log->messages[i].severity >= PTX_ERROR)
            return &log->messages[i];
    }
    return &lost;
}

const char *mock__first_error(const struct ptx__log *log)
{
    return first_error(log)->text;
}

static void hint_wrong(const struct ptx__message *error)
{
    char line[32] = "";

    if (error->place.line)
        snprintf(line, sizeof(line), "line %u: ", error->place.line);
    mock__hint(MOCK__HINT_WRONG_PTX,
               "a module is refused, as its PTX is wrong (%s%s): `cushim ptx FILE` tells all "
               "mistakes, and so does the log of a compilation (CU_JIT_ERROR_LOG_BUFFER)",
               line, error->text);
}

CUresult mock__ptx_result(enum ptx__status status, int capability, const struct ptx__log *log)
{
    const int driver = mock__driver_version();

    if (status == PTX_NEWER_VERSION)
        mock__hint(MOCK__HINT_NEWER_PTX,
                   "a module is refused, as its PTX is newer than what a driver of CUDA %d.%d "
                   "knows (%s): compile it with CUDA %d.%d or older",
                   driver / 1000, driver % 1000 / 10, mock__first_error(log), driver / 1000,
                   driver % 1000 / 10);
    if (status == PTX_OTHER_TARGET)
        hint_at(PTX_NO_TARGET, capability, mock__first_error(log));
    if (status == PTX_INVALID)
        hint_wrong(first_error(log));
    return result_of(status);
}

static CUresult fill_entry(const struct ptx__function *function, uint32_t number,
                           const struct ptx__limits *limits, struct mock__entry *entry)
{
    *entry = (struct mock__entry){
        .name = function->name,
        .parameters = calloc(function->n_parameters + 1, sizeof(*entry->parameters)),
        .n_parameters = function->n_parameters,
        .parameter_bytes = function->usage.parameter_bytes,
        .shared_bytes = function->usage.shared_bytes,
        .local_bytes = function->usage.local_bytes,
        .max_threads = function->usage.max_threads,
        .registers = ptx__limit_registers(function, limits->registers, limits->threads),
        .barriers = function->usage.barriers,
        .cluster = {function->req_cluster[0], function->req_cluster[1], function->req_cluster[2]},
        .max_cluster = function->max_cluster_rank,
        .must_cluster = function->explicit_cluster,
        .function = number,
    };
    MOCK__REQUIRE(entry->parameters, CUDA_ERROR_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < function->n_parameters; i++) {
        const struct ptx__parameter *parameter = &function->parameters[i];

        entry->parameters[i] =
            (struct mock__parameter){parameter->offset, parameter->bytes, parameter->alignment};
    }
    return CUDA_SUCCESS;
}

/* Adds a name, unless it exists. */
static CUresult note_name(struct ptx__name_index *index, const char *name, uint32_t number)
{
    uint32_t *place = ptx__name_at(index, 0, name);

    MOCK__REQUIRE(place, CUDA_ERROR_OUT_OF_MEMORY);
    if (*place == PTX_NONE)
        *place = number;
    return CUDA_SUCCESS;
}

static CUresult note_names(struct mock__ptx *ptx)
{
    const struct ptx__module *module = &ptx->module;

    for (size_t i = 0; i < ptx->n_entries; i++)
        MOCK__TRY(note_name(&ptx->entries_by_name, ptx->entries[i].name, (uint32_t) i));
    for (uint32_t i = 0; i < module->n_variables; i++) {
        const struct ptx__variable *variable = &module->variables[i];

        if ((variable->space == PTX_GLOBAL || variable->space == PTX_CONST) && !variable->replaced)
            MOCK__TRY(note_name(&ptx->variables_by_name, variable->name, i));
    }
    return CUDA_SUCCESS;
}

static CUresult add_entries(struct mock__ptx *ptx, const struct ptx__limits *limits)
{
    const struct ptx__module *module = &ptx->module;

    ptx->entries = calloc(module->n_functions + 1, sizeof(*ptx->entries));
    MOCK__REQUIRE(ptx->entries, CUDA_ERROR_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < module->n_functions; i++) {
        const struct ptx__function *function = &module->functions[i];

        if (function->is_kernel && function->has_body && !function->replaced)
            MOCK__TRY(fill_entry(function, i, limits, &ptx->entries[ptx->n_entries++]));
    }
    return note_names(ptx);
}

/* Returns the newest PTX that a driver compiles, such as 90 for 9.0; 0 if it is not known. */
static int newest_ptx(int driver)
{
    static const struct {
        int driver, ptx;
    } rows[] = {{13050, 95}, {13040, 94}, {13030, 93}, {13020, 92}, {13010, 91}, {13000, 90},
                {12090, 88}, {12080, 87}, {12050, 85}, {12040, 84}, {12030, 83}, {12020, 82},
                {12010, 81}, {12000, 80}, {11080, 78}, {11070, 77}, {11060, 76}, {11050, 75},
                {11040, 74}, {11030, 73}, {11020, 72}, {11010, 71}, {11000, 70}, {10020, 65},
                {10010, 64}, {10000, 63}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].driver <= driver)
            return rows[i].ptx;
    return 0;
}

/* As ptx__read_image(), for a driver of the mock's version: it looks at the PTX's version first. */
static enum ptx__status read_image(const char *text, int capability, struct ptx__module *module,
                                   struct ptx__log *log)
{
    const enum ptx__status status = ptx__read_image(text, capability, module, log);
    const int newest = newest_ptx(mock__driver_version());

    if (status == PTX_OUT_OF_MEMORY || module->version <= newest)
        return status;
    ptx__log_finish(log);
    ptx__report(log, PTX_FATAL, (struct ptx__place){1, 1},
                "Unsupported .version %d.%d; current version is '%d.%d'", module->version / 10,
                module->version % 10, newest / 10, newest % 10);
    return PTX_NEWER_VERSION;
}

CUresult mock__ptx_read(const char *text, int capability, struct mock__ptx *ptx,
                        struct ptx__log *log)
{
    const struct ptx__limits limits = ptx__limits_read(text);

    *ptx = (struct mock__ptx){.n_entries = 0};
    MOCK__TRY(mock__ptx_result(read_image(text, capability, &ptx->module, log), capability, log));
    return add_entries(ptx, &limits);
}

bool mock__all_replaced(const struct mock__ptx *ptx)
{
    struct cushim_mock_kernel kernel;

    for (size_t i = 0; i < ptx->n_entries; i++)
        if (!mock__kernel_find(ptx->entries[i].name, &kernel))
            return false;
    return ptx->n_entries;
}

void mock__ptx_finish(struct mock__ptx *ptx)
{
    for (size_t i = 0; i < ptx->n_entries; i++)
        free(ptx->entries[i].parameters);
    free(ptx->entries);
    ptx__name_index_finish(&ptx->entries_by_name);
    ptx__name_index_finish(&ptx->variables_by_name);
    ptx__finish(&ptx->module);
    *ptx = (struct mock__ptx){.n_entries = 0};
}

CUresult mock__image_text(const void *image, size_t size, int capability, char **ret_text)
{
    const enum ptx__status status =
        ptx__image_text(image, size, capability, mock__image_limit(), ret_text);
    SCOPED_STR targets = {0};

    if (status == PTX_NO_TARGET)
        name_targets(image, size, &targets);
    hint_at(status, capability, cushim__str_get(&targets));
    return result_of(status);
}

CUresult mock__image_file(const char *path, const char *call, char **ret_bytes, size_t *ret_size)
{
    struct cushim__file file;

    MOCK__REQUIRE(*path, CUDA_ERROR_INVALID_VALUE);
    if (cushim__file_read(path, mock__image_limit(), &file)) {
        *ret_bytes = file.bytes;
        *ret_size = (size_t) file.size;
        return CUDA_SUCCESS;
    }
    if (file.state == CUSHIM__FILE_TOO_LARGE)
        mock__hint(MOCK__HINT_TOO_LARGE,
                   "%s: %s: %s; CUSHIM_MOCK_IMAGE_LIMIT sets how many that are", call, path,
                   file.why);
    else if (file.state != CUSHIM__FILE_ABSENT)
        mock__hint(MOCK__HINT_FILE, "%s: %s: %s", call, path, file.why);
    switch (file.state) {
    case CUSHIM__FILE_FOLDER:
    case CUSHIM__FILE_TOO_LARGE:
    case CUSHIM__FILE_NO_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    case CUSHIM__FILE_SPECIAL:
        return CUDA_ERROR_INVALID_IMAGE;
    default:
        return CUDA_ERROR_FILE_NOT_FOUND;
    }
}
