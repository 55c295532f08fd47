/* SPDX-License-Identifier: MIT */
#include "core/code/code.h"

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/status.h"
#include "base/util.h"

enum { INVALID_IMAGE = 200, FILE_NOT_FOUND = 301 }; /* CUDA_ERROR_... */

/* The header of a fat binary. */
struct fat_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* of the entries after this header */
};

/* The header of one entry of a fat binary. */
struct fat_entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes; /* of the code after this header */
};

#define FAT_MAGIC 0xba55ed50u

/* Begins the structure that a compiled program has in its data, which points to a fat binary. */
#define FAT_POINTER_MAGIC 0x466243b1u

/* A larger file is refused before it is read: no code has that size. */
#define LARGEST_FILE ((size_t) 1 << 30)

static bool inside(uint64_t offset, uint64_t size, size_t bytes)
{
    return offset <= bytes && size <= bytes - offset;
}

/* Tells whether everything that a 64-bit ELF file points to lies inside of it. */
static bool is_whole_elf(const char *data, size_t bytes)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;

    if (bytes < sizeof(header))
        return false;
    memcpy(&header, data, sizeof(header));
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(section) ||
        !inside(header.e_shoff, (uint64_t) header.e_shnum * sizeof(section), bytes) ||
        !inside(header.e_phoff, (uint64_t) header.e_phnum * header.e_phentsize, bytes))
        return false;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        memcpy(&section, data + header.e_shoff + i * sizeof(section), sizeof(section));
        if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
            !inside(section.sh_offset, section.sh_size, bytes))
            return false;
    }
    return true;
}

/* Tells whether each entry ends where the next one begins, and the last one at the end. */
static bool are_whole_entries(const char *data, uint64_t left)
{
    struct fat_entry entry;
    uint64_t bytes;

    for (; left; data += bytes, left -= bytes) {
        if (left < sizeof(entry))
            return false;
        memcpy(&entry, data, sizeof(entry));
        if (entry.header_bytes < sizeof(entry) ||
            !inside(entry.header_bytes, entry.bytes, (size_t) left))
            return false;
        bytes = entry.header_bytes + entry.bytes;
    }
    return true;
}

static bool is_whole_fat(const char *data, size_t bytes)
{
    struct fat_header header;

    if (bytes < sizeof(header))
        return false;
    memcpy(&header, data, sizeof(header));
    return header.header_bytes >= sizeof(header) &&
           inside(header.header_bytes, header.bytes, bytes) &&
           are_whole_entries(data + header.header_bytes, header.bytes);
}

static bool begins_with(const void *data, size_t bytes, const void *magic, size_t size)
{
    return bytes >= size && !memcmp(data, magic, size);
}

/* Every PTX has the directive .version. */
static bool is_source(const char *text)
{
    return !strstr(text, ".version") &&
           (strstr(text, "__global__") || strstr(text, "__device__") || strstr(text, "#include"));
}

/* Determines the kind of the code, which a NUL follows. Returns an explanation if a driver must not
 * get it, or NULL. */
static const char *examine(const char *data, size_t bytes, enum cushim__code_kind *ret_kind)
{
    const uint32_t fat = FAT_MAGIC, fat_pointer = FAT_POINTER_MAGIC;
    size_t length;

    if (begins_with(data, bytes, ELFMAG, SELFMAG)) {
        *ret_kind = CUSHIM__CODE_CUBIN;
        return is_whole_elf(data, bytes) ? NULL : "a cubin that is cut off";
    }
    if (begins_with(data, bytes, &fat, sizeof(fat))) {
        *ret_kind = CUSHIM__CODE_FATBINARY;
        return is_whole_fat(data, bytes) ? NULL : "a fat binary that is cut off";
    }
    /* A driver would read from the address in this structure, whatever it is. */
    if (begins_with(data, bytes, &fat_pointer, sizeof(fat_pointer)))
        return "not code but a structure that points to a fat binary: give what it points to";
    if (is_source(data))
        return "CUDA C++ and not PTX: cushim_module_compile() compiles it";
    *ret_kind = CUSHIM__CODE_PTX;
    length = strnlen(data, bytes);
    if (length && !strstr(data, ".version"))
        return "neither PTX, which begins with .version, nor a cubin, nor a fat binary";
    /* NULs may end a text, and nothing may follow them. */
    for (size_t i = length; i < bytes; i++)
        if (data[i])
            return "neither PTX, nor a cubin, nor a fat binary";
    return length ? NULL : "empty";
}

/* Takes over bytes. There must be room for a NUL behind them. */
static cushim_status take(char *bytes, size_t n_bytes, const char *label, const char *call,
                          struct cushim__code *ret_code)
{
    struct cushim__code code = {.bytes = bytes, .n_bytes = n_bytes};
    const char *wrong;

    bytes[n_bytes] = '\0';
    wrong = examine(bytes, n_bytes, &code.kind);
    if (wrong) {
        free(bytes);
        return cushim__fail_at(INVALID_IMAGE, call, label, "%s: %s is %s", call,
                               label ? label : "the image", wrong);
    }
    *ret_code = code;
    return CUSHIM_OK;
}

cushim_status cushim__code_copy(const void *data, size_t bytes, const char *label, const char *call,
                                struct cushim__code *ret_code)
{
    char *copy;

    copy = bytes < PTRDIFF_MAX ? malloc(bytes + 1) : NULL;
    if (!copy)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, label,
                               "no memory for %zu bytes of code", bytes);
    memcpy(copy, data, bytes);
    return take(copy, bytes, label, call, ret_code);
}

cushim_status cushim__code_read(const char *path, const char *call, struct cushim__code *ret_code)
{
    struct cushim__file file;

    if (cushim__file_read(path, LARGEST_FILE, &file))
        return take(file.bytes, (size_t) file.size, path, call, ret_code);
    return cushim__fail_at(file.state == CUSHIM__FILE_ABSENT      ? FILE_NOT_FOUND
                           : file.state == CUSHIM__FILE_NO_MEMORY ? CUSHIM_ERROR_NO_MEMORY
                                                                  : CUSHIM_ERROR_SYSTEM,
                           call, path, "%s: %s%s%s", call, path, *path ? ": " : "", file.why);
}

void cushim__code_finish(struct cushim__code *code)
{
    free(TAKE_PTR(code->bytes));
}
