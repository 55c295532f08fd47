/* SPDX-License-Identifier: MIT */
#include "mock/ptx/container/fatbin.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 16
#define ROW_BYTES    64 /* the part of an entry's header that all versions have */

enum { KIND_PTX = 1, KIND_CUBIN = 2, KIND_LTO = 8 };

enum {
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_ONE_TARGET = 0x100000, /* sm_90a: only for this device */
    FLAG_FAMILY = 0x200000,     /* sm_100f: for devices of this major version */
};

static bool begins_with(const void *image, size_t size, const char *bytes, size_t length)
{
    const char *text = image;

    /* Byte by byte, because a short text may end before the last byte. */
    for (size_t i = 0; i < length; i++) {
        if (i >= size || text[i] != bytes[i])
            return false;
    }
    return true;
}

bool ptx__is_elf(const void *image, size_t size)
{
    static const char elf[] = {0x7f, 'E', 'L', 'F'};

    return begins_with(image, size, elf, sizeof(elf));
}

/*
 * Tells whether this is the wrapper that nvcc puts around a fat binary. It holds the address of the
 * data, so it only makes sense in memory (size unknown).
 */
static bool is_wrapper(const void *image, size_t size)
{
    return size == SIZE_MAX && begins_with(image, size, "\xb1\x43\x62\x46", 4);
}

static bool is_fatbin(const void *image, size_t size)
{
    return begins_with(image, size, "\x50\xed\x55\xba", 4);
}

bool ptx__is_fatbin(const void *image, size_t size)
{
    return is_fatbin(image, size) || is_wrapper(image, size);
}

static uint64_t read_number(const unsigned char *from, size_t bytes)
{
    uint64_t number = 0;

    for (size_t i = bytes; i-- > 0;)
        number = number << 8 | from[i];
    return number;
}

static enum ptx__fatbin_kind kind_of(uint64_t number)
{
    switch (number) {
    case KIND_PTX:
        return PTX__FATBIN_TEXT;
    case KIND_CUBIN:
        return PTX__FATBIN_CUBIN;
    case KIND_LTO:
        return PTX__FATBIN_LTO;
    default:
        return PTX__FATBIN_OTHER;
    }
}

static char suffix_of(uint64_t flags)
{
    if (flags & FLAG_ONE_TARGET)
        return 'a';
    return flags & FLAG_FAMILY ? 'f' : '\0';
}

/* Reads the entry at a position, and the distance to the next one. False if it is not complete. */
static bool read_entry(const unsigned char *at, size_t left, struct ptx__fatbin_entry *entry,
                       size_t *ret_bytes)
{
    uint64_t header, size;

    if (left < ROW_BYTES)
        return false;
    header = read_number(at + 4, 4);
    size = read_number(at + 8, 8);
    if (header < ROW_BYTES || header > left || size > left - header)
        return false;
    *entry = (struct ptx__fatbin_entry){
        .data = at + header,
        .size = size,
        .compressed_size = read_number(at + 16, 4),
        .text_size = read_number(at + 56, 8),
        .kind = kind_of(read_number(at, 2)),
        .target = (int) read_number(at + 28, 4),
        .flags = read_number(at + 40, 8),
    };
    entry->suffix = suffix_of(entry->flags);
    *ret_bytes = header + size;
    return true;
}

static bool suits(const struct ptx__fatbin_entry *entry, int capability)
{
    if (entry->suffix == 'a')
        return entry->target == capability;
    if (entry->suffix == 'f' && entry->target / 10 != capability / 10)
        return false;
    return entry->target <= capability;
}

static bool unpack(const struct ptx__fatbin_entry *entry, char *text)
{
    const size_t n = entry->compressed_size <= entry->size ? entry->compressed_size : entry->size;

    if (entry->flags & FLAG_ZSTD)
        return ptx__zstd(entry->data, n, (unsigned char *) text, entry->text_size);
    if (entry->flags & FLAG_LZ4)
        return ptx__lz4(entry->data, n, (unsigned char *) text, entry->text_size);
    memcpy(text, entry->data, entry->size);
    return true;
}

enum ptx__status ptx__fatbin_unpack(const struct ptx__fatbin_entry *entry, size_t most,
                                    char **ret_text)
{
    const bool compressed = entry->flags & (FLAG_LZ4 | FLAG_ZSTD);
    const size_t size = compressed ? entry->text_size : entry->size;
    char *text;

    if (size > most || size == SIZE_MAX)
        return PTX_TOO_LARGE;
    if (entry->flags & FLAG_ZSTD && !ptx__has_zstd())
        return PTX_NO_LIBRARY;
    text = calloc(1, size + 1);
    if (!text)
        return PTX_OUT_OF_MEMORY;
    if (!unpack(entry, text)) {
        free(text);
        return PTX_NO_PTX;
    }
    *ret_text = text;
    return PTX_OK;
}

/* Reads the sizes of a fat binary's head, and of what is behind it. */
static bool read_head(const unsigned char *bytes, size_t size, size_t *ret_head, size_t *ret_rest)
{
    /* The version is behind the magic number, and before the sizes. */
    if (!is_fatbin(bytes, size) || size < HEADER_BYTES || bytes[4] != 1 || bytes[5])
        return false;
    *ret_head = read_number(bytes + 6, 2);
    *ret_rest = read_number(bytes + 8, 8);
    return *ret_head >= HEADER_BYTES && *ret_head <= size && *ret_rest <= size - *ret_head;
}

size_t ptx__fatbin_bytes(const void *image, size_t size)
{
    size_t head, rest;

    return read_head(image, size, &head, &rest) ? head + rest : 0;
}

/* Where the binary is: a structure in the program's data has magic, version, and a pointer to it.
 */
static const unsigned char *bytes_of(const void *image, size_t size)
{
    const unsigned char *bytes = image;

    if (is_wrapper(image, size))
        memcpy(&bytes, bytes + 2 * sizeof(int), sizeof(bytes));
    return bytes;
}

bool ptx__fatbin_next(const void *image, size_t size, size_t *at,
                      struct ptx__fatbin_entry *ret_entry)
{
    const unsigned char *bytes = bytes_of(image, size);
    size_t head, rest, length, begin = *at;

    *at = 0;
    if (!bytes || !read_head(bytes, size, &head, &rest))
        return false;
    begin = begin ? begin : head;
    if (begin == head + rest) {
        *at = begin;
        return false;
    }
    if (!read_entry(bytes + begin, head + rest - begin, ret_entry, &length))
        return false;
    *at = begin + length;
    return true;
}

/* Chooses the PTX for the newest target. */
static enum ptx__status choose(const void *image, size_t size, int capability,
                               struct ptx__fatbin_entry *ret_entry)
{
    enum ptx__status status = PTX_MACHINE_CODE;
    struct ptx__fatbin_entry entry;
    size_t at = 0;

    while (ptx__fatbin_next(image, size, &at, &entry)) {
        if (entry.kind == PTX__FATBIN_TEXT && status == PTX_MACHINE_CODE)
            status = PTX_NO_TARGET;
        if (entry.kind != PTX__FATBIN_TEXT || !suits(&entry, capability) ||
            (status == PTX_OK && entry.target < ret_entry->target))
            continue;
        *ret_entry = entry;
        status = PTX_OK;
    }
    return at ? status : PTX_NO_PTX;
}

enum ptx__status ptx__fatbin_text(const void *image, size_t size, int capability, size_t most,
                                  char **ret_text)
{
    struct ptx__fatbin_entry entry = {.target = 0};
    const enum ptx__status status = choose(image, size, capability, &entry);

    return status == PTX_OK ? ptx__fatbin_unpack(&entry, most, ret_text) : status;
}
