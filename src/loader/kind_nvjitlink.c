/* SPDX-License-Identifier: MIT */
/* The properties of libnvJitLink. */
#include <stdio.h>

#include <cushim/rows.h>

#include "base/util.h"
#include "loader/kind.h"
#include "loader/missing.h"
#include "loader/places.h"

static const char *const names[] = {"libnvJitLink.so.13", "libnvJitLink.so.12", NULL};

static void places(void (*try)(const char *path, void *user), void *user)
{
    static const char *const wheels[] = {"nvidia/cu13/lib", "nvidia/nvjitlink/lib", NULL};

    cushim__toolkit_places(names, wheels, try, user);
}

static const unsigned required[] = {
    CUSHIM_ROW_nvJitLinkCreate,         CUSHIM_ROW_nvJitLinkDestroy,
    CUSHIM_ROW_nvJitLinkAddData,        CUSHIM_ROW_nvJitLinkComplete,
    CUSHIM_ROW_nvJitLinkGetLinkedCubin, CUSHIM_ROW_nvJitLinkGetLinkedCubinSize,
    CUSHIM_ROW_nvJitLinkGetErrorLog,    CUSHIM_ROW_nvJitLinkGetErrorLogSize,
};

/*
 * Each function has a name for each version of its interface, such as __nvJitLinkCreate_12_0, and
 * since 12.3 also one without a version. A library has all versions of its major number.
 */
static cushim__entry *versioned(const struct cushim__library *library, size_t row, int major,
                                int minor)
{
    char name[96];

    snprintf(name, sizeof(name), "__%s_%d_%d", cushim__row_symbol(library->kind->rows, row), major,
             minor);
    return cushim__library_named(library, name);
}

/* The first version of a major number is taken, for the reason that kind_cuda.c gives. */
static cushim__entry *look_up(const struct cushim__library *library, size_t row)
{
    cushim__entry *entry = versioned(library, row, 12, 0);

    return entry ? entry : versioned(library, row, 13, 0);
}

/* nvJitLinkVersion() came with 12.3. Before that, the names tell. */
static int version(const struct cushim__library *library, int *ret_version)
{
    cushim__entry *function = cushim__library_symbol(library, CUSHIM_ROW_nvJitLinkVersion);
    unsigned major = 12, minor = 0;
    int result = 0;

    if (function)
        result = ((int (*)(unsigned *, unsigned *)) function)(&major, &minor);
    else
        while (versioned(library, CUSHIM_ROW_nvJitLinkCreate, 12, (int) minor + 1))
            minor++;
    if (!result)
        *ret_version = (int) (1000 * major + 10 * minor);
    return result;
}

const struct cushim__kind cushim__kind_nvjitlink = {
    .id = CUSHIM_LIBRARY_NVJITLINK,
    .noun = "nvJitLink",
    .variable = "CUSHIM_LIBNVJITLINK",
    .absent = CUSHIM_ERROR_NO_NVJITLINK,
    .rows = &cushim__nvjitlink_rows,
    .names = names,
    .places = places,
    .required = required,
    .n_required = ARRAY_SIZE(required),
    .version = version,
    .look_up = look_up,
    .missing = cushim__nvjitlink_missing,
    .closed = cushim__nvjitlink_closed,
};
