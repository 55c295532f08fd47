/* SPDX-License-Identifier: MIT */
#include "loader/mock.h"

#include <dlfcn.h>
#include <libgen.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"

#define LINK "cushim/libcuda.so.1"

static void beside_this_code(void (*try)(const char *path, void *user), void *user)
{
    SCOPED_FREE char *own = NULL;
    SCOPED_STR path = {0};
    Dl_info info;

    if (!dladdr((void *) (intptr_t) cushim__mock_places, &info) || !info.dli_fname)
        return;
    own = realpath(info.dli_fname, NULL);
    if (!own || !strchr(own, '/'))
        return;
    cushim__str_append(&path, "%s/" LINK, dirname(own));
    if (!path.failed)
        try(path.text, user);
}

void cushim__mock_places(void (*try)(const char *path, void *user), void *user)
{
    beside_this_code(try, user);
    try(CUSHIM_LIBDIR "/" LINK, user);
}
