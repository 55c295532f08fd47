/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "forms.h"

static struct form *end;

__attribute__((format(printf, 2, 3))) static struct form *add(const char *operands,
                                                              const char *format, ...)
{
    struct form *form = end++;
    va_list list;

    memset(form, 0, sizeof(*form));
    va_start(list, format);
    vsnprintf(form->name, sizeof(form->name), format, list);
    va_end(list);
    snprintf(form->operands, sizeof(form->operands), "%s", operands);
    return form;
}

/* The letter of a type's register. */
static char letter(const char *type)
{
    if (strstr(type, "64"))
        return 'd';
    if (strstr(type, "x2"))
        return 'x';
    return strstr(type, "16") ? 'h' : 'r';
}

/* n sources of the type of the result. */
static const char *same(const char *type, unsigned n)
{
    static char text[8];

    memset(text, letter(type), n + 1);
    text[n + 1] = '\0';
    return text;
}

static void integers(void)
{
    char text[8];

    EACH(type, "u16", "s16", "u32", "s32", "u64", "s64")
    {
        EACH(op, "add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max")
        add(same(type, 2), "%s.%s", op, type);
        EACH(op, "mad.lo", "mad.hi", "sad")
        add(same(type, 3), "%s.%s", op, type);
        snprintf(text, sizeof(text), "%c%cr", letter(type), letter(type));
        add(text, "shr.%s", type);
        snprintf(text, sizeof(text), "p%c%c", letter(type), letter(type));
        EACH(op, "eq", "ne", "lt", "le", "gt", "ge")
        add(text, "setp.%s.%s", op, type);
    }
    EACH(type, "s16", "s32", "s64") EACH(op, "neg", "abs") add(same(type, 1), "%s.%s", op, type);
    EACH(type, "u16", "s16")
    {
        add("rhh", "mul.wide.%s", type);
        add("rhhr", "mad.wide.%s", type);
    }
    EACH(type, "u32", "s32")
    {
        add("drr", "mul.wide.%s", type);
        add("drrd", "mad.wide.%s", type);
        EACH(half, "lo", "hi")
        {
            add("rrr", "mul24.%s.%s", half, type);
            add("rrrr", "mad24.%s.%s", half, type);
        }
    }
    EACH(op, "add.sat", "sub.sat", "min.relu", "max.relu") add("rrr", "%s.s32", op);
    add("rrrr", "mad.hi.sat.s32");
    EACH(op, "lo", "ls", "hi", "hs") add("prr", "setp.%s.u32", op);
    EACH(op, "add.u16x2", "add.s16x2", "min.u16x2", "max.s16x2", "min.relu.s16x2", "max.relu.s16x2",
         "max.u16x2", "min.s16x2")
    add("xxx", "%s", op);
}

static void bits(void)
{
    EACH(type, "b16", "b32", "b64")
    {
        char text[8];

        EACH(op, "and", "or", "xor") add(same(type, 2), "%s.%s", op, type);
        EACH(op, "not", "cnot") add(same(type, 1), "%s.%s", op, type);
        snprintf(text, sizeof(text), "%c%cr", letter(type), letter(type));
        add(text, "shl.%s", type);
    }
    EACH(type, "b32", "b64")
    {
        const bool wide = letter(type) == 'd';

        add(wide ? "rd" : "rr", "clz.%s", type);
        add(wide ? "rd" : "rr", "popc.%s", type);
        add(same(type, 1), "brev.%s", type);
        add(wide ? "dddr" : "rrrr", "bfi.%s", type)->more = ", 9";
        add(wide ? "dddr" : "rrrr", "bfi.%s", type)->more = ", %r2";
        end--; /* a name is in the list once */
    }
    EACH(type, "u32", "s32", "u64", "s64")
    {
        add(letter(type) == 'd' ? "ddrr" : "rrrr", "bfe.%s", type);
        add(letter(type) == 'd' ? "rd" : "rr", "bfind.%s", type);
        add(letter(type) == 'd' ? "rd" : "rr", "bfind.shiftamt.%s", type);
    }
    EACH(op, "bmsk.clamp.b32", "bmsk.wrap.b32", "szext.clamp.u32", "szext.clamp.s32",
         "szext.wrap.u32", "szext.wrap.s32")
    add("rrr", "%s", op);
    EACH(op, "prmt.b32", "prmt.b32.f4e", "prmt.b32.b4e", "prmt.b32.rc8", "prmt.b32.ecl",
         "prmt.b32.ecr", "prmt.b32.rc16", "shf.l.wrap.b32", "shf.r.wrap.b32", "shf.l.clamp.b32",
         "shf.r.clamp.b32", "fns.b32")
    add("rrrr", "%s", op);
    add("rrrr", "lop3.b32")->more = ", 0x96";
    EACH(a, "u32", "s32") EACH(b, "u32", "s32")
    {
        add("rrrr", "dp4a.%s.%s", a, b);
        EACH(half, "lo", "hi") add("rrrr", "dp2a.%s.%s.%s", half, a, b);
    }
    EACH(type, "b16", "u32", "s64", "f32", "f64")
    {
        char text[8];

        snprintf(text, sizeof(text), "%c%c%cp", letter(type), letter(type), letter(type));
        add(text, "selp.%s", type);
    }
    EACH(type, "u32", "s64", "f32")
    {
        char text[8];

        snprintf(text, sizeof(text), "%c%c%cr", letter(type), letter(type), letter(type));
        add(text, "slct.%s.s32", type);
        add(text, "slct.%s.f32", type);
    }
    add("rrr", "set.lt.u32.s32");
    add("rrr", "set.ge.f32.f32");
    add("rdd", "set.neu.s32.f64");
}

static void carries(void)
{
    EACH(type, "u32", "s32", "u64", "s64")
    {
        static const char *const before[2][2] = {
            {"add.cc.u32 %r7, %r1, %r2;", "sub.cc.u32 %r7, %r1, %r2;"},
            {"add.cc.u64 %d7, %d1, %d2;", "sub.cc.u64 %d7, %d1, %d2;"}};
        const unsigned wide = letter(type) == 'd';

        EACH(op, "addc", "addc.cc") add(same(type, 2), "%s.%s", op, type)->before = before[wide][0];
        EACH(op, "subc", "subc.cc") add(same(type, 2), "%s.%s", op, type)->before = before[wide][1];
        EACH(op, "madc.lo", "madc.hi", "madc.lo.cc", "madc.hi.cc")
        add(same(type, 3), "%s.%s", op, type)->before = before[wide][0];
    }
    EACH(type, "u32", "s32")
    {
        add("rrr", "add.cc.%s", type)->after = "addc.u32 %r0, %r0, %r0;";
        add("rrr", "sub.cc.%s", type)->after = "subc.u32 %r0, %r0, %r1;";
        EACH(half, "lo", "hi")
        add("rrrr", "mad.%s.cc.%s", half, type)->after = "addc.u32 %r0, %r0, %r0;";
    }
    EACH(type, "u64", "s64")
    {
        add("ddd", "add.cc.%s", type)->after = "addc.u64 %d0, %d0, %d0;";
        add("ddd", "sub.cc.%s", type)->after = "subc.u64 %d0, %d0, %d1;";
        EACH(half, "lo", "hi")
        add("dddd", "mad.%s.cc.%s", half, type)->after = "addc.u64 %d0, %d0, %d0;";
    }
}

/* What stands before a form behind this one. subc.cc takes a carry itself. */
static const char *leaving(const char *first)
{
    static const char *const texts[][2] = {
        {"add.cc.u32", "add.cc.u32 %r7, %r2, %r1;"},
        {"sub.cc.u32", "sub.cc.u32 %r7, %r2, %r1;"},
        {"subc.cc.u32", "add.cc.u32 %r7, %r1, %r1; subc.cc.u32 %r7, %r2, %r1;"},
        {"mad.lo.cc.u32", "mad.lo.cc.u32 %r7, %r1, %r2, %r1;"},
        {"mad.hi.cc.s32", "mad.hi.cc.s32 %r7, %r1, %r2, %r2;"},
        {"add.cc.u64", "add.cc.u64 %d7, %d2, %d1;"},
        {"sub.cc.u64", "sub.cc.u64 %d7, %d2, %d1;"},
        {"subc.cc.u64", "add.cc.u64 %d7, %d1, %d1; subc.cc.u64 %d7, %d2, %d1;"},
        {"mad.lo.cc.u64", "mad.lo.cc.u64 %d7, %d1, %d2, %d1;"},
        {"mad.hi.cc.s64", "mad.hi.cc.s64 %d7, %d1, %d2, %d2;"},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (!strcmp(texts[i][0], first))
            return texts[i][1];
    return NULL;
}

static void chain(const char *first, const char *op, const char *type)
{
    const bool wide = letter(type) == 'd';
    struct form *form = add(same(type, op[0] == 'm' ? 3 : 2), "%s.%s behind %s", op, type, first);

    form->before = leaving(first);
    if (strstr(op, ".cc"))
        form->after = wide ? "addc.u64 %d7, 0, 0; mad.lo.u64 %d0, %d0, 2, %d7;"
                           : "addc.u32 %r7, 0, 0; mad.lo.u32 %r0, %r0, 2, %r7;";
}

/* What each operation that leaves a carry leaves to each that takes one, of either width; and what
 * that one leaves. */
static void chains(void)
{
    EACH(type, "u32", "s32", "u64", "s64")
    EACH(first, "add.cc.u32", "sub.cc.u32", "mad.lo.cc.u32", "mad.hi.cc.s32", "add.cc.u64",
         "sub.cc.u64", "mad.lo.cc.u64", "mad.hi.cc.s64", "subc.cc.u32", "subc.cc.u64")
    EACH(op, "addc", "subc", "madc.lo", "madc.hi", "addc.cc", "subc.cc", "madc.lo.cc", "madc.hi.cc")
    chain(first, op, type);
}

static void floats(void)
{
    EACH(ftz, "", ".ftz")
    {
        EACH(mode, ".rn", ".rz", ".rm", ".rp")
        {
            EACH(sat, "", ".sat")
            {
                EACH(op, "add", "sub", "mul") add("rrr", "%s%s%s%s.f32", op, mode, ftz, sat);
                add("rrrr", "fma%s%s%s.f32", mode, ftz, sat);
            }
            add("rrr", "div%s%s.f32", mode, ftz);
            EACH(op, "rcp", "sqrt") add("rr", "%s%s%s.f32", op, mode, ftz);
        }
        EACH(op, "neg", "abs") add("rr", "%s%s.f32", op, ftz);
        EACH(op, "min", "max")
        {
            add("rrr", "%s%s.f32", op, ftz);
            add("rrr", "%s%s.NaN.f32", op, ftz);
            add("rrr", "%s%s.xorsign.abs.f32", op, ftz);
            add("rrr", "%s%s.NaN.xorsign.abs.f32", op, ftz);
        }
        EACH(op, "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu",
             "num", "nan")
        add("prr", "setp.%s%s.f32", op, ftz);
    }
    EACH(mode, ".rn", ".rz", ".rm", ".rp")
    {
        EACH(op, "add", "sub", "mul", "div") add("ddd", "%s%s.f64", op, mode);
        EACH(op, "rcp", "sqrt") add("dd", "%s%s.f64", op, mode);
        add("dddd", "fma%s.f64", mode);
    }
    EACH(op, "neg", "abs") add("dd", "%s.f64", op);
    EACH(op, "min", "max", "copysign") add("ddd", "%s.f64", op);
    add("rrr", "copysign.f32");
    EACH(op, "eq", "ne", "lt", "gt", "equ", "neu", "ltu", "geu", "num", "nan")
    add("pdd", "setp.%s.f64", op);
    EACH(op, "finite", "infinite", "number", "notanumber", "normal", "subnormal")
    {
        add("pr", "testp.%s.f32", op);
        add("pd", "testp.%s.f64", op);
    }
}

static void halves(void)
{
    EACH(type, "f16", "f16x2", "bf16", "bf16x2")
    {
        const bool half = type[0] == 'f';

        EACH(op, "add.rn", "sub.rn", "mul.rn", "min", "max", "min.NaN", "max.NaN",
             "min.xorsign.abs", "max.NaN.xorsign.abs")
        add(same(type, 2), "%s.%s", op, type);
        EACH(op, "fma.rn", "fma.rn.relu") add(same(type, 3), "%s.%s", op, type);
        EACH(op, "neg", "abs") add(same(type, 1), "%s.%s", op, type);
        if (!half)
            continue;
        EACH(op, "add.rn.ftz", "mul.rn.ftz", "add.rn.sat", "mul.rn.sat", "sub.rn.ftz.sat",
             "min.ftz", "max.ftz.NaN")
        add(same(type, 2), "%s.%s", op, type);
        EACH(op, "fma.rn.ftz", "fma.rn.sat", "fma.rn.ftz.relu")
        add(same(type, 3), "%s.%s", op, type);
    }
    EACH(op, "eq", "ne", "lt", "ge", "equ", "neu", "ltu", "geu", "num", "nan")
    {
        add("phh", "setp.%s.f16", op);
        add("phh", "setp.%s.bf16", op);
    }
}

static void conversions(void)
{
    char text[8];

    EACH(to, "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
    {
        const char d = letter(to);

        EACH(from, "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
        {
            snprintf(text, sizeof(text), "%c%c", d, letter(from));
            add(text, "cvt.%s.%s", to, from);
            add(text, "cvt.sat.%s.%s", to, from);
        }
        EACH(mode, "rni", "rzi", "rmi", "rpi") EACH(from, "f16", "bf16", "f32", "ftz.f32", "f64")
        {
            const bool ftz = from[0] == 'f' && from[1] == 't';

            snprintf(text, sizeof(text), "%c%c", d, letter(from));
            if ((to[1] == '8' && from[0] == 'b'))
                continue;
            add(text, "cvt.%s%s.%s.%s", mode, ftz ? ".ftz" : "", to, ftz ? from + 4 : from);
        }
        EACH(mode, "rn", "rz", "rm", "rp") EACH(real, "f16", "bf16", "f32", "f64")
        {
            snprintf(text, sizeof(text), "%c%c", letter(real), letter(to));
            add(text, "cvt.%s.%s.%s", mode, real, to);
        }
    }
    EACH(mode, "rn", "rz", "rm", "rp")
    {
        EACH(ftz, "", ".ftz") EACH(sat, "", ".sat") add("rd", "cvt.%s%s%s.f32.f64", mode, ftz, sat);
        add("hd", "cvt.%s.f16.f64", mode);
        add("hd", "cvt.%s.bf16.f64", mode);
        add("hr", "cvt.%s.f16.f32", mode);
        add("hr", "cvt.%s.sat.f16.f32", mode);
        add("hh", "cvt.%s.bf16.f16", mode);
        add("hh", "cvt.%s.f16.bf16", mode);
    }
    EACH(mode, "rn", "rz") EACH(more, "", ".relu", ".satfinite", ".relu.satfinite")
    {
        add("hr", "cvt.%s%s.bf16.f32", mode, more);
        add("xrr", "cvt.%s%s.f16x2.f32", mode, more);
        add("xrr", "cvt.%s%s.bf16x2.f32", mode, more);
    }
    EACH(mode, "", ".rni", ".rzi", ".rmi", ".rpi")
    {
        EACH(ftz, "", ".ftz") EACH(sat, "", ".sat") add("rr", "cvt%s%s%s.f32.f32", mode, ftz, sat);
        EACH(sat, "", ".sat") add("dd", "cvt%s%s.f64.f64", mode, sat);
        if (*mode)
            add("hh", "cvt%s.f16.f16", mode);
    }
    add("rh", "cvt.f32.f16");
    add("rh", "cvt.f32.bf16");
    add("rh", "cvt.sat.f32.f16");
    add("dh", "cvt.f64.f16");
    add("dr", "cvt.f64.f32");
    add("dr", "cvt.ftz.f64.f32");
    add("dr", "cvt.sat.f64.f32");
    EACH(mode, "rna", "rn", "rz") add("rr", "cvt.%s.tf32.f32", mode);
    EACH(type, "e4m3x2", "e5m2x2") EACH(relu, "", ".relu")
    {
        add("hrr", "cvt.rn.satfinite%s.%s.f32", relu, type);
        add("hx", "cvt.rn.satfinite%s.%s.f16x2", relu, type);
    }
    add("xh", "cvt.rn.f16x2.e4m3x2");
    add("xh", "cvt.rn.f16x2.e5m2x2");
}

/* --- what is not one operand after another --- */

static void write(const char *operands, const char *name, const char *text, const char *after)
{
    struct form *form = add(operands, "%s", name);

    snprintf(form->text, sizeof(form->text), "%s", text);
    form->after = after;
}

/* What a tensor copy fills in beyond the tensor, in half of the threads. */
static void outside(void)
{
    char name[96];

    EACH(relu, "", ".relu")
    EACH(type, "f16", "f16x2", "bf16", "bf16x2")
    {
        const bool two = letter(type) == 'x';

        snprintf(name, sizeof(name), "fma.rn.oob%s.%s outside", relu, type);
        write(same(type, 3), name, two ? "%x0, %x5, %x6, %x3" : "%h0, %h5, %h6, %h3", NULL);
        end[-1].before =
            two ? "selp.b32 %x5, 0x7ff73c00, %x1, %p1; selp.b32 %x6, 0x0001fff7, %x2, %p2;"
                : "selp.b16 %h5, 0x7ff7, %h1, %p1; selp.b16 %h6, 0xfff7, %h2, %p2;";
    }
}

static void barriers(void)
{
    char name[96];

    EACH(barrier, "bar", "bar.cta", "barrier", "barrier.cta")
    EACH(aligned, "", ".aligned")
    {
        if (*aligned && !strstr(barrier, "barrier"))
            continue;
        snprintf(name, sizeof(name), "%s.red.popc%s.u32", barrier, aligned);
        write("rp", name, "%r0, 0, %p1", NULL);
        strcat(name, " 256");
        write("rp", name, "%r0, 1, 256, %p1", NULL);
        EACH(op, "and", "or")
        {
            snprintf(name, sizeof(name), "%s.red.%s%s.pred", barrier, op, aligned);
            write("pr", name, "%p0, 2, %p1", NULL);
            strcat(name, " 256");
            write("pr", name, "%p0, 3, 256, %p1", NULL);
        }
    }
}

static void vectors(void)
{
    char name[96], text[128];

    EACH(type, "b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64")
    {
        const char c = letter(type);
        const char *fold = c == 'h'   ? "xor.b16 %h0, %h0, %h7;"
                           : c == 'r' ? "xor.b32 %r0, %r0, %r7;"
                                      : "xor.b64 %d0, %d0, %d7;";

        snprintf(name, sizeof(name), "mov.v2.%s", type);
        snprintf(text, sizeof(text), "{%%%c0, %%%c7}, {%%%c1, %%%c2}", c, c, c, c);
        write(same(type, 2), name, text, fold);
        if (c == 'd')
            continue;
        snprintf(name, sizeof(name), "mov.v4.%s", type);
        snprintf(text, sizeof(text), "{%%%c7, %%%c6, %%%c5, %%%c0}, {%%%c1, %%%c2, %%%c3, %%%c4}",
                 c, c, c, c, c, c, c, c);
        write(same(type, 4), name, text, fold);
    }
    write("hhh", "mov.b16 of two", "%h0, {%c1, %c2}", NULL);
    end[-1].before = ".reg .b8 %c<3>; cvt.u8.u16 %c1, %h1; cvt.u8.u16 %c2, %h2;";
    write("rhh", "mov.b32 of two", "%r0, {%h1, %h2}", NULL);
    write("drr", "mov.b64 of two", "%d0, {%r1, %r2}", NULL);
    write("dhhhh", "mov.b64 of four", "%d0, {%h1, %h2, %h3, %h4}", NULL);
    write("hh", "mov.b16 to two", "{%c1, %c2}, %h1",
          "cvt.u16.u8 %h0, %c2; cvt.u16.u8 %h7, %c1; mad.lo.u16 %h0, %h0, 5, %h7;");
    end[-1].before = ".reg .b8 %c<3>;";
    write("hr", "mov.b32 to two", "{%h0, %h7}, %r1", "xor.b16 %h0, %h0, %h7;");
    write("rd", "mov.b64 to two", "{%r0, %r7}, %d1", "xor.b32 %r0, %r0, %r7;");
    write("hd", "mov.b64 to four", "{%h7, _, _, %h0}, %d1", "xor.b16 %h0, %h0, %h7;");
}

/* Whose NaN a sum of products has, and in which order it is made. */
static void matrices(void)
{
    static const char *const shapes[][2] = {
        {"m8n8k4", "{%d0, %d7}, {%d1}, {%d2}, {%d3, %d4}"},
        {"m16n8k4", "{%d0, %d7, %d6, %d5}, {%d1, %d2}, {%d3}, {%d4, %d2, %d3, %d1}"},
        {"m16n8k8", "{%d0, %d7, %d6, %d5}, {%d1, %d2, %d3, %d4}, {%d2, %d3}, {%d4, %d2, %d3, %d1}"},
        {"m16n8k16", "{%d0, %d7, %d6, %d5}, {%d1, %d2, %d3, %d4, %d2, %d1, %d3, %d1}, "
                     "{%d2, %d3, %d1, %d2}, {%d4, %d2, %d3, %d1}"}};
    char name[96];

    for (unsigned i = 0; i < 4; i++) {
        snprintf(name, sizeof(name), "mma.sync.aligned.%s.row.col.f64.f64.f64.f64", shapes[i][0]);
        write("ddddd", name, shapes[i][1], "mad.lo.u64 %d0, %d0, 3, %d7;");
    }
}

size_t list_forms(struct form *forms)
{
    end = forms;
    integers();
    bits();
    carries();
    chains();
    floats();
    halves();
    conversions();
    barriers();
    vectors();
    matrices();
    outside();
    return list_table(forms, list_video(forms, (size_t) (end - forms)));
}
