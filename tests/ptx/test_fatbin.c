/* SPDX-License-Identifier: MIT */
/* Fat binaries, and what their texts are compressed with. */
#include <stdint.h>
#include <stdlib.h>

#include "mock/ptx/container/fatbin.h"
#include "support.h"

TestSuite(fatbin);

enum { PTX = 1, ELF = 2, LZ4 = 0x2000, ZSTD = 0x8000, ONE_TARGET = 0x100000, MOST = 1 << 16 };

struct binary {
    unsigned char bytes[4096];
    size_t size;
};

static void put(struct binary *binary, size_t at, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        binary->bytes[at + i] = (unsigned char) (number >> 8 * i);
}

static void begin(struct binary *binary)
{
    *binary = (struct binary){.size = 16};
    put(binary, 0, 0xba55ed50, 4);
    put(binary, 4, 1, 2);
    put(binary, 6, 16, 2);
}

static void add(struct binary *binary, int kind, int target, uint64_t flags, const void *data,
                size_t size, size_t text_size)
{
    const size_t at = binary->size;

    put(binary, at, (uint64_t) kind, 2);
    put(binary, at + 4, 64, 4);
    put(binary, at + 8, size, 8);
    put(binary, at + 16, flags & (LZ4 | ZSTD) ? size : 0, 4);
    put(binary, at + 28, (uint64_t) target, 4);
    put(binary, at + 40, flags, 8);
    put(binary, at + 56, text_size, 8);
    memcpy(binary->bytes + at + 64, data, size);
    binary->size += 64 + size;
    put(binary, 8, binary->size - 16, 8);
}

static void add_text(struct binary *binary, int target, uint64_t flags, const char *text)
{
    add(binary, PTX, target, flags, text, strlen(text), 0);
}

/* What a binary has for a device; freed by the caller. */
static char *text_of(const struct binary *binary, int capability)
{
    /* In memory of its own, so that a tool sees a read past its end. */
    unsigned char *copy = malloc(binary->size);
    char *text = NULL;
    enum ptx__status status;

    cr_assert(ne(ptr, copy, NULL));
    memcpy(copy, binary->bytes, binary->size);
    status = ptx__fatbin_text(copy, binary->size, capability, MOST, &text);
    free(copy);
    cr_assert(eq(int, (int) status, PTX_OK));
    return text;
}

static void expect_text(const struct binary *binary, int capability, const char *wanted)
{
    char *text = text_of(binary, capability);

    cr_expect(eq(str, text, S(wanted)));
    free(text);
}

Test(fatbin, the_newest_target_that_fits)
{
    struct binary binary;
    char *text = NULL;

    begin(&binary);
    add(&binary, ELF, 90, 0,
        "\x7f"
        "ELF",
        4, 0);
    add_text(&binary, 75, 0, "seventy-five");
    add_text(&binary, 90, 0, "ninety");
    add_text(&binary, 100, ONE_TARGET, "one hundred alone");
    expect_text(&binary, 80, "seventy-five");
    expect_text(&binary, 90, "ninety");
    expect_text(&binary, 100, "one hundred alone");
    expect_text(&binary, 103, "ninety");
    cr_expect(
        eq(int, (int) ptx__fatbin_text(binary.bytes, binary.size, 70, MOST, &text), PTX_NO_TARGET));
    cr_expect(eq(ptr, text, NULL));
}

Test(fatbin, the_structure_that_points_to_one)
{
    struct binary binary;
    struct {
        unsigned magic, version;
        const void *data, *file;
    } wrapper = {0x466243b1, 1, binary.bytes, NULL};
    char *text = NULL;

    begin(&binary);
    add_text(&binary, 80, 0, "text");
    cr_assert(eq(int, (int) ptx__fatbin_text(&wrapper, SIZE_MAX, 90, MOST, &text), PTX_OK));
    cr_expect(eq(str, text, S("text")));
    free(text);
    wrapper.data = NULL;
    cr_expect(eq(int, (int) ptx__fatbin_text(&wrapper, SIZE_MAX, 90, MOST, &text), PTX_NO_PTX));
}

/* "abc", then nine bytes from three back, then "xyz". */
static const unsigned char packed[] = {0x35, 'a', 'b', 'c', 3, 0, 0x30, 'x', 'y', 'z'};

/* Whoever says how large the structure is has it from a file, or from another program. */
Test(fatbin, a_structure_of_a_known_size_is_none)
{
    static const unsigned char pointer[24] = {0xb1, 0x43, 0x62, 0x46, 1, 0, 0, 0, 0xef, 0xbe};
    char *text = NULL;

    for (size_t size = 0; size <= sizeof(pointer); size++) {
        cr_expect(not(ptx__is_fatbin(pointer, size)), "%zu", size);
        cr_expect(eq(int, (int) ptx__fatbin_text(pointer, size, 90, MOST, &text), PTX_NO_PTX));
    }
}

static int status_of(const struct binary *binary, size_t most)
{
    char *text = NULL;
    const enum ptx__status status = ptx__fatbin_text(binary->bytes, binary->size, 90, most, &text);

    free(text);
    return (int) status;
}

Test(fatbin, why_there_is_no_text)
{
    struct binary binary;

    begin(&binary);
    cr_expect(eq(int, status_of(&binary, MOST), PTX_MACHINE_CODE));
    add(&binary, ELF, 90, 0, "\x7f", 1, 0);
    cr_expect(eq(int, status_of(&binary, MOST), PTX_MACHINE_CODE));
    add_text(&binary, 100, 0, "for newer ones");
    cr_expect(eq(int, status_of(&binary, MOST), PTX_NO_TARGET));
    add_text(&binary, 90, 0, "text");
    cr_expect(eq(int, status_of(&binary, 4), PTX_OK));
    cr_expect(eq(int, status_of(&binary, 3), PTX_TOO_LARGE));
}

/* One block of bytes as they are, and one of a byte many times over. */
static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 40, 0x20, 0,  0,
                                      'a',  'b',  'c',  'd',  0x23, 1,  0,    'x'};

Test(fatbin, zstd)
{
    struct binary binary;

    if (!ptx__has_zstd())
        cr_skip("there is no libzstd");
    begin(&binary);
    add(&binary, PTX, 80, ZSTD, frame, sizeof(frame), 40);
    expect_text(&binary, 90, "abcdxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    cr_expect(eq(int, status_of(&binary, 39), PTX_TOO_LARGE));
    for (size_t size = 30; size < 50; size++) {
        begin(&binary);
        add(&binary, PTX, 80, ZSTD, frame, sizeof(frame), size);
        cr_expect(eq(int, status_of(&binary, MOST), size == 40 ? PTX_OK : PTX_NO_PTX), "%zu", size);
    }
}

/* No more is made of a few bytes than can come of them, and no more than the header says. */
Test(fatbin, what_is_promised_and_cannot_be)
{
    struct binary binary;

    begin(&binary);
    add(&binary, PTX, 80, LZ4, packed, sizeof(packed), MOST);
    cr_expect(eq(int, status_of(&binary, MOST), PTX_NO_PTX));
    begin(&binary);
    add(&binary, PTX, 80, LZ4, packed, sizeof(packed), SIZE_MAX);
    cr_expect(eq(int, status_of(&binary, MOST), PTX_TOO_LARGE));
    cr_expect(eq(int, status_of(&binary, SIZE_MAX), PTX_TOO_LARGE));
    cr_expect(eq(int, status_of(&binary, SIZE_MAX - 1), PTX_TOO_LARGE));
}

Test(fatbin, lz4)
{
    struct binary binary;

    begin(&binary);
    add(&binary, PTX, 80, LZ4, packed, sizeof(packed), 15);
    expect_text(&binary, 90, "abcabcabcabcxyz");
}

Test(fatbin, lz4_with_long_lengths)
{
    unsigned char from[400] = {0xff, 255, 10}, to[700];
    size_t n = 3;

    /* 15 + 255 + 10 bytes as they are, then 15 + 255 + 20 + 4 copies of the one before. */
    memset(from + n, 'a', 280);
    n += 280;
    memcpy(from + n, "\x01\x00\xff\x14\x00", 5);
    n += 5;
    cr_expect(ptx__lz4(from, n, to, 574));
    for (size_t i = 0; i < 574; i++)
        cr_assert(eq(u8, to[i], 'a'));
}

Test(fatbin, broken_lz4)
{
    static const struct {
        unsigned char bytes[8];
        size_t n, size;
    } broken[] = {
        {{0x30, 'a', 'b'}, 3, 3},   /* fewer bytes than it says */
        {{0xf0}, 1, 20},            /* no length */
        {{0x10, 'a', 1}, 3, 5},     /* half a distance */
        {{0x10, 'a', 0, 0}, 4, 5},  /* no distance */
        {{0x10, 'a', 2, 0}, 4, 5},  /* from before the begin */
        {{0x10, 'a', 1, 0}, 4, 4},  /* more than there is room for */
        {{0x1f, 'a', 1, 0}, 4, 40}, /* no length of the copy */
        {{0x10, 'a'}, 2, 2},        /* too little */
        {{0x20, 'a', 'b'}, 3, 1},   /* too much */
    };
    unsigned char to[64];

    for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++)
        cr_expect(not(ptx__lz4(broken[i].bytes, broken[i].n, to, broken[i].size)), "%zu", i);
}

/* At every place it can end at, and with every byte of its head another one. */
Test(fatbin, broken_ones)
{
    struct binary binary;
    unsigned char *copy;
    char *text = NULL;

    begin(&binary);
    add(&binary, PTX, 80, LZ4, packed, sizeof(packed), 15);
    for (size_t size = 4; size < binary.size; size++) {
        copy = malloc(size);
        cr_assert(ne(ptr, copy, NULL));
        memcpy(copy, binary.bytes, size);
        cr_expect(eq(int, (int) ptx__fatbin_text(copy, size, 90, MOST, &text), PTX_NO_PTX), "%zu",
                  size);
        free(copy);
    }
    for (size_t i = 0; i < 80; i++) {
        struct binary changed = binary;

        changed.bytes[i] ^= 0xa5;
        if (ptx__is_fatbin(changed.bytes, changed.size) &&
            ptx__fatbin_text(changed.bytes, changed.size, 90, MOST, &text) == PTX_OK)
            free(text);
    }
}

Test(fatbin, what_an_image_is)
{
    cr_expect(ptx__is_elf("\x7f"
                          "ELF",
                          SIZE_MAX));
    cr_expect(not(ptx__is_elf("\x7f"
                              "EL",
                              SIZE_MAX)));
    cr_expect(not(ptx__is_fatbin("", SIZE_MAX)));
    cr_expect(not(ptx__is_fatbin("\x50\xed\x55\xba", 3)));
    cr_expect(ptx__is_fatbin("\x50\xed\x55\xba", 4));
}
