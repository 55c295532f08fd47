/* SPDX-License-Identifier: MIT */
#include "base/linker/folders.h"

#include <string.h>
#include <unistd.h>

#include "base/linker/hwcaps.h"
#include "base/linker/ld_cache.h"
#include "base/linker/process.h"
#include "base/util.h"

struct search {
    const char *name;
    cushim__visit_fn *visit;
    void *user;
    const struct cushim__process_folders *process;
    bool no_default;
};

/* --- one folder --- */

static enum cushim__visit visit_file(const char *folder, const char *below,
                                     const struct search *search)
{
    SCOPED_STR path = {0};

    cushim__str_append(&path, "%s/%s%s%s", *folder ? folder : ".", below, *below ? "/" : "",
                       search->name);
    return path.failed ? CUSHIM__VISIT_NEXT : search->visit(path.text, search->user);
}

/* Visits the builds for newer processors. */
static enum cushim__visit visit_builds(const char *folder, const struct search *search)
{
    enum cushim__visit result = CUSHIM__VISIT_NEXT;
    SCOPED_STR path = {0};

    cushim__str_append(&path, "%s/glibc-hwcaps", *folder ? folder : ".");
    if (path.failed || access(path.text, F_OK))
        return result;
    for (const char *const *build = cushim__hwcaps(); *build && result == CUSHIM__VISIT_NEXT;
         build++)
        result = visit_file(path.text, *build, search);
    return result;
}

static enum cushim__visit visit_folder(const char *folder, const struct search *search)
{
    const enum cushim__visit result = visit_builds(folder, search);

    return result == CUSHIM__VISIT_NEXT ? visit_file(folder, "", search) : result;
}

/* Tells whether the linker looks no further. The functions below return the same. */
static bool ends_search(enum cushim__visit result)
{
    return result == CUSHIM__VISIT_TAKEN || result == CUSHIM__VISIT_BAD;
}

/* --- the folders that a library names --- */

/* Returns the length of a token behind its "$", and its name, or 0 if the linker knows none there.
 */
static size_t token_at(const char *text, char ret_name[16])
{
    static const char *const names[] = {"ORIGIN", "LIB", "PLATFORM"};
    const bool braces = *text == '{';
    const char *name = text + braces;
    const size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789_");

    if (braces && name[length] != '}')
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (strlen(names[i]) == length && !strncmp(names[i], name, length)) {
            strcpy(ret_name, names[i]);
            return length + 2 * (size_t) braces;
        }
    }
    return 0;
}

static bool append_token(const char *name, const char *library_path, struct cushim__str *str)
{
    const char *slash = strrchr(library_path, '/');

    if (cushim__process_is_secure())
        return false;
    if (!strcmp(name, "LIB"))
        return cushim__process_append_lib(str);
    cushim__str_append(str, "%.*s", slash ? (int) (slash - library_path) : 1,
                       slash ? library_path : ".");
    return !strcmp(name, "ORIGIN");
}

bool cushim__folders_expand(const char *text, const char *library_path, struct cushim__str *str)
{
    for (const char *dollar; (dollar = strchr(text, '$'));) {
        char name[16];
        const size_t length = token_at(dollar + 1, name);

        cushim__str_append(str, "%.*s", (int) (dollar - text) + !length, text);
        if (length && !append_token(name, library_path, str))
            return false;
        text = dollar + 1 + length;
    }
    cushim__str_append(str, "%s", text);
    return !str->failed;
}

static bool visit_named_folders(const char *folders, const char *library_path,
                                const struct search *search)
{
    SCOPED_FREE char *copy = folders && *folders ? strdup(folders) : NULL;
    enum cushim__visit result = CUSHIM__VISIT_NEXT;
    char *rest = copy;

    /* An empty word is the working directory. */
    for (char *word; rest && result == CUSHIM__VISIT_NEXT && (word = strsep(&rest, ":"));) {
        SCOPED_STR folder = {0};

        result = cushim__folders_expand(word, library_path, &folder)
                     ? visit_folder(cushim__str_get(&folder), search)
                     : CUSHIM__VISIT_TAKEN;
    }
    return ends_search(result);
}

/* --- the folders of the process --- */

static bool visit_listed_folders(const struct search *search, size_t begin, size_t end)
{
    enum cushim__visit result = CUSHIM__VISIT_NEXT;

    for (size_t i = begin; i < end && result == CUSHIM__VISIT_NEXT; i++)
        result = visit_folder(cushim__process_folder(search->process, i), search);
    return ends_search(result);
}

/* --- the cache --- */

struct cached {
    const struct search *search;
    char *path; /* of the best build for newer processors so far, or NULL */
    int best;
};

/* A library that must not come from the default folders does not come from there by the cache. */
static bool is_left_out(const char *path, const struct search *search)
{
    const struct cushim__process_folders *process = search->process;

    for (size_t i = process->defaults; search->no_default && i < process->end; i++) {
        const char *folder = cushim__process_folder(process, i);

        if (!strncmp(path, folder, strlen(folder)) && path[strlen(folder)] == '/')
            return true;
    }
    return false;
}

static bool visit_best(struct cached *cached)
{
    SCOPED_FREE char *path = TAKE_PTR(cached->path);

    return path && ends_search(cached->search->visit(path, cached->search->user));
}

/* The cache has the builds for newer processors before the others, but not the best one first. */
static bool visit_cached(const char *path, void *user)
{
    struct cached *cached = user;
    const int build = cushim__hwcaps_of(path);

    if (build == CUSHIM__HWCAPS_UNUSED || is_left_out(path, cached->search))
        return false;
    if (build == CUSHIM__HWCAPS_PLAIN)
        return visit_best(cached) || ends_search(cached->search->visit(path, cached->search->user));
    if (!cached->path || build < cached->best) {
        free(cached->path);
        cached->path = strdup(path);
        cached->best = build;
    }
    return false;
}

static bool visit_cache(const struct search *search)
{
    struct cached cached = {.search = search};
    const bool done =
        cushim__ld_cache_each(search->name, visit_cached, &cached) || visit_best(&cached);

    free(cached.path);
    return done;
}

/* --- all of them --- */

/* The folders that come before those of the environment. */
static bool visit_rpaths(const struct cushim__searcher *searcher, const struct search *search)
{
    if (searcher && searcher->runpath)
        return false;
    for (const struct cushim__searcher *s = searcher; s; s = s->loader) {
        if (visit_named_folders(s->rpath, s->path, search))
            return true;
    }
    return visit_listed_folders(search, search->process->rpath, search->process->path);
}

static bool visit_all(const struct cushim__searcher *searcher, const struct search *search)
{
    const struct cushim__process_folders *process = search->process;

    return visit_rpaths(searcher, search) ||
           visit_listed_folders(search, process->path, process->defaults) ||
           (searcher && visit_named_folders(searcher->runpath, searcher->path, search)) ||
           visit_cache(search) ||
           (!search->no_default && visit_listed_folders(search, process->defaults, process->end));
}

bool cushim__folders_each(const char *name, const struct cushim__searcher *searcher,
                          cushim__visit_fn *visit, void *user)
{
    struct cushim__process_folders process =
        searcher ? cushim__process_folders() : cushim__process_own_folders();
    const struct search search = {name, visit, user, &process, searcher && searcher->no_default};
    const bool ended = visit_all(searcher, &search);

    cushim__process_folders_finish(&process);
    return ended;
}
