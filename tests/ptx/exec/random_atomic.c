/* SPDX-License-Identifier: MIT */
/* Atomic operations in random kernels. */
#include "random_writer.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

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
