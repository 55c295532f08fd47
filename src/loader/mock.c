/* SPDX-License-Identifier: MIT */
#include "loader/mock.h"

#include <dlfcn.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/str.h"
#include "base/util.h"

#define OLDEST_FRONT 11000

/* Returns the requested version, in the form of cuDriverGetVersion(), or 0 if there is none. */
static unsigned wanted_version(void)
{
    const char *text = cushim__env("CUSHIM_MOCK_DRIVER_VERSION");
    unsigned major = 0, minor = 0;

    if (!text)
        return 0;
    if (sscanf(text, "%u.%u", &major, &minor) == 2)
        return major * 1000 + minor * 10;
    return major >= OLDEST_FRONT ? major : 0;
}

/*
 * A driver of an older version exports fewer functions. Only a separate library can do that, so the
 * mock's folder has one for each version.
 */
static void try_in(const char *folder, void (*try)(const char *path, void *user), void *user)
{
    const unsigned version = wanted_version();
    SCOPED_STR front = {0};
    SCOPED_STR plain = {0};

    cushim__str_append(&front, "%s/cushim/%u.%u/libcuda.so.1", folder, version / 1000,
                       version % 1000 / 10);
    cushim__str_append(&plain, "%s/cushim/libcuda.so.1", folder);
    if (version && !front.failed && !access(front.text, F_OK))
        try(front.text, user);
    else if (!plain.failed)
        try(plain.text, user);
}

static void beside_this_code(void (*try)(const char *path, void *user), void *user)
{
    SCOPED_FREE char *own = NULL;
    Dl_info info;

    if (!dladdr((void *) (intptr_t) cushim__mock_places, &info) || !info.dli_fname)
        return;
    own = realpath(info.dli_fname, NULL);
    if (own && strchr(own, '/'))
        try_in(dirname(own), try, user);
}

void cushim__mock_places(void (*try)(const char *path, void *user), void *user)
{
    beside_this_code(try, user);
    try_in(CUSHIM_LIBDIR, try, user);
}

const char *cushim__mock_explains(const struct cushim__library *library)
{
    void *function = cushim__library_own_symbol(library, "cushim_mock_error_text");
    const char *text = function ? ((const char *(*) (void) )(intptr_t) function)() : NULL;

    return text && *text ? text : NULL;
}
