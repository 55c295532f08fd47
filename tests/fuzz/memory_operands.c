/* SPDX-License-Identifier: MIT */
#include "memory_operands.h"

#include <stdarg.h>
#include <stdio.h>

#define ENTRY(array) (array)[draw(writer, sizeof(array) / sizeof((array)[0]))]

unsigned choose(struct choices *choices, unsigned below)
{
    unsigned value = 0;

    for (unsigned bytes = below > 256 ? 2 : 1; bytes && choices->left; bytes--, choices->left--)
        value = value << 8 | *choices->bytes++;
    return below ? value % below : 0;
}

void put(struct writer *writer, const char *format, ...)
{
    const size_t room = writer->size - writer->length;
    va_list list;
    int n;

    va_start(list, format);
    n = vsnprintf(writer->text + writer->length, room, format, list);
    va_end(list);
    writer->length += n < 0 ? 0 : (size_t) n < room ? (size_t) n : room - 1;
}

unsigned draw(struct writer *writer, unsigned below)
{
    return choose(writer->choices, below);
}

bool one_in(struct writer *writer, unsigned n)
{
    return !draw(writer, n);
}

/* --- addresses --- */

long long hostile(struct writer *writer)
{
    static const long long small[] = {0, 16, 0, 16, 8, 32, 0, 4, 24, 1};
    static const long long near[] = {48, 56, 60, 62, 63, 64, 65, 72, 120, 124, 127, 128, 255, 256};
    static const long long far[] = {
        512,        1000,        4080,          4095,          4096,       16376,     65528,
        65536,      100000,      1000000,       0x1000000,     0x7ffffff8, INT32_MAX, 0x80000000,
        0xfffffff8, 0x100000000, 0x10000000000, INT64_MAX - 7, INT64_MAX};
    const long long value = one_in(writer, 6)   ? ENTRY(far)
                            : one_in(writer, 4) ? ENTRY(near)
                                                : ENTRY(small);

    return one_in(writer, 8) ? -value : value;
}

void put_offset(struct writer *writer)
{
    if (one_in(writer, 2))
        put(writer, "+%lld", hostile(writer));
}

const char *symbol_in(struct writer *writer, enum ptx__space space)
{
    static const char *const global[] = {"g0", "g1", "g2"}, *const shared[] = {"s0", "s1", "sd"},
                             *const local[] = {"x0", "x1", "x2"}, *const constant[] = {"c0"},
                             *const of_kernel[] = {"k", "k", "p", "n", "u"},
                             *const of_function[] = {"a", "a", "b", "r", "u"};

    switch (space) {
    case PTX_SHARED:
    case PTX_SHARED_CTA:
    case PTX_SHARED_CLUSTER:
        return ENTRY(shared);
    case PTX_LOCAL:
        return ENTRY(local);
    case PTX_CONST:
        return ENTRY(constant);
    case PTX_PARAM:
    case PTX_PARAM_ENTRY:
    case PTX_PARAM_FUNC:
        return writer->kernel ? ENTRY(of_kernel) : ENTRY(of_function);
    case PTX_NO_SPACE:
        return symbol_in(writer, ((enum ptx__space[]){PTX_GLOBAL, PTX_SHARED, PTX_LOCAL,
                                                      PTX_GLOBAL})[draw(writer, 4)]);
    default:
        return ENTRY(global);
    }
}

/* What the address registers begin with: mostly one that fits is taken. */
static unsigned pointer_for(struct writer *writer, enum ptx__space space)
{
    static const uint8_t generic[] = {0, 2, 4, 5};

    if (one_in(writer, 4))
        return draw(writer, 6);
    switch (space) {
    case PTX_NO_SPACE:
        return ENTRY(generic);
    case PTX_GLOBAL:
        return one_in(writer, 2) ? 0 : 5;
    case PTX_LOCAL:
        return 1;
    default:
        return 3;
    }
}

/* Windows that 32 bits can address. */
static bool is_near(enum ptx__space space)
{
    return space != PTX_NO_SPACE && space != PTX_GLOBAL;
}

void put_address(struct writer *writer, enum ptx__space space)
{
    put(writer, "[");
    switch (draw(writer, 8)) {
    case 0:
    case 1:
    case 2:
        put(writer, "%s", symbol_in(writer, space));
        put_offset(writer);
        break;
    case 3:
        if (space == PTX_LOCAL || space == PTX_PARAM) {
            put(writer, "%lld", hostile(writer));
            break;
        }
        /* fall through */
    case 4:
        if (is_near(space)) {
            put(writer, "%%n%u", draw(writer, 4));
            put_offset(writer);
            break;
        }
        /* fall through */
    default:
        put(writer, "%%a%u", pointer_for(writer, space));
        if (one_in(writer, 2))
            put_offset(writer);
    }
    put(writer, "]");
}

/* --- operands --- */

bool picked_has(const struct picked *picked, unsigned word)
{
    for (unsigned i = 0; i < picked->n_words; i++) {
        if (picked->words[i] == word)
            return true;
    }
    return false;
}

static enum ptx__space space_of(struct picked *picked)
{
    const unsigned number = picked->n_memory++;

    if (number < picked->n_spaces)
        return (enum ptx__space) picked->spaces[number];
    /* The barrier of a copy; else what has no space is generic. */
    return number && picked->form->opcode != PTX_OP_CP_ASYNC ? PTX_SHARED
           : picked->form->opcode == PTX_OP_CP_ASYNC         ? PTX_GLOBAL
                                                             : PTX_NO_SPACE;
}

static enum ptx__type type_of(const struct picked *picked, const struct ptx__shape *shape)
{
    enum { TYPE_SLOT = 100 };

    if (shape->type < TYPE_SLOT)
        return (enum ptx__type) shape->type;
    return shape->type - TYPE_SLOT < (int) picked->n_types
               ? (enum ptx__type) picked->types[shape->type - TYPE_SLOT]
               : PTX_B32;
}

/* A register of its size; of all of them eight. */
static void put_register(struct writer *writer, unsigned bits)
{
    static const struct {
        unsigned bits;
        const char *letter;
    } names[] = {{1, "%p"}, {8, "%c"}, {16, "%h"}, {32, "%r"}, {64, "%d"}, {128, "%q"}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].bits >= bits) {
            put(writer, "%s%u", names[i].letter, draw(writer, 8));
            return;
        }
    }
}

static void put_value(struct writer *writer, const struct ptx__shape *shape, enum ptx__type type)
{
    const enum ptx__type_class class = ptx__type_class(type);
    const bool integer = class == PTX_UNSIGNED || class == PTX_SIGNED;
    unsigned bits = ptx__type_bits(type) * (shape->wide ? 2 : 1);

    if (shape->sink && one_in(writer, 8)) {
        put(writer, "_");
        return;
    }
    if (!shape->result && integer && bits < 128 && one_in(writer, 4)) {
        put(writer, "%u", ((unsigned[]){16, 32, 0, 8, 64, 4096, 48, 15})[draw(writer, 8)]);
        return;
    }
    if (shape->loose && bits < 64 && class != PTX_FLOAT && one_in(writer, 4))
        bits *= 2;
    put_register(writer, bits);
}

static void put_vector(struct writer *writer, const struct ptx__shape *shape, enum ptx__type type,
                       unsigned n)
{
    const struct ptx__shape plain = {.result = true};

    put(writer, "{");
    for (unsigned i = 0; i < n; i++) {
        put(writer, i ? ", " : "");
        put_value(writer, &plain, type);
    }
    put(writer, "}");
    (void) shape;
}

/* A handle and coordinates, as many as the geometry has. */
static void put_brackets(struct writer *writer, const struct picked *picked)
{
    static const struct {
        unsigned word;
        unsigned n;
    } geometries[] = {{PTX_MOD_1D, 1},  {PTX_MOD_2D, 2},   {PTX_MOD_3D, 4},   {PTX_MOD_A1D, 2},
                      {PTX_MOD_A2D, 4}, {PTX_MOD_CUBE, 4}, {PTX_MOD_ACUBE, 4}};
    unsigned n = 1;

    for (size_t i = 0; i < sizeof(geometries) / sizeof(geometries[0]); i++)
        n = picked_has(picked, geometries[i].word) ? geometries[i].n : n;
    put(writer, "[%%t%u, {", draw(writer, 4));
    for (unsigned i = 0; i < n; i++)
        put(writer, "%s%%r%u", i ? ", " : "", draw(writer, 8));
    put(writer, "}]");
}

/* Of most instructions that take one, only some are right. */
static unsigned constant_for(struct writer *writer, const struct picked *picked)
{
    switch (picked->form->opcode) {
    case PTX_OP_ST_BULK:
        return 0;
    case PTX_OP_APPLYPRIORITY:
    case PTX_OP_DISCARD:
    case PTX_OP_FENCE:
        return 128;
    default:
        return picked_has(picked, PTX_MOD_CG) ? 16 : 4u << draw(writer, 3);
    }
}

bool put_operand(struct writer *writer, struct picked *picked, const struct ptx__shape *shape)
{
    const unsigned n = shape->elements == 255 ? picked->vector : shape->elements;
    const enum ptx__type type = type_of(picked, shape);

    switch ((enum ptx__shape_kind) shape->kind) {
    case PTX_SHAPE_TYPED:
        if (n)
            put_vector(writer, shape, type, n);
        else
            put_value(writer, shape, type);
        return true;
    case PTX_SHAPE_IMMEDIATE:
        put(writer, "%u", constant_for(writer, picked));
        return true;
    case PTX_SHAPE_MEMORY:
        put_address(writer, space_of(picked));
        return true;
    case PTX_SHAPE_TENSOR:
        put(writer, "[%%n%u", draw(writer, 4));
        put_offset(writer);
        put(writer, "]");
        return true;
    case PTX_SHAPE_BRACKETS:
        put_brackets(writer, picked);
        return true;
    case PTX_SHAPE_ANY:
        put_register(writer, 32);
        return picked_has(picked, PTX_MOD_LEVEL);
    default:
        return false;
    }
}
