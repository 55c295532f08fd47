/* SPDX-License-Identifier: MIT */
#include "mock/base/green.h"

#include "mock/base/state.h"

struct mock__green *mock__green_find(const void *handle)
{
    return mock__object_find(MOCK__GREEN, handle);
}

CUresult mock__green_of(const void *handle, struct mock__green **ret_green)
{
    MOCK__REQUIRE(handle, CUDA_ERROR_INVALID_CONTEXT);
    *ret_green = mock__green_find(handle);
    return *ret_green ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

struct mock__green *mock__green_current(void)
{
    return mock__green_find(mock__current_handle());
}

const struct mock__share *mock__green_share(const struct mock__green *green)
{
    return green ? green->share : NULL;
}

unsigned mock__multiprocessors(const struct mock__share *share, const struct mock__device *device)
{
    return share ? share->n
                 : (unsigned) mock__attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
}

unsigned mock__multiprocessor(const struct mock__share *share, uint64_t n)
{
    const struct mock__span *span = share->spans;

    for (n %= share->n; n >= span->n; span++)
        n -= span->n;
    return span->first + (unsigned) n;
}

void mock__greens_end(const struct mock__context *primary)
{
    struct mock__green *green;

    for (size_t cursor = 0; (green = mock__object_next(MOCK__GREEN, &cursor));)
        if (green->primary == primary)
            green->primary = NULL;
}
