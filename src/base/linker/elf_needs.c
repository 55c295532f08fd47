/* SPDX-License-Identifier: MIT */
#include "base/linker/elf.h"

#include <string.h>
#include <unistd.h>

#include "base/util.h"

/* Entries are read in parts. One part is enough for nearly every library. */
enum { PART = 128 };

/* Lists of folders may be long. A damaged file may have any bytes there. */
enum { FIRST_STRING = 512, LONGEST_STRING = 1 << 20 };

struct dynamic {
    int fd;
    const struct cushim__elf_file *file;
    uint64_t offset, n; /* where the entries are in the file, and how many there may be */
    Elf64_Dyn part[PART];
    uint64_t part_begin; /* the index of the part's first entry */
    size_t part_n;
};

/* The last value of each tag counts, as for the linker. */
struct values {
    uint64_t strings, own_name, rpath, runpath, flags;
    bool has_strings, has_own_name, has_rpath, has_runpath;
    size_t n_needs;
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

static void find_dynamic(struct dynamic *dynamic)
{
    for (unsigned i = 0; i < dynamic->file->n_segments; i++) {
        const Elf64_Phdr *segment = &dynamic->file->segments[i];

        if (segment->p_type != PT_DYNAMIC)
            continue;
        dynamic->offset = segment->p_offset;
        dynamic->n = segment->p_filesz / sizeof(Elf64_Dyn);
    }
}

/* Returns an entry, or NULL behind the last one. */
static const Elf64_Dyn *entry_at(struct dynamic *dynamic, uint64_t i)
{
    if (i >= dynamic->n)
        return NULL;
    if (i < dynamic->part_begin || i - dynamic->part_begin >= dynamic->part_n) {
        const uint64_t rest = dynamic->n - i;
        const size_t bytes = (rest < PART ? rest : PART) * sizeof(Elf64_Dyn);
        const ssize_t n = pread(dynamic->fd, dynamic->part, bytes,
                                (off_t) (dynamic->offset + i * sizeof(Elf64_Dyn)));

        dynamic->part_begin = i;
        dynamic->part_n = n > 0 ? (size_t) n / sizeof(Elf64_Dyn) : 0;
        if (!dynamic->part_n)
            return NULL;
    }
    return dynamic->part[i - dynamic->part_begin].d_tag == DT_NULL
               ? NULL
               : &dynamic->part[i - dynamic->part_begin];
}

/* A filter, or an auxiliary library, is loaded as well. */
static bool is_need(Elf64_Sxword tag)
{
    return tag == DT_NEEDED || tag == DT_FILTER || tag == DT_AUXILIARY;
}

static void set(uint64_t *value, bool *has, const Elf64_Dyn *entry)
{
    *value = entry->d_un.d_val;
    *has = true;
}

static struct values read_values(struct dynamic *dynamic)
{
    struct values values = {0};
    const Elf64_Dyn *entry;

    for (uint64_t i = 0; (entry = entry_at(dynamic, i)); i++) {
        values.n_needs += is_need(entry->d_tag);
        switch (entry->d_tag) {
        case DT_STRTAB:
            set(&values.strings, &values.has_strings, entry);
            break;
        case DT_SONAME:
            set(&values.own_name, &values.has_own_name, entry);
            break;
        case DT_RPATH:
            set(&values.rpath, &values.has_rpath, entry);
            break;
        case DT_RUNPATH:
            set(&values.runpath, &values.has_runpath, entry);
            break;
        case DT_FLAGS_1:
            values.flags = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
    return values;
}

/* Returns a string at an offset of the file, or "" if it does not end within the limit. */
static const char *read_string(int fd, uint64_t strings, uint64_t at, struct cushim__arena *arena)
{
    uint64_t offset;

    if (__builtin_add_overflow(strings, at, &offset) || offset > INT64_MAX)
        return "";
    for (size_t size = FIRST_STRING; size <= LONGEST_STRING; size *= 2) {
        SCOPED_FREE char *text = malloc(size);
        const ssize_t n = text ? pread(fd, text, size, (off_t) offset) : 0;

        if (n <= 0)
            return "";
        if (memchr(text, '\0', (size_t) n))
            return cushim__arena_printf(arena, "%s", text);
        if ((size_t) n < size)
            return "";
    }
    return "";
}

struct cushim__elf_needs cushim__elf_needs(int fd, const struct cushim__elf_file *file,
                                           struct cushim__arena *arena)
{
    struct cushim__elf_needs needs = {0};
    struct dynamic dynamic = {.fd = fd, .file = file};
    struct cushim__elf_need *list;
    const Elf64_Dyn *entry;
    struct values values;

    find_dynamic(&dynamic);
    values = read_values(&dynamic);
    if (!values.has_strings || !offset_of(file, values.strings, &values.strings))
        return needs;
    if (values.has_own_name)
        needs.own_name = read_string(fd, values.strings, values.own_name, arena);
    if (values.has_runpath)
        needs.runpath = read_string(fd, values.strings, values.runpath, arena);
    else if (values.has_rpath)
        needs.rpath = read_string(fd, values.strings, values.rpath, arena);
    needs.no_default = values.flags & DF_1_NODEFLIB;
    list = values.n_needs ? cushim__arena_alloc(arena, values.n_needs * sizeof(*list)) : NULL;
    for (uint64_t i = 0; list && needs.n < values.n_needs && (entry = entry_at(&dynamic, i)); i++) {
        if (is_need(entry->d_tag))
            list[needs.n++] =
                (struct cushim__elf_need){read_string(fd, values.strings, entry->d_un.d_val, arena),
                                          entry->d_tag == DT_AUXILIARY};
    }
    needs.needs = list;
    return needs;
}
