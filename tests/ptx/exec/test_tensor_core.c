/* SPDX-License-Identifier: MIT */
/* Copies into tensor memory, and products. */
#include "tensor_core.h"

TestSuite(tensor_core, .timeout = 100);

/* --- copies --- */

struct copy {
    const char *text;
    unsigned rows, bytes; /* of a row */
    unsigned lanes[4];    /* which lanes have row 0, */
    unsigned other;       /* and by how much those of row 32 are higher */
    unsigned step;        /* lanes between rows */
    unsigned bits;        /* of what becomes a byte */
};

static unsigned expected_word(const struct layout *layout, unsigned row, unsigned word,
                              unsigned bits)
{
    const unsigned char *from = shared[0];
    unsigned result = 0;

    for (unsigned i = 0; i < 4; i++) {
        const unsigned byte = word * 4 + i, first = byte / 16 * 16;
        unsigned value = 0;

        for (unsigned j = 0; j < (bits ? bits : 8); j++) {
            const unsigned bit = bits ? byte % 16 * bits + j : byte % 16 * 8 + j;

            value |= (from[byte_at(layout, row, first + bit / 8, 1)] >> bit % 8 & 1u) << j;
        }
        result |= (bits == 4 ? value << 2 : value) << 8 * i;
    }
    return result;
}

static void copies(const struct copy *copy, unsigned mode, unsigned group)
{
    const struct layout layout = {.mode = mode, .rows = copy->rows < 8 ? 8 : copy->rows};
    char text[200];

    clear();
    for (unsigned i = 0; i < SHARED; i++)
        shared[0][i] = shared[1][i] = (unsigned char) draw(256);
    snprintf(text, sizeof(text),
             "add.u32 %%r6, %%r4, %u; tcgen05.cp.cta_group::%u.%s [%%r6], "
             "%%rd10;",
             (copy->rows == 4 ? copy->lanes[0] << 16 : 0) + 8, group, copy->text);
    EXPECT(CUDA_SUCCESS, run_core(0, group, descriptor(&layout), 0, text));
    finds(0, "");
    for (unsigned row = 0; row < copy->rows; row++) {
        for (unsigned i = 0; i < 4 && (!i || copy->lanes[i]); i++) {
            const unsigned lane = copy->lanes[i] + row % 32 * copy->step + row / 32 * copy->other;

            for (unsigned word = 0; word < copy->bytes / 4; word++)
                cr_assert(eq(u32, result(group - 1, lane, 8 + word),
                             expected_word(&layout, row, word, copy->bits)),
                          "%s, mode %u, row %u, lane %u, word %u", copy->text, mode, row, lane,
                          word);
            cr_assert(
                eq(u32, result(0, lane, 8 + copy->bytes / 4), cells[0][lane][8 + copy->bytes / 4]));
        }
    }
}

static const struct copy all_copies[] = {
    {"128x256b", 128, 32, {0}, 32, 1, 0},
    {"128x128b", 128, 16, {0}, 32, 1, 0},
    {"4x256b", 4, 32, {31}, 0, 32, 0},
    {"64x128b.warpx2::02_13", 64, 16, {0, 64}, 32, 1, 0},
    {"64x128b.warpx2::01_23", 64, 16, {0, 32}, 64, 1, 0},
    {"32x128b.warpx4", 32, 16, {0, 32, 64, 96}, 0, 1, 0},
    {"128x128b.b8x16.b6x16_p32", 128, 16, {0}, 32, 1, 6},
    {"128x256b.b8x16.b4x16_p64", 128, 32, {0}, 32, 1, 4},
    {"32x128b.warpx4.b8x16.b4x16_p64", 32, 16, {0, 32, 64, 96}, 0, 1, 4},
};

Test(tensor_core, copies_of_all_shapes)
{
    static const unsigned modes[] = {0, 2, 4, 6};

    for (size_t i = 0; i < sizeof(all_copies) / sizeof(*all_copies); i++)
        copies(&all_copies[i], modes[i % 4], 1);
    copies(&all_copies[0], 2, 2);
    copies(&all_copies[5], 0, 2);
}

Test(tensor_core, shifts)
{
    clear();
    EXPECT(CUDA_SUCCESS, run_core(0, 1, 0, 0,
                                  "add.u32 %r6, %r4, 0x200010; "
                                  "tcgen05.shift.cta_group::1.down [%r6];"));
    finds(0, "");
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned i = 0; i < 64; i++) {
            const bool moved = lane >= 32 && lane < 63 && i >= 16 && i < 24;

            cr_assert(eq(u32, result(0, lane, i), cells[0][lane + moved][i]), "lane %u, column %u",
                      lane, i);
        }
    }
}

/* --- products --- */

Test(tensor_core, halves)
{
    MULTIPLIES(.kind = "f16", .a = F16, .b = F16, .m = 128, .n = 64, .k = 16, .group = 1);
    MULTIPLIES(.kind = "f16", .a = BF16, .b = BF16, .m = 128, .n = 256, .k = 16, .group = 1,
               .adds = true, .layouts = {{.mode = 2}, {.mode = 2}});
    MULTIPLIES(.kind = "f16", .a = F16, .b = BF16, .m = 64, .n = 24, .k = 16, .group = 1,
               .adds = true, .layouts = {{.mode = 4, .ahead = 32}, {.mode = 2, .ahead = 96}});
    MULTIPLIES(.kind = "f16", .a = F16, .b = F16, .m = 64, .n = 8, .k = 16, .group = 1,
               .half = true, .adds = true, .layouts = {{.mode = 6}, {.mode = 6}}, .alignment = 16);
}

Test(tensor_core, transposed)
{
    static const unsigned modes[] = {0, 2, 4, 6};

    for (unsigned i = 0; i < 4; i++) {
        MULTIPLIES(.kind = "f16", .a = F16, .b = F16, .m = 128, .n = 128, .k = 16, .group = 1,
                   .layouts = {{.mode = modes[i], .by_mn = true},
                               {.mode = modes[3 - i], .by_mn = true}});
        MULTIPLIES(.kind = "f8f6f4", .a = E4M3, .b = E5M2, .m = 128, .n = 64, .k = 32, .group = 1,
                   .layouts = {{.mode = modes[3 - i]}, {.mode = modes[i], .by_mn = true}});
    }
    MULTIPLIES(.kind = "tf32", .a = TF32, .b = TF32, .m = 128, .n = 64, .k = 8, .group = 1,
               .layouts = {{.mode = 1, .by_mn = true}, {.mode = 1, .by_mn = true}});
}

Test(tensor_core, other_types)
{
    static const enum type small[] = {E4M3, E5M2, E2M3, E3M2, E2M1};

    MULTIPLIES(.kind = "tf32", .a = TF32, .b = TF32, .m = 128, .n = 40, .k = 8, .group = 1,
               .adds = true, .negates = {true, false}, .layouts = {{.mode = 2}, {.mode = 0}});
    MULTIPLIES(.kind = "i8", .a = S8, .b = U8, .m = 128, .n = 48, .k = 32, .group = 1,
               .adds = true);
    MULTIPLIES(.kind = "i8", .a = U8, .b = S8, .m = 64, .n = 32, .k = 32, .group = 1,
               .layouts = {{.mode = 2}, {.mode = 2}});
    for (unsigned i = 0; i < 5; i++) {
        MULTIPLIES(.kind = "f8f6f4", .a = small[i], .b = small[(i + 2) % 5], .m = 128, .n = 32,
                   .k = 32, .group = 1, .negates = {i % 2, true},
                   .layouts = {{.mode = 2}, {.mode = 4}});
        MULTIPLIES(.kind = "f8f6f4", .a = small[i], .b = small[(i + 3) % 5], .m = 64, .n = 32,
                   .k = 32, .group = 1, .a_in_tensor = true, .half = true);
    }
}

Test(tensor_core, a_in_tensor_memory)
{
    MULTIPLIES(.kind = "f16", .a = F16, .b = F16, .m = 128, .n = 64, .k = 16, .group = 1,
               .a_in_tensor = true, .adds = true, .shift = 2);
    MULTIPLIES(.kind = "tf32", .a = TF32, .b = TF32, .m = 64, .n = 16, .k = 8, .group = 1,
               .a_in_tensor = true, .alignment = 16);
    MULTIPLIES(.kind = "f16.collector::a::fill", .a = BF16, .b = F16, .m = 256, .n = 64, .k = 16,
               .group = 2, .a_in_tensor = true);
    MULTIPLIES(.kind = "f16", .a = F16, .b = F16, .m = 128, .n = 64, .k = 16, .group = 2,
               .a_in_tensor = true);
}

Test(tensor_core, pairs_of_blocks)
{
    MULTIPLIES(.kind = "f16", .a = F16, .b = F16, .m = 256, .n = 256, .k = 16, .group = 2,
               .adds = true, .layouts = {{.mode = 2}, {.mode = 2}});
    MULTIPLIES(.kind = "f8f6f4", .a = E4M3, .b = E2M1, .m = 128, .n = 96, .k = 32, .group = 2,
               .layouts = {{.mode = 4}, {.mode = 2}}, .disabled = 0xf00000ff);
    MULTIPLIES(.kind = "i8", .a = S8, .b = S8, .m = 256, .n = 64, .k = 32, .group = 2,
               .adds = true);
}

Test(tensor_core, lanes_that_stay)
{
    MULTIPLIES(.kind = "f16", .a = F16, .b = F16, .m = 128, .n = 16, .k = 16, .group = 1,
               .disabled = 0x80000003);
}

Test(tensor_core, stationary)
{
    MULTIPLIES(.kind = "f16", .a = F16, .b = F16, .m = 32, .n = 64, .k = 16, .group = 1,
               .stationary = true, .adds = true);
    MULTIPLIES(.kind = "f16.collector::b2::fill", .a = F16, .b = F16, .m = 64, .n = 128, .k = 16,
               .group = 1, .stationary = true, .a_in_tensor = true);
    MULTIPLIES(.kind = "i8", .a = S8, .b = S8, .m = 128, .n = 256, .k = 32, .group = 1,
               .stationary = true, .layouts = {{.mode = 2}, {.mode = 2}});
}

Test(tensor_core, scale_factors)
{
    for (unsigned i = 0; i < 4; i++)
        MULTIPLIES(.kind = "mxf8f6f4.block_scale", .a = E4M3, .b = E2M3, .m = 128, .n = 72, .k = 32,
                   .group = 1, .scales = 1, .scale_ids = {i, 3 - i}, .adds = true,
                   .layouts = {{.mode = 2}, {.mode = 4}});
    MULTIPLIES(.kind = "mxf4.block_scale", .a = E2M1, .b = E2M1, .m = 128, .n = 128, .k = 64,
               .group = 1, .scales = 2, .scale_ids = {2, 0}, .packed = true,
               .layouts = {{.mode = 6}, {.mode = 2}});
    MULTIPLIES(.kind = "mxf4nvf4.block_scale.scale_vec::4X", .a = E2M1, .b = E2M1, .m = 128,
               .n = 64, .k = 64, .group = 1, .scales = 4, .packed = true, .ue4m3 = true,
               .a_in_tensor = true);
    MULTIPLIES(.kind = "mxf4nvf4.block_scale.block16", .a = E2M1, .b = E2M1, .m = 256, .n = 256,
               .k = 64, .group = 2, .scales = 4, .packed = true,
               .layouts = {{.mode = 2}, {.mode = 2}}, .device = 1);
}

Test(tensor_core, sparse)
{
    MULTIPLIES(.kind = "f16", .a = F16, .b = F16, .m = 128, .n = 64, .k = 32, .group = 1,
               .sparse = true, .adds = true, .layouts = {{.mode = 2}, {.mode = 2}});
    MULTIPLIES(.kind = "tf32", .a = TF32, .b = TF32, .m = 128, .n = 32, .k = 16, .group = 1,
               .sparse = true, .a_in_tensor = true, .layouts = {{.mode = 0}, {.mode = 4}});
    MULTIPLIES(.kind = "i8", .a = S8, .b = U8, .m = 256, .n = 64, .k = 64, .group = 2,
               .sparse = true);
    MULTIPLIES(.kind = "mxf8f6f4.block_scale", .a = E5M2, .b = E4M3, .m = 128, .n = 64, .k = 64,
               .group = 1, .sparse = true, .scales = 1, .layouts = {{.mode = 2}, {.mode = 2}});
    MULTIPLIES(.kind = "mxf4.block_scale", .a = E2M1, .b = E2M1, .m = 128, .n = 32, .k = 128,
               .group = 1, .sparse = true, .scales = 2, .packed = true,
               .layouts = {{.mode = 2}, {.mode = 4}});
    MULTIPLIES(.kind = "f16", .a = BF16, .b = F16, .m = 128, .n = 64, .k = 32, .group = 1,
               .sparse = true, .stationary = true, .layouts = {{.mode = 2}, {.mode = 2}});
}

/* --- zero columns --- */

/* The third and the fourth example of the PTX manual: masks from the lowest column on. */
Test(tensor_core, zero_columns)
{
    static const struct {
        unsigned m, n;
        uint64_t mask;
        const char *masks[4]; /* for each part of the columns, of which this repeats */
    } all[] = {
        {64,
         128,
         UINT64_C(1) << 39 | UINT64_C(2) << 40 | UINT64_C(3) << 48 | UINT64_C(1) << 32,
         {"1110000", "0000111", "", ""}},
        {32,
         128,
         0x01020100 | UINT64_C(3) << 32 | UINT64_C(1) << 39 | UINT64_C(2) << 40 | UINT64_C(3) << 48,
         {"1110000", "1100001", "0011100", "0001110"}},
        {128, 64, UINT64_C(2) << 40 | UINT64_C(3) << 48, {"0", "", "", ""}},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct product product = {.kind = "f16",
                                  .a = F16,
                                  .b = F16,
                                  .m = all[i].m,
                                  .n = all[i].n,
                                  .k = 16,
                                  .group = 1,
                                  .stationary = true};
        const unsigned each = all[i].n / (LANES / all[i].m);
        char text[500];

        product.layouts[0].rows = product.m;
        product.layouts[1] = (struct layout){.rows = product.n, .start = B_AT};
        clear();
        make_a(&product);
        make_b(&product);
        make_d(&product);
        for (unsigned n = 0; n < product.n; n++) {
            const char *mask = all[i].masks[n / each];

            if (mask[n % each % strlen(mask)] == '1')
                memset(b_values[n], 0, sizeof(b_values[n]));
        }
        multiply(&product);
        snprintf(text, sizeof(text),
                 "mov.u32 %%r40, 0x%x; mov.u64 %%rd12, 0x%llx; tcgen05.mma.ws.cta_group::1.kind::"
                 "f16 [%%r4], %%rd10, %%rd11, %%r40, !%%p6, %%rd12;",
                 instruction(&product), (unsigned long long) all[i].mask);
        cr_assert(eq(int,
                     (int) run_core(0, 1, descriptor(&product.layouts[0]),
                                    descriptor(&product.layouts[1]), text),
                     CUDA_SUCCESS));
        finds(0, "");
        check_d(&product, text);
    }
}

/* The columns from 5 on, of a B that has 5 more. */
Test(tensor_core, shifted_columns)
{
    struct product product = {.kind = "f16",
                              .a = F16,
                              .b = F16,
                              .m = 128,
                              .n = 64,
                              .k = 16,
                              .group = 1,
                              .stationary = true};
    struct product wider = product;
    char text[500];

    product.layouts[0].rows = product.m;
    wider.n = 72;
    wider.layouts[1] = product.layouts[1] = (struct layout){.rows = 72, .start = B_AT};
    clear();
    make_a(&product);
    make_b(&wider);
    make_d(&product);
    memmove(b_values[0], b_values[5], 64 * sizeof(b_values[0]));
    multiply(&product);
    snprintf(text, sizeof(text),
             "mov.u32 %%r40, 0x%x; mov.u64 %%rd12, 0x0500000000000000; tcgen05.mma.ws.cta_group::1."
             "kind::f16 [%%r4], %%rd10, %%rd11, %%r40, !%%p6, %%rd12;",
             instruction(&product) | 1u << 30);
    cr_assert(eq(int,
                 (int) run_core(0, 1, descriptor(&product.layouts[0]),
                                descriptor(&product.layouts[1]), text),
                 CUDA_SUCCESS));
    finds(0, "");
    check_d(&product, text);
}

/* Each row of A comes from the lane above, but the last. */
Test(tensor_core, a_that_is_shifted)
{
    struct product product = {.kind = "f16.ashift",
                              .a = F16,
                              .b = F16,
                              .m = 128,
                              .n = 32,
                              .k = 16,
                              .group = 1,
                              .a_in_tensor = true};
    char text[500];

    product.layouts[1] = (struct layout){.rows = product.n, .start = B_AT};
    clear();
    make_a(&product);
    make_b(&product);
    make_d(&product);
    memmove(a_values[0], a_values[1], 127 * sizeof(a_values[0]));
    multiply(&product);
    write_text(&product, text, sizeof(text));
    cr_assert(
        eq(int, (int) run_core(0, 1, 0, descriptor(&product.layouts[1]), text), CUDA_SUCCESS));
    finds(0, "");
    check_d(&product, text);
}

/* --- sums that are not exact --- */

/* Returns the first element of D, of a row with these elements of .f16 and a column of the others.
 */
static float first_sum(const unsigned *a, const unsigned *b, float d, bool adds)
{
    const struct layout layouts[] = {{.rows = 128}, {.rows = 8, .start = B_AT}};
    char text[300];
    float sum;

    clear();
    for (unsigned k = 0; k < 16; k++) {
        put(shared[0], &layouts[0], 0, k, F16, a[k], false);
        put(shared[0], &layouts[1], 0, k, F16, b[k], false);
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < 8; i++)
            memcpy(&cells[0][lane][i], &d, 4);
    snprintf(
        text, sizeof(text),
        "mov.u32 %%r40, 0x08020010; tcgen05.mma.cta_group::1.kind::f16 [%%r4], %%rd10, %%rd11, "
        "%%r40, %s%%p6;",
        adds ? "" : "!");
    EXPECT(CUDA_SUCCESS, run_core(0, 1, descriptor(&layouts[0]), descriptor(&layouts[1]), text));
    finds(0, "");
    memcpy(&sum, &tensor_words[0], 4);
    return sum;
}

/* Fifteen products of 2 to the power of -26 are lost beside 1, and those of -25 are not. */
Test(tensor_core, what_is_cut_off)
{
    unsigned a[16], b[16];

    for (unsigned k = 0; k < 16; k++)
        a[k] = b[k] = k ? 0x0800 : 0x3c00; /* 2^-13 and 1 */
    cr_expect(eq(flt, first_sum(a, b, 0, false), 1));
    for (unsigned k = 1; k < 16; k++)
        b[k] = 0x0c00;                                                      /* 2^-12 */
    cr_expect(eq(flt, first_sum(a, b, 0, false), 1 + 0x1p-22f + 0x1p-23f)); /* 15 / 4 of the last */
    for (unsigned k = 0; k < 16; k++)
        a[k] = b[k] = 0x3c00;
    cr_expect(eq(flt, first_sum(a, b, 0x1p25f, true), 0x1p25f + 16));
    cr_expect(eq(flt, first_sum(a, b, 0x1p26f, true), 0x1p26f)); /* each 1 is lost */
    b[3] = 0x7c00;
    cr_expect(eq(flt, first_sum(a, b, 0, false), INFINITY));
    a[4] = 0x7c00;
    b[4] = 0;
    cr_expect(isnan(first_sum(a, b, 0, false)));
    a[4] = 0x3c00;
    a[3] = 0xfc00;
    b[3] = 0x3c00;
    cr_expect(eq(flt, first_sum(a, b, 0, false), -INFINITY));
}
