/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "support.h"

SUITE(arena);

/* The address sanitizer would end the program for asking, instead of saying no. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

Test(arena, memory_is_zeroed_aligned_and_apart)
{
    struct cushim__arena arena = {0};
    unsigned char *memory[200];

    for (size_t i = 0; i < 200; i++) {
        memory[i] = cushim__arena_alloc(&arena, i);
        cr_assert(ne(ptr, memory[i], NULL), "%zu bytes", i);
        cr_assert(zero(sz, (uintptr_t) memory[i] % _Alignof(max_align_t)), "%zu bytes", i);
        for (size_t k = 0; k < i; k++)
            cr_assert(zero(uint, memory[i][k]), "byte %zu of %zu", k, i);
        memset(memory[i], (int) i, i);
    }
    for (size_t i = 0; i < 200; i++)
        for (size_t k = 0; k < i; k++)
            cr_assert(eq(uint, memory[i][k], i), "byte %zu of %zu", k, i);
    cr_expect(not(arena.failed));
    cushim__arena_finish(&arena);
}

Test(arena, texts_are_copies)
{
    struct cushim__arena arena = {0};
    char text[] = "libcuda.so.1";
    const char *copy = cushim__arena_printf(&arena, "%s (%d)", text, 7);

    text[0] = '?';
    cr_expect(eq(str, S(copy), S("libcuda.so.1 (7)")));
    cr_expect(eq(str, S(cushim__arena_printf(&arena, "%s", "")), S("")));
    cushim__arena_finish(&arena);
}

/* A text that there is no memory for can still be printed. */
Test(arena, running_out_of_memory_is_remembered)
{
    struct cushim__arena arena = {0};

    cr_expect(eq(ptr, cushim__arena_alloc(&arena, SIZE_MAX / 4), NULL));
    cr_expect(arena.failed);
    cr_expect(ne(ptr, cushim__arena_alloc(&arena, 1), NULL));
    cr_expect(arena.failed);
    cushim__arena_finish(&arena);
}

Test(arena, can_be_used_again_after_finish)
{
    struct cushim__arena arena = {0};

    cushim__arena_finish(&arena);
    cr_assert(ne(ptr, cushim__arena_alloc(&arena, 10), NULL));
    cushim__arena_finish(&arena);
    cr_assert(ne(ptr, cushim__arena_alloc(&arena, 10), NULL));
    cushim__arena_finish(&arena);
}
