/* SPDX-License-Identifier: MIT */
#include "base/linker/elf.h"

#include <string.h>
#include <unistd.h>

#include "base/util.h"

/* These limits are higher than any library needs. A damaged file may contain any number. */
enum { MOST_ENTRIES = 1024, LONGEST_STRING = 4096 };

struct dynamic {
    int fd;
    const struct cushim__elf_file *file;
    Elf64_Dyn entries[MOST_ENTRIES];
    size_t n;
    uint64_t strings; /* the offset of the string table in the file */
};

/* Finds where the bytes of an address are in the file. */
static bool offset_of(const struct cushim__elf_file *file, uint64_t address, uint64_t *ret_offset)
{
    for (unsigned i = 0; i < file->n_segments; i++) {
        const Elf64_Phdr *segment = &file->segments[i];

        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz) {
            *ret_offset = segment->p_offset + (address - segment->p_vaddr);
            return true;
        }
    }
    return false;
}

static const Elf64_Dyn *find_entry(const struct dynamic *dynamic, Elf64_Sxword tag)
{
    for (size_t i = 0; i < dynamic->n && dynamic->entries[i].d_tag != DT_NULL; i++) {
        if (dynamic->entries[i].d_tag == tag)
            return &dynamic->entries[i];
    }
    return NULL;
}

static bool read_dynamic(struct dynamic *dynamic)
{
    const Elf64_Dyn *strings;

    for (unsigned i = 0; i < dynamic->file->n_segments; i++) {
        const Elf64_Phdr *segment = &dynamic->file->segments[i];
        size_t bytes;
        ssize_t n;

        if (segment->p_type != PT_DYNAMIC)
            continue;
        bytes = segment->p_filesz < sizeof(dynamic->entries) ? segment->p_filesz
                                                             : sizeof(dynamic->entries);
        n = pread(dynamic->fd, dynamic->entries, bytes, (off_t) segment->p_offset);
        dynamic->n = n > 0 ? (size_t) n / sizeof(Elf64_Dyn) : 0;
    }
    strings = find_entry(dynamic, DT_STRTAB);
    return strings && offset_of(dynamic->file, strings->d_un.d_ptr, &dynamic->strings);
}

/* Returns a string of the table, or "" if it does not end within the limit. */
static const char *read_string(const struct dynamic *dynamic, uint64_t at,
                               struct cushim__arena *arena)
{
    char text[LONGEST_STRING];
    uint64_t offset;
    ssize_t n;

    if (__builtin_add_overflow(dynamic->strings, at, &offset) || offset > INT64_MAX)
        return "";
    n = pread(dynamic->fd, text, sizeof(text), (off_t) offset);
    if (n <= 0 || !memchr(text, '\0', (size_t) n))
        return "";
    return cushim__arena_printf(arena, "%s", text);
}

static const char *read_folders(const struct dynamic *dynamic, Elf64_Sxword tag,
                                struct cushim__arena *arena)
{
    const Elf64_Dyn *entry = find_entry(dynamic, tag);

    return entry ? read_string(dynamic, entry->d_un.d_val, arena) : "";
}

static bool is_need(Elf64_Sxword tag)
{
    return tag == DT_NEEDED || tag == DT_FILTER || tag == DT_AUXILIARY;
}

struct cushim__elf_needs cushim__elf_needs(int fd, const struct cushim__elf_file *file,
                                           struct cushim__arena *arena)
{
    struct cushim__elf_needs needs = {.rpath = "", .runpath = ""};
    struct dynamic dynamic = {.fd = fd, .file = file};

    if (!read_dynamic(&dynamic))
        return needs;
    /* A filter, or an auxiliary library, is loaded as well. */
    needs.names = cushim__arena_alloc(arena, dynamic.n * sizeof(*needs.names));
    for (size_t i = 0; needs.names && i < dynamic.n && dynamic.entries[i].d_tag != DT_NULL; i++) {
        if (is_need(dynamic.entries[i].d_tag))
            needs.names[needs.n++] = read_string(&dynamic, dynamic.entries[i].d_un.d_val, arena);
    }
    needs.rpath = read_folders(&dynamic, DT_RPATH, arena);
    needs.runpath = read_folders(&dynamic, DT_RUNPATH, arena);
    return needs;
}
