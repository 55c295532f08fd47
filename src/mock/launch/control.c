/* SPDX-License-Identifier: MIT */
/* The functions of cushim/mock.h for kernels while they run. */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "mock/allocation/memory.h"
#include "mock/base/finding.h"
#include "mock/base/state.h"
#include "mock/base/upcalls.h"
#include "mock/check/access.h"
#include "mock/check/host_guard.h"
#include "mock/check/host_watch.h"
#include "mock/check/stray.h"
#include "mock/launch/control.h"
#include "mock/launch/program_run.h"
#include "mock/queue/work.h"

/*
 * The launch that runs now. There is only one at a time, because it holds the driver's lock; so
 * memory does not change during the launch. The variable is not thread-local, because the helper
 * threads of the kernel use it as well.
 */
static _Atomic(const struct mock__work *) running;
static atomic_int failure;

const struct mock__work *mock__kernel_running(void)
{
    return atomic_load(&running);
}

int mock__kernel_run(const struct mock__work *work, cushim_mock_kernel_fn fn,
                     const struct cushim_mock_launch *launch, void *const *args)
{
    atomic_store(&failure, 0);
    atomic_store(&running, work);
    mock__kernel_begin(fn != mock__program_run);
    fn(launch, args);
    mock__kernel_end();
    atomic_store(&running, NULL);
    return atomic_load(&failure);
}

void cushim_mock_kernel_fail(int result)
{
    int none = 0;

    if (atomic_load(&running))
        atomic_compare_exchange_strong(&failure, &none, result);
}

static void *pointer_for(uint64_t address, size_t bytes, enum mock__access access)
{
    const struct mock__work *work = atomic_load(&running);
    void *pointer = NULL;
    char accessor[128];

    if (!work)
        return NULL;
    mock__host_guard_join();
    if (mock__memory_usable(work->queue->context, address, bytes, access & MOCK__WRITE))
        pointer = mock__memory_bytes(address, bytes);
    mock__helpers_lock();
    if (!pointer) {
        snprintf(accessor, sizeof(accessor), "kernel '%s'", work->label);
        mock__report_bad_address(accessor, address, bytes);
        pointer = mock__memory_stray(work->queue->context, address, bytes, access & MOCK__WRITE);
    }
    if (pointer) {
        mock__access(work, address, bytes, access);
        mock__host_watch_used(work, address, bytes, access);
    } else {
        cushim_mock_kernel_fail(CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    mock__helpers_unlock();
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

static uint64_t address_of_condition(uint64_t handle)
{
    const struct mock__work *work = atomic_load(&running);

    return work ? mock__upcalls.condition_address(work, handle) : 0;
}

void cushim_mock_set_condition(uint64_t handle, unsigned value)
{
    const uint64_t address = address_of_condition(handle);
    unsigned *word = address ? cushim_mock_output(address, sizeof(*word)) : NULL;

    if (word)
        *word = value;
    else if (!address)
        mock__kernel_complain(CUSHIM_MOCK_KERNEL_FAULT, CUDA_ERROR_ILLEGAL_ADDRESS,
                              "cushim_mock_set_condition() of 0x%llx, which is no handle of a "
                              "conditional node in the graph that the kernel runs in",
                              (unsigned long long) handle);
}

void mock__kernel_complain(enum cushim_mock_finding_kind kind, int result, const char *format, ...)
{
    char text[1024];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    if (!atomic_load(&running))
        return;
    mock__helpers_lock();
    mock__finding(kind, "%s", text);
    mock__helpers_unlock();
    cushim_mock_kernel_fail(result);
}

size_t mock__kernel_shared_room(void)
{
    const struct mock__work *work = atomic_load(&running);

    return work ? (size_t) mock__attribute(work->queue->context->device,
                                           CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
                : 0;
}
