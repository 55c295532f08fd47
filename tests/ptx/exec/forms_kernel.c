/* SPDX-License-Identifier: MIT */
/*
 * The kernel of a form: it loads the sources, one value a thread, and stores the result as 64 bits.
 *
 * h: 16 bits, x: 32 bits with two halves in them, r: 32, d: 64, p: predicate; of results also q:
 * two predicates, R: 32 bits and a predicate, and 0: none.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "forms.h"

struct text {
    char *at, *end;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    text->at += vsnprintf(text->at, (size_t) (text->end - text->at), format, list);
    va_end(list);
}

int form_length(const struct form *form)
{
    return (int) strcspn(form->name, " ");
}

bool form_is_approximate(const struct form *form)
{
    return strstr(form->name, ".approx") || strstr(form->name, ".full");
}

static void put_head(struct text *text, unsigned target)
{
    put(text, ".version %s\n.target sm_%u\n.address_size 64\n", target > 90 ? "8.8" : "8.7",
        target);
    put(text, ".visible .entry k(.param .u64 a0, .param .u64 a1, .param .u64 a2, .param .u64 a3, "
              ".param .u64 out, .param .u64 room) {\n"
              ".reg .b16 %%h<8>; .reg .b32 %%r<16>; .reg .b32 %%x<8>; .reg .b64 %%d<8>; .reg .pred "
              "%%p<8>; .reg .b64 %%t<9>; .reg .b32 %%i<4>; .shared .align 16 .b8 near[4096];\n"
              "mov.u32 %%i0, %%ctaid.x; mov.u32 %%i1, %%ntid.x; mov.u32 %%i2, %%tid.x;\n"
              "mad.lo.u32 %%i0, %%i0, %%i1, %%i2; mul.wide.u32 %%t0, %%i0, 8;\n");
}

/* Two halves are loaded: ptxas takes the upper one of what a 64-bit register is cut to from that
 * register's upper half where it builds atomic operations of them. */
static void put_sources(struct text *text, unsigned n)
{
    for (unsigned o = 0; o < n; o++) {
        put(text,
            "ld.param.u64 %%t1, [a%u]; add.u64 %%t1, %%t1, %%t0; ld.global.u64 %%d%u, [%%t1];\n", o,
            o + 1);
        put(text,
            "cvt.u16.u64 %%h%u, %%d%u; cvt.u32.u64 %%r%u, %%d%u; ld.global.u32 %%x%u, [%%t1];\n",
            o + 1, o + 1, o + 1, o + 1, o + 1);
        put(text, "and.b32 %%i3, %%r%u, 1; setp.eq.u32 %%p%u, %%i3, 1;\n", o + 1, o + 1);
    }
}

/* The memory at %t2 begins as the first source and its complement. */
static void put_room(struct text *text, enum form_room room)
{
    if (room == NO_ROOM)
        return;
    if (room == GLOBAL_ROOM)
        put(text, "ld.param.u64 %%t2, [room]; mul.wide.u32 %%t3, %%i0, 16; ");
    else
        put(text, "mov.u64 %%t2, near; mul.wide.u32 %%t3, %%i2, 16; ");
    put(text, "add.u64 %%t2, %%t2, %%t3; not.b64 %%t4, %%d1;\nst.%s.v2.u64 [%%t2], {%%d1, %%t4};\n",
        room == GLOBAL_ROOM ? "global" : "shared");
}

static void put_plain_operands(struct text *text, const struct form *form)
{
    const char d = form->operands[0];

    if (d == 'q')
        put(text, " %%p0|%%p7");
    else if (d == 'R')
        put(text, " %%r0|%%p7");
    else
        put(text, " %%%c0", d);
    for (unsigned o = 1; form->operands[o]; o++)
        put(text, ", %%%c%u", form->operands[o], o);
    put(text, "%s", form->more ? form->more : "");
}

static void put_instruction(struct text *text, const struct form *form)
{
    if (form->before)
        put(text, "%s\n", form->before);
    put(text, "%.*s", form_length(form), form->name);
    if (form->text[0])
        put(text, " %s", form->text);
    else
        put_plain_operands(text, form);
    put(text, ";\n");
    if (form->after)
        put(text, "%s\n", form->after);
}

/* Of a number what it is: NaNs and infinities stay; others become 0, 1 if they are subnormal, 2,
 * and have their sign. */
static void put_kind(struct text *text, const char *reg, unsigned bits, unsigned format,
                     const char *exponent)
{
    const unsigned long long sign = 1ull << (format - 1);

    put(text, "{ .reg .b%u e, m, s, k; .reg .pred q;\n", bits);
    put(text, "and.b%u e, %s, %s; and.b%u s, %s, 0x%llx; xor.b%u m, %s, s; or.b%u k, s, 2;\n", bits,
        reg, exponent, bits, reg, sign, bits, reg, bits);
    put(text, "setp.eq.b%u q, e, 0; @q or.b%u k, s, 1;\n", bits, bits);
    put(text, "setp.eq.b%u q, m, 0; @q mov.b%u k, s;\n", bits, bits);
    put(text, "setp.eq.b%u q, e, %s; @q mov.b%u k, %s;\nmov.b%u %s, k; }\n", bits, exponent, bits,
        reg, bits, reg);
}

/* Through memory: where ptxas sees that a half is that of an approximate operation it drops what
 * looks at it. */
static void put_through(struct text *text, const char *type, const char *from, const char *to)
{
    put(text, "mov.u64 %%t2, near; mul.wide.u32 %%t3, %%i2, 16; add.u64 %%t2, %%t2, %%t3;\n");
    put(text, "st.volatile.shared.%s [%%t2], %s; ld.volatile.shared.%s %s, [%%t2];\n", type, from,
        type, to);
}

static void put_kinds(struct text *text, const struct form *form)
{
    const char *half = strstr(form->name, "bf16") ? "0x7f80" : "0x7c00";

    switch (form->operands[0]) {
    case 'h':
        put(text, "{ .reg .b32 wide;\n");
        put_through(text, "u16", "%h0", "wide");
        put_kind(text, "wide", 32, 16, half);
        put(text, "cvt.u16.u32 %%h0, wide; }\n");
        break;
    case 'x':
        put(text, "{ .reg .b32 low, high;\n");
        put_through(text, "u32", "%x0", "%x0");
        put(text, "and.b32 low, %%x0, 0xffff; shr.u32 high, %%x0, 16;\n");
        put_kind(text, "low", 32, 16, half);
        put_kind(text, "high", 32, 16, half);
        put(text, "shl.b32 high, high, 16; or.b32 %%x0, high, low; }\n");
        break;
    case 'r':
        put_kind(text, "%r0", 32, 32, "0x7f800000");
        break;
    default:
        put_kind(text, "%d0", 64, 64, "0x7ff0000000000000");
    }
}

static void put_result(struct text *text, const struct form *form)
{
    switch (form->operands[0]) {
    case 'h':
        put(text, "cvt.u64.u16 %%d0, %%h0;\n");
        break;
    case 'p':
    case 'q':
        put(text, "selp.u64 %%d0, 1, 0, %%p0;\n");
        break;
    case 'd':
        break;
    case '0':
        put(text, "mov.b64 %%d0, 0;\n");
        break;
    default:
        put(text, "cvt.u64.u32 %%d0, %%%c0;\n", form->operands[0] == 'x' ? 'x' : 'r');
    }
    if (form->operands[0] == 'q' || form->operands[0] == 'R')
        put(text, "@%%p7 add.u64 %%d0, %%d0, 0x200000000;\n");
    if (form->room != NO_ROOM)
        put(text,
            "ld.%s.v2.u64 {%%t3, %%t4}, [%%t2]; mad.lo.u64 %%d0, %%d0, 31, %%t3;\n"
            "mad.lo.u64 %%d0, %%d0, 31, %%t4;\n",
            form->room == GLOBAL_ROOM ? "global" : "shared");
    put(text, "ld.param.u64 %%t1, [out]; add.u64 %%t1, %%t1, %%t0; st.global.u64 [%%t1], %%d0; "
              "ret;\n}\n");
}

void write_form(const struct form *form, char *to)
{
    struct text text = {to, to + KERNEL_BYTES};

    put_room(&text, form->room);
    put_instruction(&text, form);
}

void write_kernel(const struct form *form, char *to)
{
    struct text text = {to, to + KERNEL_BYTES};

    put_head(&text, form->target ? form->target : 90);
    put_sources(&text, (unsigned) strlen(form->operands) - 1);
    put_room(&text, form->room);
    put_instruction(&text, form);
    if (form_is_approximate(form) && !form->raw)
        put_kinds(&text, form);
    put_result(&text, form);
}
