/* SPDX-License-Identifier: MIT */
#include "mock/ptx/container/object.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock/ptx/container/fatbin.h"

/* A machine of the list of ELF's machines. */
enum { DEVICE = 190 };

static const char magic[] = "!<arch>\n";

bool ptx__is_library(struct ptx__piece file)
{
    return file.size >= strlen(magic) && !memcmp(file.bytes, magic, strlen(magic));
}

/* --- libraries --- */

enum { HEAD = 60, NAME_BYTES = 16, SIZE_AT = 48, SIZE_BYTES = 10 };

static bool read_member(struct ptx__piece library, size_t at, struct ptx__piece *ret_member)
{
    char digits[SIZE_BYTES + 1] = "";

    if (library.size - at < HEAD)
        return false;
    memcpy(digits, library.bytes + at + SIZE_AT, SIZE_BYTES);
    *ret_member = (struct ptx__piece){library.bytes + at + HEAD, strtoul(digits, NULL, 10)};
    return ret_member->size <= library.size - at - HEAD;
}

/* A long name is a number: where the name is in a member of names. A name ends with a "/". */
static void read_name(const char *head, struct ptx__piece names, char name[64])
{
    const char *text = head;
    size_t room = NAME_BYTES, length = 0;

    if (head[0] == '/') {
        const size_t place = strtoul(head + 1, NULL, 10);

        text = place < names.size ? names.bytes + place : "";
        room = place < names.size ? names.size - place : 0;
    }
    while (length < room && length < 63 && text[length] != '/' && text[length] != '\n')
        length++;
    memcpy(name, text, length);
    name[length] = '\0';
}

/* The library's own members are "/", "//" and "/SYM64/". */
static bool is_own(const char *head)
{
    return head[0] == '/' && (head[1] < '0' || head[1] > '9');
}

/* The member of long names comes before those that are not the library's own. */
static struct ptx__piece find_names(struct ptx__piece library)
{
    struct ptx__piece member;

    for (size_t at = strlen(magic);
         at < library.size && read_member(library, at, &member) && is_own(library.bytes + at);
         at += HEAD + member.size + member.size % 2)
        if (!memcmp(library.bytes + at, "//", 2))
            return member;
    return (struct ptx__piece){"", 0};
}

bool ptx__library_next(struct ptx__piece library, size_t *at, struct ptx__piece *ret_member,
                       char name[64])
{
    const struct ptx__piece names = find_names(library);

    if (!*at)
        *at = strlen(magic);
    while (*at < library.size && read_member(library, *at, ret_member)) {
        const char *head = library.bytes + *at;

        *at += HEAD + ret_member->size + ret_member->size % 2;
        if (is_own(head))
            continue;
        read_name(head, names, name);
        return true;
    }
    return false;
}

/* --- objects --- */

/* Copies a structure of the object. A member of a library may be at an odd place. */
static bool copy(struct ptx__piece object, uint64_t at, void *to, size_t bytes)
{
    if (at > object.size || bytes > object.size - at)
        return false;
    memcpy(to, object.bytes + at, bytes);
    return true;
}

bool ptx__is_host_object(struct ptx__piece file)
{
    Elf64_Ehdr header;

    return ptx__is_elf(file.bytes, file.size) && copy(file, 0, &header, sizeof(header)) &&
           header.e_machine != DEVICE;
}

static bool read_section(struct ptx__piece object, const Elf64_Ehdr *header, size_t number,
                         Elf64_Shdr *ret_section)
{
    uint64_t at;

    return !__builtin_add_overflow(header->e_shoff, number * sizeof(*ret_section), &at) &&
           copy(object, at, ret_section, sizeof(*ret_section));
}

static struct ptx__piece bytes_of(struct ptx__piece object, const Elf64_Shdr *section)
{
    if (section->sh_type == SHT_NOBITS || section->sh_offset > object.size ||
        section->sh_size > object.size - section->sh_offset)
        return (struct ptx__piece){"", 0};
    return (struct ptx__piece){object.bytes + section->sh_offset, section->sh_size};
}

/* An object with very many sections says in the first of them how many there are, and so on. */
static bool read_header(struct ptx__piece object, Elf64_Ehdr *header, uint64_t *ret_n,
                        struct ptx__piece *ret_names)
{
    Elf64_Shdr section;
    uint32_t names;

    if (!copy(object, 0, header, sizeof(*header)) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shentsize != sizeof(Elf64_Shdr) || !read_section(object, header, 0, &section))
        return false;
    *ret_n = header->e_shnum ? header->e_shnum : section.sh_size;
    names = header->e_shstrndx == SHN_XINDEX ? section.sh_link : header->e_shstrndx;
    if (!read_section(object, header, names, &section))
        return false;
    *ret_names = bytes_of(object, &section);
    return true;
}

struct ptx__piece ptx__object_section(struct ptx__piece object, const char *name)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    struct ptx__piece names;
    uint64_t n;

    if (!read_header(object, &header, &n, &names))
        return (struct ptx__piece){"", 0};
    for (uint64_t i = 0; i < n && read_section(object, &header, i, &section); i++)
        if (section.sh_name < names.size &&
            strnlen(names.bytes + section.sh_name, names.size - section.sh_name) == strlen(name) &&
            !memcmp(names.bytes + section.sh_name, name, strlen(name)))
            return bytes_of(object, &section);
    return (struct ptx__piece){"", 0};
}

bool ptx__binaries_next(struct ptx__piece section, size_t *at, struct ptx__piece *ret_binary)
{
    enum { ALIGNMENT = 8 };
    const char *begin = section.bytes + *at;
    const size_t left = section.size - *at;
    size_t bytes = ptx__fatbin_bytes(begin, left);

    if (!left)
        return false;
    *ret_binary = (struct ptx__piece){begin, bytes ? bytes : left};
    bytes = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : left;
    *at += bytes < left ? bytes : left;
    return true;
}
