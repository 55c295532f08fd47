/* SPDX-License-Identifier: MIT */
/* Forms of video instructions: ptxas makes others of them, each in its own way. */
#include <stdio.h>
#include <string.h>

#include "forms.h"

static struct form *end;

/* text: NULL if the operands stand in their order. */
static void put(const char *operands, const char *name, const char *text)
{
    struct form *form = end++;

    memset(form, 0, sizeof(*form));
    snprintf(form->name, sizeof(form->name), "%s", name);
    snprintf(form->operands, sizeof(form->operands), "%s", operands);
    snprintf(form->text, sizeof(form->text), "%s", text ? text : "");
}

/* Bytes and halves of registers, and operands that are taken negative. */
static void parts(void)
{
    static const char *const single[][2] = {{" b3,h1", "%r0, %r1.b3, %r2.h1"},
                                            {" h1,b0 into b2", "%r0.b2, %r1.h1, %r2.b0, %r3"},
                                            {" into h1", "%r0.h1, %r1, %r2, %r3"}};
    static const char *const several[3][2][2] = {
        {{" h32", "%r0, %r1.h32, %r2.h01, %r3"}, {" into h1", "%r0.h1, %r1.h10, %r2.h23, %r3"}},
        {{" b7531", "%r0, %r1.b7531, %r2.b0246, %r3"},
         {" into b20", "%r0.b20, %r1.b3210, %r2.b6543, %r3"}}};
    char name[64];

    EACH(op, "vadd", "vsub", "vabsdiff", "vmin", "vmax")
    EACH(type, "s32.u32.s32", "u32.s32.s32", "u32.u32.u32.sat", "s32.s32.s32.sat")
    for (unsigned i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "%s.%s%s", op, type, single[i][0]);
        put(i ? "rrrr" : "rrr", name, single[i][1]);
    }
    EACH(op, "vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax")
    EACH(type, "s32.u32.s32", "u32.s32.s32.sat", "s32.s32.s32.add")
    for (unsigned lanes = 2; lanes <= 4; lanes += 2)
        for (unsigned i = 0; i < 2; i++) {
            if (i == 1 && strstr(type, "add"))
                continue; /* a sum of all has no parts */
            snprintf(name, sizeof(name), "%s%u.%s%s", op, lanes, type,
                     several[lanes / 2 - 1][i][0]);
            put("rrrr", name, several[lanes / 2 - 1][i][1]);
        }
}

/* Where a value goes, how it is saturated and what it is compared with, of mixed signs. */
static void results(void)
{
    char name[96], text[64];

    EACH(op, "vadd", "vsub", "vabsdiff", "vmin", "vmax")
    {
        EACH(type, "u32.u32.s32", "s32.s32.u32.sat")
        EACH(part, "b0", "b1", "b3", "h0")
        {
            snprintf(name, sizeof(name), "%s.%s into %s", op, type, part);
            snprintf(text, sizeof(text), "%%r0.%s, %%r1, %%r2, %%r3", part);
            put("rrrr", name, text);
        }
        EACH(type, "u32.u32.s32", "u32.s32.u32", "u32.s32.s32", "s32.u32.u32", "s32.u32.s32")
        {
            snprintf(name, sizeof(name), "%s.%s.sat", op, type);
            put("rrr", name, NULL);
        }
        EACH(type, "u32.s32.s32", "s32.u32.u32", "s32.s32.s32", "u32.u32.u32.sat",
             "s32.s32.s32.sat")
        EACH(more, "add", "min", "max")
        {
            snprintf(name, sizeof(name), "%s.%s.%s second", op, type, more);
            put("rrrr", name, NULL);
        }
    }
}

static void shifts(void)
{
    char name[64], text[64];

    EACH(op, "vshl", "vshr")
    {
        EACH(type, "s32.s32.u32", "u32.s32.u32", "s32.u32.u32", "s32.s32.u32.sat",
             "u32.s32.u32.sat", "s32.u32.u32.sat", "u32.u32.u32.sat")
        EACH(mode, "clamp", "wrap")
        EACH(more, "", ".add", ".min", ".max")
        {
            snprintf(name, sizeof(name), "%s.%s.%s%s second", op, type, mode, more);
            put("rrrr", name, NULL);
        }
        EACH(type, "u32.u32.u32", "s32.s32.u32.sat") EACH(part, "b2", "h0", "h1")
        {
            snprintf(name, sizeof(name), "%s.%s.clamp into %s", op, type, part);
            snprintf(text, sizeof(text), "%%r0.%s, %%r1, %%r2, %%r3", part);
            put("rrrr", name, text);
        }
    }
}

static void multiplications(void)
{
    char name[64];

    EACH(shift, "", ".shr7", ".sat.shr15")
    {
        snprintf(name, sizeof(name), "vmad.s32.s32.s32%s b1,h1", shift);
        put("rrrr", name, "%r0, %r1.b1, %r2.h1, %r3");
        snprintf(name, sizeof(name), "vmad.s32.s32.s32%s -a", shift);
        put("rrrr", name, "%r0, -%r1.h0, %r2.h0, %r3");
        snprintf(name, sizeof(name), "vmad.s32.s32.s32%s -c", shift);
        put("rrrr", name, "%r0, %r1.h0, %r2.h0, -%r3");
    }
    EACH(type, "s32.u32.s32", "s32.s32.u32")
    EACH(more, "", ".sat", ".shr7", ".sat.shr7")
    {
        snprintf(name, sizeof(name), "vmad.%s%s", type, more);
        put("rrrr", name, NULL);
    }
    EACH(more, "", ".sat", ".sat.shr7")
    {
        snprintf(name, sizeof(name), "vmad.u32.u32.u32%s b1,h1", more);
        put("rrrr", name, "%r0, %r1.b1, %r2.h1, %r3");
    }
}

size_t list_video(struct form *forms, size_t n)
{
    end = forms + n;
    parts();
    results();
    shifts();
    multiplications();
    return (size_t) (end - forms);
}
