/* SPDX-License-Identifier: MIT */
/* Tensor maps that no driver makes, but that a program can put together: words in device memory. */
#include <cushim/mock.h>
#include <stdio.h>
#include <string.h>

#include "../../mock/support.h"

enum { BYTES = 512, MAP_WORDS = 32, SHARED = 4096 };

/* Words of a map (src/mock/ptx/tensormap/map.c). */
enum {
    COLUMNS = 1,
    RANK_3 = 2 << 4,
    RANK_5 = 4 << 4,
    U8 = 0,
    U32 = 2 << 7,
    U64 = 4 << 7,
    TF32 = 7 << 7 | 1 << 16,
    U4 = 11 << 7,
    U4_OF_16 = 12 << 7,
    INNER = 24, /* the bit of word 13 from which on the innermost dimension of the box is */
};

static const char head[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".extern .shared .align 1024 .b8 near[];\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .b64 %m; .reg .b32 %c, %r, %bar; .shared .align 8 .b64 bar;\n"
    "ld.param.u64 %m, [p]; mov.u32 %c, 0; mov.u32 %r, near; mov.u32 %bar, bar;\n"
    "mbarrier.init.shared::cta.b64 [%bar], 1;\n";

#define LOAD(dimensions, at)                                                                       \
    "cp.async.bulk.tensor." dimensions                                                             \
    "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r], [%m, " at "], [%bar];"
#define STORE(dimensions, form, at)                                                                \
    "cp.async.bulk.tensor." dimensions "d.global.shared::cta." form ".bulk_group [%m, " at         \
    "], [%r];"
#define ADD                                                                                        \
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%m, {%c}], [%r];"

TestSuite(tensormap, .timeout = 60);

/* Runs an instruction with a map whose tensor begins so many bytes in an allocation. */
static CUresult run(const char *instruction, uint64_t at, uint32_t *words)
{
    char text[2048];
    CUdeviceptr tensor = allocate(BYTES), map = allocate(MAP_WORDS * 4);
    CUmodule module = NULL;
    CUfunction function = NULL;
    void *params[] = {&map};

    snprintf(text, sizeof(text), "%s%s\nret; }", head, instruction);
    at += tensor;
    memcpy(words, &at, sizeof(at));
    OK(mock_cuMemsetD8_v2(tensor, 0, BYTES));
    OK(mock_cuMemcpyHtoD_v2(map, words, MAP_WORDS * 4));
    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, "k"));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, SHARED, NULL, params, NULL));
    return mock_cuCtxSynchronize();
}

static void expect(CUresult wanted, const char *said, const char *instruction, uint64_t at,
                   uint32_t *words)
{
    const struct cushim_mock_finding *all = NULL;

    start();
    cushim_mock_findings_clear();
    EXPECT(wanted, run(instruction, at, words));
    cr_assert(gt(sz, cushim_mock_findings(&all), 0), "nothing was found: '%s'", said);
    cr_expect(ne(ptr, (void *) strstr(all[0].text, said), NULL), "'%s' in: %s", said, all[0].text);
}

#define EXPECT_OF_MAP(wanted, said, instruction, at, ...)                                          \
    expect(wanted, said, instruction, at, (uint32_t[MAP_WORDS]){__VA_ARGS__})

/* What an H100 answers; otherwise numbers were changed in part, or bytes beyond the end. */
Test(tensormap, a_number_that_is_added_at_the_last_byte)
{
    EXPECT_OF_MAP(CUDA_ERROR_MISALIGNED_ADDRESS, "no multiple of 16", ADD,
                  BYTES - 1, [2] = U64, [13] = 1 << INNER);
}

Test(tensormap, numbers_that_are_added_at_an_odd_address)
{
    EXPECT_OF_MAP(CUDA_ERROR_MISALIGNED_ADDRESS, "no multiple of 16", ADD,
                  2, [2] = U32, [8] = 7, [13] = 3 << INNER);
}

Test(tensormap, numbers_that_are_rounded_from_an_odd_address)
{
    EXPECT_OF_MAP(CUDA_ERROR_MISALIGNED_ADDRESS, "no multiple of 16", LOAD("1", "{%c}"),
                  BYTES - 1, [2] = TF32, [13] = 3 << INNER);
}

/* Rows of half a byte. */
Test(tensormap, a_load_of_rows_without_bytes)
{
    EXPECT_OF_MAP(CUDA_ERROR_ILLEGAL_INSTRUCTION, "no multiple of 16 bytes",
                  LOAD("5", "{%c, %c, %c, %c, %c}"), 0, [2] = RANK_5 | U4, [14] = UINT32_MAX);
}

/* A number of 4 bits has no byte of its own, and the row counts one for it. */
Test(tensormap, a_load_of_a_part_of_sixteen_packed_numbers)
{
    EXPECT_OF_MAP(CUDA_ERROR_ILLEGAL_INSTRUCTION, "no multiple of 16 of them",
                  LOAD("5", "{%c, %c, %c, %c, %c}"), 0, [2] = RANK_5 | U4_OF_16, [14] = UINT32_MAX);
}

/* --- boxes of which most is outside: an H100 stores what is inside, and at once --- */

#define FILL "st.shared.v4.u32 [%r], {1, 2, 3, 4}; fence.proxy.async;\n"

/* Expects the first words of the tensor, whose first row of 16 bytes may be in the box. */
static void expect_row(const char *instruction, bool is_stored, uint32_t *words)
{
    const struct cushim_mock_finding *all = NULL;
    uint32_t row[5] = {9, 9, 9, 9, 9}, wanted[5] = {0};
    size_t n;

    start();
    cushim_mock_findings_clear();
    OK(run(instruction, 0, words));
    n = cushim_mock_findings(&all);
    cr_expect(eq(sz, n, 0), "%s", n ? all[0].text : "");
    OK(mock_cuMemcpyDtoH_v2(row, words[0] | (CUdeviceptr) words[1] << 32, sizeof(row)));
    for (unsigned i = 0; is_stored && i < 4; i++)
        wanted[i] = i + 1;
    for (unsigned i = 0; i < 5; i++)
        cr_expect(eq(u32, row[i], wanted[i]), "word %u", i);
}

#define EXPECT_ROW(instruction, is_stored, ...)                                                    \
    expect_row(FILL instruction, is_stored, (uint32_t[MAP_WORDS]){__VA_ARGS__})

Test(tensormap, a_store_of_2_to_the_32_rows)
{
    EXPECT_ROW(STORE("5", "tile", "{%c, %c, %c, %c, %c}"),
               true, [2] = RANK_5 | U8, [8] = 15, [13] = 15 << INNER, [14] = UINT32_MAX);
    EXPECT_ROW(STORE("5", "tile", "{%c, 9, 9, 9, 9}"),
               false, [2] = RANK_5 | U8, [8] = 15, [13] = 15 << INNER, [14] = UINT32_MAX);
    EXPECT_ROW(STORE("5", "tile", "{16, %c, %c, %c, %c}"), false, [2] = RANK_5 | U8, [8] = 15,
               [9] = INT32_MAX, [10] = INT32_MAX, [13] = 15 << INNER, [14] = UINT32_MAX);
}

Test(tensormap, a_store_of_2_to_the_32_pixels)
{
    for (unsigned fewer = 0; fewer < 2; fewer++) {
        EXPECT_ROW(STORE("3", "im2col_no_offs", "{%c, %c, %c}"), true, [2] = RANK_3 | COLUMNS | U8,
                   [8] = 15, [13] = 15 << INNER, [15] = UINT32_MAX - fewer);
        EXPECT_ROW(STORE("3", "im2col_no_offs", "{16, %c, %c}"),
                   false, [2] = RANK_3 | COLUMNS | U8, [8] = 15, [9] = INT32_MAX, [10] = INT32_MAX,
                   [13] = 15 << INNER, [15] = UINT32_MAX - fewer);
    }
}

/* The second row of the tensor is 2^24 bytes behind the first in the box, as in another block. */
Test(tensormap, a_store_from_far_behind_shared_memory)
{
    EXPECT_OF_MAP(CUDA_ERROR_ILLEGAL_ADDRESS, "at offset 16778240 of shared memory",
                  FILL STORE("5", "tile", "{%c, %c, %c, %c, %c}"),
                  0, [2] = RANK_5 | U8, [3] = 1, [4] = 1, [5] = 1, [6] = 1, [8] = 15, [12] = 1,
                  [13] = 255u << INNER, [14] = 0x0100ffff);
}
