/* SPDX-License-Identifier: MIT */
#include "standin/nvrtc/real.h"

#include <cushim/rows.h>

#include "base/env.h"
#include "standin/nvrtc/functions.h"

#define FUNCTION(real, type, name) ((__typeof__(type) *) (real)->table[CUSHIM_ROW_##name])

typedef int get(void *program, void *ret);

static const struct {
    const char *symbol;
    unsigned size, get;
} rows[BLOB_KINDS] = {
    [BLOB_LOG] = {"nvrtcGetProgramLog", CUSHIM_ROW_nvrtcGetProgramLogSize,
                  CUSHIM_ROW_nvrtcGetProgramLog},
    [BLOB_PTX] = {"nvrtcGetPTX", CUSHIM_ROW_nvrtcGetPTXSize, CUSHIM_ROW_nvrtcGetPTX},
    [BLOB_CUBIN] = {"nvrtcGetCUBIN", CUSHIM_ROW_nvrtcGetCUBINSize, CUSHIM_ROW_nvrtcGetCUBIN},
    [BLOB_LTOIR] = {"nvrtcGetLTOIR", CUSHIM_ROW_nvrtcGetLTOIRSize, CUSHIM_ROW_nvrtcGetLTOIR},
    [BLOB_OPTIXIR] = {"nvrtcGetOptiXIR", CUSHIM_ROW_nvrtcGetOptiXIRSize,
                      CUSHIM_ROW_nvrtcGetOptiXIR},
    [BLOB_NVVM] = {"nvrtcGetNVVM", CUSHIM_ROW_nvrtcGetNVVMSize, CUSHIM_ROW_nvrtcGetNVVM},
    [BLOB_TILEIR] = {"nvrtcGetTileIR", CUSHIM_ROW_nvrtcGetTileIRSize, CUSHIM_ROW_nvrtcGetTileIR},
};

/* An NVRTC before 11.2 does not tell its architectures. */
static bool ask_archs(const struct real *real, struct answers *says)
{
    int n = 0;

    if (!cushim_nvrtc_has(real->nvrtc, "nvrtcGetSupportedArchs"))
        return true;
    if (FUNCTION(real, int(int *), nvrtcGetNumSupportedArchs)(&n) || n < 0)
        return false;
    says->archs = cushim__arena_alloc(&says->arena, ((size_t) n + 1) * sizeof(*says->archs));
    if (!says->archs || FUNCTION(real, int(int *), nvrtcGetSupportedArchs)(says->archs))
        return false;
    says->n_archs = (size_t) n;
    return true;
}

bool real_open(struct real *ret_real, struct answers *ret_says, struct cushim__str *why)
{
    const char *named = cushim__env("CUSHIM_NVRTC_REAL");
    const char *library = named ? named : cushim__env("CUSHIM_NVRTC_FOUND");
    struct real real;

    *ret_says = (struct answers){.n = 0};
    if (cushim_nvrtc_open(
            cushim_open_params(.library = library ? library : "auto", .label = "recorded"),
            &real.nvrtc)) {
        cushim__str_append(why, "%s", cushim_error_text());
        return false;
    }
    real.table = cushim_nvrtc_functions(real.nvrtc, CUSHIM_NVRTC_ROWS);
    if (real.table[CUSHIM_ROW_nvrtcVersion] == (cushim_entry) nvrtcVersion) {
        cushim__str_append(why, "the NVRTC that was found is this library: CUSHIM_NVRTC_REAL "
                                "names the real one");
        return false;
    }
    if (FUNCTION(&real, int(int *, int *), nvrtcVersion)(&ret_says->major, &ret_says->minor) ||
        !ask_archs(&real, ret_says)) {
        cushim__str_append(why, "%s does not tell its version", cushim_nvrtc_path(real.nvrtc));
        return false;
    }
    *ret_real = real;
    return true;
}

/* Reads what was made. What this NVRTC has no functions for is empty. */
static int read_blob(const struct real *real, void *compiled, enum blob_kind kind,
                     struct cushim__arena *arena, struct blob *blob)
{
    size_t n = 0;
    char *bytes;
    int result;

    if (!cushim_nvrtc_has(real->nvrtc, rows[kind].symbol))
        return RTC_SUCCESS;
    result = ((get *) real->table[rows[kind].size])(compiled, &n);
    /* One that is deprecated may be there, and refuse; so may one that is for tiles alone. */
    if (result || !n)
        return kind == BLOB_NVVM || kind == BLOB_TILEIR ? RTC_SUCCESS : result;
    bytes = cushim__arena_alloc(arena, n + 1);
    if (!bytes)
        return RTC_OUT_OF_MEMORY;
    bytes[n] = '\0';
    result = ((get *) real->table[rows[kind].get])(compiled, bytes);
    *blob = (struct blob){bytes, n - (is_text(kind) && !bytes[n - 1])};
    return result;
}

static int read_blobs(const struct real *real, void *compiled, struct cushim__arena *arena,
                      struct answer *answer)
{
    for (int i = 0; i < BLOB_KINDS; i++) {
        const int result = read_blob(real, compiled, (enum blob_kind) i, arena, &answer->blobs[i]);

        if (result)
            return result;
    }
    return RTC_SUCCESS;
}

static bool read_names(const struct real *real, void *compiled, struct cushim__arena *arena,
                       struct answer *answer)
{
    for (size_t i = 0; i < answer->expressions.n; i++) {
        const char *name = NULL;
        const int result =
            FUNCTION(real, int(void *, const char *, const char **),
                     nvrtcGetLoweredName)(compiled, answer->expressions.texts[i], &name);

        if (!list_add(arena, &answer->lowered,
                      result || !name ? "" : cushim__arena_printf(arena, "%s", name)))
            return false;
    }
    return true;
}

static int create(const struct real *real, const struct program *program, void **ret_compiled)
{
    int result = FUNCTION(
        real,
        int(void **, const char *, const char *, int, const char *const *, const char *const *),
        nvrtcCreateProgram)(ret_compiled, program->source, program->name,
                            (int) program->header_names.n, program->header_texts.texts,
                            program->header_names.texts);

    for (size_t i = 0; i < program->expressions.n && !result; i++)
        result = FUNCTION(real, int(void *, const char *),
                          nvrtcAddNameExpression)(*ret_compiled, program->expressions.texts[i]);
    return result;
}

/* Results that the same program always has. */
static bool is_answer(int result)
{
    enum { INVALID_OPTION = 5, COMPILATION = 6 };

    return result == RTC_SUCCESS || result == INVALID_OPTION || result == COMPILATION;
}

bool real_compile(const struct real *real, const struct program *program, int n,
                  const char *const *options, struct cushim__arena *arena, struct answer *answer)
{
    void *compiled = NULL;
    int result = create(real, program, &compiled);

    answer->result = result;
    if (!result) {
        answer->result = FUNCTION(real, int(void *, int, const char *const *),
                                  nvrtcCompileProgram)(compiled, n, options);
        result = read_blobs(real, compiled, arena, answer);
        if (!result && !read_names(real, compiled, arena, answer))
            result = RTC_OUT_OF_MEMORY;
    }
    if (compiled)
        FUNCTION(real, int(void **), nvrtcDestroyProgram)(&compiled);
    if (result)
        answer->result = result;
    return !result && is_answer(answer->result);
}
