/* SPDX-License-Identifier: MIT */
#include "ptx_probe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mock/ptx/link/read.h"
#include "mock/ptx/lower/program.h"

enum { MOST_SLOTS = 16, CAPABILITY = 121, NO_WORD = 0 };

/*
 * The module around a statement, for some targets: a new one that has nearly everything, one of the
 * family with tensor memory, and an old one for instructions that newer targets do not have any
 * more.
 */
static const struct target {
    const char *text;
    int capability; /* of a device that takes it */
    bool newer;
} targets[] = {
    {".version 9.5\n.target sm_121a\n", CAPABILITY, true},
    {".version 9.5\n.target sm_103a\n", 103, true},
    {".version 6.3\n.target sm_60\n", CAPABILITY, false},
};
static const char head[] =
    ".address_size 64\n.global .align 128 .b8 table[256];\n.func f() { ret; }\n.visible .entry "
    "k(.param .align 16 .b8 pk[64]) {\n"
    ".reg .pred %p<40>; .reg .b8 %c<40>; .reg .b16 %h<40>; .reg .b32 %r<140>; .reg .b64 %rd<40>;\n"
    ".reg .f32 %f<140>; .reg .f64 %d<40>; .param .align 16 .b8 slot[64];\n"
    "targets: .branchtargets L;\nL:\n";

struct text {
    char bytes[2048];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    const size_t left = sizeof(text->bytes) - text->length;
    va_list list;
    int length;

    va_start(list, format);
    length = vsnprintf(text->bytes + text->length, left, format, list);
    va_end(list);
    text->length += length > 0 && (size_t) length < left ? (size_t) length : 0;
}

/* --- a statement: a form, and the word of each of its slots --- */

struct statement {
    const struct ptx__form *form;
    unsigned words[MOST_SLOTS];
};

static const char *word_name(unsigned word)
{
    if (word > PTX_WORD_VECTOR)
        return word == PTX_WORD_VECTOR + 2 ? "v2" : word == PTX_WORD_VECTOR + 4 ? "v4" : "v8";
    if (word > PTX_WORD_SPACE)
        return ptx__space_name((enum ptx__space)(word - PTX_WORD_SPACE));
    if (word > PTX_WORD_TYPE)
        return ptx__type_name((enum ptx__type)(word - PTX_WORD_TYPE));
    return ptx__modifier_name((enum ptx__modifier) word);
}

static bool has(const struct statement *statement, enum ptx__modifier modifier)
{
    for (unsigned i = 0; i < statement->form->n_slots; i++) {
        if (statement->words[i] == (unsigned) modifier)
            return true;
    }
    return false;
}

/*
 * Returns the number of the n-th word of a kind, such as a type, a state space or a vector. 0 if
 * there is none.
 */
static unsigned word_of(const struct statement *statement, unsigned first, unsigned end, unsigned n)
{
    for (unsigned i = 0; i < statement->form->n_slots; i++) {
        if (statement->words[i] > first && statement->words[i] < end && !n--)
            return statement->words[i] - first;
    }
    return 0;
}

static enum ptx__type type_of(const struct statement *statement, unsigned n)
{
    return (enum ptx__type) word_of(statement, PTX_WORD_TYPE, PTX_WORD_SPACE, n);
}

static void add_register(struct text *text, enum ptx__type type, bool larger, unsigned number)
{
    const unsigned bits = ptx__type_bits(type) < 16 && larger ? 16 : ptx__type_bits(type);

    if (type == PTX_F32 || type == PTX_F64 || type == PTX_PRED)
        add(text, "%%%s%u", type == PTX_F32 ? "f" : type == PTX_F64 ? "d" : "p", number);
    else
        add(text, "%%%s%u",
            bits <= 8     ? "c"
            : bits == 16  ? "h"
            : bits == 64  ? "rd"
            : bits == 128 ? "q"
                          : "r",
            number);
}

static enum ptx__type wider(enum ptx__type type)
{
    return ptx__type_bits(type) == 16 ? PTX_B32 : PTX_B64;
}

static void add_typed(struct text *text, const struct statement *statement,
                      const struct ptx__shape *shape, unsigned number)
{
    const enum ptx__type named =
        shape->type >= 100 ? type_of(statement, shape->type - 100u) : (enum ptx__type) shape->type;
    const enum ptx__type type = shape->wide ? wider(named) : named;
    unsigned n = shape->elements;

    if (n == 255)
        n = word_of(statement, PTX_WORD_VECTOR, UINT16_MAX, 0);
    add(text, "%s", n ? "{" : "");
    for (unsigned i = 0; i < (n ? n : 1); i++) {
        add(text, "%s", i ? ", " : "");
        add_register(text, type, shape->loose, number + i);
    }
    add(text, "%s%s", n ? "}" : "", shape->both ? "|%p8" : "");
}

/* Adds the brackets of textures and surfaces: their coordinates. */
static void add_brackets(struct text *text, const struct statement *statement)
{
    static const struct {
        enum ptx__modifier geometry;
        unsigned n, of_surface;
        bool array;
    } geometries[] = {
        {PTX_MOD_1D, 1, 1, false},   {PTX_MOD_2D, 2, 2, false},  {PTX_MOD_3D, 4, 4, false},
        {PTX_MOD_A1D, 2, 2, true},   {PTX_MOD_A2D, 4, 4, true},  {PTX_MOD_CUBE, 4, 4, false},
        {PTX_MOD_ACUBE, 4, 4, true}, {PTX_MOD_2DMS, 4, 4, true}, {PTX_MOD_A2DMS, 4, 4, true},
    };
    const unsigned opcode = statement->form->opcode;
    const bool of_texture = opcode == PTX_OP_TEX || opcode == PTX_OP_TLD4;

    add(text, "[%%rd9, {");
    for (size_t i = 0; i < sizeof(geometries) / sizeof(*geometries); i++) {
        for (unsigned j = 0; has(statement, geometries[i].geometry) && j < geometries[i].n; j++)
            add(text, "%s%%%c%u", j ? ", " : "",
                of_texture && type_of(statement, 1) == PTX_F32 && (j || !geometries[i].array) ? 'f'
                                                                                              : 'r',
                20 + j);
    }
    add(text, "}]");
}

static void add_memory(struct text *text, const struct statement *statement)
{
    const unsigned space = word_of(statement, PTX_WORD_SPACE, PTX_WORD_VECTOR, 0);

    if (space == PTX_PARAM || space == PTX_PARAM_ENTRY)
        add(text, statement->form->opcode == PTX_OP_ST ? "[slot]" : "[pk]");
    else
        add(text, "[%%rd9]");
}

/*
 * Adds an operand that has no type and is not memory: an address, or the parts of a packed value.
 */
static void add_any(struct text *text, const struct statement *statement)
{
    const enum ptx__type type = type_of(statement, 0);

    if (statement->form->opcode != PTX_OP_MOV)
        add_register(text, ptx__type_bits(type) ? type : PTX_B64, false, 30);
    else if (type == PTX_B16)
        add(text, "{%%c30, %%c31}");
    else
        add(text, type == PTX_B32   ? "{%%h30, %%h31}"
                  : type == PTX_B64 ? "{%%r30, %%r31}"
                                    : "{%%rd30, %%rd31}");
}

static unsigned constant_of(const struct statement *statement)
{
    const unsigned opcode = statement->form->opcode;

    if (opcode == PTX_OP_APPLYPRIORITY || opcode == PTX_OP_DISCARD || opcode == PTX_OP_FENCE)
        return 128;
    if (opcode == PTX_OP_SETMAXNREG)
        return 64;
    if (opcode == PTX_OP_ST_BULK)
        return 0;
    return has(statement, PTX_MOD_CG) ? 16 : 8;
}

static void add_operand(struct text *text, const struct statement *statement,
                        const struct ptx__shape *shape, unsigned number)
{
    switch ((enum ptx__shape_kind) shape->kind) {
    case PTX_SHAPE_TYPED:
        add_typed(text, statement, shape, number);
        break;
    case PTX_SHAPE_MEMORY:
        add_memory(text, statement);
        break;
    case PTX_SHAPE_TENSOR:
        add(text, "[%%r9]");
        break;
    case PTX_SHAPE_BRACKETS:
        add_brackets(text, statement);
        break;
    case PTX_SHAPE_IMMEDIATE:
        add(text, "%u", constant_of(statement));
        break;
    case PTX_SHAPE_LABEL:
        add(text, "L");
        break;
    case PTX_SHAPE_TABLE:
        add(text, "targets");
        break;
    case PTX_SHAPE_SINK:
        add(text, "_");
        break;
    case PTX_SHAPE_CALL:
        add(text, "f");
        break;
    case PTX_SHAPE_ANY:
        add_any(text, statement);
        break;
    }
}

/* Writes a statement without its optional operands. */
static void write_statement(struct text *text, const struct statement *statement)
{
    const struct ptx__form *form = statement->form;
    unsigned n = 0;

    add(text, "%s", ptx__opcodes[form->opcode].name);
    for (unsigned i = 0; i < form->n_slots; i++) {
        if (statement->words[i] != NO_WORD)
            add(text, ".%s", word_name(statement->words[i]));
    }
    for (unsigned i = 0; i < form->n_shapes; i++) {
        const struct ptx__shape *shape = &ptx__shapes[form->first_shape + i];

        if (shape->policy ? !has(statement, PTX_MOD_L2_CACHE_HINT) : shape->optional)
            continue;
        add(text, "%s", n++ ? ", " : " ");
        add_operand(text, statement, shape, 2 * i + 1);
    }
    add(text, ";");
}

/* --- probing --- */

/* Loads a module with the statement. *why becomes the first message. */
static enum ptx__status load(const struct statement *statement, const struct target *target,
                             char *why, size_t size)
{
    struct text text = {.length = 0};
    struct ptx__log log = {.messages = NULL};
    struct ptx__program *program = NULL;
    struct ptx__module module;
    const char *whole = text.bytes;
    enum ptx__status status;

    add(&text, "%s%s%s", target->text, head, target->newer ? ".reg .b128 %q<40>;\n" : "");
    write_statement(&text, statement);
    add(&text, "\nret; }\n");
    status = ptx__read(&whole, &text.length, 1, target->capability, &module, &log);
    if (status == PTX_OK)
        status = ptx__lower(&module, &log, &program);
    if (log.n_messages)
        snprintf(why, size, "%s", log.messages[0].text);
    ptx__program_free(program);
    ptx__finish(&module);
    ptx__log_finish(&log);
    return status;
}

static bool ask(const struct statement *statement,
                void (*tell)(const struct probe *probe, void *user), void *user)
{
    struct text written = {.length = 0};
    char why[512] = "";
    enum ptx__status status = load(statement, &targets[0], why, sizeof(why));

    for (size_t i = 1; status == PTX_INVALID && i < sizeof(targets) / sizeof(*targets); i++) {
        char other[512];

        if (load(statement, &targets[i], other, sizeof(other)) == PTX_OK)
            status = PTX_OK;
    }
    if (status == PTX_OUT_OF_MEMORY)
        return false;
    write_statement(&written, statement);
    tell(&(struct probe){written.bytes, status == PTX_OK ? NULL : why}, user);
    return true;
}

bool probe_form(const struct ptx__form *form, void (*tell)(const struct probe *probe, void *user),
                void *user)
{
    struct statement statement = {.form = form};
    unsigned first[MOST_SLOTS];

    for (unsigned i = 0; i < form->n_slots; i++) {
        const struct ptx__slot *slot = &ptx__slots[form->first_slot + i];

        first[i] = slot->optional ? NO_WORD : ptx__slot_words[slot->first];
    }
    memcpy(statement.words, first, sizeof(first));
    if (!ask(&statement, tell, user))
        return false;
    for (unsigned i = 0; i < form->n_slots; i++) {
        const struct ptx__slot *slot = &ptx__slots[form->first_slot + i];

        for (unsigned j = slot->optional ? 0 : 1; j < slot->n; j++) {
            statement.words[i] = ptx__slot_words[slot->first + j];
            if (!ask(&statement, tell, user))
                return false;
        }
        statement.words[i] = first[i];
    }
    return true;
}
