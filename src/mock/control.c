/* SPDX-License-Identifier: MIT */
/* What cushim/mock.h declares for kernels that run. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "mock/access.h"
#include "mock/kernels.h"
#include "mock/memory.h"
#include "mock/state.h"
#include "mock/work.h"

/*
 * The launch that runs, of which there is one at a time, as it holds the driver's
 * lock; so memory does not change under it. Its helper threads ask as well, which is
 * why it is not kept by thread.
 */
static _Atomic(const struct mock__work *) running;
static pthread_mutex_t helpers = PTHREAD_MUTEX_INITIALIZER; /* between threads of one kernel */
static atomic_int failure;

static _Thread_local bool in_kernel;

bool mock__in_kernel(void)
{
    return in_kernel;
}

const struct mock__work *mock__kernel_running(void)
{
    return atomic_load(&running);
}

int mock__kernel_run(const struct mock__work *work, cushim_mock_kernel_fn fn,
                     const struct cushim_mock_launch *launch, void *const *args)
{
    atomic_store(&failure, 0);
    atomic_store(&running, work);
    mock__callback_begin();
    in_kernel = true;
    fn(launch, args);
    in_kernel = false;
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

bool mock__can_use(const struct mock__context *context, const struct mock__memory *memory)
{
    const struct mock__device *device = memory->context->device;

    return memory->kind != MOCK__DEVICE_MEMORY || device == context->device ||
           context->peers & (uint32_t) 1 << device->ordinal;
}

static void *pointer_for(uint64_t address, size_t bytes, enum mock__access access)
{
    const struct mock__work *work = atomic_load(&running);
    const struct mock__memory *memory = work ? mock__memory_find(address) : NULL;
    void *pointer = NULL;
    char who[128];

    if (!work)
        return NULL;
    if (memory && mock__can_use(work->lane->context, memory))
        pointer = mock__memory_bytes(address, bytes);
    pthread_mutex_lock(&helpers);
    if (pointer) {
        mock__access(work, address, bytes, access);
    } else {
        snprintf(who, sizeof(who), "kernel '%s'", work->label);
        mock__access_nowhere(who, address, bytes);
        cushim_mock_fail(CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    pthread_mutex_unlock(&helpers);
    return pointer;
}

void *cushim_mock_pointer(uint64_t device_address, size_t bytes)
{
    return pointer_for(device_address, bytes, MOCK__READ_WRITE);
}

const void *cushim_mock_input(uint64_t device_address, size_t bytes)
{
    return pointer_for(device_address, bytes, MOCK__READ);
}

void *cushim_mock_output(uint64_t device_address, size_t bytes)
{
    return pointer_for(device_address, bytes, MOCK__WRITE);
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
