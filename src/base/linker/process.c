/* SPDX-License-Identifier: MIT */
#include "base/linker/process.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

bool cushim__process_is_secure(void)
{
    return getauxval(AT_SECURE) != 0;
}

void cushim__process_folders_finish(struct cushim__process_folders *folders)
{
    free(folders->list);
}

#ifdef __GLIBC__
static struct link_map *map_of(void *address)
{
    struct link_map *map = NULL;
    Dl_info info;

    return address && dladdr1(address, &info, (void **) &map, RTLD_DL_LINKMAP) ? map : NULL;
}

/*
 * The C library, and its folder, such as "/usr/lib/x86_64-linux-gnu". The end of that is what the
 * linker replaces $LIB by.
 */
struct c_library {
    struct link_map *map; /* NULL if it is not known; then the texts are "" */
    const char *folder, *lib;
    size_t folder_length, lib_length;
};

static struct c_library c_library(void)
{
    /* dlsym() finds the function itself, and not a jump to it that the executable may have. */
    struct link_map *map = map_of(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"));
    struct c_library c = {map, "", "", 0, 0};
    const char *slash = map ? strrchr(map->l_name, '/') : NULL;
    const char *lib = NULL;

    for (const char *at = slash ? map->l_name : NULL; at && (at = strstr(at, "/lib")) && at < slash;
         at++)
        lib = at;
    if (lib) {
        c.folder = map->l_name;
        c.folder_length = (size_t) (slash - map->l_name);
        c.lib = lib + 1;
        c.lib_length = (size_t) (slash - lib) - 1;
    }
    return c;
}

bool cushim__process_append_lib(struct cushim__str *str)
{
    const struct c_library c = c_library();

    cushim__str_append(str, "%.*s", (int) c.lib_length, c.lib);
    return c.lib_length > 0;
}

/* Returns the number of folders in which a loaded object searches. Its map serves as its handle. */
static size_t count_folders(struct link_map *map)
{
    Dl_serinfo size;

    return dlinfo(map, RTLD_DI_SERINFOSIZE, &size) ? 0 : size.dls_cnt;
}

static Dl_serinfo *list_folders(struct link_map *map)
{
    Dl_serinfo size, *list;

    if (!map || dlinfo(map, RTLD_DI_SERINFOSIZE, &size))
        return NULL;
    list = calloc(1, size.dls_size);
    if (!list || dlinfo(map, RTLD_DI_SERINFOSIZE, list) || dlinfo(map, RTLD_DI_SERINFO, list)) {
        free(list);
        return NULL;
    }
    return list;
}

static bool equals(const char *text, const char *part, size_t length)
{
    return strlen(text) == length && !strncmp(text, part, length);
}

static bool is_default(const char *folder, const struct c_library *c)
{
    if (c->folder_length && equals(folder, c->folder, c->folder_length))
        return true;
    if (!strncmp(folder, "/usr/", 5))
        folder += 4;
    return !strcmp(folder, "/lib") ||
           (c->lib_length && *folder == '/' && equals(folder + 1, c->lib, c->lib_length));
}

/*
 * Returns where the default folders begin. The linker does not tell, but they come last, and none
 * of them comes twice.
 */
static size_t find_defaults(const Dl_serinfo *list)
{
    const struct c_library c = c_library();
    size_t begin = list->dls_cnt;

    while (begin > 0 && is_default(list->dls_serpath[begin - 1].dls_name, &c)) {
        for (size_t i = begin; i < list->dls_cnt; i++) {
            if (!strcmp(list->dls_serpath[i].dls_name, list->dls_serpath[begin - 1].dls_name))
                return begin;
        }
        begin--;
    }
    return begin;
}

static struct cushim__process_folders divide(Dl_serinfo *list, size_t rpath)
{
    struct cushim__process_folders folders = {.list = list};

    if (!list)
        return folders;
    folders.end = list->dls_cnt;
    folders.defaults = find_defaults(list);
    folders.path = 2 * rpath < folders.defaults ? 2 * rpath : folders.defaults;
    folders.rpath = rpath < folders.path ? rpath : folders.path;
    return folders;
}

/*
 * The C library names no folders. So its folders are those that the executable names by DT_RPATH,
 * once because the executable loaded the C library, and once more because the linker adds them for
 * all libraries, and then those of the process. The executable itself has the former only once.
 */
struct cushim__process_folders cushim__process_folders(void)
{
    struct link_map *of_c = c_library().map, *executable = of_c;
    size_t all, without;

    if (!of_c)
        return (struct cushim__process_folders){0};
    while (executable->l_prev)
        executable = executable->l_prev;
    all = count_folders(of_c);
    without = count_folders(executable);
    return divide(list_folders(of_c), all > without ? all - without : 0);
}

struct cushim__process_folders cushim__process_own_folders(void)
{
    return divide(list_folders(map_of((void *) (intptr_t) cushim__process_own_folders)), 0);
}

const char *cushim__process_folder(const struct cushim__process_folders *folders, size_t i)
{
    return ((const Dl_serinfo *) folders->list)->dls_serpath[i].dls_name;
}
#else
struct cushim__process_folders cushim__process_folders(void)
{
    return (struct cushim__process_folders){0};
}

struct cushim__process_folders cushim__process_own_folders(void)
{
    return (struct cushim__process_folders){0};
}

const char *cushim__process_folder(const struct cushim__process_folders *folders, size_t i)
{
    (void) folders, (void) i;
    return "";
}

bool cushim__process_append_lib(struct cushim__str *str)
{
    (void) str;
    return false;
}
#endif
