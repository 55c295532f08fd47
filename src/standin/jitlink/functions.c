/* SPDX-License-Identifier: MIT */
/*
 * libcushim-nvjitlink: stands in for nvJitLink where kernels run on the mock. What it links is an
 * image with the PTX of all inputs, in place of machine code. docs/programs.md says how programs
 * find it.
 */
#include "standin/jitlink/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/util.h"
#include "mock/ptx/container/device_runtime.h"
#include "standin/jitlink/jitlink.h"
#include "standin/jitlink/real.h"

enum { MOST_FILE_BYTES = 1 << 30 };

int nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    if (!major || !minor)
        return LINK_NULL_INPUT;
    if (real_is_searched())
        return LINK_INTERNAL;
    *major = CODE_CUDA_MAJOR;
    *minor = CODE_CUDA_MINOR;
    return LINK_SUCCESS;
}

/* As the real one does, it returns a link with a log for options that are wrong. */
int nvJitLinkCreate(struct jitlink **link, uint32_t n, const char **options)
{
    struct jitlink *made;

    if (!link || (n && !options))
        return LINK_NULL_INPUT;
    made = calloc(1, sizeof(*made));
    *link = made;
    return made ? options_read(made, n, options) : LINK_INTERNAL;
}

int nvJitLinkDestroy(struct jitlink **link)
{
    struct jitlink *old = link ? *link : NULL;

    if (!old)
        return LINK_INVALID_INPUT;
    real_finish(old);
    code_finish(&old->code);
    for (unsigned i = 0; i < old->n_options; i++)
        free(old->options[i]);
    free(old->options);
    free(old->image);
    free(old);
    *link = NULL;
    return LINK_SUCCESS;
}

/* --- inputs --- */

static int result_of(enum ptx__status status)
{
    switch (status) {
    case PTX_OK:
        return LINK_SUCCESS;
    case PTX_MACHINE_CODE:
    case PTX_NO_TARGET:
        return LINK_MISSING_FATBIN;
    case PTX_NO_PTX:
        return LINK_INCORRECT_INPUT_TYPE;
    case PTX_OUT_OF_MEMORY:
    case PTX_TOO_LARGE:
    case PTX_NO_LIBRARY:
        return LINK_INTERNAL;
    default:
        return LINK_PTX_COMPILE;
    }
}

static bool is_ltoir(const void *data, size_t size)
{
    static const unsigned char magic[] = {0xed, 0x43, 0x4e, 0x7f};

    return size > sizeof(magic) && !memcmp(data, magic, sizeof(magic));
}

static int add(struct jitlink *link, const void *data, size_t size, const char *name)
{
    if (is_ltoir(data, size) && link->lto)
        return real_add(link, data, size, name);
    if (ptx__is_device_runtime(data, size)) {
        link->code.linker.has_runtime = true;
        return LINK_SUCCESS;
    }
    return result_of(code_add(&link->code, data, size, name));
}

static bool is_kind(int kind)
{
    return kind == INPUT_ANY || (kind >= INPUT_CUBIN && kind <= INPUT_INDEX);
}

int nvJitLinkAddData(struct jitlink *link, int kind, const void *data, size_t size,
                     const char *name)
{
    name = name && *name ? name : "an input";
    if (!link)
        return LINK_INVALID_INPUT;
    if (!data)
        return LINK_NULL_INPUT;
    if (!size || link->image)
        return LINK_INVALID_INPUT;
    if (link->refused)
        return LINK_INTERNAL;
    if (!is_kind(kind)) {
        cushim__str_append(&link->code.errors, "unsupported input type: %s\n", name);
        return LINK_INCORRECT_INPUT_TYPE;
    }
    return add(link, data, size, name);
}

int nvJitLinkAddFile(struct jitlink *link, int kind, const char *path)
{
    SCOPED_FILE file = {.bytes = NULL};

    if (!link)
        return LINK_INVALID_INPUT;
    if (!path)
        return LINK_NULL_INPUT;
    if (!cushim__file_read(path, MOST_FILE_BYTES, &file)) {
        cushim__str_append(&link->code.errors, "error   : %s: %s\n", path, file.why);
        return LINK_INVALID_INPUT;
    }
    return nvJitLinkAddData(link, kind, file.bytes, (size_t) file.size, path);
}

/* The PTX of LTO-IR is one text; that of several inputs is not. */
static int complete_ptx(struct jitlink *link)
{
    if (link->code.linker.n_texts != 1) {
        cushim__str_append(&link->code.errors, "ERROR: -ptx requires that all inputs have LTOIR\n");
        return LINK_INCORRECT_INPUT_TYPE;
    }
    link->image = strdup(link->code.linker.texts[0]);
    link->size = link->image ? strlen(link->image) + 1 : 0;
    return link->image ? LINK_SUCCESS : LINK_INTERNAL;
}

static int complete_image(struct jitlink *link)
{
    return code_complete(&link->code, link->verbose, &link->image, &link->size) == PTX_OK
               ? LINK_SUCCESS
               : LINK_INTERNAL;
}

int nvJitLinkComplete(struct jitlink *link)
{
    int result;

    if (!link || link->image)
        return LINK_INVALID_INPUT;
    if (link->refused)
        return LINK_INTERNAL;
    result = real_complete(link);
    if (result)
        return result;
    return link->ptx ? complete_ptx(link) : complete_image(link);
}

/* --- what came of it --- */

static int get_size(const struct jitlink *link, bool is_there, size_t *size)
{
    if (!link)
        return LINK_INVALID_INPUT;
    if (!size)
        return LINK_NULL_INPUT;
    if (!is_there)
        return link->image ? LINK_INVALID_INPUT : LINK_INTERNAL;
    *size = link->size;
    return LINK_SUCCESS;
}

static int get_image(const struct jitlink *link, bool is_there, void *image)
{
    size_t size;
    const int result = get_size(link, is_there, &size);

    if (!result && !image)
        return LINK_NULL_INPUT;
    if (!result)
        memcpy(image, link->image, size);
    return result;
}

int nvJitLinkGetLinkedCubinSize(struct jitlink *link, size_t *size)
{
    return get_size(link, link && link->image && !link->ptx, size);
}

int nvJitLinkGetLinkedCubin(struct jitlink *link, void *cubin)
{
    return get_image(link, link && link->image && !link->ptx, cubin);
}

int nvJitLinkGetLinkedPtxSize(struct jitlink *link, size_t *size)
{
    return get_size(link, link && link->image && link->ptx, size);
}

int nvJitLinkGetLinkedPtx(struct jitlink *link, char *ptx)
{
    return get_image(link, link && link->image && link->ptx, ptx);
}

static int log_size(const struct jitlink *link, const struct cushim__str *log, size_t *size)
{
    if (!link)
        return LINK_INVALID_INPUT;
    if (!size)
        return LINK_NULL_INPUT;
    *size = log->length ? log->length + 1 : 0;
    return LINK_SUCCESS;
}

static int get_log(const struct jitlink *link, const struct cushim__str *log, char *text)
{
    if (!link)
        return LINK_INVALID_INPUT;
    if (!text)
        return LINK_NULL_INPUT;
    if (log->length)
        memcpy(text, log->text, log->length + 1);
    return LINK_SUCCESS;
}

int nvJitLinkGetErrorLogSize(struct jitlink *link, size_t *size)
{
    return log_size(link, link ? &link->code.errors : NULL, size);
}

int nvJitLinkGetErrorLog(struct jitlink *link, char *log)
{
    return get_log(link, link ? &link->code.errors : NULL, log);
}

int nvJitLinkGetInfoLogSize(struct jitlink *link, size_t *size)
{
    return log_size(link, link ? &link->code.infos : NULL, size);
}

int nvJitLinkGetInfoLog(struct jitlink *link, char *log)
{
    return get_log(link, link ? &link->code.infos : NULL, log);
}

/* --- the names with versions, which programs that were built with nvJitLink.h call --- */

#define VERSIONED(name, version)                                                                   \
    EXPORTED extern __typeof__(name) __##name##_##version __attribute__((alias(#name)));
#define NAMES_OF(version)                                                                          \
    VERSIONED(nvJitLinkCreate, version)                                                            \
    VERSIONED(nvJitLinkDestroy, version)                                                           \
    VERSIONED(nvJitLinkAddData, version)                                                           \
    VERSIONED(nvJitLinkAddFile, version)                                                           \
    VERSIONED(nvJitLinkComplete, version)                                                          \
    VERSIONED(nvJitLinkGetLinkedCubinSize, version)                                                \
    VERSIONED(nvJitLinkGetLinkedCubin, version)                                                    \
    VERSIONED(nvJitLinkGetLinkedPtxSize, version)                                                  \
    VERSIONED(nvJitLinkGetLinkedPtx, version)                                                      \
    VERSIONED(nvJitLinkGetErrorLogSize, version)                                                   \
    VERSIONED(nvJitLinkGetErrorLog, version)                                                       \
    VERSIONED(nvJitLinkGetInfoLogSize, version)                                                    \
    VERSIONED(nvJitLinkGetInfoLog, version)                                                        \
    VERSIONED(nvJitLinkVersion, version)

NAMES_OF(12_0)
NAMES_OF(12_1)
NAMES_OF(12_2)
NAMES_OF(12_3)
NAMES_OF(12_4)
NAMES_OF(12_5)
NAMES_OF(12_6)
NAMES_OF(12_7)
NAMES_OF(12_8)
NAMES_OF(12_9)
NAMES_OF(13_0)
NAMES_OF(13_1)
NAMES_OF(13_2)
NAMES_OF(13_3)
NAMES_OF(13_4)
NAMES_OF(13_5)
