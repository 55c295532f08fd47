/* SPDX-License-Identifier: MIT */
#include "mock/ptx/syntax/isa.h"

#include <stdio.h>
#include <string.h>

const char *ptx__opcode_name(enum ptx__opcode opcode)
{
    return ptx__opcodes[opcode].name;
}

const char *ptx__modifier_name(enum ptx__modifier modifier)
{
    return ptx__modifiers[modifier];
}

bool ptx__shape_numbers(const char *name, unsigned numbers[3])
{
    return sscanf(name, "m%un%uk%u", &numbers[0], &numbers[1], &numbers[2]) == 3;
}

const char *ptx__special_name(enum ptx__special special)
{
    return ptx__specials[special].name;
}

/* Compares like strcmp(), with a text that needs no NUL. */
static int compare(const char *text, size_t length, const char *name)
{
    /* Most names differ in the first letter. */
    int order = length ? (unsigned char) *text - (unsigned char) *name : 0;

    if (!order)
        order = strncmp(text, name, length);
    return order ? order : name[length] ? -1 : 0;
}

static unsigned find(const struct ptx__named *rows, size_t n, const char *text, size_t length)
{
    size_t low = 0;

    while (low < n) {
        const size_t middle = low + (n - low) / 2;
        const int order = compare(text, length, rows[middle].name);

        if (!order)
            return rows[middle].number;
        if (order < 0)
            n = middle;
        else
            low = middle + 1;
    }
    return 0;
}

enum ptx__opcode ptx__opcode_find(const char *text, size_t length)
{
    return (enum ptx__opcode) find(ptx__opcodes_by_name, ptx__n_opcodes_by_name, text, length);
}

enum ptx__special ptx__special_find(const char *text, size_t length)
{
    return (enum ptx__special) find(ptx__specials_by_name, ptx__n_specials_by_name, text, length);
}

unsigned ptx__word_find(const char *text, size_t length)
{
    return find(ptx__words_by_name, ptx__n_words_by_name, text, length);
}
