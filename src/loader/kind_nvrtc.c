/* SPDX-License-Identifier: MIT */
/* The properties of libnvrtc. */
#include <dlfcn.h>
#include <glob.h>
#include <libgen.h>
#include <string.h>

#include <cushim/rows.h>

#include "base/env.h"
#include "base/linker/library_file.h"
#include "base/log.h"
#include "base/str.h"
#include "base/util.h"
#include "loader/kind.h"

/* The names of the libraries of CUDA 13, 12, 11.2 to 11.8, 11.1 and 11.0. */
static const char *const names[] = {"libnvrtc.so.13",   "libnvrtc.so.12",   "libnvrtc.so.11.2",
                                    "libnvrtc.so.11.1", "libnvrtc.so.11.0", NULL};

/*
 * Calls try() with each file in a folder that has one of these names. The folder may contain
 * wildcards.
 */
static void folder(const char *prefix, const char *rest, void (*try)(const char *path, void *user),
                   void *user)
{
    for (size_t i = 0; prefix && names[i]; i++) {
        SCOPED_STR pattern = {0};
        glob_t found = {0};

        cushim__str_append(&pattern, "%s%s/%s", prefix, rest, names[i]);
        if (!glob(cushim__str_get(&pattern), 0, NULL, &found))
            for (size_t k = 0; k < found.gl_pathc; k++)
                try(found.gl_pathv[k], user);
        globfree(&found);
    }
}

static void places(void (*try)(const char *path, void *user), void *user)
{
    static const char *const toolkits[] = {"/lib64", "/lib"};
    static const char *const wheels[] = {
        "/lib/python3*/site-packages/nvidia/cu13/lib",
        "/lib/python3*/site-packages/nvidia/cuda_nvrtc/lib",
    };
    const char *const homes[] = {cushim__env("CUDA_PATH"), cushim__env("CUDA_HOME"),
                                 "/usr/local/cuda"};
    const char *const environments[] = {cushim__env("VIRTUAL_ENV"), cushim__env("CONDA_PREFIX")};

    for (size_t i = 0; i < ARRAY_SIZE(homes); i++)
        for (size_t k = 0; k < ARRAY_SIZE(toolkits); k++)
            folder(homes[i], toolkits[k], try, user);
    folder(environments[1], "/lib", try, user);
    for (size_t i = 0; i < ARRAY_SIZE(environments); i++)
        for (size_t k = 0; k < ARRAY_SIZE(wheels); k++)
            folder(environments[i], wheels[k], try, user);
}

static const unsigned required[] = {
    CUSHIM_ROW_nvrtcVersion,        CUSHIM_ROW_nvrtcGetErrorString, CUSHIM_ROW_nvrtcCreateProgram,
    CUSHIM_ROW_nvrtcCompileProgram, CUSHIM_ROW_nvrtcDestroyProgram, CUSHIM_ROW_nvrtcGetPTXSize,
    CUSHIM_ROW_nvrtcGetPTX,         CUSHIM_ROW_nvrtcGetProgramLog,
};

static int version(cushim__entry *function, int *ret_version)
{
    int major = 0, minor = 0;
    const int result = ((int (*)(int *, int *)) function)(&major, &minor);

    if (!result)
        *ret_version = 1000 * major + 10 * minor;
    return result;
}

/*
 * NVRTC opens libnvrtc-builtins by its name at the first compilation. The dynamic linker does not
 * search NVRTC's own folder for it, so this loads it from there. Like NVRTC, it is never unloaded.
 */
static void load_builtins(const struct cushim__library *library)
{
    SCOPED_FREE char *folder_of = library->path ? strdup(library->path) : NULL;
    SCOPED_STR path = {0};
    struct cushim__arena arena = {0};
    const char *why;

    if (!folder_of || !strchr(folder_of, '/'))
        return;
    cushim__str_append(&path, "%s/libnvrtc-builtins.so.%d.%d", dirname(folder_of),
                       library->version / 1000, library->version % 1000 / 10);
    if (path.failed)
        return;
    if (!cushim__library_open(path.text, &arena, &why))
        cushim__log(CUSHIM_LOG_DEBUG, "%s: %s; NVRTC will look for it in the library path",
                    path.text, why);
    cushim__arena_finish(&arena);
}

const struct cushim__kind cushim__kind_nvrtc = {
    .id = CUSHIM_LIBRARY_NVRTC,
    .noun = "NVRTC",
    .variable = "CUSHIM_LIBNVRTC",
    .absent = CUSHIM_ERROR_NO_NVRTC,
    .rows = &cushim__nvrtc_rows,
    .names = names,
    .places = places,
    .required = required,
    .n_required = ARRAY_SIZE(required),
    .version = version,
    .accepted = load_builtins,
};
