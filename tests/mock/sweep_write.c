/* SPDX-License-Identifier: MIT */
/*
 * Writes random kernels with a thread for each element. Most of what they compute from the thread's
 * number has one step from each thread to the next; other values wrap around somewhere in between.
 */
#include "sweep_write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../unit/plain.h"

static uint64_t state;

static unsigned any(unsigned n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned) (state >> 33) % n;
}

__attribute__((format(printf, 2, 3))) static void say(struct text *to, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    to->used += (size_t) vsnprintf(to->text + to->used, sizeof(to->text) - to->used, format, list);
    va_end(list);
    CHECK_EQ(to->used < sizeof(to->text), 1);
}

/* What a program may do in another way than most do: few things, so that little else comes first.
 */
enum { INDEX, LIMIT, ADDRESS, OFFSET, GUARD, ACCESS, KIND, NUMBER, SHAPE, MEMORY, ODDS };

static unsigned odds;

static bool odd(unsigned what)
{
    return odds >> what & 1 && any(4);
}

struct kind {
    const char *type, *vector, *registers;
    unsigned bytes;
    bool wide;
};

static const struct kind kinds[] = {
    {"u32", "", "%v0", 4, false},
    {"f32", "", "%f0", 4, false},
    {"u8", "", "%v0", 1, false},
    {"s16", "", "%v0", 2, false},
    {"u64", "", "%l0", 8, true},
    {"u32", ".v2", "{%v0, %v1}", 8, false},
    {"u32", ".v4", "{%v0, %v1, %v2, %v3}", 16, false},
    {"f32", ".v2", "{%f0, %g}", 8, false},
    {"s8", ".v4", "{%v0, %v1, %v2, %v3}", 4, false},
    {"u16", ".v2", "{%v3, %v0}", 4, false},
    {"u64", ".v2", "{%l0, %l0}", 16, true},
    {"s8", "", "%v0", 1, false},
    {"f64", "", "%e0", 8, true},
};

/* What threads have in common, or not in all of the block, and what each one has. */
static const char *const numbers[] = {
    "mov.u32 %x, %tid.x;",
    "mov.u32 %x, %ctaid.x;",
    "mov.u32 %x, %laneid;",
    "shr.u32 %x, %t, 5;",
    "mov.u32 %x, %ntid.x;",
    "mov.u32 %x, %tid.y;",
    "and.b32 %x, %i, 31;",
    "mov.u32 %x, %n;",
    "mov.u32 %x, %warpid;",
    "mul.lo.u32 %x, %t, 3;",
    "or.b32 %x, %t, 4096;",
    "sub.u32 %x, %n, %i;",
    "setp.lt.u32 %q, %t, 40; selp.u32 %x, 5, %t, %q;",
    "cvt.u32.u16 %x, %i;",
    "mov.u32 %x, %smid;",
    "mov.u32 %x, %nctaid.x; mad.lo.u32 %x, %x, 3, %b;",
    "mul.hi.u32 %x, %i, 3;",
    "mul.wide.s32 %c, %i, 65537; cvt.u32.u64 %x, %c;",
    "mul.wide.u32 %c, %t, 2147483647; shr.u64 %c, %c, 8; cvt.u32.u64 %x, %c;",
    "sub.u32 %x, 0, %t; cvt.s64.s32 %c, %x; shr.s64 %c, %c, 1; cvt.u32.u64 %x, %c;",
};

/* What they compute; what is no number may be one afterwards. */
static const char *const sums[] = {
    "add.u32 %s, %s, %v0;",
    "xor.b32 %s, %s, %x;",
    "mad.lo.u32 %s, %v0, 7, %x;",
    "fma.rn.f32 %g, %f0, 0f40400000, %g;",
    "mov.b32 %y, %g; add.u32 %s, %s, %y;",
    "mul.f32 %g, %g, %g;",
    "cvt.rn.f32.u32 %g, %v0;",
    "add.u32 %s, %s, %v3;",
    "cvt.u32.u64 %y, %l0; add.u32 %s, %s, %y;",
    "setp.gt.u32 %q, %s, 1000; selp.u32 %s, %x, %s, %q;",
    "shl.b32 %s, %s, 1;",
    "div.rn.f32 %g, %g, 0f00000000;",
    "sub.f32 %g, %g, %g;",
    "sqrt.rn.f32 %g, %g;",
    "neg.f32 %g, %g; mov.b32 %y, %g; xor.b32 %s, %s, %y;",
    "max.f32 %g, %g, %f0;",
    "setp.gt.f32 %q, %g, %f0; selp.f32 %g, %g, %f0, %q;",
    "cvt.rzi.s32.f32 %y, %g; add.u32 %s, %s, %y;",
    "copysign.f32 %g, %g, %f0;",
    "abs.ftz.f32 %g, %g; mul.ftz.f32 %f0, %g, %f0;",
    "add.f32 %g, %f0, %g; neg.f32 %g, %g; st.global.f32 [%p0], %g;",
    "fma.rn.ftz.f32 %g, %g, %f0, %g; selp.f32 %f0, %g, %f0, %p;",
    "rsqrt.approx.f32 %g, %f0; cvt.f64.f32 %e0, %g;",
    "add.f32 %g, %f0, %f0; cvt.f64.f32 %e0, %g; mov.b64 %l0, %e0;",
    "sub.f32 %f0, %g, %f0; cvt.rn.f16.f32 %h, %f0; cvt.f32.f16 %g, %h;",
    "div.rn.f32 %f0, %f0, %f0; mov.b64 %l0, {%f0, %g};",
    "mov.b64 {%f0, %g}, %l0; add.f32 %f0, %g, %f0;",
    "mov.b64 %e0, %l0; add.f64 %e0, %e0, %e0; cvt.rn.f32.f64 %g, %e0;",
    "add.f32 %f0, %f0, %g; min.NaN.f32 %g, %f0, %g;",
    "cvt.sat.f32.f32 %g, %f0; add.sat.f32 %f0, %g, %f0;",
    "mul.f32 %g, %f0, %g; setp.nan.f32 %q, %g, %f0; selp.f32 %f0, %g, %f0, %q;",
    "ex2.approx.ftz.f32 %g, %g; lg2.approx.f32 %f0, %g;",
    "lop3.b32 %s, %s, %x, %v0, 0x96; prmt.b32 %v0, %s, %x, 0x4321;",
    "cvt.rni.f32.f32 %g, %f0; tanh.approx.f32 %f0, %g;",
    "sub.f32 %g, %g, %f0; testp.number.f32 %q, %g; selp.u32 %s, %s, %x, %q;",
};

#define PICK(list) (list)[any(sizeof(list) / sizeof((list)[0]))]

static void write_index(struct text *to)
{
    static const char *const indices[] = {
        "mad.lo.u32 %i, %b, %d, %t;",
        "mad.lo.s32 %i, %b, %d, %t;",
        "mul.lo.u32 %i, %b, %d; add.u32 %i, %i, %t;",
        "mov.u32 %i, %t;",
        "mad.lo.u32 %i, %b, %d, %t; shl.b32 %i, %i, 1; sub.u32 %i, %i, %t;",
        "mad.lo.u32 %i, %b, %d, %t; sub.u32 %i, %n, %i;",
        "mad.lo.u32 %i, %b, %d, %t; add.u32 %i, %i, 2147483600;",
        "mad.lo.u32 %i, %b, %d, %t; mul.lo.u32 %i, %i, 3;",
        "mul.lo.u32 %i, %t, 134217728;",
        "mul.lo.u32 %i, %t, 65536; mul.lo.u32 %i, %i, 65536; add.u32 %i, %i, %t;",
        "mul.lo.u32 %i, %t, 134217729; shl.b32 %y, %t, 27; sub.u32 %i, %i, %y;",
        "mad.lo.u32 %i, %b, %d, %t; add.u32 %i, %i, 1073741824;",
        "mad.lo.u32 %i, %b, %d, %t; add.u32 %i, %i, -16;",
        "mad.lo.u32 %i, %b, %d, %t; add.u32 %i, %i, -2147483648;",
        "sub.u32 %i, %n, %t;",
        "sub.u32 %i, %t, %n;",
        "mad.lo.u32 %i, %b, %d, %t; neg.s32 %i, %i; neg.s32 %i, %i;",
        "mul.wide.u32 %c, %t, 2147483647; add.u64 %c, %c, %c; cvt.u32.u64 %i, %c;",
        "mul.wide.s32 %c, %t, 1073741825; shl.b64 %c, %c, 2; cvt.u32.u64 %i, %c; shr.u32 %i, %i, "
        "2;",
        "cvt.u64.u32 %c, %t; mad.lo.u64 %c, %c, 1099511627777, 0; cvt.u32.u64 %i, %c;",
        "add.u32 %i, %t, 2147483600; cvt.s64.s32 %c, %i; sub.u64 %c, %c, 2147483600; cvt.u32.u64 "
        "%i, %c;",
        "add.u32 %i, %t, -40; cvt.u64.u32 %c, %i; add.u64 %c, %c, 40; cvt.u32.u64 %i, %c;",
        "and.b32 %i, %t, 127;",
        "mul.lo.u32 %i, %t, 500;",
        "shr.u32 %i, %t, 5; mul.lo.u32 %i, %i, 600;",
        "ld.global.u32 %x, [%p2]; and.b32 %x, %x, 15; mad.lo.u32 %i, %b, %d, %t; add.u32 %i, %i, "
        "%x;",
        "shr.u32 %i, %t, 1;",
    };

    say(to, "%s\n", odd(INDEX) ? PICK(indices) : indices[any(3)]);
}

static void write_limit(struct text *to)
{
    static const char *const limits[] = {
        "setp.ge.u32 %p, %i, %n; @%p bra E;",
        "setp.ge.s32 %p, %i, %n; @%p bra E;",
        "setp.lt.u32 %p, %i, %n; @!%p bra E;",
        "setp.gt.s32 %p, %n, %i; @!%p bra E;",
        "setp.ge.u32 %p, %i, %n; setp.lt.u32 %q, %t, 0; or.pred %p, %p, %q; @%p bra E;",
        "setp.lt.u32 %p, %i, %n; setp.le.s32 %q, %t, 900; and.pred %p, %p, %q; @!%p bra E;",
        "setp.eq.u32 %p, %n, 0; @%p bra E;",
        "setp.eq.u32 %p, %i, %n; @%p bra E;",
        "setp.ge.u32 %p, %i, %n; @%p exit;",
        "setp.ge.u32 %p, %i, %n; @%p ret;",
        "setp.lt.u32 %p, %i, %n; setp.lt.u32 %q, %t, 2000; xor.pred %p, %p, %q; @%p bra E;",
        "setp.lt.u32 %p, %i, %n; not.pred %p, %p; @%p bra E;",
        "setp.ne.u32 %p, %t, 33; @!%p bra E;",
        "sub.u32 %y, %i, 7; setp.ge.u32 %p, %y, %n; @%p bra E;",
        "add.u32 %y, %i, 2147483640; setp.lt.s32 %p, %y, 0; @%p bra E;",
        "mul.lo.u32 %y, %t, 134217728; setp.ge.u32 %p, %y, 2147483648; @%p bra E;",
        "mul.lo.u32 %y, %t, 1073741824; setp.ge.u32 %p, %y, 1073741824; @%p bra E;",
        "mul.lo.u32 %y, %t, 69273667; setp.gt.s32 %p, %y, -1000; @!%p bra E;",
        "cvt.u64.u32 %c, %i; add.u64 %c, %c, -64; setp.ge.u64 %p, %c, 1000; @%p bra E;",
        "cvt.u64.u32 %c, %t; add.u64 %c, %c, 0x7fffffffffffffee; setp.lt.s64 %p, %c, 0; @%p bra E;",
        "setp.lt.or.u32 %p, %i, %n, %q; @!%p bra E;",
        "setp.ge.u32 %p, %i, %n; setp.eq.or.u32 %p, %b, 1, %p; @%p bra E;",
        "setp.ge.u32 %p|%q, %i, %n; @!%q bra E;",
        "setp.ge.u32 %p, %b, 2; @%p bra E;",
        "shr.u32 %y, %t, 5; setp.ge.u32 %p, %y, 3; @%p bra E;",
        "setp.lo.u32 %p, %i, %n; selp.u32 %y, 1, 0, %p; setp.eq.u32 %p, %y, 0; @%p bra E;",
        "sub.u32 %y, 5, %t; setp.lt.s32 %p, %y, -2000; @%p bra E;",
        "sub.u32 %y, 5, %t; setp.gt.u32 %p, %y, 2000; @%p bra E;",
    };

    if (any(8))
        say(to, "%s\n", odd(LIMIT) ? PICK(limits) : limits[any(4)]);
}

static void write_address(struct text *to, unsigned array, unsigned bytes)
{
    static const char *const offsets[] = {
        "mul.wide.u32 %%a, %%i, %u;",
        "mul.wide.s32 %%a, %%i, %u;",
        "cvt.u64.u32 %%a, %%i; mul.lo.u64 %%a, %%a, %u;",
        "cvt.s64.s32 %%a, %%i; mul.lo.u64 %%a, %%a, %u;",
        "mul.wide.u32 %%a, %%b, %u;",
        "mul.lo.u32 %%y, %%i, %u; cvt.u64.u32 %%a, %%y;",
        "mul.lo.u32 %%y, %%i, %u; cvt.s64.s32 %%a, %%y;",
        "mul.wide.u32 %%a, %%i, %u; sub.u64 %%a, 2048, %%a;",
        "mul.wide.s32 %%a, %%i, %u; neg.s64 %%a, %%a; neg.s64 %%a, %%a;",
        "mad.wide.u32 %%a, %%i, %u, 64;",
        "mad.wide.s32 %%a, %%t, %u, 64;",
        "cvt.u64.u32 %%a, %%i; mul.lo.u64 %%a, %%a, %u; mul.lo.u64 %%a, %%a, 2;",
        "cvt.u64.u32 %%a, %%i; mul.lo.u64 %%a, %%a, %u; and.b64 %%a, %%a, 0xfff0;",
        "add.u32 %%y, %%i, -16; mul.wide.s32 %%a, %%y, %u; add.u64 %%a, %%a, 256;",
        "add.u32 %%y, %%i, -8; mul.wide.u32 %%a, %%y, %u; add.u64 %%a, %%a, 128;",
        "mul.wide.u32 %%a, %%i, %u; xor.b64 %%a, %%a, 64;",
    };

    if (odd(ADDRESS))
        say(to, offsets[4 + any(12)], bytes);
    else
        say(to, offsets[any(4)], bytes);
    say(to, "add.u64 %%a, %%a, %%p%u;\n", array);
}

static void write_offset(struct text *to, unsigned bytes)
{
    if (odd(OFFSET))
        say(to, "+%s%u", any(3) ? "" : "-", bytes * any(40));
    say(to, "]");
}

/* Which lanes do it, if not all of them. */
static void write_guard(struct text *to)
{
    static const char *const guards[] = {
        "setp.lt.u32 %q, %t, 70; @%q ", "setp.lt.u32 %q, %i, %n; @%q ",
        "setp.ne.u32 %q, %x, 3; @!%q ", "setp.eq.u32 %q, %b, 1; @!%q ",
        "setp.lt.u32 %q, %i, -1; @%q ", "@!%p ",
    };

    if (odd(GUARD))
        say(to, "%s", PICK(guards));
}

/* Loads something, computes, and stores. */
static void write_step(struct text *to)
{
    static const char *const loads[] = {
        "", ".global.cg", ".global.cs", ".volatile.global", ".relaxed.gpu.global", ".global.ca"};
    static const char *const stores[] = {
        "", ".global.cg", ".global.cs", ".volatile.global", ".relaxed.gpu.global", ".global.wb"};
    const struct kind *from = odd(KIND) ? &PICK(kinds) : &kinds[any(2)], *with = &PICK(kinds);
    const unsigned array = any(ARRAYS);

    if (any(8)) {
        write_address(to, array, from->bytes);
        write_guard(to);
        say(to, "ld%s%s.%s %s, [%%a", odd(ACCESS) ? PICK(loads) : ".global", from->vector,
            from->type, from->registers);
        write_offset(to, from->bytes);
        say(to, ";\n");
    }
    say(to, "%s\n", odd(NUMBER) ? PICK(numbers) : numbers[any(2)]);
    for (unsigned i = any(4); i; i--)
        say(to, "%s\n", PICK(sums));
    if (!odd(KIND))
        with = from;
    say(to,
        with->wide ? "cvt.u64.u32 %%l0, %%s;\n" : "add.u32 %%v0, %%v0, %%s; mov.f32 %%f0, %%g;\n");
    if (any(4))
        write_address(to, any(3) ? (array + 1) % ARRAYS : array, with->bytes);
    else if (any(2))
        return;
    write_guard(to);
    say(to, "st%s%s.%s [%%a", odd(ACCESS) ? PICK(stores) : ".global", with->vector, with->type);
    write_offset(to, with->bytes);
    say(to, ", %s;\n", with->registers);
}

static void write_kernel(struct text *to)
{
    to->used = 0;
    say(to,
        ".version 7.5\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u32 n) {\n"
        ".reg .b64 %%p0, %%p1, %%p2, %%a, %%c, %%l0; .reg .f32 %%f0, %%g; .reg .pred %%p, %%q;\n"
        ".reg .f64 %%e0; .reg .b16 %%h; mov.b16 %%h, 1; mov.f64 %%e0, 0d3ff8000000000000;\n"
        "setp.eq.u32 %%p, 1, 0; mov.pred %%q, %%p;\n"
        ".reg .b32 %%i, %%t, %%b, %%d, %%n, %%s, %%x, %%y, %%v0, %%v1, %%v2, %%v3;\n");
    for (unsigned i = 0; i < ARRAYS; i++)
        say(to, "ld.param.u64 %%p%u, [p%u];\n", i, i);
    say(to, "ld.param.u32 %%n, [n]; mov.u32 %%t, %%tid.x; mov.u32 %%b, %%ctaid.x;\n"
            "mov.u32 %%d, %%ntid.x; mov.u32 %%s, 1; mov.u32 %%x, 2; mov.f32 %%g, 0f3f800000;\n"
            "mov.u32 %%v0, 3; mov.u32 %%v1, %%t; mov.u32 %%v2, %%b; mov.u32 %%v3, 4;\n"
            "mov.f32 %%f0, %%g; mov.u64 %%l0, 5; mov.u64 %%a, %%p0;\n");
    write_index(to);
    write_limit(to);
    for (unsigned i = 1 + any(2) * any(3); i; i--)
        write_step(to);
    say(to, "E: ret; }\n");
}

void sweep_draw(struct program *program, uint64_t seed)
{
    static const unsigned blocks[][2] = {{32, 1},  {64, 1},  {96, 1},  {256, 1}, {1024, 1},
                                         {128, 1}, {33, 1},  {100, 1}, {16, 4},  {32, 3},
                                         {1, 1},   {992, 1}, {512, 2}, {1023, 1}};
    static const unsigned moves[] = {0, 64, 4, 32, 1};
    const unsigned *block;
    unsigned threads;

    state = seed * UINT64_C(0x9e3779b97f4a7c15);
    odds = 1u << any(ODDS) | (any(2) ? 0 : 1u << any(ODDS));
    block = odd(SHAPE) ? PICK(blocks) : blocks[any(6)];
    write_kernel(&program->text);
    program->strong =
        strstr(program->text.text, ".relaxed") || strstr(program->text.text, ".volatile");
    memcpy(program->block, block, sizeof(program->block));
    program->grid[0] = 1 + any(block[0] > 256 ? 5 : any(8) ? 12 : block[0] > 32 ? 30 : 200);
    program->grid[1] = odd(SHAPE) ? 2 : 1;
    program->alias = odd(MEMORY);
    program->no_numbers = any(2);
    threads = program->grid[0] * program->block[0];
    program->n = odd(SHAPE) ? any(threads) : any(3) ? threads - any(2) * any(50) : 2 * threads;
    for (unsigned i = 0; i < ARRAYS; i++) {
        program->moved[i] = odd(MEMORY) ? PICK(moves) : 0;
        program->bytes[i] = threads * (any(3) ? 4 : 8) + program->moved[i];
        if (any(3))
            program->bytes[i] = ROOM;
        else if (any(2)) /* it ends where some threads of a block would go on */
            program->bytes[i] -= any(threads);
        program->bytes[i] = program->bytes[i] < ROOM ? program->bytes[i] : ROOM;
        program->set[i] =
            any(6) || threads > program->bytes[i] / 2 ? program->bytes[i] : 2 * threads;
    }
}
