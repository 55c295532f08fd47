/* SPDX-License-Identifier: MIT */
/* The properties of libnvrtc. */
#include <libgen.h>
#include <string.h>

#include <cushim/rows.h>

#include "base/linker/library_file.h"
#include "base/log.h"
#include "base/str.h"
#include "base/util.h"
#include "loader/kind.h"
#include "loader/missing.h"
#include "loader/places.h"

/* The names of the libraries of CUDA 13, 12, 11.2 to 11.8, 11.1 and 11.0. */
static const char *const names[] = {"libnvrtc.so.13",   "libnvrtc.so.12",   "libnvrtc.so.11.2",
                                    "libnvrtc.so.11.1", "libnvrtc.so.11.0", NULL};

static void places(void (*try)(const char *path, void *user), void *user)
{
    static const char *const wheels[] = {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", NULL};

    cushim__toolkit_places(names, wheels, try, user);
}

static const unsigned required[] = {
    CUSHIM_ROW_nvrtcVersion,        CUSHIM_ROW_nvrtcGetErrorString, CUSHIM_ROW_nvrtcCreateProgram,
    CUSHIM_ROW_nvrtcCompileProgram, CUSHIM_ROW_nvrtcDestroyProgram, CUSHIM_ROW_nvrtcGetPTXSize,
    CUSHIM_ROW_nvrtcGetPTX,         CUSHIM_ROW_nvrtcGetProgramLog,
};

static int version(const struct cushim__library *library, int *ret_version)
{
    cushim__entry *function = cushim__library_symbol(library, CUSHIM_ROW_nvrtcVersion);
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
    .missing = cushim__nvrtc_missing,
    .closed = cushim__nvrtc_closed,
};
