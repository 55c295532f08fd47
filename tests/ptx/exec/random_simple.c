/* SPDX-License-Identifier: MIT */
/*
 * Statements of random kernels: any form of any instruction, steps, memory of all spaces, barriers,
 * and what lanes do together. Registers: see random_write.c.
 */
#include <stdio.h>
#include <string.h>

#include "forms.h"
#include "mock/ptx/link/read.h"
#include "mock/ptx/lower/program.h"
#include "random_writer.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Integers with steps, and those that are the same everywhere; some overflow. */
static void put_affine(struct writer *w)
{
    static const char *const lines[] = {
        "add.u32 %a#, %a#, %u#;",
        "sub.u32 %a#, %u#, %a#;",
        "mul.lo.u32 %a#, %a#, %u#;",
        "mad.lo.s32 %a#, %a#, <1|3|8|-2>, %a#;",
        "shl.b32 %a#, %a#, <1|2|5|31|33>;",
        "shr.<u32|s32> %a#, %a#, <2|5|6|31>;",
        "mov.u32 %a#, <%tid.x|%laneid>;",
        "and.b32 %a#, %a#, <-32|31|63|-8>;",
        "setp.<lt|le|gt|ge>.<u32|s32> %p#, %a#, <31|32|33|-1>;",
        "mul.wide.<u32|s32> %b#, %a#, <4|8|12|-4>;",
        "cvt.u64.u32 %b#, %a#;",
        "cvt.s64.s32 %b#, %a#;",
        "add.u64 %b#, %b#, %b#;",
        "mad.wide.<u32|s32> %b#, %a#, %u#, %b#;",
        "mov.u32 %r#, %<a|u>#;",
        "cvt.u32.u64 %<r|a>#, %b#;",
        "mov.b64 %d#, %b#;",
        "setp.<lt|eq|ge>.u32 %p#, %u#, ~;",
        "setp.<lt|ne|gt>.s32 %p#, %a#, ~;",
        "<add|mul.lo|sub|max>.u32 %u#, %u#, ~;",
    };

    random_put_one(w, lines, COUNT(lines));
}

static void put_call(struct writer *w)
{
    random_put_line(w, "call (%r#), helper, (%r#, %r#);");
}

/* Addresses that are wrong for some threads: the data has 16384 bytes. */
static void put_mistake(struct writer *w)
{
    static const char *const lines[] = {
        "@%q5 ld.global.b32 %r#, [%t5+<16376|16380|16384|16388>];",
        "@%q5 ld.global.v2.b32 {%r0, %r1}, [%t5+<8|12|16376|16380>];",
        "mad.wide.u32 %t1, %i2, 256, %t5; @%q5 st.global.b32 [%t1+<16000|16384>], %r#;",
        ("mov.u32 %i3, box; mad.lo.u32 %i3, %i2, <4|64|400|1000>, %i3; @%q5 ld.shared.b32 %r#, "
         "[%i3];"),
    };

    if (!w->program->wrong)
        return;
    random_put_line(w, "setp.<eq|gt>.u32 %q5, %i2, ~;");
    random_put_one(w, lines, COUNT(lines));
}

/* --- forms --- */

static struct form forms[MOST_FORMS];
static unsigned n_forms;

/* Forms that compilers use most, which have expressions in the compiled tier. */
static const char *const common[] = {
    "add.u32",
    "sub.u32",
    "mul.lo.u32",
    "mad.lo.s32",
    "add.u64",
    "sub.u64",
    "mad.lo.u64",
    "and.b32",
    "or.b32",
    "xor.b32",
    "not.b32",
    "shl.b32",
    "shr.u32",
    "shr.s32",
    "shl.b64",
    "shr.u64",
    "and.b64",
    "min.s32",
    "max.u32",
    "setp.lt.s32",
    "setp.ge.u32",
    "setp.eq.s32",
    "setp.ne.u64",
    "setp.lt.f32",
    "setp.gtu.f32",
    "setp.le.f64",
    "selp.b32",
    "selp.f32",
    "selp.b64",
    "mul.wide.u32",
    "mul.wide.s32",
    "mad.wide.u32",
    "cvt.u64.u32",
    "cvt.s64.s32",
    "cvt.u32.u64",
    "cvt.u16.u32",
    "cvt.s32.s16",
    "cvt.u32.u8",
    "add.rn.f32",
    "sub.rn.f32",
    "mul.rn.f32",
    "fma.rn.f32",
    "div.rn.f32",
    "sqrt.rn.f32",
    "add.rn.f64",
    "mul.rn.f64",
    "fma.rn.f64",
    "div.rn.f64",
    "neg.f32",
    "abs.f32",
    "max.f32",
    "min.f64",
    "cvt.rn.f32.s32",
    "cvt.rzi.s32.f32",
    "cvt.rn.f32.u32",
    "cvt.f64.f32",
    "cvt.rn.f32.f64",
    "add.u16",
    "mul.lo.u16",
    "popc.b32",
    "bfe.u32",
    "prmt.b32",
    "lop3.b32",
    "shf.l.wrap.b32",
    "add.rn.f16x2",
    "fma.rn.f16x2",
    "fma.rn.bf16x2",
    "cvt.rn.f16.f32",
    "cvt.f32.f16",
    "mad.hi.u32",
    "mul.hi.s32",
    "abs.s32",
    "mov.b32",
    "mov.b64",
    "ex2.approx.ftz.f32",
    "rcp.approx.ftz.f32",
    "clz.b32",
    "brev.b32",
    "bfi.b32",
    "bfe.s32",
    "div.s32",
    "rem.u32",
    "mul.hi.u64",
    "max.s16",
    "sub.rn.f64",
    "max.f64",
    "cvt.rni.s32.f32",
    "cvt.rzi.u64.f64",
    "cvt.rmi.f32.f32",
    "rsqrt.approx.ftz.f32",
};

static const struct form *common_forms[COUNT(common)];
static unsigned n_common;

static bool is_named(const struct form *form, const char *name)
{
    return (size_t) form_length(form) == strlen(name) && !strncmp(form->name, name, strlen(name));
}

/* Tells whether the engine takes a form's own kernel. */
static bool is_taken(const struct form *form)
{
    char text[KERNEL_BYTES];
    const char *texts[1] = {text};
    size_t length;
    struct ptx__module module;
    struct ptx__program *program = NULL;
    struct ptx__log log = {.messages = NULL};
    bool taken;

    write_kernel(form, text);
    length = strlen(text);
    taken = ptx__read(texts, &length, 1, 100, &module, &log) == PTX_OK &&
            ptx__lower(&module, &log, &program) == PTX_OK;
    ptx__program_free(program);
    ptx__finish(&module);
    ptx__log_finish(&log);
    return taken && form->target <= 100 && !strstr(form->name, " 256");
}

void random_find_forms(void)
{
    const size_t n = list_forms(forms);

    for (size_t i = 0; i < n; i++)
        if (is_taken(&forms[i]))
            forms[n_forms++] = forms[i];
    for (size_t c = 0; c < COUNT(common); c++)
        for (unsigned i = 0; i < n_forms; i++)
            if (is_named(&forms[i], common[c])) {
                common_forms[n_common++] = &forms[i];
                break;
            }
}

static bool is_of_a_warp(const struct form *form)
{
    EACH(begin, "shfl", "vote", "match", "redux", "elect", "mma", "movmatrix", "bar")
    if (!strncmp(form->name, begin, strlen(begin)))
        return true;
    return false;
}

static bool may_stand_here(const struct writer *w, const struct form *form)
{
    const bool full = random_threads(w->program) % 32 == 0;

    return !is_of_a_warp(form) || (w->together && full);
}

static const struct form *draw_form(struct writer *w)
{
    const struct form *form;

    do {
        form = random_one_in(w, 2) ? &forms[random_draw(w, n_forms)]
                                   : common_forms[random_draw(w, n_common)];
    } while (!may_stand_here(w, form));
    return form;
}

/* Other registers: each number becomes another one. */
static void rename_registers(struct writer *w, char *text)
{
    char to[] = "01234567";

    for (unsigned i = 7; i > 0; i--) {
        const unsigned other = random_draw(w, i + 1);
        const char kept = to[i];

        to[i] = to[other];
        to[other] = kept;
    }
    for (char *at = text; (at = strchr(at, '%')); at++)
        if (at[1] && strchr("hrxdp", at[1]) && at[2] >= '0' && at[2] <= '7')
            at[2] = to[at[2] - '0'];
}

static bool is_alone(const struct form *form)
{
    return !form->before && !form->after && form->room == NO_ROOM;
}

/* The result over a source, as compilers do. */
static void join_registers(const struct form *form, char *text)
{
    char *first = strchr(text, '%'), *second = first ? strchr(first + 1, '%') : NULL;

    if (!form->text[0] && is_alone(form) && second && first[1] == second[1])
        first[2] = second[2];
}

static void put_form(struct writer *w)
{
    const struct form *form = draw_form(w);
    char text[KERNEL_BYTES];

    write_form(form, text);
    rename_registers(w, text);
    if (random_one_in(w, 2))
        join_registers(form, text);
    random_put(w, "{ ");
    if (is_alone(form) && !is_of_a_warp(form) && random_one_in(w, 5))
        random_put_line(w, "@<|!>%p#");
    random_put(w, "%s}\n", text);
}

/* --- memory --- */

struct cell {
    const char *type;
    char letter;
    unsigned bytes, elements;
};

static const struct cell *draw_cell(struct writer *w)
{
    static const struct cell cells[] = {
        {"u8", 'r', 1, 1},  {"s8", 'r', 1, 1},  {"u16", 'h', 2, 1}, {"s16", 'r', 2, 1},
        {"b32", 'r', 4, 1}, {"f32", 'r', 4, 1}, {"b64", 'd', 8, 1}, {"f64", 'd', 8, 1},
        {"u32", 'd', 4, 1}, {"b32", 'r', 4, 2}, {"b32", 'r', 4, 4}, {"b64", 'd', 8, 2},
        {"u16", 'h', 2, 4}, {"b32", 'x', 4, 1},
    };

    return &cells[random_draw(w, COUNT(cells))];
}

static unsigned bytes_of(const struct cell *cell)
{
    return cell->bytes * cell->elements;
}

/* "ld.global.v2.b32 {%r1, %r2}, [e+16]" */
static void put_access(struct writer *w, const struct cell *cell, bool store, const char *space,
                       const char *address, unsigned offset)
{
    const unsigned first = random_draw(w, 9 - cell->elements);
    char registers[64], vector[4] = "";
    size_t at = 0;

    for (unsigned i = 0; i < cell->elements; i++)
        at += (size_t) sprintf(registers + at, "%s%%%c%u", i ? ", " : "", cell->letter, first + i);
    if (cell->elements > 1)
        snprintf(vector, sizeof(vector), ".v%u", cell->elements & 7);
    if (random_one_in(w, 6))
        random_put(w, "@%%p%u ", random_draw(w, 8));
    if (store)
        random_put(w, "st.%s%s.%s [%s+%u], {%s};\n", space, vector, cell->type, address, offset,
                   registers);
    else
        random_put(w, "ld.%s%s.%s {%s}, [%s+%u];\n", space, vector, cell->type, registers, address,
                   offset);
}

/* Reads the data: at an index of the thread, by steps, at a place of all, or anywhere. */
static void put_load(struct writer *w)
{
    const struct cell *cell = draw_cell(w);
    const unsigned bytes = bytes_of(cell);
    const char *spaces[] = {"global", "global", "global.nc", "volatile.global"};

    random_put(w, "{ .reg .b64 e; .reg .b32 f;\n");
    switch (random_draw(w, 4)) {
    case 0:
        random_put(w, "mad.wide.u32 e, %%i0, %u, %%t5;\n", bytes);
        break;
    case 1:
        random_put(w, "mad.wide.u32 e, %%i2, %u, %%t5;\n", bytes * (1 + random_draw(w, 3)));
        break;
    case 2:
        random_put(w, "and.b32 f, %%u%u, 127; mad.wide.u32 e, f, %u, %%t5;\n", random_draw(w, 4),
                   bytes);
        break;
    default:
        random_put(w, "and.b32 f, %%r%u, 511; mad.wide.u32 e, f, %u, %%t5;\n", random_draw(w, 8),
                   bytes);
    }
    put_access(w, cell, false, spaces[random_draw(w, w->program->adds ? 3 : 4)], "e",
               random_draw(w, 64) * bytes);
    random_put(w, "}\n");
}

/* Memory of the thread alone, in one of the spaces. */
static void put_own(struct writer *w)
{
    const struct cell *cell = draw_cell(w);
    const unsigned bytes = bytes_of(cell), offset = random_draw(w, 16 / bytes) * bytes;
    const bool store = random_one_in(w, 2);

    random_put(w, "{ .reg .b64 e; .reg .b32 f;\n");
    switch (random_draw(w, 4)) {
    case 0:
        random_put(w, "mad.wide.u32 e, %%i0, %u, %%t6;\n", RANDOM_SCRATCH);
        put_access(w, cell, store, "global", "e", random_draw(w, RANDOM_SCRATCH / bytes) * bytes);
        break;
    case 1:
        random_put(w, "mov.u32 f, own; mad.lo.u32 f, %%i2, 16, f;\n");
        put_access(w, cell, store, "shared", "f", offset);
        break;
    case 2:
        random_put_line(
            w, "mov.u32 f, own; mad.lo.u32 f, %i2, 16, f; cvt.u64.u32 e, f; cvta.shared.u64 "
               "e, e; st.b32 [e+<0|4|8>], %r#; ld.b32 %r#, [e+<0|4|8|12>];");
        break;
    default:
        random_put_line(w, "mov.u32 f, stack; and.b32 %i3, %r#, 3; mad.lo.u32 f, %i3, 16, f;");
        put_access(w, cell, store, "local", "f", offset);
    }
    random_put(w, "}\n");
}

/*
 * Every thread writes its element of a tile, and reads rows, columns and elements of others, or
 * writes its own again. A tile has a few elements more, which nobody writes.
 */
static void put_tile(struct writer *w)
{
    static const struct cell cells[] = {
        {"b32", 'r', 4, 1}, {"f32", 'r', 4, 1}, {"b64", 'd', 8, 1}, {"b32", 'r', 4, 4}};
    static const char *const places[] = {"mov.u32 g, tile;", "mad.lo.u32 g, %i2, h, f;",
                                         "mov.u32 g, %tid.x; mad.lo.u32 g, g, h, f;",
                                         "mov.u32 g, %tid.y; mad.lo.u32 g, g, h, f;"};
    const struct cell *cell = &cells[random_draw(w, COUNT(cells))];
    const unsigned bytes = bytes_of(cell);
    const bool late = w->program->wrong && random_one_in(w, 4);

    random_put(w, "{ .reg .b32 f, g, h; bar.sync 0; mov.u32 f, tile; mov.u32 h, %u;\n", bytes);
    random_put(w, "mad.lo.u32 g, %%i2, h, f;\n");
    put_access(w, cell, true, "shared", "g", 0);
    for (unsigned i = 2 + random_draw(w, 5); i; i--) {
        if (!late || !random_one_in(w, 3))
            random_put(w, "bar.sync 0;\n");
        for (unsigned j = random_draw(w, 4); j; j--) {
            random_put_one(w, places, COUNT(places));
            put_access(w, cell, false, "shared", "g", random_draw(w, 4) * bytes);
        }
        if (random_one_in(w, 3))
            random_put(w, "bar.sync 0; mad.lo.u32 g, %%i2, h, f;\n");
        if (random_one_in(w, 3))
            put_access(w, cell, true, "shared", "g", 0);
    }
    random_put(w, "}\n");
}

/* Every thread writes its place, and reads that of another. Without a barrier that is a race. */
static void put_exchange(struct writer *w)
{
    const struct cell *cell = draw_cell(w);
    const unsigned space = bytes_of(cell) << random_draw(w, 2), stride = space > 16 ? 16 : space;
    const unsigned threads = random_threads(w->program);

    if (w->program->tiles) {
        put_tile(w);
        return;
    }
    random_put(w, "{ .reg .b32 f, g; bar.sync 0; mov.u32 f, box; mad.lo.u32 f, %%i2, %u, f;\n",
               stride);
    put_access(w, cell, true, "shared", "f", 0);
    if (!w->program->wrong || !random_one_in(w, 8))
        random_put(w, "bar.sync 0;\n");
    random_put_line(w, "<mov.b32 g, %r#|xor.b32 g, %i2, ~|add.u32 g, %i2, ~>;");
    random_put(w, "rem.u32 g, g, %u; mov.u32 f, box; mad.lo.u32 f, g, %u, f;\n", threads, stride);
    put_access(w, cell, false, "shared", "f", 0);
    random_put(w, "}\n");
}

const struct random_simple random_simple[] = {
    {40, false, put_form, RANDOM_BRIEF},
    {10, false, put_affine, RANDOM_BRIEF},
    {10, false, put_load, RANDOM_BRIEF},
    {8, false, put_own, RANDOM_BRIEF},
    {5, true, put_exchange, 0},
    {8, false, random_put_count, RANDOM_BRIEF},
    {4, false, random_put_marks, RANDOM_BRIEF},
    {6, false, random_put_lanes, 0},
    {5, true, random_put_members, 0},
    {2, false, put_call, 0},
    {6, false, put_mistake, RANDOM_BRIEF},
};

const unsigned random_n_simple = COUNT(random_simple);
