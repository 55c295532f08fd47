/* SPDX-License-Identifier: MIT */
/*
 * The instructions are those of src/mock/ptx/syntax/isa.txt that name memory, with the words of any
 * of their forms, so that a new one is used here as soon as it is in the table. What a text has
 * besides is what gives addresses: symbols, cvta, alloca, mapa, calls and their parameters,
 * malloc().
 */
#include "memory_kernels.h"

#include <string.h>

#include "memory_operands.h"

enum { FUNCTIONS = 3, MOST_FORMS = 2048, ANY_OPCODE = -1, MEMORY_OPCODES = 0 };

/* --- instructions of the table --- */

static bool names_memory(const struct ptx__form *form)
{
    for (unsigned i = 0; i < form->n_shapes; i++) {
        const uint8_t kind = ptx__shapes[form->first_shape + i].kind;

        if (kind == PTX_SHAPE_MEMORY || kind == PTX_SHAPE_TENSOR || kind == PTX_SHAPE_BRACKETS)
            return true;
    }
    return false;
}

static bool is_wanted(const struct ptx__form *form, int opcode)
{
    if (ptx__opcodes[form->opcode].refused || form->opcode == PTX_OP_CALL)
        return false;
    if (opcode == MEMORY_OPCODES)
        return names_memory(form);
    return opcode == ANY_OPCODE || form->opcode == opcode;
}

/* Those of an opcode, of all that name memory, or simply of all. */
static const struct ptx__form *pick_form(struct writer *writer, int opcode)
{
    const struct ptx__form *forms[MOST_FORMS];
    unsigned n = 0;

    for (size_t i = 0; i < ptx__n_forms && n < MOST_FORMS; i++) {
        if (is_wanted(&ptx__forms[i], opcode))
            forms[n++] = &ptx__forms[i];
    }
    return forms[draw(writer, n)];
}

static const char *word_text(unsigned word)
{
    if (word > PTX_WORD_VECTOR)
        return word == PTX_WORD_VECTOR + 2 ? "v2" : word == PTX_WORD_VECTOR + 4 ? "v4" : "v8";
    if (word > PTX_WORD_SPACE)
        return ptx__space_name((enum ptx__space)(word - PTX_WORD_SPACE));
    if (word > PTX_WORD_TYPE)
        return ptx__type_name((enum ptx__type)(word - PTX_WORD_TYPE));
    return ptx__modifier_name((enum ptx__modifier) word);
}

static void note_word(struct picked *picked, unsigned word)
{
    if (word > PTX_WORD_VECTOR)
        picked->vector = word - PTX_WORD_VECTOR;
    else if (word > PTX_WORD_SPACE && picked->n_spaces < 4)
        picked->spaces[picked->n_spaces++] = (uint16_t) (word - PTX_WORD_SPACE);
    else if (word > PTX_WORD_TYPE && picked->n_types < 4)
        picked->types[picked->n_types++] = (uint16_t) (word - PTX_WORD_TYPE);
    if (picked->n_words < 16)
        picked->words[picked->n_words++] = (uint16_t) word;
}

static void put_words(struct writer *writer, struct picked *picked)
{
    for (unsigned i = 0; i < picked->form->n_slots; i++) {
        const struct ptx__slot *slot = &ptx__slots[picked->form->first_slot + i];
        const unsigned word = ptx__slot_words[slot->first + draw(writer, slot->n)];
        const bool space = word > PTX_WORD_SPACE && word < PTX_WORD_VECTOR;

        /* Hints for caches change nothing, and most exclude each other. */
        if (slot->optional && (*word_text(word) == 'L' || one_in(writer, space ? 6 : 2)))
            continue;
        note_word(picked, word);
        put(writer, ".%s", word_text(word));
    }
}

static bool put_operands(struct writer *writer, struct picked *picked)
{
    for (unsigned i = 0; i < picked->form->n_shapes; i++) {
        const struct ptx__shape *shape = &ptx__shapes[picked->form->first_shape + i];

        if (shape->policy || (shape->optional && !picked_has(picked, PTX_MOD_LEVEL) &&
                              (shape->kind != PTX_SHAPE_TYPED || one_in(writer, 2))))
            return true;
        put(writer, i ? ", " : " ");
        if (!put_operand(writer, picked, shape))
            return false;
        if (shape->optional)
            return true;
    }
    return true;
}

/* What cannot be written after all is taken back. */
static void put_instruction(struct writer *writer, int opcode)
{
    const size_t before = writer->length;
    struct picked picked = {.form = pick_form(writer, opcode)};

    if (one_in(writer, 4))
        put(writer, "@%s%%p%u ", one_in(writer, 2) ? "!" : "", draw(writer, 4));
    put(writer, "%s", ptx__opcode_name((enum ptx__opcode) picked.form->opcode));
    put_words(writer, &picked);
    if (put_operands(writer, &picked)) {
        put(writer, ";\n");
        return;
    }
    writer->length = before;
    writer->text[before] = '\0';
}

/* --- what makes addresses --- */

static void put_constant(struct writer *writer)
{
    static const unsigned long long numbers[] = {
        0,
        1,
        0x10000,
        0x10ff8,
        0x10fff,
        0x11000,
        0x100000,
        0x1fff8,
        0x20000,
        0x30000,
        0x7f0000000000,
        0x7f0000000010,
        0x7f0000000020,
        0x7fffffffffff,
        0x8000000000000000,
        0xffffffffffffffff,
        0xfffffffffffffff8,
        0x1000000000000,
        0x2000000000000,
        0x3000000000000,
    };

    put(writer, "%llu", numbers[draw(writer, sizeof(numbers) / sizeof(numbers[0]))]);
}

/* One of the address registers: 64 bits of it, or 32. */
static void put_pointer(struct writer *writer)
{
    static const char *const spaces[] = {"global", "shared", "local", "const"};
    const enum ptx__space numbers[] = {PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST};
    const unsigned a = draw(writer, 6), n = draw(writer, 4), s = draw(writer, 4);

    switch (draw(writer, 10)) {
    case 0:
        put(writer, "mov.u64 %%a%u, ", a);
        put_constant(writer);
        put(writer, ";\n");
        break;
    case 1:
        put(writer, "mov.u64 %%a%u, %s;\n", a, symbol_in(writer, numbers[s]));
        break;
    case 2:
        put(writer, "cvta.%s.u64 %%a%u, %s;\n", spaces[s], a, symbol_in(writer, numbers[s]));
        break;
    case 3:
        put(writer, "cvta.to.%s.u64 %%a%u, %%a%u;\n", spaces[s], a, draw(writer, 6));
        break;
    case 4:
        put(writer, "mov.u32 %%n%u, %s;\n", n,
            symbol_in(writer, one_in(writer, 2) ? PTX_SHARED : PTX_LOCAL));
        break;
    case 5:
        put(writer, "mov.u32 %%n%u, %u;\n", n, (unsigned) hostile(writer));
        break;
    case 6:
        put(writer,
            "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%d0, %%r0, %u; add.u64 %%a%u, %%a%u, "
            "%%d0;\n",
            1u << draw(writer, 6), a, draw(writer, 6));
        break;
    case 7:
        put(writer, "mapa.shared::cluster.u64 %%a%u, %%a%u, %u;\n", a, draw(writer, 6),
            draw(writer, 4));
        break;
    case 8:
        put(writer, "add.u64 %%a%u, %%a%u, %lld;\n", a, draw(writer, 6), hostile(writer));
        break;
    default:
        put(writer, "mapa.shared::cluster.u32 %%n%u, %%n%u, %u;\n", n, draw(writer, 4),
            draw(writer, 300));
    }
}

static void put_stack(struct writer *writer)
{
    const unsigned a = draw(writer, 6);

    switch (draw(writer, 5)) {
    case 0:
        put(writer, "alloca.u64 %%a%u, %lld;\n", a, hostile(writer) & 0xffffff);
        break;
    case 1:
        put(writer, "alloca.u64 %%a%u, %%d%u, %u;\n", a, draw(writer, 8), 1u << draw(writer, 24));
        break;
    case 2:
        put(writer, "alloca.u32 %%n%u, %%r%u;\n", draw(writer, 4), draw(writer, 8));
        break;
    case 3:
        put(writer, "stacksave.u64 %%a%u;\n", a);
        break;
    default:
        put(writer, "stackrestore.u64 %%a%u;\n", a);
    }
}

/* --- calls --- */

struct signature {
    unsigned parameter, result; /* bytes of the first parameter, and of the result */
};

static struct signature signature_of(struct writer *writer)
{
    static const unsigned sizes[] = {8, 16, 64, 4, 12, 24, 1, 200};

    return (struct signature){sizes[draw(writer, 8)], sizes[draw(writer, 8)]};
}

/* Through a pointer, to whatever it points to, by a prototype of its own. */
static void put_call(struct writer *writer, const struct signature *known, bool direct)
{
    const unsigned f = draw(writer, FUNCTIONS), label = writer->labels++;
    const struct signature s = direct ? known[f] : signature_of(writer);

    put(writer,
        "{ .param .align 8 .b8 v[%u]; .param .b64 w; .param .align 8 .b8 y[%u];\n"
        "st.param.b64 [w], %%a%u; st.param.b%u [v%s], %s;\n",
        s.parameter, s.result, draw(writer, 6), s.parameter < 8 ? 8 : 64,
        one_in(writer, 8) ? "+8" : "", s.parameter < 8 ? "%c0" : "%d1");
    if (direct) {
        put(writer, "call (y), f%u, (v, w);\n", f);
    } else {
        if (!one_in(writer, 4))
            put(writer, "mov.u64 %%a0, %s%u;\n", one_in(writer, 8) ? "k" : "f", f);
        put(writer,
            "P%u: .callprototype (.param .align 8 .b8 _[%u]) _ (.param .align 8 .b8 "
            "_[%u], .param .b64 _);\ncall (y), %%a0, (v, w), P%u;\n",
            label, s.result, s.parameter, label);
    }
    put(writer, "ld.param.b8 %%c1, [y+%u]; }\n", one_in(writer, 8) ? s.result : 0);
}

static void put_builtin(struct writer *writer)
{
    const unsigned a = draw(writer, 6);

    switch (draw(writer, 3)) {
    case 0:
        put(writer,
            "{ .param .b64 v; .param .b64 w; .param .b32 y; st.param.b64 [v], %%a%u; "
            "st.param.b64 [w], %%a%u; call (y), vprintf, (v, w); }\n",
            a, draw(writer, 6));
        break;
    case 1:
        put(writer,
            "{ .param .b64 v; .param .b64 y; st.param.b64 [v], %lld; call (y), malloc, "
            "(v); ld.param.b64 %%a%u, [y]; }\n",
            hostile(writer), a);
        break;
    default:
        put(writer, "{ .param .b64 v; st.param.b64 [v], %%a%u; call free, (v); }\n", a);
    }
}

/* --- bodies --- */

static void put_statement(struct writer *writer, const struct signature *known)
{
    switch (draw(writer, 16)) {
    case 0:
    case 1:
    case 2:
        put_instruction(writer, PTX_OP_LD);
        break;
    case 3:
    case 4:
    case 5:
        put_instruction(writer, PTX_OP_ST);
        break;
    case 6:
    case 7:
    case 8:
        put_instruction(writer, MEMORY_OPCODES);
        break;
    case 9:
        put_instruction(writer, ANY_OPCODE);
        break;
    case 10:
        put_call(writer, known, true);
        break;
    case 11:
        put_call(writer, known, false);
        break;
    case 12:
        put_stack(writer);
        break;
    case 13:
        put_builtin(writer);
        break;
    default:
        put_pointer(writer);
    }
}

static void put_body(struct writer *writer, const struct signature *known)
{
    static const char registers[] =
        "{\n.reg .pred %p<8>; .reg .b8 %c<8>; .reg .b16 %h<8>; .reg .b32 %r<8>, %n<4>; "
        ".reg .b64 %d<8>, %a<6>, %t<4>; .reg .b128 %q<8>;\n";
    /* Of every space one that can be used, from which others are made. */
    static const char pointers[] =
        "mov.u64 %a1, x1; cvta.local.u64 %a2, x1; mov.u64 %a3, s1; cvta.shared.u64 %a4, s1; "
        "mov.u64 %a5, g0; mov.u32 %n0, s1; mov.u32 %n1, x1; mov.u32 %n2, s0; mov.u32 %n3, 0;\n";
    const unsigned statements = 1 + draw(writer, 8);

    put(writer, "%s", registers);
    put(writer,
        ".local .align 8 .b8 x0[8]; .local .align 16 .b8 x1[%u]; .local .b8 x2[5]; .param "
        ".align 8 .b8 u[24];\n.shared .align 16 .b8 s1[%u];\n",
        16 << draw(writer, 4), 16 << draw(writer, 4));
    put(writer, "mov.u32 %%r1, %%tid.x; setp.lt.u32 %%p0, %%r1, 7; mov.u32 %%r2, %u;\n",
        draw(writer, 64));
    for (unsigned i = 0; i < 4; i++)
        put(writer, "mov.u64 %%t%u, %u;\n", i, draw(writer, MEMORY_KERNELS_IMAGES + 2));
    put(writer, "%s", pointers);
    put(writer, "%s", writer->kernel ? "ld.param.u64 %a0, [p];\n" : "ld.param.u64 %a0, [b];\n");
    for (unsigned i = draw(writer, 4); i; i--)
        put_pointer(writer);
    for (unsigned i = 0; i < statements; i++)
        put_statement(writer, known);
    put(writer, "ret;\n}\n");
}

static const char head[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".global .align 16 .b8 g0[64]; .global .align 16 .b8 g1[4]; .global .align 8 .u64 g2[3] = "
    "{g0, generic(g1), 7};\n.const .align 16 .b8 c0[32]; .shared .align 16 .b8 s0[64]; .extern "
    ".shared .align 16 .b8 sd[];\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 a);\n"
    ".extern .func free (.param .b64 a);\n";

static void put_heading(struct writer *writer, unsigned f, const struct signature *s)
{
    put(writer, ".func (.param .align 8 .b8 r[%u]) f%u (.param .align 8 .b8 a[%u], .param .b64 b)",
        s->result, f, s->parameter);
}

static void put_kernel_heading(struct writer *writer, unsigned k)
{
    put(writer, ".visible .entry k%u (.param .align 16 .b8 k[48], .param .u64 p, .param .u32 n)",
        k);
}

/* All are declared, so that each can name each. */
static void put_declarations(struct writer *writer, const struct signature *signatures)
{
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        put_heading(writer, i, &signatures[i]);
        put(writer, ";\n");
        put_kernel_heading(writer, i);
        put(writer, ";\n");
    }
}

void memory_kernels(struct choices *choices, char *text, size_t size)
{
    struct writer writer = {.choices = choices, .text = text, .size = size};
    struct signature signatures[FUNCTIONS];

    put(&writer, "%s", head);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        signatures[i] = signature_of(&writer);
    put_declarations(&writer, signatures);
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        put_heading(&writer, i, &signatures[i]);
        put_body(&writer, signatures);
    }
    writer.kernel = true;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        put_kernel_heading(&writer, i);
        put_body(&writer, signatures);
    }
}
