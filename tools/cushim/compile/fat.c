/* SPDX-License-Identifier: MIT */
#include "fat.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number in a structure is little-endian, as devices are. */
struct header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* of all entries */
};

/* In front of each image. What follows text_bytes is there for PTX only. */
struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes; /* of the image, a multiple of 8 */
    uint32_t compressed_bytes, options;
    uint16_t minor, major; /* of PTX, or of the format of machine code */
    uint32_t arch;
    uint32_t name, name_bytes;
    uint64_t flags;
    uint64_t reserved, text_bytes; /* 0: not compressed */
    uint32_t options_at, options_bytes;
    uint64_t end;
};

enum {
    KIND_PTX = 1,
    KIND_MACHINE_CODE = 2,
    ENTRY_VERSION = 0x101,
    BYTES_OF_MACHINE_CODE = 64, /* of the structure */
};

/* 64 bits and Linux, and the architectures for one device or one family. */
enum { FLAGS = 0x11, FLAG_ONE_DEVICE = 0x100000, FLAG_FAMILY = 0x200000 };

#define MAGIC 0xba55ed50u

static size_t padded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* PTX says its version, ".version 8.5"; machine code has it in its ELF header. */
static void set_version(const struct built *built, struct entry *entry)
{
    const char *version = built->arch->machine_code ? NULL : strstr(built->bytes, ".version ");
    unsigned major = 0, minor = 0;

    if (version && sscanf(version, ".version %3u.%3u", &major, &minor) == 2) {
        entry->major = (uint16_t) major;
        entry->minor = (uint16_t) minor;
    }
    if (built->arch->machine_code && built->n_bytes > EI_ABIVERSION) {
        entry->major = 1;
        entry->minor = (unsigned char) built->bytes[EI_ABIVERSION];
    }
}

/* NVRTC's default is named by the PTX alone: ".target sm_75". */
static unsigned arch_of(const struct built *built)
{
    const char *target = built->arch->number ? NULL : strstr(built->bytes, ".target sm_");
    unsigned number = built->arch->number;

    if (target)
        (void) sscanf(target, ".target sm_%3u", &number);
    return number;
}

static struct entry entry_of(const struct built *built)
{
    const bool machine_code = built->arch->machine_code;
    struct entry entry = {
        .kind = machine_code ? KIND_MACHINE_CODE : KIND_PTX,
        .version = ENTRY_VERSION,
        .header_bytes = machine_code ? BYTES_OF_MACHINE_CODE : sizeof(entry),
        .bytes = padded(built->n_bytes + !machine_code), /* PTX ends with a NUL */
        .arch = arch_of(built),
        .flags = FLAGS | (built->arch->suffix == 'a' ? FLAG_ONE_DEVICE : 0) |
                 (built->arch->suffix == 'f' ? FLAG_FAMILY : 0),
    };

    if (!machine_code) {
        entry.options = BYTES_OF_MACHINE_CODE;
        entry.options_at = BYTES_OF_MACHINE_CODE + 8;
    }
    set_version(built, &entry);
    return entry;
}

bool join_images(const struct built *built, size_t n, char **ret_bytes, size_t *ret_n)
{
    struct header header = {.magic = MAGIC, .version = 1, .header_bytes = sizeof(header)};
    char *bytes, *at;

    for (size_t i = 0; i < n; i++) {
        const struct entry entry = entry_of(&built[i]);

        header.bytes += entry.header_bytes + entry.bytes;
    }
    bytes = calloc(1, sizeof(header) + header.bytes);
    if (!bytes)
        return false;
    memcpy(bytes, &header, sizeof(header));
    at = bytes + sizeof(header);
    for (size_t i = 0; i < n; i++) {
        const struct entry entry = entry_of(&built[i]);

        memcpy(at, &entry, entry.header_bytes);
        memcpy(at + entry.header_bytes, built[i].bytes, built[i].n_bytes);
        at += entry.header_bytes + entry.bytes;
    }
    *ret_bytes = bytes;
    *ret_n = sizeof(header) + header.bytes;
    return true;
}
