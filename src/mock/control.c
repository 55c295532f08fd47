/* SPDX-License-Identifier: MIT */
/* What cushim/mock.h declares for kernels that run. */
#include <stdatomic.h>

#include "mock/kernels.h"
#include "mock/memory.h"
#include "mock/state.h"

/*
 * The launch that runs, of which there is one at a time, as it holds the driver's
 * lock; so memory does not change under it. Its helper threads ask as well, which is
 * why it is not kept by thread.
 */
static _Atomic(struct mock__context *) running;
static atomic_int failure;

int mock__kernel_run(struct mock__context *context, cushim_mock_kernel_fn fn,
                     const struct cushim_mock_launch *launch, void *const *args)
{
    atomic_store(&failure, 0);
    atomic_store(&running, context);
    mock__callback_begin();
    fn(launch, args);
    mock__callback_end();
    atomic_store(&running, NULL);
    return atomic_load(&failure);
}

void cushim_mock_fail(int result)
{
    int none = 0;

    if (atomic_load(&running))
        atomic_compare_exchange_strong(&failure, &none, result);
}

/* Does memory of a device, or of the host, answer to kernels of this context? */
static bool can_use(const struct mock__context *context, const struct mock__memory *memory)
{
    const struct mock__device *device = memory->context->device;

    return memory->kind != MOCK__DEVICE_MEMORY || device == context->device ||
           context->peers & (uint32_t) 1 << device->ordinal;
}

void *cushim_mock_pointer(uint64_t device_address, size_t bytes)
{
    const struct mock__context *context = atomic_load(&running);
    const struct mock__memory *memory = context ? mock__memory_find(device_address) : NULL;
    void *pointer = NULL;

    if (memory && can_use(context, memory))
        pointer = mock__memory_bytes(device_address, bytes);
    if (!pointer)
        cushim_mock_fail(CUDA_ERROR_ILLEGAL_ADDRESS);
    return pointer;
}

static void run_block(struct cushim_mock_thread *thread, cushim_mock_thread_fn fn, void *data)
{
    const unsigned *block = thread->launch->block;
    unsigned *index = thread->thread_index;

    for (index[2] = 0; index[2] < block[2]; index[2]++) {
        for (index[1] = 0; index[1] < block[1]; index[1]++) {
            for (index[0] = 0; index[0] < block[0]; index[0]++)
                fn(thread, data);
        }
    }
}

void cushim_mock_for_each_thread(const struct cushim_mock_launch *launch, cushim_mock_thread_fn fn,
                                 void *data)
{
    struct cushim_mock_thread thread = {.launch = launch};
    unsigned *index = thread.block_index;

    for (index[2] = 0; index[2] < launch->grid[2]; index[2]++) {
        for (index[1] = 0; index[1] < launch->grid[1]; index[1]++) {
            for (index[0] = 0; index[0] < launch->grid[0]; index[0]++)
                run_block(&thread, fn, data);
        }
    }
}
