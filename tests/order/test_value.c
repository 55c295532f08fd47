/* SPDX-License-Identifier: MIT */
/* Values in memory that streams write and wait for, and events of whole contexts. */
#include <cushim/mock.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "mock/queue/schedule.h"
#include "support.h"

#if CUDA_VERSION >= 12050

enum { SEEDS = 16, N = 64, BYTES = N * 4 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry add(.param .u64 p, .param .u32 v) { ret; }\n";

static CUcontext context;
static CUfunction add_function;
static CUstream one, two, three;
static CUevent event;

static void add(const struct cushim_mock_launch *launch, void *const *args)
{
    unsigned *words = cushim_mock_pointer(*(uint64_t *) args[0], BYTES);

    (void) launch;
    for (unsigned i = 0; words && i < N; i++)
        words[i] += *(unsigned *) args[1];
}

static CUdeviceptr zeroes(void)
{
    const CUdeviceptr p = allocate(BYTES);

    OK(mock_cuMemsetD8_v2(p, 0, BYTES));
    OK(mock_cuCtxSynchronize());
    return p;
}

static void begin(void)
{
    CUmodule module = NULL;

    context = start();
    cr_assert(eq(int, cushim_mock_register_kernel("add", add, NULL), CUSHIM_OK));
    OK(mock_cuModuleLoadData(&module, ptx));
    OK(mock_cuModuleGetFunction(&add_function, module, "add"));
    OK(mock_cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    OK(mock_cuStreamCreate(&two, CU_STREAM_NON_BLOCKING));
    OK(mock_cuStreamCreate(&three, CU_STREAM_NON_BLOCKING));
    OK(mock_cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
}

static void launch(CUstream stream, CUdeviceptr p, unsigned value)
{
    void *params[] = {&p, &value};

    OK(mock_cuLaunchKernel(add_function, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

static unsigned last_word(CUdeviceptr p)
{
    unsigned words[N];

    OK(mock_cuMemcpyDtoH_v2(words, p, sizeof(words)));
    return words[N - 1];
}

static void silent(void)
{
    const struct cushim_mock_finding *findings = NULL;
    const size_t n = cushim_mock_findings(&findings);

    cr_expect(eq(sz, n, 0), "the first is: %s", n ? findings[0].text : "");
}

/* Is there a finding of this kind, whose text has all of the words? */
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

/* The wait comes first, and the work behind it is handed on to a third stream. */
Test(value, a_write_releases_what_waits_for_it)
{
    CUdeviceptr p, flag;

    begin();
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        mock__schedule_seed(seed);
        p = zeroes();
        flag = zeroes();
        OK(mock_cuStreamWaitValue32_v2(two, flag, 1, CU_STREAM_WAIT_VALUE_GEQ));
        launch(two, p, 2);
        OK(mock_cuEventRecord(event, two));
        OK(mock_cuStreamWaitEvent(three, event, 0));
        launch(three, p, 4);
        launch(one, p, 1);
        OK(mock_cuStreamWriteValue32_v2(one, flag, 1, 0));
        OK(mock_cuStreamSynchronize(three));
        cr_expect(eq(uint, last_word(p), 7), "seed %u", seed);
        OK(mock_cuMemFree_v2(p));
        OK(mock_cuMemFree_v2(flag));
        silent();
    }
}

Test(value, nothing_is_ordered_but_what_comes_before_the_write)
{
    CUdeviceptr p, flag;

    begin();
    p = zeroes();
    flag = zeroes();
    OK(mock_cuStreamWaitValue32_v2(two, flag, 1, CU_STREAM_WAIT_VALUE_GEQ));
    launch(two, p, 2);
    OK(mock_cuStreamWriteValue32_v2(one, flag, 1, 0));
    launch(one, p, 1);
    OK(mock_cuCtxSynchronize());
    found(CUSHIM_MOCK_DATA_RACE, "kernel 'add' in stream", "nothing orders them");
}

Test(value, streams_that_hand_a_value_to_and_fro)
{
    CUdeviceptr p, flag;

    begin();
    mock__schedule_seed(7);
    p = zeroes();
    flag = zeroes();
    for (unsigned i = 0; i < 100; i++) {
        OK(mock_cuStreamWaitValue32_v2(two, flag, 2 * i + 1, CU_STREAM_WAIT_VALUE_EQ));
        launch(two, p, 1);
        OK(mock_cuStreamWriteValue32_v2(two, flag, 2 * i + 2, 0));
        OK(mock_cuStreamWaitValue32_v2(one, flag, 2 * i, CU_STREAM_WAIT_VALUE_EQ));
        launch(one, p, 1);
        OK(mock_cuStreamWriteValue32_v2(one, flag, 2 * i + 1, 0));
    }
    OK(mock_cuStreamSynchronize(two));
    cr_expect(eq(uint, last_word(p), 200));
    silent();
}

static unsigned value_of(CUdeviceptr flag)
{
    unsigned value;

    OK(mock_cuMemcpyDtoH_v2(&value, flag, sizeof(value)));
    return value;
}

static bool goes_on(CUdeviceptr flag, uint64_t value, unsigned flags, bool wide)
{
    const CUdeviceptr mark = zeroes();
    bool done;

    if (wide)
        OK(mock_cuStreamWaitValue64_v2(one, flag, value, flags));
    else
        OK(mock_cuStreamWaitValue32_v2(one, flag, (unsigned) value, flags));
    OK(mock_cuStreamWriteValue32_v2(one, mark, 1, 0));
    for (int i = 0; i < 10; i++)
        (void) mock_cuStreamQuery(one);
    done = value_of(mark) == 1;
    if (!done) { /* let it go: all bits satisfy no NOR, and zeros no AND, so by both */
        OK(mock_cuStreamWriteValue64_v2(two, flag, value, 0));
        OK(mock_cuStreamWriteValue64_v2(two, flag, 0, 0));
    }
    return done;
}

static bool condition(uint64_t now, uint64_t value, unsigned flags, bool wide)
{
    const CUdeviceptr flag = zeroes();

    OK(mock_cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    OK(mock_cuMemcpyHtoD_v2(flag, &now, sizeof(now)));
    return goes_on(flag, value, flags, wide);
}

Test(value, conditions)
{
    begin();
    cr_expect(eq(int, condition(5, 5, CU_STREAM_WAIT_VALUE_GEQ, false), true));
    cr_expect(eq(int, condition(4, 5, CU_STREAM_WAIT_VALUE_GEQ, false), false));
    cr_expect(eq(int, condition(1, 0xfffffff0, CU_STREAM_WAIT_VALUE_GEQ, false), true));
    cr_expect(eq(int, condition(1, 0xfffffff0, CU_STREAM_WAIT_VALUE_GEQ, true), false));
    cr_expect(eq(int, condition(6, 5, CU_STREAM_WAIT_VALUE_EQ, false), false));
    cr_expect(eq(int, condition(UINT64_C(1) << 32, 0, CU_STREAM_WAIT_VALUE_EQ, false), true));
    cr_expect(eq(int, condition(UINT64_C(1) << 32, 0, CU_STREAM_WAIT_VALUE_EQ, true), false));
    cr_expect(eq(int, condition(6, 1, CU_STREAM_WAIT_VALUE_AND, false), false));
    cr_expect(eq(int, condition(6, 2, CU_STREAM_WAIT_VALUE_AND, false), true));
    cr_expect(eq(int, condition(0xffff0000, 0xffff, CU_STREAM_WAIT_VALUE_NOR, false), false));
    cr_expect(eq(int, condition(0xffff0000, 0xfffe, CU_STREAM_WAIT_VALUE_NOR, false), true));
    cr_expect(eq(int, condition(0xffff0000, 0xffff, CU_STREAM_WAIT_VALUE_NOR, true), true));
}

Test(value, misuse)
{
    CUstreamBatchMemOpParams params[2] = {{0}};
    CUdeviceptr flag, managed = 0;

    begin();
    flag = zeroes();
    OK(mock_cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamWaitValue32_v2(one, 0, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamWaitValue32_v2(one, flag + 2, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamWriteValue64_v2(one, flag + 4, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamWriteValue32_v2(one, flag + BYTES, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamWriteValue32_v2(one, managed, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamWriteValue32_v2(one, flag, 0, 2));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamWaitValue32_v2(one, flag, 0, 4));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED,
           mock_cuStreamWaitValue32_v2(one, flag, 0, CU_STREAM_WAIT_VALUE_FLUSH));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, mock_cuStreamWriteValue32_v2(GARBAGE, flag, 0, 0));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuStreamWaitValue32(one, flag, 0, 0));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuStreamWriteValue64(one, flag, 0, 0));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuStreamBatchMemOp(one, 0, NULL, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamBatchMemOp_v2(one, 1, NULL, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamBatchMemOp_v2(one, 2, params, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamBatchMemOp_v2(one, 1, params, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamBatchMemOp_v2(one, 256, params, 0));
    OK(mock_cuStreamSynchronize(one));
}

/* All or nothing: what is wrong with the last stops the first. */
Test(value, a_batch)
{
    CUstreamBatchMemOpParams params[4] = {{0}};
    CUdeviceptr flag;

    begin();
    flag = zeroes();
    params[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    params[0].writeValue.address = flag;
    params[0].writeValue.value = 3;
    params[1].memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
    params[2].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    params[2].waitValue.address = flag;
    params[2].waitValue.value = 3;
    params[2].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    params[3].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    params[3].writeValue.address = flag + 4;
    params[3].writeValue.value64 = 5;
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuStreamBatchMemOp_v2(one, 4, params, 0));
    OK(mock_cuStreamSynchronize(one));
    cr_expect(eq(uint, value_of(flag), 0));
    params[3].writeValue.address = flag;
    OK(mock_cuStreamBatchMemOp_v2(one, 4, params, 0));
    OK(mock_cuStreamSynchronize(one));
    cr_expect(eq(uint, value_of(flag), 5));
    silent();
}

static void *write_late(void *pointer)
{
    usleep(20000);
    __atomic_store_n((unsigned *) pointer, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* The host knows that the first kernel is done, and says so by the value alone. */
Test(value, the_host_gives_the_value, .timeout = 30)
{
    unsigned *flag;
    pthread_t thread;
    CUdeviceptr p;

    begin();
    p = zeroes();
    OK(mock_cuMemHostAlloc((void **) &flag, 64, 0));
    *flag = 0;
    OK(mock_cuStreamWaitValue32_v2(two, (uintptr_t) flag, 1, 0));
    launch(two, p, 2);
    launch(one, p, 1);
    OK(mock_cuStreamSynchronize(one));
    cr_assert(eq(int, pthread_create(&thread, NULL, write_late, flag), 0));
    OK(mock_cuStreamSynchronize(two));
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
    cr_expect(eq(uint, last_word(p), 3));
    silent();
}

/* Nothing is called meanwhile: the engine's thread looks at the value, and writes the answer. */
Test(value, the_host_polls_for_the_answer, .timeout = 30)
{
    unsigned *flags;

    begin();
    OK(mock_cuMemHostAlloc((void **) &flags, 64, 0));
    memset(flags, 0, 64);
    for (unsigned i = 1; i <= 10; i++) {
        OK(mock_cuStreamWaitValue32_v2(one, (uintptr_t) flags, i, 0));
        OK(mock_cuStreamWriteValue32_v2(one, (uintptr_t) (flags + 1), i, 0));
    }
    for (unsigned i = 1; i <= 10; i++) {
        __atomic_store_n(flags, i, __ATOMIC_RELEASE);
        while (__atomic_load_n(flags + 1, __ATOMIC_ACQUIRE) < i)
            usleep(100);
    }
    OK(mock_cuStreamSynchronize(one));
    silent();
}

static void *synchronize(void *stream)
{
    OK(mock_cuCtxSetCurrent(context));
    OK(mock_cuStreamSynchronize(stream));
    return NULL;
}

Test(value, a_wait_that_nobody_ends_is_named_once_and_goes_on, .timeout = 60)
{
    const struct cushim_mock_finding *findings = NULL;
    pthread_t thread;
    CUdeviceptr flag;

    begin();
    mock__schedule_stuck_after(20000000);
    flag = zeroes();
    cr_assert(eq(int, cushim_mock_label(flag, "the flag"), CUSHIM_OK));
    OK(mock_cuStreamWaitValue32_v2(one, flag, 5, CU_STREAM_WAIT_VALUE_EQ));
    cr_assert(eq(int, pthread_create(&thread, NULL, synchronize, one), 0));
    while (!cushim_mock_findings(&findings))
        usleep(1000);
    usleep(100000);
    found(CUSHIM_MOCK_STUCK, "'the flag'", "to be == 0x5; it is 0x0");
    cr_expect(eq(uint, findings[0].count, 1));
    OK(mock_cuStreamWriteValue32_v2(two, flag, 5, 0));
    cr_assert(eq(int, pthread_join(thread, NULL), 0));
}

Test(value, a_broken_context_waits_for_no_value)
{
    CUdeviceptr flag;

    begin();
    flag = zeroes();
    launch(two, 4096, 1);
    OK(mock_cuStreamWaitValue32_v2(one, flag, 5, CU_STREAM_WAIT_VALUE_EQ));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuStreamSynchronize(two));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuCtxSynchronize());
}

/* --- events of whole contexts --- */

Test(context_event, stands_for_all_streams)
{
    CUdeviceptr p, q;

    begin();
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        mock__schedule_seed(seed);
        p = zeroes();
        q = zeroes();
        launch(one, p, 1);
        launch(two, q, 1);
        OK(mock_cuCtxRecordEvent(context, event));
        OK(mock_cuStreamWaitEvent(three, event, 0));
        launch(three, p, 1);
        launch(three, q, 1);
        OK(mock_cuStreamSynchronize(three));
        cr_expect(eq(uint, last_word(p), 2));
        cr_expect(eq(uint, last_word(q), 2));
        EXPECT(CUDA_SUCCESS, mock_cuEventQuery(event));
        OK(mock_cuMemFree_v2(p));
        OK(mock_cuMemFree_v2(q));
        silent();
    }
}

Test(context_event, holds_up_all_streams_also_those_made_later)
{
    CUdeviceptr p, flag;
    CUstream later;

    begin();
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        mock__schedule_seed(seed);
        p = zeroes();
        flag = zeroes();
        OK(mock_cuStreamWaitValue32_v2(one, flag, 1, 0));
        launch(one, p, 1);
        OK(mock_cuEventRecord(event, one));
        OK(mock_cuStreamWriteValue32_v2(three, flag, 1, 0));
        OK(mock_cuCtxWaitEvent(context, event));
        launch(two, p, 1);
        OK(mock_cuStreamCreate(&later, CU_STREAM_NON_BLOCKING));
        OK(mock_cuStreamSynchronize(two));
        launch(later, p, 1);
        OK(mock_cuStreamSynchronize(later));
        cr_expect(eq(uint, last_word(p), 3));
        OK(mock_cuStreamDestroy_v2(later));
        OK(mock_cuMemFree_v2(p));
        OK(mock_cuMemFree_v2(flag));
        silent();
    }
}

Test(context_event, leaves_nothing_behind)
{
    CUcontext own = NULL, popped = NULL;

    start();
    OK(mock_cuCtxCreate_v2(&own, 0, 1));
    OK(mock_cuEventCreate(&event, 0));
    OK(mock_cuCtxRecordEvent(own, event));
    OK(mock_cuCtxWaitEvent(own, event));
    OK(mock_cuCtxPopCurrent_v2(&popped));
    OK(mock_cuCtxDestroy_v2(own));
    OK(mock_cuDevicePrimaryCtxRelease_v2(0));
    cr_expect(eq(sz, cushim_mock_leaks(), 0));
}

#endif
