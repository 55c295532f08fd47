/* SPDX-License-Identifier: MIT */
/* Work in streams. */
#include "growth_calls.h"

static void operations(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    const CUstream stream = new_stream();

    for (int i = 0; i < n; i++)
        set_byte(memory, i, stream);
    TRY(cu->cuStreamSynchronize(stream));
}

static void operations_in_turn(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    CUstream *all = new_streams();

    for (int round = 0; round < 4; round++)
        for (int i = 0; i < n; i++)
            set_byte(memory, i, all[i]);
    for (int i = 0; i < n; i++)
        TRY(cu->cuStreamSynchronize(all[mixed(i)]));
}

/* Each stream waits for the one before. */
static void waits_in_a_row(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    const CUevent event = new_event();
    CUstream *all = new_streams();

    for (int i = 0; i < n; i++) {
        if (i)
            follow(all[i], all[i - 1], event);
        set_byte(memory, i, all[i]);
    }
    TRY(cu->cuStreamSynchronize(all[n - 1]));
}

/* All streams wait for one, and one for all. */
static void waits_for_many(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    const CUstream one = new_stream();
    const CUevent event = new_event();
    CUstream *all = new_streams();

    set_byte(memory, 0, one);
    for (int i = 1; i < n; i++) {
        follow(all[i], one, event);
        set_byte(memory, i, all[i]);
    }
    for (int i = 1; i < n; i++)
        follow(one, all[mixed(i)], event);
    TRY(cu->cuStreamSynchronize(one));
}

/* Blocking streams, and the legacy stream now and then. */
static void turns(void)
{
    const CUdeviceptr memory = some_memory((size_t) n);
    CUstream *all = MANY(CUstream);

    for (int i = 0; i < n; i++)
        TRY(cu->cuStreamCreate(&all[i], 0));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < n; i++)
            set_byte(memory, i, all[i]);
        set_byte(memory, 0, NULL);
    }
    TRY(cu->cuStreamSynchronize(NULL));
}

static void CUDA_CB do_nothing(void *user)
{
    (void) user;
}

static void host_functions(void)
{
    CUstream *all = new_streams();

    for (int i = 0; i < n; i++)
        TRY(cu->cuLaunchHostFunc(all[i / 16], do_nothing, NULL));
    TRY(cu->cuCtxSynchronize());
}

static void values(void)
{
    const CUdeviceptr memory = some_memory(4 * (size_t) n);
    const CUstream one = new_stream();
    CUstream *all = new_streams();

    TRY(cu->cuMemsetD8(memory, 0, 4 * (size_t) n));
    TRY(cu->cuCtxSynchronize());
    for (int i = 0; i < n; i++)
        TRY(cu->cuStreamWaitValue32(all[i], memory + 4 * (CUdeviceptr) i, 1,
                                    CU_STREAM_WAIT_VALUE_GEQ));
    for (int i = 0; i < n; i++)
        TRY(cu->cuStreamWriteValue32(one, memory + 4 * (CUdeviceptr) i, 1, 0));
    TRY(cu->cuCtxSynchronize());
}

static void batch(void)
{
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    const CUdeviceptr memory = some_memory(2 * (size_t) n);
    CUdeviceptr *to = MANY(CUdeviceptr), *from = MANY(CUdeviceptr);
    size_t *sizes = MANY(size_t), first = 0, failed;
    const CUstream stream = new_stream();

    TRY(cu->cuMemsetD8(memory, 0, 2 * (size_t) n));
    TRY(cu->cuCtxSynchronize());
    for (int i = 0; i < n; i++) {
        to[i] = memory + (CUdeviceptr) i;
        from[i] = to[i] + (CUdeviceptr) n;
        sizes[i] = 1;
    }
#if CUDA_VERSION >= 13000
    (void) failed;
    TRY(cu->cuMemcpyBatchAsync(to, from, sizes, (size_t) n, &attributes, &first, 1, stream));
#else
    TRY(cu->cuMemcpyBatchAsync(to, from, sizes, (size_t) n, &attributes, &first, 1, &failed,
                               stream));
#endif
    TRY(cu->cuStreamSynchronize(stream));
}

/* --- pinned memory, whose use by the host may be watched --- */

enum { PAGE = 4096 };

static void copies(bool with_host_function, bool each_has_a_stream)
{
    const CUdeviceptr memory = some_memory((size_t) n * PAGE);
    CUstream *all = new_streams();
    char *pinned;

    TRY(cu->cuMemAllocHost((void **) &pinned, (size_t) n * PAGE));
    TRY(cu->cuMemsetD8(memory, 0, (size_t) n * PAGE));
    TRY(cu->cuCtxSynchronize());
    for (int i = 0; i < n; i++) {
        const size_t at = (size_t) i * PAGE;
        const CUstream stream = all[each_has_a_stream ? i : 0];

        if (with_host_function)
            TRY(cu->cuLaunchHostFunc(stream, do_nothing, NULL));
        TRY(cu->cuMemcpyDtoHAsync(pinned + at, memory + at, PAGE, stream));
    }
    for (int i = 0; i < n; i++)
        TRY(cu->cuStreamSynchronize(all[i]));
}

static void copies_in_one_stream(void)
{
    copies(false, false);
}

static void copies_in_streams(void)
{
    copies(false, true);
}

static void copies_behind_functions(void)
{
    copies(true, false);
}

static void copies_and_functions(void)
{
    copies(true, true);
}

/* The same buffer again and again. */
static void copies_to_one_place(void)
{
    const CUdeviceptr memory = some_memory(PAGE);
    const CUstream stream = new_stream();
    char *pinned;

    TRY(cu->cuMemAllocHost((void **) &pinned, PAGE));
    TRY(cu->cuMemsetD8(memory, 0, PAGE));
    TRY(cu->cuCtxSynchronize());
    for (int i = 0; i < n; i++)
        TRY(cu->cuMemcpyDtoHAsync(pinned, memory, PAGE, stream));
    TRY(cu->cuStreamSynchronize(stream));
}

const struct growth_case growth_queues[] = {
    CASE(operations),
    CASE(operations_in_turn),
    CASE(waits_in_a_row),
    CASE(waits_for_many),
    CASE(turns),
    CASE(host_functions),
    CASE(values),
    CASE(batch),
    CASE(copies_in_one_stream),
    CASE(copies_in_streams),
    CASE(copies_behind_functions),
    CASE(copies_and_functions),
    CASE(copies_to_one_place),
    {NULL, NULL},
};
