/* SPDX-License-Identifier: MIT */
#include "base/linker/library_file.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/linker/elf.h"
#include "base/linker/folders.h"
#include "base/util.h"

/* --- libraries that are loaded --- */

static const ElfW(Dyn) * find_tag(const ElfW(Dyn) * entry, ElfW(Sxword) tag)
{
    while (entry->d_tag != DT_NULL && entry->d_tag != tag)
        entry++;
    return entry->d_tag == tag ? entry : NULL;
}

/* Returns the name that a loaded library gives itself, or NULL if it has none. */
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
    /* glibc and musl replace the offset by an address, and some other linkers keep the offset. */
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

bool cushim__library_is_loaded(const char *name)
{
    return dl_iterate_phdr(has_name, (void *) (uintptr_t) name);
}

/* --- one file --- */

static enum cushim__library_state state_of_open(const struct cushim__file *file)
{
    switch (file->state) {
    case CUSHIM__FILE_ABSENT:
        return CUSHIM__LIBRARY_ABSENT;
    case CUSHIM__FILE_CIRCLE:
    case CUSHIM__FILE_FOLDER:
    case CUSHIM__FILE_SPECIAL:
        return CUSHIM__LIBRARY_NO_FILE;
    default:
        return CUSHIM__LIBRARY_UNREADABLE;
    }
}

static enum cushim__library_state state_of_elf(enum cushim__elf state)
{
    switch (state) {
    case CUSHIM__ELF_FITS:
        return CUSHIM__LIBRARY_FITS;
    case CUSHIM__ELF_NONE:
        return CUSHIM__LIBRARY_NO_ELF;
    case CUSHIM__ELF_OTHER_MACHINE:
        return CUSHIM__LIBRARY_OTHER_MACHINE;
    case CUSHIM__ELF_CUT_SHORT:
        return CUSHIM__LIBRARY_CUT_SHORT;
    default:
        return CUSHIM__LIBRARY_UNREADABLE;
    }
}

/* Looks at one file. Adds what it needs to ret_needs, unless that is NULL. */
static struct cushim__library_file look_at(const char *path, struct cushim__arena *arena,
                                           struct cushim__elf_needs *ret_needs)
{
    struct cushim__library_file library = {CUSHIM__LIBRARY_EMPTY, path, ""};
    struct cushim__elf_file elf;
    struct cushim__file file;
    const int fd = cushim__file_open(path, &file);

    if (fd < 0) {
        library.state = state_of_open(&file);
        if (file.state != CUSHIM__FILE_ABSENT)
            library.why = cushim__arena_printf(arena, "%s", file.why);
        return library;
    }
    if (!file.size) {
        library.why = "the file has no content";
    } else {
        cushim__elf_inspect(fd, file.size, arena, &elf);
        library.state = state_of_elf(elf.state);
        if (elf.state != CUSHIM__ELF_FITS)
            library.why = cushim__arena_printf(arena, "%s", elf.why);
        else if (ret_needs)
            *ret_needs = cushim__elf_needs(fd, &elf, arena);
    }
    close(fd);
    return library;
}

/* --- a file by its name --- */

struct find {
    struct cushim__arena *arena;
    struct cushim__library_file library;
};

/* The linker goes on after a file that it cannot read, or that is for another machine. */
static enum cushim__visit visit(const char *path, void *user)
{
    struct find *find = user;
    struct cushim__library_file library = look_at(path, find->arena, NULL);

    if (library.state == CUSHIM__LIBRARY_ABSENT || library.state == CUSHIM__LIBRARY_UNREADABLE ||
        library.state == CUSHIM__LIBRARY_OTHER_MACHINE)
        return CUSHIM__VISIT_NEXT;
    library.path = cushim__arena_printf(find->arena, "%s", path);
    find->library = library;
    return library.state == CUSHIM__LIBRARY_FITS ? CUSHIM__VISIT_TAKEN : CUSHIM__VISIT_BAD;
}

static struct cushim__library_file
find_name(const char *name, const struct cushim__searcher *searcher, struct cushim__arena *arena)
{
    struct find find = {arena, {CUSHIM__LIBRARY_FITS, "", ""}};

    cushim__folders_each(name, searcher, visit, &find);
    return find.library;
}

/* --- what files need --- */

/* This is far more than any library needs. Libraries beyond that number are not looked at here. */
enum { MOST_NEEDED = 2048 };

struct walk {
    struct cushim__arena *arena;
    const char *names[MOST_NEEDED]; /* the names seen so far, so that circles end */
    const char
        *paths[MOST_NEEDED + 1]; /* the first file, and those found, whose needs are followed */
    size_t n_names, n_paths;
};

/*
 * The parts of the C library. This process already runs with them, and not all of them are loaded
 * as files.
 */
static bool is_of_c_library(const char *name)
{
    static const char *const parts[] = {"libc.so.",       "libm.so.", "libdl.so.", "librt.so.",
                                        "libpthread.so.", "ld-linux", "ld-musl-",  "ld64.so."};

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        if (!strncmp(name, parts[i], strlen(parts[i])))
            return true;
    }
    return false;
}

static bool is_new(const struct walk *walk, const char *name)
{
    for (size_t i = 0; i < walk->n_names; i++) {
        if (!strcmp(walk->names[i], name))
            return false;
    }
    return true;
}

/*
 * Finds one library that another one needs. Returns false if the linker would load a bad file for
 * it.
 */
static bool follow_name(struct walk *walk, const char *name,
                        const struct cushim__searcher *searcher,
                        struct cushim__library_file *ret_bad)
{
    struct cushim__library_file found;

    if (!*name || is_of_c_library(name) || walk->n_names == MOST_NEEDED || !is_new(walk, name))
        return true;
    walk->names[walk->n_names++] = name;
    if (cushim__library_is_loaded(name))
        return true;
    found = strchr(name, '/') ? look_at(name, walk->arena, NULL)
                              : find_name(name, searcher, walk->arena);
    if (found.state == CUSHIM__LIBRARY_FITS) {
        if (*found.path)
            walk->paths[walk->n_paths++] = found.path;
        return true;
    }
    /* The linker itself reports a library that is absent. */
    *ret_bad = found;
    return found.state == CUSHIM__LIBRARY_ABSENT;
}

static bool follow_file(struct walk *walk, const char *path, struct cushim__library_file *ret_bad)
{
    struct cushim__elf_needs needs = {.rpath = "", .runpath = ""};
    struct cushim__searcher searcher;

    (void) look_at(path, walk->arena, &needs);
    searcher = (struct cushim__searcher){path, needs.rpath, needs.runpath};
    for (unsigned i = 0; i < needs.n; i++) {
        if (!follow_name(walk, needs.names[i], &searcher, ret_bad))
            return false;
    }
    return true;
}

/* A library does not fit if a library that it needs does not fit. */
static struct cushim__library_file with_needs(struct cushim__library_file library,
                                              struct cushim__arena *arena)
{
    struct walk walk = {.arena = arena, .paths = {library.path}, .n_paths = 1};
    struct cushim__library_file bad;

    if (library.state != CUSHIM__LIBRARY_FITS || !*library.path)
        return library;
    for (size_t i = 0; i < walk.n_paths; i++) {
        if (!follow_file(&walk, walk.paths[i], &bad)) {
            library.state = bad.state;
            library.why = cushim__arena_printf(arena, "it needs %s: %s", bad.path, bad.why);
            return library;
        }
    }
    return library;
}

struct cushim__library_file cushim__library_file_at(const char *path, struct cushim__arena *arena)
{
    return with_needs(look_at(path, arena, NULL), arena);
}

struct cushim__library_file cushim__library_file_named(const char *name,
                                                       struct cushim__arena *arena)
{
    return with_needs(find_name(name, NULL, arena), arena);
}

void *cushim__library_open(const char *path_or_name, struct cushim__arena *arena,
                           const char **ret_why)
{
    struct cushim__library_file file = {CUSHIM__LIBRARY_FITS, "", ""};
    void *handle;

    if (strchr(path_or_name, '/'))
        file = cushim__library_file_at(path_or_name, arena);
    else if (!cushim__library_is_loaded(path_or_name))
        file = cushim__library_file_named(path_or_name, arena);
    if (file.state != CUSHIM__LIBRARY_FITS) {
        *ret_why = *file.why ? file.why : "No such file or directory";
        return NULL;
    }
    handle = dlopen(path_or_name, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        *ret_why = cushim__arena_printf(arena, "%s", dlerror());
    return handle;
}
