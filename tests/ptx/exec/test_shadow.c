/* SPDX-License-Identifier: MIT */
/* Races where the shadow memory notes many accesses at once, each beside its right twin. */
#include "planted.h"

TestSuite(shadow, .timeout = 100);

/* Both tiers find the same. Blocks run in their order. */
static void begin_in(const char *mode, unsigned words)
{
    setenv("CUSHIM_MOCK_PTX_COMPILE", mode, 1);
    setenv("CUSHIM_MOCK_PTX_WORKERS", "1", 1);
    begin(words);
}

#define IN_BOTH(name)                                                                              \
    static void name(const char *mode);                                                            \
    Test(shadow, name##_compiled)                                                                  \
    {                                                                                              \
        name("always");                                                                            \
    }                                                                                              \
    Test(shadow, name##_interpreted)                                                               \
    {                                                                                              \
        name("0");                                                                                 \
    }                                                                                              \
    static void name(const char *mode)

/* Block 0 reads 32 words, and each later one as many from the next word on. */
#define READ_FROM_NEXT                                                                             \
    "mul.wide.u32 %rd3, %b, 4; add.u64 %rd3, %rd3, %rd2; add.u64 %rd3, %rd3, %rd0;\n"              \
    "ld.global.u32 %r1, [%rd3];\n"

/* One thread of the last of four blocks. */
#define LAST "setp.eq.u32 %p0, %i, 96; @%p0 "

IN_BOTH(read_by_several)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS, run(READ_FROM_NEXT READ_FROM_NEXT, 4, 32));
    silent();
}

IN_BOTH(written_behind_one_reader)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS, run(READ_FROM_NEXT LAST "st.global.u32 [%rd0], 7;", 4, 32));
    found(CUSHIM_MOCK_DATA_RACE, "it writes 4 bytes that block number 0 read", "block (3,0,0)");
}

IN_BOTH(written_behind_several_readers)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS, run(READ_FROM_NEXT LAST "st.global.u32 [%rd0+40], 7;", 4, 32));
    found(CUSHIM_MOCK_DATA_RACE, "it writes 4 bytes that block number 0 read", "block (3,0,0)");
}

IN_BOTH(a_byte_written_behind_readers)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS, run(READ_FROM_NEXT LAST "st.global.u8 [%rd0+41], 7;", 4, 32));
    found(CUSHIM_MOCK_DATA_RACE, "that block number 0 read", "block (3,0,0)");
}

IN_BOTH(read_by_several_and_then_by_the_byte)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS,
           run(READ_FROM_NEXT LAST "ld.global.u8 %r1, [%rd0+1]; @%p0 st.global.u8 [%rd0+2], 7;", 4,
               32));
    found(CUSHIM_MOCK_DATA_RACE, "that block number 0 read", "block (3,0,0)");
}

/* A line that was all read is written by the one that reads it, and then others come. */
IN_BOTH(written_before_other_readers)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS,
           run("setp.eq.u32 %p0, %i, 5; " READ_FROM_NEXT "@%p0 st.global.u32 [%rd3], 7;", 4, 32));
    found(CUSHIM_MOCK_DATA_RACE, "it reads 4 bytes that block number 0 wrote", "block (1,0,0)");
}

/* Each of four blocks has every fourth word, far apart in the order of the lanes. */
#define OWN_WORDS                                                                                  \
    "mul.lo.u32 %r1, %t, 13; and.b32 %r1, %r1, 31; shl.b32 %r1, %r1, 2; add.u32 %r1, %r1, %b;\n"   \
    "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd0;\n"
#define TWICE                                                                                      \
    "ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd3], %r2;\n"                                      \
    "ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd3], %r2;\n"

IN_BOTH(words_of_blocks)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS, run(OWN_WORDS TWICE, 4, 32));
    silent();
}

/* One lane comes to a word of another block, which it uses as often as its own. */
IN_BOTH(words_of_blocks_but_for_one)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS,
           run(OWN_WORDS "setp.eq.u32 %p0, %i, 109; @%p0 sub.u64 %rd3, %rd3, 4;\n" TWICE, 4, 32));
    found(CUSHIM_MOCK_DATA_RACE, "it reads 4 bytes that block number 2 wrote", "thread (13,0,0)");
}

IN_BOTH(words_of_blocks_not_written)
{
    begin_in(mode, 128);
    p = allocate(512);
    EXPECT(CUDA_SUCCESS, run(OWN_WORDS "setp.ne.u32 %p0, %i, 77; @%p0 st.global.u32 [%rd3], 1;\n"
                                       "ld.global.u32 %r2, [%rd3];",
                             4, 32));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "nothing has written", "thread (13,0,0)");
}

/*
 * Three warps pass words on from each to the next one, in rounds: from barrier to barrier in step,
 * or not, as the lanes of one warp part.
 */
#define PASS_ON(before, again)                                                                     \
    "mov.u32 %r1, s; add.u32 %r1, %r1, %r7; add.u32 %r2, %t, 32; rem.u32 %r2, %r2, 96;\n"          \
    "mov.u32 %r3, s; mad.lo.u32 %r3, %r2, 4, %r3; mov.u32 %r4, 0;\n"                               \
    "L: " before "st.shared.u32 [%r1], %r4; bar.sync 0; ld.shared.u32 %r5, [%r3]; " again "\n"     \
    "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 4; @%p1 bra L;\n"
#define PART                                                                                       \
    "setp.ne.u32 %p2, %t, 40; @%p2 bra X; mov.u32 %r6, 0; Y: add.u32 %r6, %r6, 1; "                \
    "setp.lt.u32 %p1, %r6, 3; @%p1 bra Y; X: "

IN_BOTH(rounds)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS, run(PASS_ON("", "bar.sync 0;"), 2, 96));
    EXPECT(CUDA_SUCCESS, run(PASS_ON(PART, "bar.sync 0;"), 2, 96));
    silent();
}

IN_BOTH(rounds_without_a_barrier)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS, run(PASS_ON("", ""), 2, 96));
    found(CUSHIM_MOCK_DATA_RACE, "it writes shared memory at offset", "no barrier is between them");
}

IN_BOTH(parted_rounds_without_a_barrier)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS, run(PASS_ON(PART, ""), 2, 96));
    found(CUSHIM_MOCK_DATA_RACE, "it writes shared memory at offset", "no barrier is between them");
}

/* The barrier is missing in the last round only. */
IN_BOTH(rounds_and_one_more)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS, run(PASS_ON("", "bar.sync 0;") "st.shared.u32 [%r1], 9; "
                                                        "ld.shared.u32 %r5, [%r3];",
                             2, 96));
    found(CUSHIM_MOCK_DATA_RACE, "shared memory at offset", "no barrier is between them");
}

/* Atomic operations at words far apart: all of them were written, or all but one. */
#define COUNT(which)                                                                               \
    "mul.lo.u32 %r1, %t, 13; and.b32 %r1, %r1, 31; mov.u32 %r2, s; mad.lo.u32 %r1, %r1, 8, %r2;\n" \
    "setp.ne.u32 %p0, %t, " which "; @%p0 st.shared.u32 [%r1], 0; bar.sync 0;\n"                   \
    "atom.shared.add.u32 %r3, [%r1], 1;"

IN_BOTH(atomics_on_written_words)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS, run(COUNT("99"), 2, 32));
    silent();
}

IN_BOTH(atomics_on_a_word_that_is_not_written)
{
    begin_in(mode, 128);
    EXPECT(CUDA_SUCCESS, run(COUNT("9"), 2, 32));
    found(CUSHIM_MOCK_UNINITIALISED_READ, "shared memory", "thread (9,0,0)");
}

/*
 * Shadow memory is used again by the next launch. In a range whose shadow memory is large, only what
 * was used of it is made zero.
 */
IN_BOTH(nothing_stays_of_a_launch_that_used_little_of_much)
{
    enum { WORDS = 16 << 20 };
    static const char all[] = "st.global.u32 [%rd1], 7;\n"
                              "cvt.u64.u32 %rd3, %i; add.u64 %rd3, %rd0, %rd3;\n"
                              "st.global.u8 [%rd3+50331648], 7;\n";
    static const char other_way[] = "sub.u32 %i, 127, %i; mul.wide.u32 %rd1, %i, 4; "
                                    "add.u64 %rd1, %rd0, %rd1;\n";
    char text[512];

    begin_in(mode, WORDS);
    snprintf(text, sizeof(text), "%s%s", other_way, all);
    EXPECT(CUDA_SUCCESS, run(all, 4, 32));
    EXPECT(CUDA_SUCCESS, run(text, 4, 32));
    silent();
    EXPECT(CUDA_SUCCESS, run("atom.global.add.u32 %r1, [%rd0+58720256], 1;", 4, 32));
    EXPECT(CUDA_SUCCESS, run(LAST "st.global.u32 [%rd0+58720256], 7;", 4, 32));
    EXPECT(CUDA_SUCCESS, run(all, 4, 32));
    silent();
}
