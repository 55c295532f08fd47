/* SPDX-License-Identifier: MIT */
#include "loader/lookup.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/util.h"
#include "loader/elf_file.h"
#include "loader/ld_cache.h"

/* --- what is loaded --- */

static const ElfW(Dyn) * find_tag(const ElfW(Dyn) * entry, ElfW(Sxword) tag)
{
    while (entry->d_tag != DT_NULL && entry->d_tag != tag)
        entry++;
    return entry->d_tag == tag ? entry : NULL;
}

/* The name that a loaded library calls itself by; NULL if it has none. */
static const char *own_name(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *dynamic = NULL, *name, *strings;

    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    name = dynamic ? find_tag(dynamic, DT_SONAME) : NULL;
    strings = name ? find_tag(dynamic, DT_STRTAB) : NULL;
    if (!strings)
        return NULL;
    /* Most linkers make an address of it, some leave the offset. */
    return (const char *) ((strings->d_un.d_ptr < info->dlpi_addr ? info->dlpi_addr : 0) +
                           strings->d_un.d_ptr + name->d_un.d_val);
}

static int has_name(struct dl_phdr_info *info, size_t size, void *user)
{
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    const char *own = own_name(info);

    (void) size;
    return (own && !strcmp(own, user)) || (slash && !strcmp(slash + 1, user));
}

bool cushim__is_loaded(const char *name)
{
    return dl_iterate_phdr(has_name, (void *) (uintptr_t) name);
}

/* --- what is found --- */

struct lookup {
    const char *name;
    struct cushim__arena *arena;
    enum cushim_verdict verdict;
    const char *path, *detail;
};

/* True if the linker looks no further. It skips what is another machine's, or not to be read. */
static bool visit(const char *path, void *user)
{
    struct lookup *lookup = user;
    const char *detail;
    const enum cushim_verdict verdict = cushim__elf_file_inspect(path, lookup->arena, &detail);

    if (verdict == CUSHIM_VERDICT_ABSENT || verdict == CUSHIM_VERDICT_UNREADABLE ||
        verdict == CUSHIM_VERDICT_OTHER_MACHINE)
        return false;
    lookup->verdict = verdict;
    lookup->path = cushim__arena_printf(lookup->arena, "%s", path);
    lookup->detail = detail;
    return true;
}

/* Builds for better processors, of which the linker takes the best that the host can run. */
static bool visit_variants(const char *folder, struct lookup *lookup)
{
    SCOPED_STR pattern = {0};
    glob_t found = {0};
    bool bad = false;

    cushim__str_append(&pattern, "%s/glibc-hwcaps", folder);
    if (pattern.failed || access(pattern.text, F_OK))
        return false;
    cushim__str_append(&pattern, "/*/%s", lookup->name);
    if (!pattern.failed && !glob(pattern.text, 0, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc && !bad; i++)
            bad = visit(found.gl_pathv[i], lookup) && lookup->verdict != CUSHIM_VERDICT_CHOSEN;
    globfree(&found);
    return bad;
}

static bool visit_folder(const char *folder, struct lookup *lookup)
{
    SCOPED_STR path = {0};

    if (visit_variants(folder, lookup))
        return true;
    cushim__str_append(&path, "%s/%s", *folder ? folder : ".", lookup->name);
    return !path.failed && visit(path.text, lookup);
}

#ifdef __GLIBC__
/* The folders that are searched for this library's sake, to be freed; NULL if nobody says. */
static Dl_serinfo *list_folders(void)
{
    struct link_map *map = NULL;
    Dl_serinfo size, *folders;
    Dl_info info;

    /* Where a handle can be asked, it is the link map. */
    if (!dladdr1((void *) (intptr_t) cushim__lookup, &info, (void **) &map, RTLD_DL_LINKMAP) ||
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

/* The folders that every program has, or those before them. True if the linker looks no further. */
static bool visit_folders(struct lookup *lookup, bool of_all)
{
    SCOPED_FREE Dl_serinfo *folders = list_folders();
    bool done = false;

    for (unsigned i = 0; folders && i < folders->dls_cnt && !done; i++)
        if (!(folders->dls_serpath[i].dls_flags & LA_SER_DEFAULT) != of_all)
            done = visit_folder(folders->dls_serpath[i].dls_name, lookup);
    return done;
}
#else
/* Other linkers tell nobody where they look. */
static bool visit_folders(struct lookup *lookup, bool of_all)
{
    (void) lookup, (void) of_all, (void) visit_folder;
    return false;
}
#endif

enum cushim_verdict cushim__lookup(const char *name, struct cushim__arena *arena,
                                   const char **ret_path, const char **ret_detail)
{
    struct lookup lookup = {name, arena, CUSHIM_VERDICT_CHOSEN, "", ""};

    (void) (visit_folders(&lookup, false) || cushim__ld_cache_each(name, visit, &lookup) ||
            visit_folders(&lookup, true));
    *ret_path = lookup.path;
    *ret_detail = lookup.detail;
    return lookup.verdict;
}
