/* SPDX-License-Identifier: MIT */
/* Kernels written for one thread: shared memory, and barriers. */
#include <cushim/mock.h>
#include <string.h>

#include "support.h"

enum { BLOCK = 64, GRID = 5, N = BLOCK * GRID };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry f(.param .u64 to, .param .u64 from) { ret; }\n";

static CUfunction function;
static CUdeviceptr to, from;

struct arrays {
    unsigned *to;
    const unsigned *from;
};

/* The kernel is the threads' function that it was registered with. */
static void run(const struct cushim_mock_launch *launch, void *const *args)
{
    struct arrays arrays = {
        .to = cushim_mock_output(*(uint64_t *) args[0], GRID * sizeof(unsigned)),
        .from = cushim_mock_input(*(uint64_t *) args[1], N * sizeof(unsigned)),
    };

    if (arrays.to && arrays.from)
        cushim_mock_for_each_thread(launch, *(cushim_mock_thread_fn *) launch->user, &arrays);
}

static void begin(void)
{
    unsigned words[N];
    CUmodule module = NULL;

    start();
    OK(mock_cuModuleLoadData(&module, ptx));
    OK(mock_cuModuleGetFunction(&function, module, "f"));
    for (unsigned i = 0; i < N; i++)
        words[i] = i;
    to = allocate(GRID * sizeof(unsigned));
    from = allocate(sizeof(words));
    OK(mock_cuMemcpyHtoD_v2(from, words, sizeof(words)));
}

static CUresult launch(cushim_mock_thread_fn fn, unsigned grid, unsigned shared_bytes)
{
    void *params[] = {&to, &from};

    cr_assert(eq(int, cushim_mock_register_kernel("f", run, &fn), CUSHIM_OK));
    OK(mock_cuLaunchKernel(function, grid, 1, 1, BLOCK / 2, 2, 1, shared_bytes, NULL, params,
                           NULL));
    return mock_cuCtxSynchronize();
}

static unsigned place(const struct cushim_mock_thread *t)
{
    return t->thread_index[1] * (BLOCK / 2) + t->thread_index[0];
}

static void sum_in(const struct cushim_mock_thread *t, const struct arrays *arrays,
                   unsigned *partial)
{
    const unsigned i = place(t);

    partial[i] = arrays->from[t->block_index[0] * BLOCK + i];
    for (unsigned half = BLOCK / 2; half; half /= 2) {
        cushim_mock_barrier(t);
        if (i < half)
            partial[i] += partial[i + half];
    }
    if (!i)
        arrays->to[t->block_index[0]] = partial[0];
}

static void sum(const struct cushim_mock_thread *t, void *data)
{
    unsigned *partial = cushim_mock_shared(t, "partial", BLOCK * sizeof(*partial));

    if (partial)
        sum_in(t, data, partial);
}

static void sum_dynamic(const struct cushim_mock_thread *t, void *data)
{
    unsigned *partial = cushim_mock_shared(t, NULL, BLOCK * sizeof(*partial));

    if (partial)
        sum_in(t, data, partial);
}

static void expect_sums(void)
{
    unsigned sums[GRID], expected;

    OK(mock_cuMemcpyDtoH_v2(sums, to, sizeof(sums)));
    for (unsigned b = 0; b < GRID; b++) {
        expected = 0;
        for (unsigned i = 0; i < BLOCK; i++)
            expected += b * BLOCK + i;
        cr_expect(eq(uint, sums[b], expected), "block %u", b);
    }
    cr_expect(eq(sz, cushim_mock_findings(NULL), 0));
}

Test(block, a_reduction_in_declared_shared_memory)
{
    begin();
    EXPECT(CUDA_SUCCESS, launch(sum, GRID, 0));
    expect_sums();
}

Test(block, a_reduction_in_dynamic_shared_memory)
{
    begin();
    EXPECT(CUDA_SUCCESS, launch(sum_dynamic, GRID, BLOCK * sizeof(unsigned)));
    expect_sums();
}

static void found(enum cushim_mock_finding_kind kind, const char *word, const char *other)
{
    const struct cushim_mock_finding *findings = NULL;

    cr_assert(eq(sz, cushim_mock_findings(&findings), 1));
    cr_expect(eq(int, findings[0].kind, kind), "%s", findings[0].text);
    cr_expect(ne(ptr, strstr(findings[0].text, word), NULL), "no '%s' in: %s", word,
              findings[0].text);
    cr_expect(ne(ptr, strstr(findings[0].text, other), NULL), "no '%s' in: %s", other,
              findings[0].text);
}

/* Two variables, another block's, and what they begin with. */
static void look(const struct cushim_mock_thread *t, void *data)
{
    const struct arrays *arrays = data;
    unsigned *a = cushim_mock_shared(t, "a", 4), *b = cushim_mock_shared(t, "b", 8);

    if (!place(t))
        arrays->to[t->block_index[0]] = a != b && cushim_mock_shared(t, "a", 4) == a &&
                                        ((uintptr_t) b % 16) == 0 && *a == UINT32_MAX;
    cushim_mock_barrier(t);
    *a = *b = 7;
}

Test(block, each_variable_is_the_blocks_own)
{
    unsigned right[GRID];

    begin();
    EXPECT(CUDA_SUCCESS, launch(look, GRID, 0));
    OK(mock_cuMemcpyDtoH_v2(right, to, sizeof(right)));
    for (unsigned b = 0; b < GRID; b++)
        cr_expect(eq(uint, right[b], 1), "block %u", b);
}

static unsigned passed;

static void some_return(const struct cushim_mock_thread *t, void *data)
{
    (void) data;
    if (place(t) % 3 == 1)
        return;
    cushim_mock_barrier(t);
    if (place(t) == BLOCK - 1)
        return;
    cushim_mock_barrier(t);
    passed++;
}

/* As on devices of compute capability 7.0 and later: those that are gone are not waited for. */
Test(block, threads_that_return_before_a_barrier)
{
    begin();
    EXPECT(CUDA_SUCCESS, launch(some_return, GRID, 0));
    cr_expect(eq(uint, passed, GRID * (BLOCK - BLOCK / 3 - 1)));
    cr_expect(eq(sz, cushim_mock_findings(NULL), 0));
}

static void diverge(const struct cushim_mock_thread *t, void *data)
{
    (void) data;
    if (place(t) == 2)
        cushim_mock_barrier(t);
    else
        cushim_mock_barrier(t);
}

Test(block, threads_that_wait_at_different_barriers)
{
    begin();
    EXPECT(CUDA_SUCCESS, launch(diverge, 1, 0));
    found(CUSHIM_MOCK_BARRIER, "thread (0,0,0) waits at the barrier at",
          "thread (2,0,0) waits at the barrier at");
}

static void take_too_much(const struct cushim_mock_thread *t, void *data)
{
    (void) data;
    if (!cushim_mock_shared(t, "a", 200000) || !cushim_mock_shared(t, "b", 200000))
        return;
    cushim_mock_barrier(t);
}

Test(block, more_shared_memory_than_a_block_has)
{
    begin();
    EXPECT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, launch(take_too_much, GRID, 0));
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "kernel 'f', block (0,0,0)", "more shared memory");
}

static void use_too_much(const struct cushim_mock_thread *t, void *data)
{
    (void) data;
    (void) cushim_mock_shared(t, NULL, 65);
}

Test(block, more_dynamic_shared_memory_than_the_launch_has)
{
    begin();
    EXPECT(CUDA_ERROR_LAUNCH_FAILED, launch(use_too_much, 1, 64));
    found(CUSHIM_MOCK_OUT_OF_BOUNDS, "65 bytes of shared memory", "which has 64");
}

static void outside(const struct cushim_mock_launch *launch, void *const *args)
{
    const struct cushim_mock_thread thread = {.launch = launch};

    (void) args;
    cushim_mock_barrier(&thread);
    cr_expect(eq(ptr, cushim_mock_shared(&thread, "a", 4), NULL));
}

Test(block, a_barrier_outside_of_a_block)
{
    void *params[] = {&to, &from};

    begin();
    cushim_mock_barrier(NULL); /* nothing runs: nothing happens */
    cr_assert(eq(int, cushim_mock_register_kernel("f", outside, NULL), CUSHIM_OK));
    OK(mock_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    EXPECT(CUDA_ERROR_LAUNCH_FAILED, mock_cuCtxSynchronize());
    cr_expect(eq(sz, cushim_mock_findings(NULL), 2));
}
