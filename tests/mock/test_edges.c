/* SPDX-License-Identifier: MIT */
/*
 * Where compiled code looks at two lanes, or at one number, instead of at all lanes: comparisons of
 * numbers that wrap around, and accesses at both ends of memory. And blocks that follow each other.
 */
#include <cushim/mock.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

#define HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"

enum { THREADS = 64 };

static void start_compiled(const char *mode)
{
    setenv("CUSHIM_MOCK_PTX_COMPILE", mode, 1);
    start();
}

static CUfunction load(const char *text, const char *name)
{
    CUfunction function = NULL;
    CUmodule module = NULL;

    OK(mock_cuModuleLoadData(&module, text));
    OK(mock_cuModuleGetFunction(&function, module, name));
    return function;
}

TestSuite(edges, .timeout = 100);

/* --- comparisons --- */

static const char *const orders[] = {"lt", "le", "gt", "ge"};

enum { ORDERS = 4 };

/*
 * Threads compare a number plus theirs with another one, on either side, and go two ways each time:
 * there is a bit for each comparison that does not hold.
 */
static void write_comparisons(char *text, size_t size, const char *type)
{
    const bool narrow = strstr(type, "32");
    size_t used = (size_t) snprintf(
        text, size,
        HEADER ".visible .entry k(.param .u64 p, .param .u64 from, .param .u64 with) {\n"
               ".reg .b64 %%p, %%a, %%l, %%m; .reg .b32 %%t, %%x, %%y, %%r; .reg .pred %%q;\n"
               "ld.param.u64 %%p, [p]; ld.param.u64 %%l, [from]; ld.param.u64 %%m, [with];\n"
               "mov.u32 %%t, %%tid.x; mul.wide.u32 %%a, %%t, 4; add.u64 %%a, %%p, %%a;\n"
               "cvt.u32.u64 %%x, %%l; add.u32 %%x, %%x, %%t; cvt.u32.u64 %%y, %%m;\n"
               "cvt.u64.u32 %%p, %%t; add.u64 %%l, %%l, %%p; mov.u32 %%r, 0;\n");

    for (unsigned i = 0; i < 2 * ORDERS; i++)
        used +=
            (size_t) snprintf(text + used, size - used,
                              "setp.%s.%s %%q, %s, %s; @%%q bra Y%u; or.b32 %%r, %%r, %u; Y%u:\n",
                              orders[i % ORDERS], type,
                              i < ORDERS ? narrow ? "%x" : "%l"
                              : narrow   ? "%y"
                                         : "%m",
                              i < ORDERS ? narrow ? "%y" : "%m"
                              : narrow   ? "%x"
                                         : "%l",
                              i, 1u << i, i);
    snprintf(text + used, size - used, "st.global.u32 [%%a], %%r; ret; }\n");
}

/* -1, 0 or 1, as the first number is less than the other one, equal, or greater. */
static int compared(const char *type, uint64_t a, uint64_t b)
{
    if (strstr(type, "32")) {
        a = *type == 's' ? (uint64_t) (int64_t) (int32_t) a : (uint32_t) a;
        b = *type == 's' ? (uint64_t) (int64_t) (int32_t) b : (uint32_t) b;
    }
    if (a == b)
        return 0;
    return (*type == 's' ? (int64_t) a < (int64_t) b : a < b) ? -1 : 1;
}

static bool holds(const char *order, int compared)
{
    if (order[1] == 'e' && !compared)
        return true;
    return order[0] == 'l' ? compared < 0 : compared > 0;
}

static unsigned expected_bits(const char *type, uint64_t a, uint64_t b)
{
    const int is = compared(type, a, b);
    unsigned bits = 0;

    for (unsigned i = 0; i < 2 * ORDERS; i++)
        bits |= (unsigned) !holds(orders[i % ORDERS], i < ORDERS ? is : -is) << i;
    return bits;
}

static void expect_comparison(CUfunction function, CUdeviceptr memory, const char *type,
                              uint64_t from, uint64_t with)
{
    void *params[] = {&memory, &from, &with};
    unsigned found[THREADS];

    OK(mock_cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL));
    OK(mock_cuMemcpyDtoH_v2(found, memory, sizeof(found)));
    for (unsigned t = 0; t < THREADS; t++)
        cr_expect(eq(uint, found[t], expected_bits(type, from + t, with)), "%s: %#llx + %u, %#llx",
                  type, (unsigned long long) from, t, (unsigned long long) with);
}

/* Near the numbers where a type ends, one begins before, in the midst of, or behind a warp. */
static void expect_comparisons(const char *type)
{
    static const uint64_t ends[] = {0, INT32_MAX, UINT32_MAX, INT64_MAX};
    static const int before[] = {0, 16, 31, 32, 40, 70}, beside[] = {-33, -1, 0, 1, 20};
    CUdeviceptr memory = 0;
    CUfunction function;
    char text[2000];

    write_comparisons(text, sizeof(text), type);
    function = load(text, "k");
    OK(mock_cuMemAlloc_v2(&memory, THREADS * sizeof(unsigned)));
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        for (size_t j = 0; j < sizeof(before) / sizeof(before[0]); j++) {
            for (size_t k = 0; k < sizeof(beside) / sizeof(beside[0]); k++)
                expect_comparison(function, memory, type, ends[i] - (uint64_t) before[j],
                                  ends[i] + (uint64_t) beside[k]);
        }
    }
    OK(mock_cuMemFree_v2(memory));
}

static void expect_all_comparisons(const char *mode)
{
    start_compiled(mode);
    expect_comparisons("s32");
    expect_comparisons("u32");
    expect_comparisons("s64");
    expect_comparisons("u64");
}

Test(edges, comparisons_compiled)
{
    expect_all_comparisons("always");
}

Test(edges, comparisons_interpreted)
{
    expect_all_comparisons("0");
}

/* --- memory --- */

/*
 * Each thread copies an element three times, from one array to another. The last time, the address
 * that it reads, or the one that it writes, is moved: by then the operation knows the memory.
 */
#define COPY(name, type, vector, bytes, all)                                                       \
    ".visible .entry " name "(.param .u64 p, .param .u64 q, .param .u64 r, .param .u64 w) {\n"     \
    ".reg .b64 %p, %q, %a, %r, %w; .reg .b32 %t, %i; .reg ." type " %v<4>; .reg .pred %m;\n"       \
    "ld.param.u64 %p, [p]; ld.param.u64 %q, [q]; mov.u32 %t, %tid.x;\n"                            \
    "mul.wide.u32 %a, %t, " bytes "; add.u64 %p, %p, %a; add.u64 %q, %q, %a; mov.u32 %i, 0;\n"     \
    "mov.u64 %r, 0; mov.u64 %w, 0; L: add.u64 %p, %p, %r; add.u64 %q, %q, %w;\n"                   \
    "ld.global" vector "." type " " all ", [%p]; st.global" vector "." type " [%q], " all ";\n"    \
    "setp.eq.u32 %m, %i, 1; @!%m bra N; ld.param.u64 %r, [r]; ld.param.u64 %w, [w]; N:\n"          \
    "add.u32 %i, %i, 1; setp.lt.u32 %m, %i, 3; @%m bra L; ret; }\n"

static const char copies[] =
    HEADER COPY("of1", "u8", "", "1", "%v0") COPY("of4", "u32", "", "4", "%v0")
        COPY("of8", "u64", "", "8", "%v0") COPY("of16", "u32", ".v4", "16", "{%v0, %v1, %v2, %v3}");

/* Nothing is on either side of such memory. */
static void allocate_apart(CUdeviceptr memory[2], size_t size)
{
    CUdeviceptr beside[3] = {0};

    for (unsigned i = 0; i < 3; i++) {
        OK(mock_cuMemAlloc_v2(&beside[i], 1 << 16));
        if (i < 2)
            OK(mock_cuMemAlloc_v2(&memory[i], size));
    }
    for (unsigned i = 0; i < 3; i++)
        OK(mock_cuMemFree_v2(beside[i]));
}

/* The first thread whose element is not in the memory. */
static int first_outside(int bytes, int64_t moved)
{
    return moved < 0 ? 0 : THREADS - (int) (moved / bytes);
}

static void expect_thread(int thread, const char *what, int bytes, int64_t moved)
{
    const struct cushim_mock_finding *all = NULL;
    char word[32];

    snprintf(word, sizeof(word), "thread (%d,0,0)", thread);
    cr_assert(gt(sz, cushim_mock_findings(&all), 0), "%s: %d bytes, moved by %d", what, bytes,
              (int) moved);
    cr_expect(ne(ptr, (void *) strstr(all[0].text, word), NULL), "%s: %s, expected %s", what,
              all[0].text, word);
    cushim_mock_findings_clear();
}

/* Moves what is read, or what is written. */
static CUresult copy(CUmodule module, int bytes, int64_t read, int64_t written)
{
    CUdeviceptr memory[2] = {0};
    void *params[] = {&memory[0], &memory[1], &read, &written};
    CUfunction function = NULL;
    CUresult result;
    char name[8];

    snprintf(name, sizeof(name), "of%d", bytes);
    OK(mock_cuModuleGetFunction(&function, module, name));
    allocate_apart(memory, (size_t) bytes * THREADS);
    OK(mock_cuMemsetD8_v2(memory[0], 7, (size_t) bytes * THREADS));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL));
    result = mock_cuCtxSynchronize();
    if (!result) {
        OK(mock_cuMemFree_v2(memory[0]));
        OK(mock_cuMemFree_v2(memory[1]));
    }
    return result;
}

/* Beside an allocation, devices have memory of their own: such an access is only told. */
static void expect_outside(CUmodule module, int bytes, int64_t moved)
{
    OK(copy(module, bytes, moved, 0));
    expect_thread(first_outside(bytes, moved), "read", bytes, moved);
    OK(copy(module, bytes, 0, moved));
    expect_thread(first_outside(bytes, moved), "written", bytes, moved);
}

static void expect_copies(const char *mode)
{
    const struct cushim_mock_finding *all = NULL;
    CUmodule module = NULL;

    start_compiled(mode);
    OK(mock_cuModuleLoadData(&module, copies));
    for (int bytes = 1; bytes <= 16; bytes *= bytes == 1 ? 4 : 2) {
        OK(copy(module, bytes, 0, 0));
        cr_expect(eq(sz, cushim_mock_findings(&all), 0));
        expect_outside(module, bytes, -40 * bytes);
        expect_outside(module, bytes, -bytes);
        expect_outside(module, bytes, bytes);
        expect_outside(module, bytes, 33 * bytes);
    }
    EXPECT(CUDA_ERROR_MISALIGNED_ADDRESS, copy(module, 16, 0, 8));
    expect_thread(0, "written", 16, 8);
}

Test(edges, memory_compiled)
{
    expect_copies("always");
}

Test(edges, memory_interpreted)
{
    expect_copies("0");
}

/* --- blocks --- */

/* Each thread adds to its own word. Some blocks leave compiled code, some wait for one that comes
 * later. */
static const char blocks[] = HEADER
    ".visible .entry k(.param .u64 p, .param .u32 odd, .param .u32 wrong) {\n"
    ".reg .b64 %p, %a, %f; .reg .b32 %t, %b, %n, %i, %o, %w; .reg .pred %q;\n"
    "ld.param.u64 %p, [p]; ld.param.u32 %o, [odd]; ld.param.u32 %w, [wrong];\n"
    "mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %nctaid.x;\n"
    "mad.lo.u32 %i, %b, 64, %t; add.u32 %i, %i, 1; mul.wide.u32 %a, %i, 4; add.u64 %a, %p, %a;\n"
    "setp.ne.u32 %q, %b, %w; @%q bra R; st.global.u32 [%p+1073741824], %t;\n"
    "R: rem.u32 %t, %b, 97; setp.ne.u32 %q, %t, %o; @%q bra D;\n"
    "W: ld.volatile.global.u32 %t, [%p]; setp.eq.u32 %q, %t, 0; @%q bra W;\n"
    "D: sub.u32 %n, %n, 1; setp.ne.u32 %q, %b, %n; @%q bra E; st.volatile.global.u32 [%p], 1;\n"
    "E: ld.global.u32 %t, [%a]; add.u32 %t, %t, %i; st.global.u32 [%a], %t; ret; }\n";

enum { N_BLOCKS = 2500, NOBODY = 0x7fffffff };

static void launch_blocks(CUdeviceptr memory, unsigned odd, unsigned wrong)
{
    void *params[] = {&memory, &odd, &wrong};

    OK(mock_cuMemsetD32_v2(memory, 0, N_BLOCKS * THREADS + 1));
    OK(mock_cuLaunchKernel(load(blocks, "k"), N_BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, params,
                           NULL));
}

/* All blocks are run, each once: also if 25 of them wait for the last one. */
static void expect_blocks(CUdeviceptr memory, unsigned odd)
{
    static unsigned found[N_BLOCKS * THREADS + 1];
    unsigned wrong = 0;

    launch_blocks(memory, odd, NOBODY);
    OK(mock_cuMemcpyDtoH_v2(found, memory, sizeof(found)));
    for (unsigned i = 1; i <= N_BLOCKS * THREADS; i++)
        wrong += found[i] != i;
    cr_expect(eq(uint, wrong, 0), "words of threads that did not run once");
}

static void expect_each_block(const char *mode)
{
    const struct cushim_mock_finding *all = NULL;
    CUdeviceptr memory = 0;

    start_compiled(mode);
    OK(mock_cuMemAlloc_v2(&memory, (N_BLOCKS * THREADS + 1) * sizeof(unsigned)));
    expect_blocks(memory, NOBODY);
    expect_blocks(memory, 5);
    launch_blocks(memory, NOBODY, 2345);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuCtxSynchronize());
    cr_assert(gt(sz, cushim_mock_findings(&all), 0));
    cr_expect(ne(ptr, (void *) strstr(all[0].text, "block (2345,0,0)"), NULL), "%s", all[0].text);
}

Test(edges, blocks_compiled)
{
    expect_each_block("always");
}

Test(edges, blocks_interpreted)
{
    expect_each_block("0");
}
