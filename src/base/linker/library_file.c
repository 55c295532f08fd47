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

static int has_own_name(struct dl_phdr_info *info, size_t size, void *user)
{
    const char *own = own_name(info);

    (void) size;
    return own && !strcmp(own, user);
}

static bool is_own_name(const char *name)
{
    return dl_iterate_phdr(has_own_name, (void *) (uintptr_t) name);
}

static int has_file_name(struct dl_phdr_info *info, size_t size, void *user)
{
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

    (void) size;
    return slash && !strcmp(slash + 1, user);
}

/* --- one file --- */

static enum cushim__library_state state_of_open(const struct cushim__file *file)
{
    switch (file->state) {
    case CUSHIM__FILE_ABSENT:
        return CUSHIM__LIBRARY_ABSENT;
    case CUSHIM__FILE_CIRCLE:
        return CUSHIM__LIBRARY_CIRCLE;
    case CUSHIM__FILE_FOLDER:
        return CUSHIM__LIBRARY_FOLDER;
    case CUSHIM__FILE_SPECIAL:
        return CUSHIM__LIBRARY_SPECIAL;
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

/* A file, and what it says if it fits. */
struct look {
    struct cushim__library_file file;
    struct cushim__elf_needs needs;
};

static struct look look_at(const char *path, struct cushim__arena *arena)
{
    struct look look = {.file = {CUSHIM__LIBRARY_EMPTY, path, "the file has no content"}};
    struct cushim__elf_file elf;
    struct cushim__file file;
    const int fd = cushim__file_open(path, &file);

    if (fd < 0) {
        look.file.state = state_of_open(&file);
        look.file.why =
            file.state == CUSHIM__FILE_ABSENT ? "" : cushim__arena_printf(arena, "%s", file.why);
        return look;
    }
    if (file.size) {
        cushim__elf_inspect(fd, file.size, arena, &elf);
        look.file.state = state_of_elf(elf.state);
        look.file.why = *elf.why ? cushim__arena_printf(arena, "%s", elf.why) : "";
        if (elf.state == CUSHIM__ELF_FITS)
            look.needs = cushim__elf_needs(fd, &elf, arena);
    }
    close(fd);
    return look;
}

/* --- a file by its name --- */

struct find {
    struct cushim__arena *arena;
    struct look look;
};

/*
 * The linker goes on after a file that it cannot read, or that is for another machine. It also goes
 * on after a circle of symbolic links, which is the reason of its failure if it finds nothing else.
 */
static enum cushim__visit visit(const char *path, void *user)
{
    struct find *find = user;
    struct look look = look_at(path, find->arena);

    if (look.file.state == CUSHIM__LIBRARY_ABSENT ||
        look.file.state == CUSHIM__LIBRARY_UNREADABLE ||
        look.file.state == CUSHIM__LIBRARY_OTHER_MACHINE)
        return CUSHIM__VISIT_NEXT;
    look.file.path = cushim__arena_printf(find->arena, "%s", path);
    find->look = look;
    if (look.file.state == CUSHIM__LIBRARY_CIRCLE)
        return CUSHIM__VISIT_LEAVE;
    return look.file.state == CUSHIM__LIBRARY_FITS ? CUSHIM__VISIT_TAKEN : CUSHIM__VISIT_BAD;
}

static struct look find_file(const char *name, const struct cushim__searcher *searcher,
                             struct cushim__arena *arena)
{
    const struct look none = {.file = {CUSHIM__LIBRARY_FITS, "", ""}};
    struct find find = {arena, none};

    if (cushim__folders_each(name, searcher, visit, &find) &&
        find.look.file.state == CUSHIM__LIBRARY_CIRCLE)
        return none;
    return find.look;
}

/*
 * Tells whether a library was loaded by this very name, though it gives itself another one or none.
 * Only the linker knows that. It opens files for a name that it does not know, so it is not asked
 * if it would find a pipe.
 */
static bool was_loaded_by(const char *name, struct cushim__arena *arena)
{
    void *handle;

    if (!dl_iterate_phdr(has_file_name, (void *) (uintptr_t) name) ||
        find_file(name, NULL, arena).file.state == CUSHIM__LIBRARY_SPECIAL)
        return false;
    handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    return handle && !dlclose(handle);
}

bool cushim__library_is_loaded(const char *name)
{
    struct cushim__arena arena = {0};
    const bool loaded = is_own_name(name) || was_loaded_by(name, &arena);

    cushim__arena_finish(&arena);
    return loaded;
}

/* Finds the file that the linker would load for a name; none if a library was loaded by it. */
static struct look find_name(const char *name, const struct cushim__searcher *searcher,
                             struct cushim__arena *arena)
{
    const struct look none = {.file = {CUSHIM__LIBRARY_FITS, "", ""}};
    const struct look look = find_file(name, searcher, arena);

    return look.file.state != CUSHIM__LIBRARY_FITS && was_loaded_by(name, arena) ? none : look;
}

/* --- what files need --- */

/* This is far more than any library needs. Libraries beyond that number are not looked at here. */
enum { MOST_NEEDED = 2048 };

/* A library that would be loaded, by the name under which it was needed. */
struct step {
    struct step *next;
    const char *name;
    struct cushim__elf_needs needs;
    struct cushim__searcher searcher; /* the library as one that searches for others */
};

struct walk {
    struct cushim__arena *arena;
    struct step *first, **end;
    size_t n; /* the number of names so far */
};

static void add_step(struct walk *walk, const char *name, const struct look *look,
                     const struct cushim__searcher *loader)
{
    struct step *step = cushim__arena_alloc(walk->arena, sizeof(*step));

    if (!step)
        return;
    *step = (struct step){.name = name, .needs = look->needs};
    step->searcher = (struct cushim__searcher){loader, look->file.path, look->needs.rpath,
                                               look->needs.runpath, look->needs.no_default};
    *walk->end = step;
    walk->end = &step->next;
}

/*
 * The parts of the C library. This process already runs with them, and not all of them are loaded
 * as files.
 */
static bool is_of_c_library(const char *name)
{
    static const char *const parts[] = {"libc.so.6", "libc.so", "libdl.so.2", "librt.so.1",
                                        "libpthread.so.0"};

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (!strcmp(name, parts[i]))
            return true;
    return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld-musl-", 8) ||
           !strncmp(name, "ld64.so.", 8);
}

/* Circles end here, and a library that is needed under two names is found once. */
static bool is_known(const struct walk *walk, const char *name)
{
    for (const struct step *step = walk->first; step; step = step->next) {
        if (!strcmp(step->name, name) ||
            (step->needs.own_name && !strcmp(step->needs.own_name, name)))
            return true;
    }
    return false;
}

/* Tells whether the linker only reports the file, or leaves it out if it is not necessary. */
static bool is_harmless(enum cushim__library_state state)
{
    return state != CUSHIM__LIBRARY_CUT_SHORT && state != CUSHIM__LIBRARY_SPECIAL;
}

/*
 * Finds one library that another one needs. Returns false if the linker would load a bad file for
 * it.
 */
static bool follow_need(struct walk *walk, const struct cushim__elf_need *need,
                        const struct cushim__searcher *searcher,
                        struct cushim__library_file *ret_bad)
{
    SCOPED_STR expanded = {0};
    const char *name;
    struct look look;

    if (!cushim__folders_expand(need->name, searcher->path, &expanded))
        return true;
    name = cushim__arena_printf(walk->arena, "%s", cushim__str_get(&expanded));
    if (!*name || is_of_c_library(name) || is_known(walk, name) || walk->n++ >= MOST_NEEDED ||
        is_own_name(name))
        return true;
    look = strchr(name, '/') ? look_at(name, walk->arena) : find_name(name, searcher, walk->arena);
    if (look.file.state == CUSHIM__LIBRARY_FITS) {
        if (*look.file.path)
            add_step(walk, name, &look, searcher);
        return true;
    }
    /* The linker itself reports a library that is absent. */
    *ret_bad = look.file;
    return look.file.state == CUSHIM__LIBRARY_ABSENT ||
           (need->optional && is_harmless(look.file.state));
}

/* A library does not fit if a library that it needs does not fit. */
static struct cushim__library_file with_needs(const char *name, struct look look,
                                              struct cushim__arena *arena)
{
    struct walk walk = {.arena = arena, .end = &walk.first};
    struct cushim__library_file bad;

    if (look.file.state == CUSHIM__LIBRARY_FITS && *look.file.path)
        add_step(&walk, name, &look, NULL);
    for (const struct step *step = walk.first; step; step = step->next) {
        for (size_t i = 0; i < step->needs.n; i++) {
            if (follow_need(&walk, &step->needs.needs[i], &step->searcher, &bad))
                continue;
            look.file.state = bad.state;
            look.file.why = cushim__arena_printf(arena, "it needs %s: %s", bad.path, bad.why);
            return look.file;
        }
    }
    return look.file;
}

struct cushim__library_file cushim__library_file_at(const char *path, struct cushim__arena *arena)
{
    return with_needs(path, look_at(path, arena), arena);
}

struct cushim__library_file cushim__library_file_named(const char *name,
                                                       struct cushim__arena *arena)
{
    return with_needs(name, find_name(name, NULL, arena), arena);
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
