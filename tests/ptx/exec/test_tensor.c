/* SPDX-License-Identifier: MIT */
/*
 * Tensor memory: allocating, loads and stores of warps. The places of registers are written here
 * from the figures of the PTX manual, from the cell to the thread; the engine goes the other way.
 */
#include "tensor.h"

TestSuite(tensor, .timeout = 100);

enum { COLUMNS = 256, LANES = 32 };

/* --- loads and stores --- */

struct shape {
    const char *name;
    unsigned lanes, columns; /* of .x1 */
    unsigned registers;      /* of .x1 */
    unsigned most;           /* the largest repetition */
    unsigned split;          /* of .16x32bx2 */
};

static const struct shape shapes[] = {
    {"32x32b", 32, 1, 1, 128, 0}, {"16x64b", 16, 2, 1, 128, 0},     {"16x128b", 16, 4, 2, 64, 0},
    {"16x256b", 16, 8, 4, 32, 0}, {"16x32bx2", 16, 1, 1, 128, 128},
};

struct owner {
    unsigned thread, number; /* of the register */
};

/* Returns who has the cell of a row and a column, or of the second half. */
static struct owner owner_of(const struct shape *shape, unsigned row, unsigned column, bool second)
{
    const unsigned quad = row % 8 * 4, lower = row / 8;

    switch (shape->lanes * 1000 + shape->columns) {
    case 16002:
        return (struct owner){quad + column % 2 * 2 + lower, column / 2};
    case 16004:
        return (struct owner){quad + column % 4, column / 4 * 2 + lower};
    case 16008:
        return (struct owner){quad + column % 8 / 2, column / 8 * 4 + lower * 2 + column % 2};
    case 16001:
        return (struct owner){row + (second ? 16 : 0), column};
    default:
        return (struct owner){row, column};
    }
}

static unsigned count_of(const struct shape *shape, unsigned times)
{
    return shape->registers * times;
}

/* A number for each cell, also in both of its halves. */
static unsigned cell(unsigned lane, unsigned column)
{
    return (lane * 512 + column) * 0x9e3779b1u ^ 0x5a5a0000;
}

/* Gives each cell of the first columns its number: in %r300 and on. */
static void fills(void)
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        line("mad.lo.u32 %%r300, %%r0, 512, %u; mul.lo.u32 %%r300, %%r300, 0x9e3779b1; xor.b32 "
             "%%r300, %%r300, 0x5a5a0000; add.u32 %%r6, %%r5, %u;",
             i, i);
        line("tcgen05.st.sync.aligned.32x32b.x1.b32 [%%r6], {%%r300};");
    }
    line("tcgen05.wait::st.sync.aligned;");
}

/* Writes registers from %r10 on to the output, %rd2 = out + 4 * thread: one row of 128 for each. */
static void writes(unsigned n)
{
    line("mul.wide.u32 %%rd2, %%r0, 4; add.u64 %%rd2, %%rd2, %%rd0;");
    for (unsigned i = 0; i < n; i++)
        line("st.global.u32 [%%rd2+%u], %%r%u;", i * 512, 10 + i);
}

static unsigned loaded(const struct shape *shape, unsigned warp, unsigned row, unsigned column,
                       bool second)
{
    const struct owner owner = owner_of(shape, row, column, second);

    return tensor_words[owner.number * 128 + warp * LANES + owner.thread];
}

static void check_load(const struct shape *shape, unsigned times, unsigned begin, bool pack)
{
    for (unsigned warp = 0; warp < 4; warp++) {
        for (unsigned row = 0; row < shape->lanes; row++) {
            for (unsigned i = 0; i < shape->columns * times * (shape->split ? 2 : 1); i++) {
                const bool second = i >= shape->columns * times;
                const unsigned column = second ? i - shape->columns * times : i;
                const unsigned lane = warp * LANES + begin + row;
                const unsigned at = (second ? shape->split : 0) + column * (pack ? 2 : 1);
                const unsigned expected =
                    pack ? (cell(lane, at) & 0xffff) | cell(lane, at + 1) << 16 : cell(lane, at);

                cr_assert(eq(u32, loaded(shape, warp, row, column, second), expected),
                          "%s.x%u%s, lane %u, column %u", shape->name, times, pack ? " packed" : "",
                          lane, at);
            }
        }
    }
}

static void load_shape(const struct shape *shape, unsigned times, unsigned begin, bool pack)
{
    const unsigned n = count_of(shape, times);
    char split[16] = "";

    if (shape->split)
        snprintf(split, sizeof(split), ", %u", shape->split);
    kernel("sm_100a");
    allocates(COLUMNS);
    fills();
    line("add.u32 %%r6, %%r5, %u;", begin << 16);
    line("tcgen05.ld.sync.aligned.%s.x%u%s.b32 %s, [%%r6]%s;", shape->name, times,
         pack ? ".pack::16b" : "", registers(10, n), split);
    line("tcgen05.wait::ld.sync.aligned;");
    writes(n);
    frees(COLUMNS);
    EXPECT(CUDA_SUCCESS, one_block());
    finds(0, "");
    check_load(shape, times, begin, pack);
}

/* The columns of a load, with both halves, that the test has filled. */
static bool fits(const struct shape *shape, unsigned times, bool pack)
{
    return times <= shape->most &&
           shape->split + shape->columns * times * (pack ? 2 : 1) <= COLUMNS &&
           (!shape->split || shape->columns * times * (pack ? 2 : 1) <= shape->split);
}

Test(tensor, loads_of_all_shapes)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
        for (unsigned times = 1; times <= 128; times *= 2) {
            for (int pack = 0; pack < 2; pack++) {
                if (fits(&shapes[i], times, pack))
                    load_shape(&shapes[i], times, times % 3 == 1 && shapes[i].lanes == 16 ? 16 : 0,
                               pack);
            }
        }
    }
}

/* Stores with a shape, and loads the cells one by one: lane l, column c is row c of the output. */
static void store_shape(const struct shape *shape, unsigned times, bool unpack)
{
    const unsigned n = count_of(shape, times), columns = shape->columns * times * (unpack ? 2 : 1);
    char split[16] = "";

    if (shape->split)
        snprintf(split, sizeof(split), ", %u", shape->split);
    kernel("sm_100a");
    allocates(COLUMNS);
    fills();
    for (unsigned i = 0; i < n; i++)
        line("mad.lo.u32 %%r%u, %%r0, 1000, %u; xor.b32 %%r%u, %%r%u, 0x12340000;", 10 + i, i,
             10 + i, 10 + i);
    line("tcgen05.st.sync.aligned.%s.x%u%s.b32 [%%r5]%s, %s;", shape->name, times,
         unpack ? ".unpack::16b" : "", split, registers(10, n));
    line("tcgen05.wait::st.sync.aligned;");
    line("mul.wide.u32 %%rd2, %%r0, 4; add.u64 %%rd2, %%rd2, %%rd0;");
    for (unsigned i = 0; i < COLUMNS; i++) {
        line("add.u32 %%r6, %%r5, %u; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%%r7}, [%%r6];", i);
        line("tcgen05.wait::ld.sync.aligned; st.global.u32 [%%rd2+%u], %%r7;", i * 512);
    }
    frees(COLUMNS);
    EXPECT(CUDA_SUCCESS, one_block());
    finds(0, "");
    for (unsigned lane = 0; lane < 128; lane++) {
        for (unsigned column = 0; column < COLUMNS; column++) {
            const unsigned row = lane % LANES, got = tensor_words[column * 128 + lane];
            const bool second = shape->split && column >= shape->split;
            const unsigned from = second ? column - shape->split : column;
            const struct owner owner = owner_of(shape, row, unpack ? from / 2 : from, second);
            const unsigned value =
                ((lane / LANES * LANES + owner.thread) * 1000 + owner.number) ^ 0x12340000;
            unsigned expected = cell(lane, column);

            if (row < shape->lanes && from < columns)
                expected = unpack
                               ? (expected & 0xffff0000) | (from % 2 ? value >> 16 : value & 0xffff)
                               : value;
            cr_assert(eq(u32, got, expected), "%s.x%u%s, lane %u, column %u", shape->name, times,
                      unpack ? " unpacked" : "", lane, column);
        }
    }
}

Test(tensor, stores_of_all_shapes)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
        for (unsigned times = 2; times <= 128; times *= 4) {
            for (int unpack = 0; unpack < 2; unpack++) {
                if (fits(&shapes[i], times, unpack))
                    store_shape(&shapes[i], times, unpack);
            }
        }
    }
}

/* --- loads with a reduction: for devices of capability 10.3 --- */

static unsigned reduced(const char *modifiers, const char *type, const unsigned *values, unsigned n)
{
    kernel("sm_103a");
    allocates(32);
    for (unsigned i = 0; i < n; i++)
        line("mov.b32 %%r%u, 0x%x;", 10 + i, values[i]);
    line("tcgen05.st.sync.aligned.32x32b.x%u.b32 [%%r5], %s;", n, registers(10, n));
    line("tcgen05.wait::st.sync.aligned;");
    line("tcgen05.ld.red.sync.aligned.32x32b.x%u.%s.%s %s, %%r200, [%%r5];", n, modifiers, type,
         registers(100, n));
    line("tcgen05.wait::ld.sync.aligned;");
    line("st.global.u32 [%%rd0], %%r200;");
    frees(32);
    EXPECT(CUDA_SUCCESS,
           launch((struct tensor_launch){.device = 1, .blocks = 1, .threads = 128, .cluster = 1}));
    return tensor_words[0];
}

Test(tensor, loads_with_a_reduction)
{
    static const unsigned integers[] = {5, 0xfffffff0, 7, 3}, zeros[] = {0, 0x80000000};
    static const unsigned floats[] = {0x3f800000, 0xc0400000, 0x7fc00001, 0x40000000};

    cr_expect(eq(u32, reduced("min", "u32", integers, 4), 3));
    cr_expect(eq(u32, reduced("max", "u32", integers, 4), 0xfffffff0));
    cr_expect(eq(u32, reduced("min", "s32", integers, 4), 0xfffffff0));
    cr_expect(eq(u32, reduced("max", "s32", integers, 4), 7));
    cr_expect(eq(u32, reduced("min", "f32", floats, 4), 0xc0400000));
    cr_expect(eq(u32, reduced("max", "f32", floats, 4), 0x40000000));
    cr_expect(eq(u32, reduced("max.abs", "f32", floats, 4), 0x40400000));
    cr_expect(eq(u32, reduced("max.NaN", "f32", floats, 4), 0x7fffffff));
    cr_expect(eq(u32, reduced("min", "f32", zeros, 2), 0x80000000));
    cr_expect(eq(u32, reduced("max", "f32", zeros, 2), 0));
}

/* --- allocating --- */

Test(tensor, columns_are_given_and_taken_back)
{
    kernel("sm_100a");
    line("@!%%p1 bra R;");
    line("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 128;");
    line("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s+4], 256;");
    line("ld.shared.b32 %%r4, [s]; ld.shared.b32 %%r5, [s+4];");
    line("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r4, 128;");
    line("mov.u32 %%r7, 32; mov.u64 %%rd3, s; cvta.shared.u64 %%rd3, %%rd3;");
    line("tcgen05.alloc.cta_group::1.sync.aligned.b32 [%%rd3+8], %%r7; ld.shared.b32 %%r6, [s+8];");
    line("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    line("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r5, 256;");
    line("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r6, %%r7;");
    line("st.global.u32 [%%rd0], %%r4; st.global.u32 [%%rd0+4], %%r5; st.global.u32 [%%rd0+8], "
         "%%r6;\nR:");
    EXPECT(CUDA_SUCCESS, one_block());
    finds(0, "");
    cr_expect(eq(u32, tensor_words[0], 0));
    cr_expect(eq(u32, tensor_words[1], 128));
    cr_expect(eq(u32, tensor_words[2], 0));
}

/* Warp 1 gets its columns when warp 0 has freed its own. */
Test(tensor, an_allocation_waits_for_free_columns)
{
    kernel("sm_100a");
    allocates(512);
    line("setp.eq.u32 %%p2, %%r1, 1;");
    line("@%%p2 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s+4], 256;");
    line("@%%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r4, 512;");
    line("@!%%p2 bra R; ld.shared.b32 %%r6, [s+4];");
    line("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r6, 256; st.global.u32 [%%rd0], "
         "256;\nR:");
    EXPECT(CUDA_SUCCESS, one_block());
    finds(0, "");
    cr_expect(eq(u32, tensor_words[0], 256));
}

Test(tensor, lanes_that_are_counted_from_the_warps_own)
{
    kernel("sm_100a");
    allocates(64);
    line("tcgen05.st.sync.aligned.32x32b.x1.b32 [%%r4], {%%r0}; tcgen05.wait::st.sync.aligned;");
    line("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%%r10}, [%%r5]; tcgen05.wait::ld.sync.aligned;");
    writes(1);
    frees(64);
    EXPECT(CUDA_SUCCESS, one_block());
    finds(1, "and gets these");
    for (unsigned i = 0; i < 128; i++)
        cr_assert(eq(u32, tensor_words[i], i));
}

/* A commit arrives at the barrier, and at those of all blocks of a mask. */
Test(tensor, commits_arrive)
{
    kernel("sm_100a");
    commits();
    line("st.global.u32 [%%rd0], 1;");
    EXPECT(CUDA_SUCCESS, one_block());
    finds(0, "");
    cr_expect(eq(u32, tensor_words[0], 1));
    kernel("sm_100a");
    line("mov.u32 %%r6, %%cluster_ctarank; setp.eq.u32 %%p2, %%r6, 0; and.pred %%p2, %%p2, %%p0;");
    line("barrier.cluster.arrive; barrier.cluster.wait; mov.b16 %%h1, 3;");
    line("@%%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
         "multicast::cluster.b64 [b], %%h1;");
    line("W: mbarrier.try_wait.parity.shared.b64 %%p3, [b], 0; @!%%p3 bra W;");
    line("mul.wide.u32 %%rd2, %%r6, 4; add.u64 %%rd2, %%rd2, %%rd0; st.global.u32 [%%rd2], 7;");
    line("barrier.cluster.arrive; barrier.cluster.wait;");
    EXPECT(CUDA_SUCCESS, launch((struct tensor_launch){.blocks = 2, .threads = 128, .cluster = 2}));
    finds(0, "");
    cr_expect(eq(u32, tensor_words[0], 7));
    cr_expect(eq(u32, tensor_words[1], 7));
}
