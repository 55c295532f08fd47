/* SPDX-License-Identifier: MIT */
/*
 * libcushim-nvrtc: a library of NVRTC that records the answers of another one into a file, and
 * answers from that file where there is no other one. docs/cushim-nvrtc.md
 * has the variables of the environment.
 */
#include "standin/nvrtc/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "standin/nvrtc/session.h"

const char *nvrtcGetErrorString(int result)
{
    const char *name = cushim__nvrtc_result_name(result);

    return name ? name : "NVRTC_ERROR unknown";
}

int nvrtcVersion(int *major, int *minor)
{
    const struct answers *says = session_says();

    if (!major || !minor)
        return RTC_INVALID_INPUT;
    if (!says)
        return RTC_INTERNAL_ERROR;
    *major = says->major;
    *minor = says->minor;
    return RTC_SUCCESS;
}

int nvrtcGetNumSupportedArchs(int *count)
{
    const struct answers *says = session_says();

    if (!count)
        return RTC_INVALID_INPUT;
    if (!says)
        return RTC_INTERNAL_ERROR;
    *count = (int) says->n_archs;
    return RTC_SUCCESS;
}

int nvrtcGetSupportedArchs(int *archs)
{
    const struct answers *says = session_says();

    if (!archs)
        return RTC_INVALID_INPUT;
    if (!says)
        return RTC_INTERNAL_ERROR;
    if (says->n_archs)
        memcpy(archs, says->archs, says->n_archs * sizeof(*archs));
    return RTC_SUCCESS;
}

static void free_program(struct program *program)
{
    cushim__str_finish(&program->miss);
    cushim__arena_finish(&program->arena);
    free(program);
}

static bool fill(struct program *program, const char *source, const char *name, int n_headers,
                 const char *const *headers, const char *const *names)
{
    struct cushim__arena *arena = &program->arena;

    program->source = cushim__arena_printf(arena, "%s", source);
    program->name = cushim__arena_printf(arena, "%s", name && *name ? name : "default_program");
    for (int i = 0; i < n_headers; i++)
        if (!list_add(arena, &program->header_texts,
                      cushim__arena_printf(arena, "%s", headers[i])) ||
            !list_add(arena, &program->header_names, cushim__arena_printf(arena, "%s", names[i])))
            return false;
    return !arena->failed;
}

int nvrtcCreateProgram(struct program **program, const char *source, const char *name,
                       int n_headers, const char *const *headers, const char *const *names)
{
    struct program *made;

    if (!program)
        return RTC_INVALID_PROGRAM;
    if (!source || n_headers < 0 || (n_headers && (!headers || !names)))
        return RTC_INVALID_INPUT;
    for (int i = 0; i < n_headers; i++)
        if (!headers[i] || !names[i])
            return RTC_INVALID_INPUT;
    made = calloc(1, sizeof(*made));
    if (!made)
        return RTC_OUT_OF_MEMORY;
    if (!fill(made, source, name, n_headers, headers, names)) {
        free_program(made);
        return RTC_OUT_OF_MEMORY;
    }
    *program = made;
    return RTC_SUCCESS;
}

int nvrtcDestroyProgram(struct program **program)
{
    if (!program || !*program)
        return RTC_INVALID_PROGRAM;
    free_program(*program);
    *program = NULL;
    return RTC_SUCCESS;
}

int nvrtcCompileProgram(struct program *program, int n, const char *const *options)
{
    if (!program)
        return RTC_INVALID_PROGRAM;
    if (n < 0 || (n && !options))
        return RTC_INVALID_INPUT;
    for (int i = 0; i < n; i++)
        if (!options[i])
            return RTC_INVALID_INPUT;
    return session_compile(program, n, options);
}

int nvrtcAddNameExpression(struct program *program, const char *expression)
{
    if (!program)
        return RTC_INVALID_PROGRAM;
    if (!expression)
        return RTC_INVALID_INPUT;
    if (program->answer)
        return RTC_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    return list_add(&program->arena, &program->expressions,
                    cushim__arena_printf(&program->arena, "%s", expression))
               ? RTC_SUCCESS
               : RTC_OUT_OF_MEMORY;
}

int nvrtcGetLoweredName(struct program *program, const char *expression, const char **name)
{
    const struct answer *answer = program ? program->answer : NULL;

    if (!program)
        return RTC_INVALID_PROGRAM;
    if (!expression || !name)
        return RTC_INVALID_INPUT;
    if (!answer || answer->result)
        return RTC_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (size_t i = 0; i < answer->lowered.n; i++) {
        if (strcmp(answer->expressions.texts[i], expression) != 0 || !*answer->lowered.texts[i])
            continue;
        *name = answer->lowered.texts[i];
        return RTC_SUCCESS;
    }
    return RTC_NAME_EXPRESSION_NOT_VALID;
}

/*
 * The mock runs PTX and no machine code, so programs may get PTX in place of the latter: the image
 * that they load ends with a NUL, as every text does.
 */
static struct blob cubin_of(const struct answer *answer)
{
    const struct blob *ptx = &answer->blobs[BLOB_PTX], *cubin = &answer->blobs[BLOB_CUBIN];

    return cubin->n && ptx->n && session_keeps_ptx() ? (struct blob){ptx->bytes, ptx->n + 1}
                                                     : *cubin;
}

/* Returns the bytes of one kind. What was not made is empty, and the log of a miss is our own. */
static struct blob blob_of(const struct program *program, enum blob_kind kind)
{
    if (program->answer)
        return kind == BLOB_CUBIN ? cubin_of(program->answer) : program->answer->blobs[kind];
    if (kind == BLOB_LOG)
        return (struct blob){cushim__str_get(&program->miss), program->miss.length};
    return (struct blob){.n = 0};
}

static int size_of(const struct program *program, enum blob_kind kind, size_t *size)
{
    if (!program)
        return RTC_INVALID_PROGRAM;
    if (!size)
        return RTC_INVALID_INPUT;
    *size = blob_of(program, kind).n + is_text(kind);
    return RTC_SUCCESS;
}

static int bytes_of(const struct program *program, enum blob_kind kind, char *bytes)
{
    struct blob blob;

    if (!program)
        return RTC_INVALID_PROGRAM;
    if (!bytes)
        return RTC_INVALID_INPUT;
    blob = blob_of(program, kind);
    if (blob.n)
        memcpy(bytes, blob.bytes, blob.n);
    if (is_text(kind))
        bytes[blob.n] = '\0';
    return RTC_SUCCESS;
}

#define DEFINE_BLOB(name, kind)                                                                    \
    int nvrtcGet##name##Size(struct program *program, size_t *size)                                \
    {                                                                                              \
        return size_of(program, kind, size);                                                       \
    }                                                                                              \
    int nvrtcGet##name(struct program *program, char *bytes)                                       \
    {                                                                                              \
        return bytes_of(program, kind, bytes);                                                     \
    }
BLOB_FUNCTIONS(DEFINE_BLOB)

/* Precompiled headers make compiling faster and change no result, so there are none here. */
int nvrtcGetPCHHeapSize(size_t *size)
{
    if (!size)
        return RTC_INVALID_INPUT;
    *size = 0;
    return RTC_SUCCESS;
}

int nvrtcSetPCHHeapSize(size_t size)
{
    (void) size;
    return RTC_SUCCESS;
}

int nvrtcGetPCHCreateStatus(struct program *program)
{
    return program ? RTC_NO_PCH_CREATE_ATTEMPTED : RTC_INVALID_PROGRAM;
}

int nvrtcGetPCHHeapSizeRequired(struct program *program, size_t *size)
{
    (void) size;
    return nvrtcGetPCHCreateStatus(program);
}

/* It may only cancel a compilation, and an answer is there at once. */
int nvrtcSetFlowCallback(struct program *program, int (*callback)(void *, void *), void *payload)
{
    (void) payload;
    if (!program)
        return RTC_INVALID_PROGRAM;
    return callback ? RTC_SUCCESS : RTC_INVALID_INPUT;
}
