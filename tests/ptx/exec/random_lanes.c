/* SPDX-License-Identifier: MIT */
/* What lanes of random kernels do together, and atomic operations. */
#include <string.h>

#include "random_writer.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Sums, also in memory of the thread alone, which it reads again: compiled code may gather them. */
static void put_additions(struct writer *w)
{
    static const char *const lines[] = {
        "red<|.global>.add.u32 [e], %r#;",
        "red.global.add.u64 [e], %d#;",
        "{ .reg .b32 g; atom.global.add.u32 g, [e], %r#; }",
        "{ .reg .b64 g; @<|!>%p# atom.global.add.u64 g, [e], %d#; }",
        "@<|!>%p# red.global.add.u32 [e+<0|4>], %r#;",
        "mad.wide.u32 e, %i0, 64, %t6; red.global.add.u32 [e+<0|4|24>], %r#;",
        "mad.wide.u32 e, %i0, 64, %t6; red.global.add.u64 [e+<0|24>], %d#;",
        "mad.wide.u32 e, %i0, 64, %t6; ld.global.u32 %r#, [e+<0|4|24>];",
        "mad.wide.u32 e, %i0, 64, %t6; st.global.u32 [e+<0|4|24>], %r#;",
    };

    for (unsigned n = 1 + random_draw(w, 4); n; n--) {
        const char *line = lines[random_draw(w, COUNT(lines))];
        const bool apart = w->program->blocks; /* what is carried says something of the order */

        random_put(w, "{ .reg .b64 e; .reg .b32 f; and.b32 f, %%r%u, %u;", random_draw(w, 8),
                   apart ? 7 : 15);
        random_put(w, " mad.wide.u32 e, f, 8, %%t7; add.u64 e, e, %u;\n",
                   apart && strstr(line, ".u64") ? 64 : 0);
        random_put_line(w, line);
        random_put(w, "}\n");
    }
}

/* Operations on memory of all threads, whose order does not show. */
void random_put_count(struct writer *w)
{
    static const char *const lines[] = {
        "red.global.<add.u32|min.s32|max.u32|and.b32|or.b32|xor.b32> [e], %r#; }",
        "red.global.<add.u64|max.s64|xor.b64> [e], %d#; }",
        "mov.u64 %t1, tally; sub.u64 e, e, %t7; add.u64 e, e, %t1; "
        "red.shared.<add.u32|min.s32|max.u32|and.b32|or.b32|xor.b32> [e], %r#; }",
        "mov.u64 %t1, tally; sub.u64 e, e, %t7; add.u64 e, e, %t1; "
        "red.shared.<add.u64|max.s64|xor.b64> [e], %d#; }",
    };

    if (w->program->adds) {
        put_additions(w);
        return;
    }
    random_put(w, "{ .reg .b64 e; .reg .b32 f; and.b32 f, %%r%u, 15; mad.wide.u32 e, f, 8, %%t7;\n",
               random_draw(w, 8));
    random_put_one(w, lines, COUNT(lines));
}

/* The lanes of a warp in their order, each at one of a few places that only this warp has. */
void random_put_marks(struct writer *w)
{
    static const char *const lines[] = {
        "atom.shared.<add.u32|exch.b32|inc.u32|dec.u32|min.s32|max.u32|or.b32> %r#, [f], %r#; }",
        "atom.shared.add.f32 %r#, [f], %r#; }",
        "atom.shared.cas.b32 %r#, [f], %r#, %r#; }",
        "atom.shared.<add.u64|exch.b64|min.s64|xor.b64|add.f64> %d#, [f], %d#; }",
        "atom.shared.cas.b64 %d#, [f], %d#, %d#; }",
        "@<|!>%p# atom.shared.<add.u32|add.f32> %r#, [f], %r#; }",
        "@<|!>%p# red.shared.<add.u32|max.s32> [f], %r#; }",
    };

    random_put(w,
               "{ .reg .b32 f, g; shr.u32 g, %%i2, 5; and.b32 f, %%r%u, 3; mad.lo.u32 f, g, 4, f; "
               "mov.u32 g, marks; mad.lo.u32 f, f, 8, g;\n",
               random_draw(w, 8));
    random_put_one(w, lines, COUNT(lines));
}

/* All lanes of whole warps, which name their members by a number. */
void random_put_members(struct writer *w)
{
    static const char *const lines[] = {
        ("shfl.sync.<up|down|bfly|idx>.b32 %r#|%p#, %r#, ~, <0|31|2079|4127|6175|6144>, "
         "<0xffffffff|0x0000ffff>;"),
        /* Numbers in registers of their own, as compilers have them. */
        ("{ .reg .b32 f, g, h; mov.b32 f, ~; mov.b32 g, <31|7199>; mov.b32 h, -1; "
         "shfl.sync.<down|bfly|idx>.b32 %r#|%p#, %r#, f, g, h; }"),
        ("{ .reg .b32 f, h; mov.b32 h, -1; mov.b32 f, 1; @%p# mov.b32 f, 2; "
         "shfl.sync.<down|bfly>.b32 %r#|%p#, %r#, f, 31, h; }"),
        "{ .reg .b32 h; mov.b32 h, <-1|255>; redux.sync.add.s32 %r#, %r#, h; }",
        "vote.sync.<all|any|uni>.pred %p#, %p#, <0xffffffff|0x0000ffff>;",
        "vote.sync.ballot.b32 %r#, %p#, <0xffffffff|0x0ffffff0>;",
        ("redux.sync.<add.s32|min.u32|max.s32|and.b32|or.b32|xor.b32|min.s32|max.u32> %r#, %r#, "
         "<0xffffffff|0x0000fff0>;"),
    };

    if (random_threads(w->program) % 32 == 0)
        random_put_one(w, lines, COUNT(lines));
}

/* As many lanes as are here. */
void random_put_lanes(struct writer *w)
{
    static const char *const lines[] = {
        "shfl.sync.<up|down|bfly|idx>.b32 %r#|%p#, %r#, ~, <0|31|2079|4127|6175|6144>, %m;",
        "{ .reg .b32 f; and.b32 f, %r#, 31; shfl.sync.<idx|bfly|down>.b32 %r#, %r#, f, 31, %m; }",
        "vote.sync.<all|any|uni>.pred %p#, %p#, %m;",
        "vote.sync.ballot.b32 %r#, %p#, %m;",
        "{ .reg .b32 f; and.b32 f, %r#, 3; match.any.sync.b32 %r#, f, %m; }",
        "redux.sync.<add.s32|min.u32|max.s32|and.b32|or.b32|xor.b32> %r#, %r#, %m;",
    };

    random_put(w, "activemask.b32 %%m; ");
    random_put_one(w, lines, COUNT(lines));
}
