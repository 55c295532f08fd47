/* SPDX-License-Identifier: MIT */
/*
 * What the tests of copies into tensor memory and of products share. A kernel fills shared memory
 * and tensor memory with what the test has made, does one thing, and gives all of tensor memory
 * back. Where elements lie is written here from the canonical layouts of the PTX manual and the
 * figures of tensor memory, with plain loops. All sums are exact, so their order makes no
 * difference.
 */
#ifndef CUSHIM_TESTS_PTX_EXEC_TENSOR_CORE_H
#define CUSHIM_TESTS_PTX_EXEC_TENSOR_CORE_H

#include <math.h>

#include "tensor.h"
#include "tensor_numbers.h"

enum {
    SHARED = 1 << 16, /* bytes of a block that a test may use */
    COLUMNS = 320,    /* of tensor memory that are given and read back */
    LANES = 128,
    OF_BLOCK = SHARED / 4 + LANES * COLUMNS, /* words of the input */
    A_AT = 256,
    SFA_AT = 272,
    SFB_AT = 280,
    META_AT = 292, /* columns; D is at 0 */
    B_AT = 32768,  /* in shared memory; A is at 0 */
};

/* What a kernel is given, for each of up to two blocks, and what it gives back. */
static unsigned char shared[2][SHARED];
static unsigned cells[2][LANES][COLUMNS];

static inline unsigned result(unsigned block, unsigned lane, unsigned column)
{
    return tensor_words[(block * LANES + lane) * COLUMNS + column];
}

static inline void clear(void)
{
    memset(shared, 0, sizeof(shared));
    for (unsigned block = 0; block < 2; block++)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned i = 0; i < COLUMNS; i++)
                cells[block][lane][i] = 0xabc00000 + block * 0x80000 + lane * 1024 + i;
}

static inline void give(void)
{
    for (unsigned block = 0; block < 2; block++) {
        memcpy(tensor_input + block * OF_BLOCK, shared[block], SHARED);
        memcpy(tensor_input + block * OF_BLOCK + SHARED / 4, cells[block], sizeof(cells[block]));
    }
}

/* Everything of the kernel before and after the one thing, which thread 0 of block 0 does. */
static inline void fill(void)
{
    line("mov.u32 %%r8, %%cluster_ctarank; mad.wide.u32 %%rd1, %%r8, %u, %%rd1;", OF_BLOCK * 4);
    line("mov.u32 %%r9, dynamic; mov.u32 %%r20, %%r0;");
    line("F: mul.wide.u32 %%rd5, %%r20, 4; add.u64 %%rd6, %%rd1, %%rd5; ld.global.u32 %%r21, "
         "[%%rd6]; shl.b32 %%r22, %%r20, 2; add.u32 %%r22, %%r22, %%r9; st.shared.u32 [%%r22], "
         "%%r21; add.u32 %%r20, %%r20, 128; setp.lt.u32 %%p3, %%r20, %u; @%%p3 bra F;",
         SHARED / 4);
    line("mad.wide.u32 %%rd7, %%r0, %u, %%rd1; mov.u32 %%r20, 0;", COLUMNS * 4);
    line("G: ld.global.u32 %%r21, [%%rd7+%u]; add.u32 %%r6, %%r5, %%r20; "
         "tcgen05.st.sync.aligned.32x32b.x1.b32 [%%r6], {%%r21}; add.u64 %%rd7, %%rd7, 4; add.u32 "
         "%%r20, %%r20, 1; setp.lt.u32 %%p3, %%r20, %u; @%%p3 bra G;",
         SHARED, COLUMNS);
    line("tcgen05.wait::st.sync.aligned; fence.proxy.async; bar.sync 0; barrier.cluster.arrive; "
         "barrier.cluster.wait;");
}

static inline void read_back(unsigned group)
{
    line("W: mbarrier.try_wait.parity.shared.b64 %%p4, [b], 0; @!%%p4 bra W;");
    line("mad.lo.u32 %%r20, %%r8, 128, %%r0; mad.wide.u32 %%rd7, %%r20, %u, %%rd0; mov.u32 %%r20, "
         "0;",
         COLUMNS * 4);
    line("R: add.u32 %%r6, %%r5, %%r20; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%%r21}, [%%r6]; "
         "tcgen05.wait::ld.sync.aligned; st.global.u32 [%%rd7], %%r21; add.u64 %%rd7, %%rd7, 4; "
         "add.u32 %%r20, %%r20, 1; setp.lt.u32 %%p3, %%r20, %u; @%%p3 bra R;",
         COLUMNS);
    line("bar.sync 0; barrier.cluster.arrive; barrier.cluster.wait;");
    line("@%%p1 tcgen05.dealloc.cta_group::%u.sync.aligned.b32 %%r4, 512;", group);
}

/* Runs the kernel with the text in its middle. %rd10 and %rd11 are descriptors of A and B. */
static inline CUresult run_core(int device, unsigned group, uint64_t a, uint64_t b,
                                const char *text)
{
    kernel(device ? "sm_103a" : "sm_100a");
    line("@%%p1 tcgen05.alloc.cta_group::%u.sync.aligned.shared::cta.b32 [s], 512; bar.sync 0;",
         group);
    line("ld.shared.b32 %%r4, [s]; add.u32 %%r5, %%r4, %%r3;");
    fill();
    line("cvt.u64.u32 %%rd9, %%r9; shr.u64 %%rd9, %%rd9, 4; add.u64 %%rd10, %%rd9, 0x%llx; add.u64 "
         "%%rd11, %%rd9, 0x%llx;",
         (unsigned long long) a, (unsigned long long) b);
    line("setp.eq.u32 %%p5, %%r8, 0; and.pred %%p5, %%p5, %%p0; @!%%p5 bra X;");
    for (unsigned i = 0; i < 8; i++)
        line("mov.u32 %%r%u, %u;", 30 + i, 0);
    line("add.u32 %%r11, %%r4, %u; add.u32 %%r12, %%r4, %u; add.u32 %%r13, %%r4, %u; add.u32 "
         "%%r14, %%r4, %u; setp.eq.u32 %%p6, %%r0, %%r0; mov.b16 %%h1, %u;",
         A_AT, SFA_AT, SFB_AT, META_AT, group == 2 ? 3 : 1);
    line("%s", text);
    line("tcgen05.commit.cta_group::%u.mbarrier::arrive::one.shared::cluster.multicast::cluster."
         "b64 [b], %%h1;\nX:",
         group);
    read_back(group);
    give();
    return launch((struct tensor_launch){device, group, 128, group, SHARED});
}

struct product {
    const char *kind; /* with all that comes behind .kind:: */
    enum type a, b;
    unsigned m, n, k;
    unsigned group;
    struct layout layouts[2];     /* of A and B; start is where it belongs */
    bool a_in_tensor, adds, half; /* half: D is .f16 */
    bool negates[2];
    unsigned shift; /* scale-input-d */
    bool stationary, sparse, packed;
    unsigned scales; /* factors of a row */
    unsigned scale_ids[2];
    bool ue4m3;
    unsigned disabled;  /* a mask of lanes, the same for each 32 */
    unsigned alignment; /* the first lane */
    int device;
};

static float a_values[256][128], b_values[256][128], sums[256][256];
static float factors[2][256][4];

static inline unsigned code_of(const struct product *product, enum type type)
{
    static const unsigned types[] = {0, 1, 2, 0, 1, 3, 4, 5, 1, 0};

    return product->packed ? 1 : types[type];
}

static inline unsigned instruction(const struct product *product)
{
    unsigned bits = code_of(product, product->a) << 7 | code_of(product, product->b) << 10 |
                    (unsigned) product->negates[0] << 13 | (unsigned) product->negates[1] << 14 |
                    (unsigned) product->layouts[0].by_mn << 15 |
                    (unsigned) product->layouts[1].by_mn << 16 | product->n / 8 << 17 |
                    product->m / 16 << 24 | (unsigned) product->sparse << 2;

    if (product->scales)
        return bits | product->scale_ids[1] << 4 | product->scale_ids[0] << 29 |
               (unsigned) !product->ue4m3 << 23;
    return bits | (product->a >= S8 ? 2u : product->half ? 0u : 1u) << 4;
}

static inline unsigned rows_of(const struct product *product)
{
    return product->m / product->group;
}

/* The layouts of D by the figures: which row and column are in a lane and column. -1: none. */
static inline bool element_of_d(const struct product *product, unsigned lane, unsigned column,
                                unsigned *row, unsigned *n)
{
    const unsigned rows = rows_of(product);
    const bool half = rows == 64 && !product->stationary && (product->group == 1);

    *row = lane;
    *n = column;
    if (rows == 128)
        return column < product->n;
    if (half) {
        lane -= product->alignment;
        *row = lane / 32 * 16 + lane % 32;
        return lane % 32 < 16 && column < product->n;
    }
    *row = lane % rows;
    *n = column + lane / rows * (product->n / (LANES / rows));
    return column < product->n / (LANES / rows);
}

/* The lanes of D that need a row of A. */
static inline void put_in_tensor(const struct product *product, unsigned row, unsigned k,
                                 unsigned bits)
{
    const unsigned block = row / rows_of(product), wide = product->packed ? 4 : bits_of(product->a);
    const unsigned each = 32 / wide, column = A_AT + k / each, shift = k % each * wide;

    if (product->a == E2M1 && !product->packed)
        bits <<= 2;
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned own, n;

        if (!element_of_d(product, lane, 0, &own, &n) || own != row % rows_of(product))
            continue;
        if (!shift)
            cells[block][lane][column] = 0;
        cells[block][lane][column] |= bits << shift;
    }
}

static inline void make_a(const struct product *product)
{
    const unsigned stored = product->k / (product->sparse ? 2 : 1);

    for (unsigned row = 0; row < product->m; row++) {
        const unsigned block = row / rows_of(product);

        for (unsigned k = 0; k < stored; k++) {
            const struct number drawn = number(product->a);

            a_values[row][k] = drawn.value;
            if (product->a_in_tensor)
                put_in_tensor(product, row, k, drawn.bits);
            else
                put(shared[block], &product->layouts[0], row % rows_of(product), k, product->a,
                    drawn.bits, product->packed);
        }
    }
}

static inline void make_b(const struct product *product)
{
    const unsigned each = product->n / product->group;

    for (unsigned n = 0; n < product->n; n++) {
        for (unsigned k = 0; k < product->k; k++) {
            const struct number drawn = number(product->b);

            b_values[n][k] = drawn.value;
            put(shared[n / each], &product->layouts[1], n % each, k, product->b, drawn.bits,
                product->packed);
        }
    }
}

/* The stored elements of a row go to places that its metadata tells. */
static inline void make_sparse(const struct product *product)
{
    const unsigned wide = product->packed ? 4 : bits_of(product->a);
    const unsigned group = wide == 32 ? 2 : wide == 4 ? 8 : 4;

    for (unsigned row = 0; row < product->m; row++) {
        float dense[128] = {0};

        for (unsigned g = 0; g < product->k / group; g++) {
            const unsigned first = draw(3), second = first + 1 + draw(3 - first);
            const unsigned one = draw(2),
                           nibble = wide == 32 ? (one ? 14u : 4u) : first | second << 2;
            const float *from = &a_values[row][g * group / 2];
            float *to = &dense[g * group];
            unsigned lane = row % 128, column = META_AT + g / 8, bit = g % 8 * 4;

            if (wide == 32) {
                to[one] = from[0];
            } else if (wide == 4) {
                to[2 * first] = from[0], to[2 * first + 1] = from[1];
                to[2 * second] = from[2], to[2 * second + 1] = from[3];
            } else {
                to[first] = from[0], to[second] = from[1];
            }
            if (wide >= 16) { /* 16 rows: first the first eight's first half, then their second */
                const unsigned k = g * group, half = product->k / 2;

                column = META_AT;
                lane = row % 128 / 16 * 16 + row % 8 + (k >= half ? 8 : 0);
                bit = (row / 8 % 2 ? 16 : 0) + k % half / group * 4;
            }
            cells[row / rows_of(product)][lane][column] &= ~(15u << bit);
            cells[row / rows_of(product)][lane][column] |= nibble << bit;
        }
        memcpy(a_values[row], dense, sizeof(dense));
    }
}

/* Factors are 2, 1 or 0.5; those of B are in both blocks. */
static inline void make_factors(const struct product *product)
{
    for (unsigned which = 0; which < 2; which++) {
        const unsigned n = which ? product->n : product->m, at = which ? SFB_AT : SFA_AT;

        for (unsigned row = 0; row < n; row++) {
            const unsigned in_block = which ? row : row % rows_of(product);

            for (unsigned i = 0; i < product->scales; i++) {
                const int power = (int) draw(3) - 1;
                const unsigned byte =
                    product->ue4m3 ? 0x38u + (unsigned) (power * 8) : (unsigned) (127 + power);
                const unsigned shift = 8 * (product->scale_ids[which] + i);

                factors[which][row][i] = ldexpf(1, power);
                for (unsigned block = 0; block < product->group; block++) {
                    for (unsigned part = 0; part < 4; part++) {
                        unsigned *cell =
                            &cells[block][part * 32 + in_block % 32][at + in_block / 32];

                        if (which || block == row / rows_of(product))
                            *cell = (*cell & ~(255u << shift)) | byte << shift;
                    }
                }
            }
        }
    }
}

static inline float scaled(const struct product *product, unsigned which, unsigned row, unsigned k,
                           float value)
{
    value = product->negates[which] ? -value : value;
    return product->scales ? value * factors[which][row][k * product->scales / product->k] : value;
}

static inline void multiply(const struct product *product)
{
    for (unsigned m = 0; m < product->m; m++) {
        for (unsigned n = 0; n < product->n; n++) {
            sums[m][n] = 0;
            for (unsigned k = 0; k < product->k; k++)
                sums[m][n] += scaled(product, 0, m, k, a_values[m][k]) *
                              scaled(product, 1, n, k, b_values[n][k]);
        }
    }
}

static inline unsigned encoded(const struct product *product, float value)
{
    unsigned bits;

    if (product->a >= S8)
        return (unsigned) (int) value;
    if (product->half) { /* whole and half numbers below 2048 */
        int exponent;
        const float fraction = frexpf(fabsf(value), &exponent);

        return (value < 0 ? 0x8000u : 0) |
               (value == 0
                    ? 0
                    : (unsigned) (exponent + 14) << 10 | ((unsigned) ldexpf(fraction, 11) & 0x3ff));
    }
    memcpy(&bits, &value, 4);
    return bits;
}

/* What D has before: numbers from -4 on. */
static inline float before(unsigned lane, unsigned column)
{
    return (float) ((lane * 7 + column * 3) % 9) - 4;
}

static inline void make_d(const struct product *product)
{
    for (unsigned block = 0; block < product->group; block++)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned i = 0; i < 256; i++)
                cells[block][lane][i] = encoded(product, before(lane, i));
}

static inline void check_d(const struct product *product, const char *text)
{
    for (unsigned block = 0; block < product->group; block++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            for (unsigned column = 0; column < 256; column++) {
                unsigned row, n, expected = cells[block][lane][column];

                if (element_of_d(product, lane, column, &row, &n) &&
                    !(product->disabled >> lane % 32 & 1)) {
                    const float added =
                        product->adds ? ldexpf(before(lane, column), -(int) product->shift) : 0;

                    expected = encoded(product, sums[block * rows_of(product) + row][n] + added);
                }
                cr_assert(eq(u32, result(block, lane, column), expected),
                          "%s, block %u, lane %u, column %u", text, block, lane, column);
            }
        }
    }
}

static inline void write_text(const struct product *product, char *text, size_t size)
{
    char mask[100] = "", shift[20] = "", rest[200];

    if (product->disabled && product->group == 1)
        snprintf(mask, sizeof(mask), ", {%%r30, %%r30, %%r30, %%r30}");
    else if (product->disabled)
        snprintf(mask, sizeof(mask), ", {%%r30, %%r30, %%r30, %%r30, %%r30, %%r30, %%r30, %%r30}");
    if (product->shift)
        snprintf(shift, sizeof(shift), ", %u", product->shift);
    snprintf(rest, sizeof(rest), "%s, %%r40%s%s, %s%%p6%s;", product->sparse ? ", [%r14]" : "",
             product->scales ? ", [%r12], [%r13]" : "", mask, product->adds ? "" : "!", shift);
    snprintf(text, size,
             "mov.u32 %%r40, 0x%x; mov.u32 %%r30, 0x%x; add.u32 %%r15, %%r4, 0x%x; add.u32 %%r11, "
             "%%r11, 0x%x;\ntcgen05.mma%s%s.cta_group::%u.kind::%s [%%r15], %s, %%rd11%s",
             instruction(product), product->disabled, product->alignment << 16,
             product->alignment << 16, product->stationary ? ".ws" : "",
             product->sparse ? ".sp" : "", product->group, product->kind,
             product->a_in_tensor ? "[%r11]" : "%rd10", rest);
}

static inline void multiplies(struct product product)
{
    char text[500];

    product.layouts[0].rows = rows_of(&product);
    product.layouts[1].rows = product.n / product.group;
    product.layouts[1].start = B_AT;
    clear();
    make_a(&product);
    make_b(&product);
    if (product.sparse)
        make_sparse(&product);
    if (product.scales)
        make_factors(&product);
    make_d(&product);
    multiply(&product);
    write_text(&product, text, sizeof(text));
    cr_assert(eq(int,
                 (int) run_core(product.device, product.group, descriptor(&product.layouts[0]),
                                descriptor(&product.layouts[1]), text),
                 CUDA_SUCCESS),
              "%s", text);
    finds(0, "");
    check_d(&product, text);
}

#define MULTIPLIES(...) multiplies((struct product){__VA_ARGS__})

#endif
