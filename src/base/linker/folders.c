/* SPDX-License-Identifier: MIT */
#include "base/linker/folders.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/linker/ld_cache.h"
#include "base/str.h"
#include "base/util.h"

struct search {
    const char *name;
    cushim__visit_fn *visit;
    void *user;
};

/*
 * Visits the builds for newer processors. The linker takes the best one that this processor can
 * run, but it cannot be asked which one that is. So only a bad file ends the search here.
 */
static bool visit_variants(const char *folder, const struct search *search)
{
    SCOPED_STR pattern = {0};
    glob_t found = {0};
    bool bad = false;

    cushim__str_append(&pattern, "%s/glibc-hwcaps", folder);
    if (pattern.failed || access(pattern.text, F_OK))
        return false;
    cushim__str_append(&pattern, "/*/%s", search->name);
    if (!pattern.failed && !glob(pattern.text, 0, NULL, &found)) {
        for (size_t i = 0; i < found.gl_pathc && !bad; i++)
            bad = search->visit(found.gl_pathv[i], search->user) == CUSHIM__VISIT_BAD;
    }
    globfree(&found);
    return bad;
}

/* Returns true if the linker looks no further. The functions below do the same. */
static bool visit_folder(const char *folder, const struct search *search)
{
    SCOPED_STR path = {0};

    if (visit_variants(folder, search))
        return true;
    cushim__str_append(&path, "%s/%s", *folder ? folder : ".", search->name);
    return !path.failed && search->visit(path.text, search->user) != CUSHIM__VISIT_NEXT;
}

/* --- the folders that a library names --- */

/*
 * Returns the text after "$ORIGIN", which stands for the folder of the library itself, or NULL if
 * the folder does not begin with it.
 */
static const char *behind_origin(const char *folder)
{
    static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};

    for (size_t i = 0; i < ARRAY_SIZE(origins); i++) {
        if (!strncmp(folder, origins[i], strlen(origins[i])))
            return folder + strlen(origins[i]);
    }
    return NULL;
}

/*
 * Visits one folder that a library names. A folder with another variable of the linker is left out,
 * because only the linker knows its value.
 */
static bool visit_named_folder(const char *folder, const char *searcher_path,
                               const struct search *search)
{
    const char *slash = strrchr(searcher_path, '/');
    const char *rest = behind_origin(folder);
    SCOPED_STR path = {0};

    if (strchr(rest ? rest : folder, '$'))
        return false;
    if (rest && slash)
        cushim__str_append(&path, "%.*s%s", (int) (slash - searcher_path), searcher_path, rest);
    else
        cushim__str_append(&path, "%s", rest ? rest : folder);
    return !path.failed && visit_folder(path.text, search);
}

static bool visit_named_folders(const char *folders, const char *searcher_path,
                                const struct search *search)
{
    SCOPED_FREE char *copy = strdup(folders);
    char *rest = NULL;

    for (char *folder = copy ? strtok_r(copy, ":", &rest) : NULL; folder;
         folder = strtok_r(NULL, ":", &rest)) {
        if (visit_named_folder(folder, searcher_path, search))
            return true;
    }
    return false;
}

/* --- the folders of the process --- */

#ifdef __GLIBC__
/*
 * Returns the folders in which the linker searches for this library, or NULL if it cannot be asked.
 * The caller frees them with free().
 */
static Dl_serinfo *list_folders(void)
{
    struct link_map *map = NULL;
    Dl_serinfo size, *folders;
    Dl_info info;

    /* dlinfo() needs a handle, and the link map of a library is one. */
    if (!dladdr1((void *) (intptr_t) cushim__folders_each, &info, (void **) &map,
                 RTLD_DL_LINKMAP) ||
        dlinfo(map, RTLD_DI_SERINFOSIZE, &size))
        return NULL;
    folders = calloc(1, size.dls_size);
    if (!folders || dlinfo(map, RTLD_DI_SERINFOSIZE, folders) ||
        dlinfo(map, RTLD_DI_SERINFO, folders)) {
        free(folders);
        return NULL;
    }
    return folders;
}

/* Visits the default folders of the system, or the folders that are searched before them. */
static bool visit_listed_folders(const struct search *search, bool of_system)
{
    SCOPED_FREE Dl_serinfo *folders = list_folders();
    bool done = false;

    for (unsigned i = 0; folders && i < folders->dls_cnt && !done; i++) {
        if (!(folders->dls_serpath[i].dls_flags & LA_SER_DEFAULT) != of_system)
            done = visit_folder(folders->dls_serpath[i].dls_name, search);
    }
    return done;
}
#else
/* Other linkers cannot be asked where they search. */
static bool visit_listed_folders(const struct search *search, bool of_system)
{
    (void) search, (void) of_system;
    return false;
}
#endif

static bool visit_cached(const char *path, void *user)
{
    const struct search *search = user;

    return search->visit(path, search->user) != CUSHIM__VISIT_NEXT;
}

void cushim__folders_each(const char *name, const struct cushim__searcher *searcher,
                          cushim__visit_fn *visit, void *user)
{
    struct search search = {name, visit, user};

    /*
     * The RPATH of a library counts only if it has no RUNPATH, and comes before the folders of the
     * environment.
     */
    if (searcher && !*searcher->runpath &&
        visit_named_folders(searcher->rpath, searcher->path, &search))
        return;
    if (visit_listed_folders(&search, false))
        return;
    if (searcher && visit_named_folders(searcher->runpath, searcher->path, &search))
        return;
    (void) (cushim__ld_cache_each(name, visit_cached, &search) ||
            visit_listed_folders(&search, true));
}
