/* SPDX-License-Identifier: MIT */
/*
 * One element past an allocation: found whatever the size and whoever made it, by copies and by
 * kernels, and without a change to what the program sees.
 */
#include <cushim/mock.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

static const size_t sizes[] = {1,       4,
                               28,      100,
                               256,     500,
                               508,     511,
                               512,     513,
                               1000,    1024,
                               2048,    4096,
                               4100,    8192,
                               10000,   16384,
                               65536,   65540,
                               100000,  131072,
                               1 << 20, 1048580,
                               2 << 20, (2 << 20) + 512,
                               3 << 20, 4 << 20};
enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]) };
_Static_assert(N_SIZES == 28, "what was found to be missed is among them");

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry look(.param .u64 p, .param .u64 to) {\n"
    ".reg .u64 %p, %to; .reg .u32 %v;\n"
    "ld.param.u64 %p, [p]; ld.param.u64 %to, [to]; ld.u8 %v, [%p]; st.u8 [%to], %v; ret; }\n"
    ".visible .entry set(.param .u64 p, .param .u64 unused) {\n"
    ".reg .u64 %p; .reg .u32 %v;\n"
    "ld.param.u64 %p, [p]; mov.u32 %v, 77; st.u8 [%p], %v; ret; }\n"
    ".visible .entry wide(.param .u64 p, .param .u64 unused) {\n"
    ".reg .u64 %p; .reg .u32 %v<4>;\n"
    "ld.param.u64 %p, [p]; ld.v4.u32 {%v0, %v1, %v2, %v3}, [%p]; ret; }\n";

static CUfunction look, set, wide;
static CUstream stream;
static CUdeviceptr spare;

static void begin(void)
{
    CUmodule module = NULL;

    start();
    OK(mock_cuModuleLoadData(&module, ptx));
    OK(mock_cuModuleGetFunction(&look, module, "look"));
    OK(mock_cuModuleGetFunction(&set, module, "set"));
    OK(mock_cuModuleGetFunction(&wide, module, "wide"));
    OK(mock_cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    spare = allocate(5 << 20);
    OK(mock_cuMemsetD8_v2(spare, 1, 5 << 20));
    OK(mock_cuCtxSynchronize());
}

static void run(CUfunction function, CUdeviceptr p)
{
    void *params[] = {&p, &spare};

    OK(mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
    OK(mock_cuStreamSynchronize(stream));
}

/* One finding, and it names the allocation's size. */
static void found(size_t size, const char *what)
{
    const struct cushim_mock_finding *all = NULL;
    char words[64];

    snprintf(words, sizeof(words), "offset %zu of", size);
    cr_assert(eq(sz, cushim_mock_findings(&all), 1), "%s past %zu bytes", what, size);
    cr_expect(eq(int, (int) all[0].kind, CUSHIM_MOCK_OUT_OF_BOUNDS), "%s", all[0].text);
    cr_expect(ne(ptr, strstr(all[0].text, words), NULL), "no '%s' in: %s", words, all[0].text);
    cushim_mock_findings_clear();
}

static void silent(void)
{
    const struct cushim_mock_finding *all = NULL;
    const size_t n = cushim_mock_findings(&all);

    cr_expect(eq(sz, n, 0), "the first is: %s", n ? all[0].text : "");
}

/* --- who allocates --- */

static CUdeviceptr plain(size_t bytes)
{
    return allocate(bytes);
}

static CUdeviceptr in_stream(size_t bytes)
{
    CUdeviceptr p = 0;

    OK(mock_cuMemAllocAsync(&p, bytes, stream));
    return p;
}

static CUdeviceptr from_pool(size_t bytes)
{
    static CUmemoryPool pool;
    const CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUdeviceptr p = 0;

    if (!pool)
        OK(mock_cuMemPoolCreate(&pool, &properties));
    OK(mock_cuMemAllocFromPoolAsync(&p, bytes, pool, stream));
    return p;
}

static CUdeviceptr managed(size_t bytes)
{
    CUdeviceptr p = 0;

    OK(mock_cuMemAllocManaged(&p, bytes, CU_MEM_ATTACH_GLOBAL));
    return p;
}

static CUdeviceptr pinned(size_t bytes)
{
    void *p = NULL;

    OK(mock_cuMemHostAlloc(&p, bytes, 0));
    return (CUdeviceptr) (uintptr_t) p;
}

/* Three neighbours: what leaves the first and the second does not change the others. */
static void check(size_t bytes, CUdeviceptr (*make)(size_t))
{
    const CUdeviceptr p[3] = {make(bytes), make(bytes), make(bytes)};
    unsigned char first = 0, after[3] = {0};

    for (int i = 0; i < 3; i++)
        OK(mock_cuMemsetD8Async(p[i], (unsigned char) (i + 1), bytes, stream));
    OK(mock_cuStreamSynchronize(stream));
    run(look, p[0] + bytes - 1);
    OK(mock_cuMemcpyDtoH_v2(&first, spare, 1));
    cr_expect(eq(int, first, 1));
    silent();
    for (int i = 0; i < 2; i++) {
        run(look, p[i] + bytes);
        found(bytes, "reading");
        run(set, p[i] + bytes);
        found(bytes, "writing");
    }
    for (int i = 0; i < 3; i++) {
        OK(mock_cuMemcpyDtoH_v2(&after[i], p[i], 1));
        cr_expect(eq(int, after[i], i + 1), "a neighbour's byte of %zu", bytes);
    }
}

static void check_copies(size_t bytes, CUdeviceptr (*make)(size_t))
{
    const CUdeviceptr p = make(bytes);
    void *host = NULL;

    make(bytes);
    OK(mock_cuMemHostAlloc(&host, bytes + 1, 0));
    memset(host, 0, bytes + 1);
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoDAsync_v2(p, host, bytes + 1, stream));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyDtoDAsync_v2(p, spare, bytes + 1, stream));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemsetD8Async(p, 0, bytes + 1, stream));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyDtoHAsync_v2(host, p, bytes + 1, stream));
    cr_expect(eq(sz, cushim_mock_findings(NULL), 2), "copies and memsets of %zu and one", bytes);
    cushim_mock_findings_clear();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemcpyHtoDAsync_v2(p + bytes, host, 1, stream));
    found(bytes, "copying");
    OK(mock_cuMemFreeHost(host));
}

/* Memory of the host has pages of its own, so that behind whole ones there is nothing. */
static bool passes(size_t bytes, CUdeviceptr (*make)(size_t))
{
    return (make != managed && make != pinned) || bytes % (2 << 20);
}

static void check_all(CUdeviceptr (*make)(size_t))
{
    begin();
    for (int i = 0; i < N_SIZES; i++) {
        if (passes(sizes[i], make))
            check(sizes[i], make);
        check_copies(sizes[i], make);
    }
}

TestSuite(past_the_end, .timeout = 100);

Test(past_the_end, of_cuMemAlloc)
{
    check_all(plain);
}

Test(past_the_end, of_cuMemAllocAsync)
{
    check_all(in_stream);
}

Test(past_the_end, of_a_pool)
{
    check_all(from_pool);
}

Test(past_the_end, of_managed_memory)
{
    check_all(managed);
}

Test(past_the_end, of_pinned_memory)
{
    check_all(pinned);
}

/* As an H200 does. */
static void check_fault(CUdeviceptr p, size_t bytes)
{
    void *params[] = {&p, &spare};

    p += bytes;
    OK(mock_cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuStreamSynchronize(stream));
    found(bytes, "writing");
}

Test(past_the_end, of_whole_pages_of_managed_memory)
{
    begin();
    check_fault(managed(4 << 20), 4 << 20);
}

Test(past_the_end, of_whole_pages_of_pinned_memory)
{
    begin();
    check_fault(pinned(4 << 20), 4 << 20);
}

Test(past_the_end, of_whole_pages_of_device_memory)
{
    begin();
    OK(mock_cuMemFree_v2(spare));
    check_fault(allocate(64 << 20), 64 << 20);
}

/* A pool has 32 MiB at a time, all of it mapped. */
Test(past_the_end, far_in_a_pool)
{
    CUdeviceptr p;

    begin();
    p = in_stream(28);
    run(set, p + 28 + (31 << 20));
    cr_expect(eq(sz, cushim_mock_findings(NULL), 1));
    cushim_mock_findings_clear();
    run(set, p + 28 + (20 << 20));
    cr_expect(eq(sz, cushim_mock_findings(NULL), 1));
}

Test(past_the_end, far_in_a_page_of_managed_memory)
{
    CUdeviceptr p;

    begin();
    p = managed(28);
    run(set, p + 28 + (1 << 20));
    cr_expect(eq(sz, cushim_mock_findings(NULL), 1));
}

/* The program's own memory: its page is mapped, and what is there is its own as well. */
Test(past_the_end, of_registered_memory)
{
    static unsigned char memory[3 * 4096] __attribute__((aligned(4096)));

    begin();
    OK(mock_cuMemHostRegister_v2(memory, 28, 0));
    run(set, (uintptr_t) memory + 28);
    found(28, "writing");
    cr_expect(eq(int, memory[28], 77));
    OK(mock_cuMemHostUnregister(memory));
    OK(mock_cuMemHostRegister_v2(memory, 4096, 0));
    check_fault((uintptr_t) memory, 4096);
}

Test(past_the_end, of_rows_with_a_pitch)
{
    CUdeviceptr p = 0;
    size_t pitch = 0;

    begin();
    for (size_t height = 1; height < 5; height++) {
        OK(mock_cuMemAllocPitch_v2(&p, &pitch, 512, height, 4));
        OK(mock_cuMemsetD8_v2(p, 0, pitch * height));
        OK(mock_cuCtxSynchronize());
        run(look, p + pitch * height - 1);
        silent();
        run(look, p + pitch * height);
        found(pitch * height, "reading");
    }
}

/* Sixteen bytes at offset 16 of 28: a device has the rest of its page there. */
Test(past_the_end, a_vector_that_is_partly_outside)
{
    CUdeviceptr p;

    begin();
    p = allocate(28);
    OK(mock_cuMemsetD8_v2(p, 0, 28));
    OK(mock_cuCtxSynchronize());
    run(wide, p);
    silent();
    run(wide, p + 16);
    found(16, "reading");
    OK(mock_cuCtxSynchronize());
}

Test(past_the_end, before_the_beginning)
{
    const struct cushim_mock_finding *all = NULL;
    CUdeviceptr p;

    begin();
    p = allocate(64);
    run(look, p - 1);
    cr_assert(eq(sz, cushim_mock_findings(&all), 1));
    cr_expect(ne(ptr, strstr(all[0].text, "offset -1 of"), NULL), "%s", all[0].text);
}

/* Gaps are not counted, and addresses are as aligned as on a device. */
Test(past_the_end, what_the_program_sees_of_gaps)
{
    size_t before = 0, now = 0, total = 0;
    CUdeviceptr p, q;

    begin();
    allocate(1);
    OK(mock_cuMemGetInfo_v2(&before, &total));
    p = allocate(512);
    q = allocate(4096);
    OK(mock_cuMemGetInfo_v2(&now, &total));
    cr_expect(eq(sz, before - now, 512 + 4096));
    cr_expect(eq(ulong, p % 512, 0));
    cr_expect(eq(ulong, q % 512, 0));
}

/* As much as a pool reserves is there to be given away, whatever the pieces. */
Test(past_the_end, pools_are_as_large_as_ever)
{
    enum { PIECE = 512, N = (32 << 20) / (64 * PIECE) };
    cuuint64_t reserved = 0;
    CUmemoryPool pool = NULL;
    CUdeviceptr p = 0;

    begin();
    OK(mock_cuDeviceGetDefaultMemPool(&pool, 0));
    for (int i = 0; i < N; i++)
        OK(mock_cuMemAllocAsync(&p, 64 * PIECE, stream));
    OK(mock_cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
    cr_expect(eq(ulong, reserved, 32 << 20));
    OK(mock_cuMemAllocAsync(&p, PIECE, stream));
    OK(mock_cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
    cr_expect(eq(ulong, reserved, 64 << 20));
}
