/* SPDX-License-Identifier: MIT */
/*
 * Statements of random kernels, and shapes of launches, for what warps of a block do beside each
 * other and blocks one behind the other: early ends, barriers of all kinds, branches of whole warps
 * and blocks, comparisons at the edges of numbers, and memory that the block before has used.
 */
#include <stdio.h>
#include <string.h>

#include "random_writer.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

#define put random_put

/* --- shapes --- */

/* As many blocks as have room, in up to three dimensions. */
static void draw_grid(struct random_program *program, uint64_t drawn)
{
    unsigned most = RANDOM_THREADS / 4 / random_threads(program);

    most = most < 16 ? most : 16;
    for (unsigned i = 0; i < 3; i++) {
        const unsigned n = 1 + (unsigned) (drawn >> 8 * i & 0xff) % most;

        program->grid[i] = n > 6 && i ? 1 : n;
        most /= program->grid[i];
    }
}

/* So many blocks that several workers have some. */
static void draw_long_grid(struct random_program *program, uint64_t drawn)
{
    const unsigned most = RANDOM_THREADS / random_threads(program);

    program->grid[0] = most - (unsigned) (drawn & 0xff) % (most / 2);
    program->grid[1] = program->grid[2] = 1;
}

static void draw_cluster(struct random_program *program, uint64_t drawn)
{
    const unsigned n = 1 + (unsigned) (drawn % 10);

    if (n <= 4 && program->grid[0] % n == 0)
        program->cluster[0] = n;
}

void random_draw_blocks(struct random_program *program)
{
    static const uint8_t shapes[][3] = {{32, 1, 1}, {64, 1, 1},  {128, 1, 1}, {255, 1, 1},
                                        {96, 1, 1}, {224, 2, 1}, {8, 8, 1},   {16, 4, 1},
                                        {16, 8, 2}, {32, 4, 1},  {8, 4, 3},   {4, 4, 4},
                                        {64, 2, 2}, {33, 2, 1},  {128, 2, 2}, {48, 2, 1}};
    static const uint32_t limits[] = {100000, 100000, 1000, 70};
    const uint8_t *block = shapes[program->seed % 16];
    const uint64_t drawn = random_mixed(program->seed + 1);

    for (unsigned i = 0; i < 3; i++)
        program->block[i] = block[i];
    if (program->adds && drawn >> 50 & 3)
        draw_long_grid(program, drawn);
    else
        draw_grid(program, drawn);
    draw_cluster(program, drawn >> 24 & 0xff);
    program->dynamic = 16 * random_threads(program);
    if (program->wrong && drawn >> 32 & 1)
        program->dynamic /= 2;
    program->step_limit = limits[drawn >> 33 & 3];
    program->calm = drawn >> 61 & 1;
    program->order = drawn >> 35 & 3 ? 0 : drawn >> 40;
}

struct random_program random_turned(const struct random_program *program, unsigned turn)
{
    struct random_program turned = *program;
    const uint64_t drawn = random_mixed(program->seed + 2 + turn);

    if (!turn)
        return turned;
    turned.seed = drawn; /* of its memory */
    turned.fresh = drawn % 4 == 0;
    turned.number = (uint32_t) (drawn >> 4) % 40;
    turned.moved = 16 * ((uint32_t) (drawn >> 24) % 64);
    turned.read_only = drawn >> 12 & 1;
    turned.order = drawn >> 8 & 1 ? drawn >> 32 : 0;
    if (turned.cluster[0] == 1 && !program->adds)
        turned.grid[0] = 1 + (unsigned) (drawn >> 16 & 0xff) % program->grid[0];
    return turned;
}

/* --- branches of whole warps and blocks --- */

/* A predicate that is the same in a warp, or in a block. */
static void put_place(struct writer *w, bool of_block)
{
    static const char *const warps[] = {"shr.u32 f, %i2, 5;", "mov.u32 f, %tid.x; shr.u32 f, f, 5;",
                                        "shr.u32 f, %i2, 6;"};
    static const char *const blocks[] = {
        "mov.u32 f, %ctaid.<x|y|z>;", "mov.u32 f, %ctaid.<x|y>; and.b32 f, f, 1;",
        "div.u32 f, %i0, %i1;", "mov.u32 f, %ctaid.y; mad.lo.u32 f, f, 2, %u0;"};

    put(w, "{ .reg .b32 f; ");
    random_put_one(w, of_block ? blocks : warps, of_block ? (w->program->block[1] > 1 ? 2 : 4) : 3);
    random_put_line(w, "setp.<eq|ne|lt|ge|gt>.<u32|s32> %q4, f, <0|1|2|3>; }");
}

static void put_place_if(struct writer *w)
{
    const uint64_t key = w->state;
    const bool of_block = random_one_in(w, 2) || w->program->calm, other = random_one_in(w, 2);
    const unsigned label = w->labels++;

    put_place(w, of_block);
    put(w, "@%%q4 bra E%u;\n", label);
    random_put_ways(w, (struct ways){key, label, of_block, other});
}

/* As often as the number of the block, or of the warp, says. */
static void put_place_loop(struct writer *w)
{
    const uint64_t key = w->state;
    const bool of_block = !random_one_in(w, 3) || w->program->calm;
    const unsigned label = w->labels++, c = w->depth;

    random_put_line(w, of_block ? "mov.u32 %m, %ctaid.<x|y|z>;" : "shr.u32 %m, %i2, 5;");
    put(w, "mov.u32 %%c%u, 0; and.b32 %%k%u, %%m, 3;\nL%u:\n", c, c, label);
    random_put_inner(w, key + 1, of_block);
    put(w, "add.u32 %%c%u, %%c%u, 1; setp.lt.u32 %%q%u, %%c%u, %%k%u;\n@%%q%u bra L%u;\n", c, c, c,
        c, c, c, label);
}

/* Comparisons whose sides wrap around, of the thread's number. */
static void put_edge_if(struct writer *w)
{
    static const char *const lines[] = {
        ("add.u32 f, %<i0|i2>, <0|1|-1|-8|2147483640|-2147483648|-2147483660|-70>; "
         "setp.<lt|le|gt|ge|eq|ne>.<u32|s32> %q4, f, "
         "<0|1|5|31|32|33|64|2147483647|-2147483648|-1>;"),
        ("mul.lo.u32 f, %<i0|i2>, <3|-1|16777216|134217728|-134217728>; "
         "setp.<lt|le|gt|ge|eq|ne>.<u32|s32> %q4, f, <0|31|96|2147483647|-2147483648|-64>;"),
        ("sub.u32 f, <0|31|7|2147483650>, %<i0|i2>; "
         "setp.<lt|le|gt|ge|eq|ne>.<u32|s32> %q4, f, <0|1|-1|7|-7>;"),
        ("mul.wide.<u32|s32> e, %<i0|i2>, <1|4|-4|2147483647>; "
         "setp.<lt|le|gt|ge|eq|ne>.<u64|s64> %q4, e, <0|1|128|-64|4294967295|8589934588>;"),
        ("cvt.<u64.u32|s64.s32> e, %<i0|i2>; add.u64 e, e, "
         "<-1|-9|9223372036854775800|4294967290|2147483647>; "
         "setp.<lt|le|gt|ge|eq|ne>.<u64|s64> %q4, e, "
         "<0|-1|9223372036854775807|4294967295|4294967300>;"),
        /* The first lane and the last one have the same result, and others another one. */
        ("mad.lo.u32 f, %<i0|i2>, <134217728|67108864|100000000>, "
         "<-268435456|1879048192|2147483647>; setp.<lt|le|gt|ge>.<u32|s32> %q4, f, "
         "<-2147483648|0|1000000|2147483647|-1000000>;"),
        "add.u32 f, %i2, <-8|-40>; setp.<le|gt>.u32 %q4, f, <-4|-7|-36>;",
        "add.u32 f, %i2, <2147483640|2147483608>; setp.<le|gt>.s32 %q4, f, "
        "<2147483643|2147483610>;",
        ("cvt.u64.u32 e, %i2; add.u64 e, e, <9223372036854775790|9223372036854775760>; "
         "setp.<le|gt>.s64 %q4, e, <9223372036854775800|9223372036854775770>;"),
        "setp.<lt|le|gt|ge>.<u32|s32> %q4, %<i0|i2>, %<u0|u1|u2|u3|r1>;",
        "add.u32 f, %i2, %<r|u>#; setp.<lt|ge>.<u32|s32> %q4, f, %<r|u>#;",
        ("<shr.u32|shr.s32> f, %<i2|a2|a1>, <1|3|4|5|6>; "
         "setp.<lt|le|gt|ge|eq|ne>.<u32|s32> %q4, f, <0|1|2|3|-1>;"),
        ("and.b32 f, %<i2|i0|a2|a3>, <31|-32|32|15|96>; "
         "setp.<lt|le|gt|ge|eq|ne>.<u32|s32> %q4, f, <0|1|31|32|64>;"),
    };
    const uint64_t key = w->state;
    const unsigned label = w->labels++;

    put(w, "{ .reg .b32 f; .reg .b64 e; ");
    random_put_one(w, lines, COUNT(lines));
    put(w, "}\n@%s%%q4 bra E%u;\n", random_one_in(w, 3) ? "!" : "", label);
    random_put_inner(w, key + 1, false);
    if (random_one_in(w, 3)) {
        put(w, "bra.uni F%u;\nE%u:\n", label, label);
        random_put_inner(w, key + 2, false);
        put(w, "F%u:\n", label);
        return;
    }
    put(w, "E%u:\n", label);
}

/* --- ends --- */

static void put_exit(struct writer *w)
{
    static const char *const lines[] = {
        "setp.<eq|lt|gt|ge>.u32 %q5, %i2, <0|31|32|~>; @%q5 <exit|ret>;",
        "setp.<eq|lt|gt|ge>.u32 %q5, %i0, <96|100|200|640>; @%q5 <exit|ret>;",
        "mov.u32 %m, %laneid; setp.<eq|ne>.u32 %q5, %m, <0|31|7>; @%q5 <exit|ret>;",
        "@<|!>%p# <exit|ret>;",
    };

    if (random_one_in(w, 2)) {
        put_place(w, random_one_in(w, 2));
        random_put_line(w, "@%q4 <exit|ret>;");
    } else if (random_one_in(w, 2)) {
        random_put_one(w, lines, COUNT(lines));
    }
    if (w->program->wrong && random_one_in(w, 5))
        random_put_line(w, "setp.eq.u32 %q5, %i0, <0|33|70|200>; @%q5 trap;");
}

/* --- barriers --- */

static void put_barrier(struct writer *w)
{
    static const char *const lines[] = {
        "bar.sync <0|1|15>;",
        "barrier.sync <0|3>;",
        "bar.sync 0;",
        "bar.red.popc.u32 %r#, <0|1>, <|!>%p#;",
        "bar.red.<and|or>.pred %p#, <0|2>, <|!>%p#;",
        "barrier.cluster.arrive; barrier.cluster.wait;",
        "barrier.cluster.arrive; bar.sync 0; barrier.cluster.wait;",
        "{ .reg .b32 f; and.b32 f, %u#, 7; bar.sync f; }",
        "{ .reg .b32 f; mov.u32 f, %ctaid.x; and.b32 f, f, 7; bar.sync f; }",
    };
    static const char *const wrong[] = {
        "barrier.cluster.arrive;",
        "barrier.cluster.wait;",
        "bar.sync %r#;",
        "setp.eq.u32 %q5, %i2, ~; @%q5 bar.sync 0;",
        "bar.arrive <0|1>, 96;",
        "bar.sync <0|1>, <32|64|96>;",
        "{ .reg .b32 f; shr.u32 f, %i2, 5; bar.sync f, 32; }",
    };
    const unsigned n = (random_threads(w->program) + 31) / 32 * 32;

    if (w->program->wrong && random_one_in(w, 6))
        random_put_one(w, wrong, COUNT(wrong));
    else if (!w->program->calm && random_one_in(w, 5))
        put(w, "bar.sync %u, %u;\n", random_draw(w, 3), n);
    else if (!w->program->calm && random_one_in(w, 6))
        put(w, "setp.lt.u32 %%q5, %%i2, %u; @%%q5 bar.arrive 5, %u; @!%%q5 bar.sync 5, %u;\n",
            32 * random_draw(w, n / 32), n, n);
    else
        random_put_one(w, lines, w->program->calm ? 3 : COUNT(lines));
}

static void put_warp_sync(struct writer *w)
{
    if (random_threads(w->program) % 32 == 0)
        random_put_line(w, "bar.warp.sync <-1|255>;");
}

/* --- memory --- */

/* Shared memory that nobody may have written, or another block before. */
static void put_shared(struct writer *w)
{
    static const char *const lines[] = {
        "ld.shared.b32 %r#, [near+<0|4|64|4092>];",
        "ld.shared.v2.b32 {%r1, %r2}, [near+<0|8|64>];",
        "mov.u32 f, near; mad.lo.u32 f, %i2, 4, f; ld.shared.b32 %r#, [f+<0|4>];",
        "mov.u32 f, near; and.b32 g, %r#, 511; mad.lo.u32 f, g, 8, f; ld.shared.b64 %d#, [f];",
        "mov.u32 f, dynamic; mad.lo.u32 f, %i2, 16, f; st.shared.<b32|u16> [f+<0|4|12>], %r#;",
        "mov.u32 f, dynamic; mad.lo.u32 f, %i2, 16, f; ld.shared.b32 %r#, [f+<0|4|12>];",
        "mov.u32 f, dynamic; mad.lo.u32 f, %i2, 16, f; st.shared.v2.b64 [f], {%d0, %d1};",
        "@<|!>%p# st.shared.b32 [dynamic+16], %r#;",
        ("bar.sync 0; mov.u32 f, dynamic; mad.lo.u32 f, %i2, 16, f; st.shared.b32 [f], %r#; "
         "bar.sync 0; xor.b32 g, %i2, <1|2|8|31>; mov.u32 f, dynamic; mad.lo.u32 f, g, 16, f; "
         "ld.shared.b32 %r#, [f]; bar.sync 0;"),
        ("cvta.to.global.u64 e, %t5; mov.u32 f, own; mad.lo.u32 f, %i2, 16, f; mad.wide.u32 e, "
         "%i2, 16, e; cp.async.ca.shared.global [f], [e], 16; <cp.async.commit_group; "
         "|><cp.async.wait_all;|>"),
    };
    const unsigned n = w->program->wrong ? 8 : 7;

    put(w, "{ .reg .b32 f, g; .reg .b64 e; ");
    if (w->together && random_one_in(w, 3))
        random_put_one(w, lines + 8, COUNT(lines) - 8);
    else
        random_put_one(w, lines, n);
    put(w, "}\n");
}

/* The ends of the data, which has 16384 bytes, with steps of both signs; some go beyond. */
static void put_ends(struct writer *w)
{
    static const char *const lines[] = {
        "mul.wide.s32 e, %i2, -4; add.u64 e, e, %t5; ld.global.b32 %r#, [e+16380];",
        "mul.wide.s32 e, %i2, -16; add.u64 e, e, %t5; ld.global.v4.b32 {%r0, %r1, %r2, %r3}, "
        "[e+16368];",
        "mul.wide.s32 e, %i0, -8; add.u64 e, e, %t5; ld.global.b64 %d#, [e+16376];",
        "mul.wide.u32 e, %i0, 8; add.u64 e, e, %t5; ld.global.v2.b32 {%r4, %r5}, [e];",
        "sub.u32 f, %i2, 7; mul.wide.s32 e, f, 4; add.u64 e, e, %t5; ld.global.b32 %r#, [e+28];",
        ("mul.wide.u32 e, %i2, 268435456; add.u64 e, e, %t5; setp.eq.u32 %q5, %i2, 0; @%q5 "
         "ld.global.b32 %r#, [e];"),
    };
    static const char *const wrong[] = {
        "mul.wide.s32 e, %i2, -4; add.u64 e, e, %t5; ld.global.b32 %r#, [e+<400|16384|1000>];",
        ("mul.wide.u32 e, %i2, <4|8>; add.u64 e, e, %t5; ld.global.b32 %r#, "
         "[e+<-4|16132|16260|15872|2>];"),
        ("mul.wide.u32 e, %i2, 16; add.u64 e, e, %t5; ld.global.v4.b32 {%r0, %r1, %r2, %r3}, "
         "[e+<12288|8|14848>];"),
        "sub.u32 f, %i2, 7; mul.wide.u32 e, f, 4; add.u64 e, e, %t5; ld.global.b32 %r#, [e+28];",
        "mul.wide.u32 e, %i2, 268435456; add.u64 e, e, %t5; st.global.b32 [e], %r#;",
        "mul.wide.u32 e, %i0, 4; add.u64 e, e, %t5; st.global.b32 [e+<8192|15000>], %r#;",
        "mad.wide.u32 e, %i2, <64|32>, %t6; <ld.global.b32 %r#, [e+4]|st.global.b32 [e], %r#>;",
        "<ld.global.b32 %r#, [%t6+64]|st.global.b32 [%t6+64], %r#>;",
    };

    put(w, "{ .reg .b32 f; .reg .b64 e; ");
    if (w->program->wrong && random_one_in(w, 4))
        random_put_one(w, wrong, COUNT(wrong));
    else
        random_put_one(w, lines, COUNT(lines));
    put(w, "}\n");
}

/*
 * Memory of all blocks, by threads of several ones: single bytes of a word, words beside each
 * other, whole lines. Most of it is a race, which is found in the same words by all.
 */
static void put_common(struct writer *w)
{
    static const char *const places[] = {
        "mad.lo.u32 f, %i0, <1|2|3|5|4|16>, <0|1|7|32|500>;",
        "mad.lo.u32 f, %i2, <1|2|4|8|16>, <0|4|64>;",
        "mul.lo.u32 f, %i0, <-1|-4|-16|64>;",
        "mov.u32 f, %ctaid.x; mad.lo.u32 f, f, <1|2|4|8|60|64|128>, <0|1|3|126>;",
        "mov.u32 f, <0|1|4|64|128|200>;",
        "and.b32 f, %r#, <255|15|4080>;",
    };
    static const char *const lines[] = {
        "@%q5 st.global.u8 [e], %r#;",
        "@%q5 ld.global.u8 %r#, [e];",
        "and.b64 e, e, -2; @%q5 <ld.global.u16 %h#, [e]|st.global.u16 [e], %h#>;",
        "and.b64 e, e, -4; @%q5 <ld.global.b32 %r#, [e]|st.global.b32 [e], %r#>;",
        "and.b64 e, e, -8; @%q5 <ld.global.b64 %d#, [e]|st.global.b64 [e], %d#>;",
        ("and.b64 e, e, -16; @%q5 <ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [e]|"
         "st.global.v2.b64 [e], {%d0, %d1}>;"),
        "and.b64 e, e, -4; @%q5 <ld.volatile.global.b32 %r#, [e]|st.volatile.global.b32 [e], %r#>;",
        "and.b64 e, e, -4; @%q5 <red.global.or.b32 [e], %r#|atom.global.xor.b32 %r#, [e], %r#>;",
        "and.b64 e, e, -4; @%q5 <ld.acquire.gpu.global.b32 %r#, [e]|st.release.gpu.global.b32 [e], "
        "%r#>;",
        "and.b64 e, e, -4; membar.gl; @%q5 st.global.b32 [e], %r#;",
    };
    const bool all = random_one_in(w, 2);

    put(w, "{ .reg .b32 f; .reg .b64 e; ");
    random_put_one(w, places, COUNT(places));
    put(w, "and.b32 f, f, %u; mad.wide.u32 e, f, 1, %%t6; add.u64 e, e, %u;\n", RANDOM_COMMON - 1,
        RANDOM_THREADS * RANDOM_SCRATCH);
    if (!all)
        random_put_line(w, "setp.<eq|lt|gt>.u32 %q5, <%i2|%i0>, <0|5|32|33|64|100>;");
    for (unsigned n = 1 + random_draw(w, 3); n; n--) {
        char line[160];
        const char *drawn = lines[w->program->adds ? 1 : random_draw(w, COUNT(lines))];

        snprintf(line, sizeof(line), "%s", drawn);
        if (all)
            memmove(strstr(line, "@%q5 "), strstr(line, "@%q5 ") + 5,
                    strlen(strstr(line, "@%q5 ") + 5) + 1);
        random_put_line(w, line);
        if (random_one_in(w, 2))
            random_put_line(w, "add.u64 e, e, <1|4|16|128>; ");
    }
    put(w, "}\n");
}

/* The order of warps shows in what the operations find. */
static void put_order(struct writer *w)
{
    static const char *const lines[] = {
        "atom.global.<add.u32|exch.b32|max.u32|inc.u32> %r#, [%t7+<0|4|64>], %r#;",
        "atom.global.add.u64 %d#, [%t7+<8|16>], %d#;",
        "atom.shared.<add.u32|exch.b32> %r#, [tally+<0|4|8>], %r#;",
        "atom.global.cas.b32 %r#, [%t7+<0|4>], %r#, %r#;",
        "@<|!>%p# atom.global.add.u32 %r#, [%t7+<0|4>], <1|%r0>;",
    };

    if (!w->program->adds)
        random_put_one(w, lines, COUNT(lines));
}

static void put_special(struct writer *w)
{
    static const char *const lines[] = {
        "mov.u32 %<r|u>#, %<ctaid|nctaid>.<x|y|z>;",
        "mov.u32 %r#, %<tid|ntid>.<x|y|z>;",
        "mov.u32 %r#, %<nwarpid|smid|nsmid|laneid|lanemask_lt|lanemask_ge>;",
        "mov.u32 %r#, %<clusterid.x|nclusterid.x|cluster_ctaid.x|cluster_ctarank>;",
        "mov.u32 %r#, %<dynamic_smem_size|total_smem_size>;",
        "cvt.u64.u32 %d#, %ctaid.<x|y>;",
        "{ .reg .b32 f; mov.u32 f, %ctaid.x; @<|!>%p# add.u32 %r#, f, %r#; }",
        "{ .reg .b32 f; mov.u32 f, %ctaid.x; st.global.b32 [%t6+0], f; }",
        "{ .reg .b32 f; mov.u32 f, %ctaid.<x|y>; div.s32 %r#, %r#, f; }",
        "{ .reg .b32 f; mov.u32 f, %ctaid.<x|y>; bfe.u32 %r#, %r#, f, 5; }",
    };
    const unsigned drawn = random_draw(w, COUNT(lines));

    random_put_line(w, lines[drawn == 7 && !w->program->wrong ? 0 : drawn]);
}

const struct random_simple random_blocks[] = {
    {30, false, put_place_if, RANDOM_NESTS},
    {16, false, put_place_loop, RANDOM_NESTS},
    {40, false, put_edge_if, RANDOM_BRIEF | RANDOM_NESTS | RANDOM_PARTS},
    {18, false, put_exit, RANDOM_PARTS},
    {40, true, put_barrier, 0},
    {5, true, put_warp_sync, 0},
    {24, false, put_shared, 0},
    {24, false, put_ends, RANDOM_BRIEF},
    {24, false, put_common, RANDOM_BRIEF},
    {10, false, put_order, RANDOM_BRIEF},
    {16, false, put_special, RANDOM_BRIEF},
};

const unsigned random_n_blocks = COUNT(random_blocks);
