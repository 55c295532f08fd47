/* SPDX-License-Identifier: MIT */
#include "mock/ptx/isa.h"

#include <string.h>

#include "base/util.h"
#include "mock/ptx/types.h"

const char *ptx__opcode_name(enum ptx__opcode opcode)
{
    return ptx__opcodes[opcode].name;
}

const char *ptx__modifier_name(enum ptx__modifier modifier)
{
    return ptx__modifiers[modifier];
}

const char *ptx__special_name(enum ptx__special special)
{
    return ptx__specials[special].name;
}

static bool same(const char *name, const char *text, size_t length)
{
    return !strncmp(name, text, length) && !name[length];
}

enum ptx__opcode ptx__opcode_find(const char *text, size_t length)
{
    unsigned i = PTX_N_OPCODES - 1;

    while (i && !same(ptx__opcodes[i].name, text, length))
        i--;
    return (enum ptx__opcode) i;
}

enum ptx__special ptx__special_find(const char *text, size_t length)
{
    unsigned i = PTX_N_SPECIALS - 1;

    while (i && !same(ptx__specials[i].name, text, length))
        i--;
    return (enum ptx__special) i;
}

static unsigned modifier_find(const char *text, size_t length)
{
    unsigned i = PTX_N_MODIFIERS - 1;

    while (i && !same(ptx__modifiers[i], text, length))
        i--;
    return i;
}

unsigned ptx__word_find(const char *text, size_t length)
{
    const unsigned type = ptx__type_find(text, length);
    const unsigned space = type ? 0 : ptx__space_find(text, length);

    if (type)
        return PTX_WORD_TYPE + type;
    if (space)
        return PTX_WORD_SPACE + space;
    if (length == 2 && text[0] == 'v' && strchr("248", text[1]))
        return PTX_WORD_VECTOR + (unsigned) (text[1] - '0');
    return modifier_find(text, length);
}
