/* SPDX-License-Identifier: MIT */
#include "core/code/code.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/util.h"

enum { INVALID_IMAGE = 200, FILE_NOT_FOUND = 301 }; /* CUDA_ERROR_... */

/* The header of a fat binary. */
struct fat_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* what follows the header */
};

#define FAT_MAGIC 0xba55ed50u

static bool inside(uint64_t offset, uint64_t size, size_t bytes)
{
    return offset <= bytes && size <= bytes - offset;
}

/* Is everything that a 64-bit ELF file points to inside of it? */
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

static bool is_whole_fat(const char *data, size_t bytes)
{
    struct fat_header header;

    if (bytes < sizeof(header))
        return false;
    memcpy(&header, data, sizeof(header));
    return header.header_bytes >= sizeof(header) && header.header_bytes <= bytes &&
           header.bytes <= bytes - header.header_bytes;
}

static bool begins_with(const void *data, size_t bytes, const void *magic, size_t size)
{
    return bytes >= size && !memcmp(data, magic, size);
}

/* What it is; an explanation if it is nothing that a driver should see. */
static const char *examine(const char *data, size_t bytes, enum cushim__code_kind *ret_kind)
{
    const uint32_t fat = FAT_MAGIC;
    size_t length;

    if (begins_with(data, bytes, ELFMAG, SELFMAG)) {
        *ret_kind = CUSHIM__CODE_CUBIN;
        return is_whole_elf(data, bytes) ? NULL : "a cubin that is cut off";
    }
    if (begins_with(data, bytes, &fat, sizeof(fat))) {
        *ret_kind = CUSHIM__CODE_FATBINARY;
        return is_whole_fat(data, bytes) ? NULL : "a fat binary that is cut off";
    }
    *ret_kind = CUSHIM__CODE_PTX;
    length = strnlen(data, bytes);
    if (!length)
        return "empty";
    /* NULs may end a text, and nothing may follow them. */
    for (size_t i = length; i < bytes; i++)
        if (data[i])
            return "neither PTX, nor a cubin, nor a fat binary";
    return NULL;
}

/* Takes over bytes, which has room for a NUL. */
static cushim_status take(char *bytes, size_t n_bytes, const char *label, const char *call,
                          struct cushim__code *ret_code)
{
    struct cushim__code code = {.bytes = bytes, .n_bytes = n_bytes};
    const char *wrong = examine(bytes, n_bytes, &code.kind);

    bytes[n_bytes] = '\0';
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

    if (!data)
        return cushim__fail_at(CUSHIM_ERROR_INVALID_ARGUMENT, call, label, "%s: data is NULL",
                               call);
    copy = bytes < SIZE_MAX ? malloc(bytes + 1) : NULL;
    if (!copy)
        return cushim__fail_at(CUSHIM_ERROR_NO_MEMORY, call, label,
                               "no memory for %zu bytes of code", bytes);
    memcpy(copy, data, bytes);
    return take(copy, bytes, label, call, ret_code);
}

/* All of a file, with room for a NUL; errno says why not. */
static char *read_all(FILE *file, size_t *ret_bytes)
{
    size_t room = 65536, bytes = 0;
    char *data = malloc(room + 1), *more;

    while (data) {
        bytes += fread(data + bytes, 1, room - bytes, file);
        if (ferror(file))
            break;
        if (bytes < room) {
            *ret_bytes = bytes;
            return data;
        }
        room *= 2;
        more = realloc(data, room + 1);
        if (!more)
            break;
        data = more;
    }
    free(data);
    return NULL;
}

cushim_status cushim__code_read(const char *path, const char *call, struct cushim__code *ret_code)
{
    FILE *file = fopen(path, "re");
    size_t bytes = 0;
    char *data = file ? read_all(file, &bytes) : NULL;
    const int error = errno;

    if (file)
        fclose(file);
    if (!data)
        return cushim__fail_at(!file && error == ENOENT ? FILE_NOT_FOUND : CUSHIM_ERROR_SYSTEM,
                               call, path, "%s: %s: %s", call, path, strerror(error));
    return take(data, bytes, path, call, ret_code);
}

void cushim__code_finish(struct cushim__code *code)
{
    free(TAKE_PTR(code->bytes));
}
