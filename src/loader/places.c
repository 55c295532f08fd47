/* SPDX-License-Identifier: MIT */
#include "loader/places.h"

#include <glob.h>

#include "base/env.h"
#include "base/str.h"
#include "base/util.h"

/* What the folders are searched for. */
struct search {
    const char *const *names;
    void (*try)(const char *path, void *user);
    void *user;
};

/* Tries each name in a folder. The folder may contain wildcards. */
static void folder(const struct search *search, const char *prefix, const char *rest,
                   const char *wheel)
{
    for (size_t i = 0; prefix && search->names[i]; i++) {
        SCOPED_STR pattern = {0};
        glob_t found = {0};

        cushim__str_append(&pattern, "%s%s%s/%s", prefix, rest, wheel, search->names[i]);
        if (!glob(cushim__str_get(&pattern), 0, NULL, &found))
            for (size_t k = 0; k < found.gl_pathc; k++)
                search->try(found.gl_pathv[k], search->user);
        globfree(&found);
    }
}

void cushim__toolkit_places(const char *const *names, const char *const *wheels,
                            void (*try)(const char *path, void *user), void *user)
{
    static const char *const toolkits[] = {"/lib64", "/lib"};
    const struct search search = {names, try, user};
    const char *const homes[] = {cushim__env("CUDA_PATH"), cushim__env("CUDA_HOME"),
                                 "/usr/local/cuda"};
    const char *const environments[] = {cushim__env("VIRTUAL_ENV"), cushim__env("CONDA_PREFIX")};

    for (size_t i = 0; i < ARRAY_SIZE(homes); i++)
        for (size_t k = 0; k < ARRAY_SIZE(toolkits); k++)
            folder(&search, homes[i], toolkits[k], "");
    folder(&search, environments[1], "/lib", "");
    for (size_t i = 0; i < ARRAY_SIZE(environments); i++)
        for (size_t k = 0; wheels[k]; k++)
            folder(&search, environments[i], "/lib/python3*/site-packages/", wheels[k]);
}
