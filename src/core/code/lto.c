/* SPDX-License-Identifier: MIT */
#include "core/code/lto.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <cushim/rows.h>

#include "base/status.h"
#include "base/str.h"
#include "base/util.h"
#include "loader/missing.h"

#define FUNCTION(lto, type, name) ((__typeof__(type) *) (lto)->linker->table[CUSHIM_ROW_##name])

/* The type of all functions that return a size, or the bytes. */
typedef int get(void *handle, void *ret);

const char *cushim__lto_name(const struct cushim__lto *lto)
{
    return lto->params->name && *lto->params->name ? lto->params->name : "linked";
}

static cushim_status no_memory(const struct cushim__lto *lto)
{
    return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, lto->call, cushim__lto_name(lto),
                           "no memory for a linked image");
}

/*
 * Reads what two functions return, the size and the bytes, into memory of an arena. Puts a NUL
 * behind the bytes. Returns the result of the linker.
 */
static int read_bytes(const struct cushim__lto *lto, unsigned size_row, unsigned row,
                      struct cushim__arena *arena, char **ret_bytes, size_t *ret_size)
{
    cushim__entry *const *table = lto->linker->table;
    size_t size = 0;
    int result = ((get *) table[size_row])(lto->handle, &size);

    if (result)
        return result;
    *ret_bytes = cushim__arena_alloc(arena, size + 1);
    *ret_size = size;
    return *ret_bytes && size ? ((get *) table[row])(lto->handle, *ret_bytes) : 0;
}

/* Reports an error of nvJitLink, with the first error of its log. */
static cushim_status fail(const struct cushim__lto *lto, int result, const char *function)
{
    const cushim_status status = CUSHIM_STATUS_NVJITLINK(result);
    const char *name = cushim__lto_name(lto);
    struct cushim__arena arena = {0};
    char *log = NULL, line[512] = "";
    size_t size;

    if (lto->handle &&
        !read_bytes(lto, CUSHIM_ROW_nvJitLinkGetErrorLogSize, CUSHIM_ROW_nvJitLinkGetErrorLog,
                    &arena, &log, &size) &&
        log)
        cushim__log_first_error(log, line, sizeof(line));
    cushim__fail_at(status, function, name, "%s: %s: %s", lto->call, name,
                    *line ? line : cushim__status_text(status));
    if (log)
        cushim__error_add_log(log);
    cushim__arena_finish(&arena);
    return status;
}

/*
 * Tells whether this looks like "90", "sm_90" or "sm_90a". nvJitLink itself ends the process for
 * some that do not.
 */
static bool is_arch(const char *arch)
{
    const char *bar = strchr(arch, '_'), *number = bar ? bar + 1 : arch;
    const size_t digits = strspn(number, "0123456789");
    const char *rest = number + digits;

    return digits >= 2 && digits <= 3 && (!*rest || (islower((unsigned char) *rest) && !rest[1]));
}

static bool has_option(const struct cushim_lto_params *params, const char *option)
{
    for (size_t i = 0; params->options && params->options[i]; i++)
        if (!strcmp(params->options[i], option))
            return true;
    return false;
}

static cushim_status check(const struct cushim__lto *lto)
{
    const struct cushim_lto_params *params = lto->params;
    const struct cushim__library *library = lto->linker->library;

    if (params->kind != CUSHIM_IMAGE_PTX && params->kind != CUSHIM_IMAGE_CUBIN)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, lto->call, params->name,
                               "%s: the result is CUSHIM_IMAGE_PTX or CUSHIM_IMAGE_CUBIN, not %d",
                               lto->call, (int) params->kind);
    if (!params->arch || !*params->arch)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, lto->call, params->name,
                               "%s: the architecture is missing: .arch = \"90\"", lto->call);
    if (!is_arch(params->arch))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, lto->call, params->name,
                               "%s: '%s' is no architecture such as \"90\" or \"sm_90a\"",
                               lto->call, params->arch);
    if (params->kind == CUSHIM_IMAGE_CUBIN && has_option(params, "-ptx"))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, lto->call, params->name,
                               "%s: the option -ptx makes no machine code: .kind = "
                               "CUSHIM_IMAGE_PTX makes PTX",
                               lto->call);
    if (params->kind == CUSHIM_IMAGE_PTX && !library->has[CUSHIM_ROW_nvJitLinkGetLinkedPtx])
        return cushim__fail_missing(library, CUSHIM_ROW_nvJitLinkGetLinkedPtx, lto->call);
    return CUSHIM_OK;
}

/* nvJitLink tells what is wrong with an option only after it is created, if at all. */
static cushim_status create(struct cushim__lto *lto, const char *arch)
{
    const struct cushim_lto_params *params = lto->params;
    SCOPED_FREE const char **options = NULL;
    size_t more = 0;
    uint32_t n = 0;
    int result;

    while (params->options && params->options[more])
        more++;
    options = calloc(more + 3, sizeof(*options));
    if (!options || more > INT32_MAX)
        return no_memory(lto);
    options[n++] = arch;
    /* nvJitLink fails where it has nothing to optimise. */
    if (lto->optimises || params->kind == CUSHIM_IMAGE_PTX)
        options[n++] = "-lto";
    if (params->kind == CUSHIM_IMAGE_PTX)
        options[n++] = "-ptx";
    for (size_t i = 0; i < more; i++)
        options[n++] = params->options[i];
    result = FUNCTION(lto, int(void **, uint32_t, const char *const *),
                      nvJitLinkCreate)(&lto->handle, n, options);
    if (!result)
        return CUSHIM_OK;
    fail(lto, result, "nvJitLinkCreate");
    /* nvJitLink 12 crashes where it destroys what has a log, but is not complete. */
    if (lto->linker->library->version < 13000)
        lto->handle = NULL;
    return CUSHIM_STATUS_NVJITLINK(result);
}

cushim_status cushim__lto_begin(struct cushim__lto *lto)
{
    const char *arch = lto->params->arch;
    SCOPED_STR option = {0};

    CUSHIM_TRY(check(lto));
    cushim__str_append(&option, "-arch=%s%s", isdigit((unsigned char) *arch) ? "sm_" : "", arch);
    return option.failed ? no_memory(lto) : create(lto, option.text);
}

void cushim__lto_end(struct cushim__lto *lto)
{
    if (lto->handle)
        FUNCTION(lto, int(void **), nvJitLinkDestroy)(&lto->handle);
    lto->handle = NULL;
}

/* nvJitLink's number of a kind of input. */
static uint32_t number_of(enum cushim_link_kind kind)
{
    static const uint32_t numbers[] = {
        [CUSHIM_LINK_CUBIN] = 1,     [CUSHIM_LINK_PTX] = 2,    [CUSHIM_LINK_LTOIR] = 3,
        [CUSHIM_LINK_FATBINARY] = 4, [CUSHIM_LINK_OBJECT] = 5, [CUSHIM_LINK_LIBRARY] = 6,
    };

    return numbers[kind];
}

cushim_status cushim__lto_add(struct cushim__lto *lto, enum cushim_link_kind kind, const void *data,
                              size_t bytes, const char *name)
{
    static const unsigned char mark[] = {0xed, 0x43, 0x4e, 0x7f}; /* LTO-IR begins with it */
    int result;

    if (kind == CUSHIM_LINK_LTOIR && (bytes < 64 || memcmp(data, mark, sizeof(mark))))
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, lto->call, name,
                               "%s: '%s' is no LTO-IR", lto->call, name ? name : "");
    result =
        FUNCTION(lto, int(void *, uint32_t, const void *, size_t, const char *), nvJitLinkAddData)(
            lto->handle, number_of(kind), data, bytes + (kind == CUSHIM_LINK_PTX), name);
    return result ? fail(lto, result, "nvJitLinkAddData") : CUSHIM_OK;
}

static cushim_status read_image(struct cushim__lto *lto, struct cushim__image *image)
{
    const bool ptx = lto->params->kind == CUSHIM_IMAGE_PTX;
    char *bytes = NULL, *log = NULL;
    size_t size;
    int result;

    result = read_bytes(
        lto, ptx ? CUSHIM_ROW_nvJitLinkGetLinkedPtxSize : CUSHIM_ROW_nvJitLinkGetLinkedCubinSize,
        ptx ? CUSHIM_ROW_nvJitLinkGetLinkedPtx : CUSHIM_ROW_nvJitLinkGetLinkedCubin, &image->arena,
        &bytes, &image->n_bytes);
    if (result)
        return fail(lto, result, ptx ? "nvJitLinkGetLinkedPtx" : "nvJitLinkGetLinkedCubin");
    /* For PTX, the NUL at the end counts. */
    if (ptx && bytes)
        image->n_bytes = strlen(bytes);
    image->bytes = bytes;
    if (lto->linker->library->has[CUSHIM_ROW_nvJitLinkGetInfoLog] &&
        !read_bytes(lto, CUSHIM_ROW_nvJitLinkGetInfoLogSize, CUSHIM_ROW_nvJitLinkGetInfoLog,
                    &image->arena, &log, &size) &&
        log)
        image->log = log;
    image->kind = lto->params->kind;
    image->name = cushim__arena_printf(&image->arena, "%s", cushim__lto_name(lto));
    return image->arena.failed ? no_memory(lto) : CUSHIM_OK;
}

cushim_status cushim__lto_complete(struct cushim__lto *lto, struct cushim__image **ret_image)
{
    const int result = FUNCTION(lto, int(void *), nvJitLinkComplete)(lto->handle);
    struct cushim__image *image;
    cushim_status status;

    if (result)
        return fail(lto, result, "nvJitLinkComplete");
    image = cushim__image_new();
    status = image ? read_image(lto, image) : no_memory(lto);
    if (status)
        cushim__image_free(image);
    else
        *ret_image = image;
    return status;
}
