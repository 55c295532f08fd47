/* SPDX-License-Identifier: MIT */
/* cuDeviceGetHostAtomicCapabilities, cuDeviceGetP2PAtomicCapabilities */
#include "mock/base/state.h"

#if CUDA_VERSION >= 13000

/* Returns what an operation can do over a link with its own atomic operations. */
static unsigned native(CUatomicOperation operation)
{
    const unsigned scalars = CU_ATOMIC_CAPABILITY_SCALAR_32 | CU_ATOMIC_CAPABILITY_SCALAR_64;

    switch (operation) {
    case CU_ATOMIC_OPERATION_INTEGER_ADD:
    case CU_ATOMIC_OPERATION_INTEGER_MIN:
    case CU_ATOMIC_OPERATION_INTEGER_MAX:
        return CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED |
               CU_ATOMIC_CAPABILITY_REDUCTION | scalars;
    case CU_ATOMIC_OPERATION_INTEGER_INCREMENT:
    case CU_ATOMIC_OPERATION_INTEGER_DECREMENT:
        return CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION |
               CU_ATOMIC_CAPABILITY_SCALAR_32;
    case CU_ATOMIC_OPERATION_FLOAT_ADD:
        return CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_REDUCTION | scalars;
    case CU_ATOMIC_OPERATION_FLOAT_MIN:
    case CU_ATOMIC_OPERATION_FLOAT_MAX:
        return 0;
    default:
        return CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION | scalars;
    }
}

static bool arguments_valid(const unsigned *capabilities, const CUatomicOperation *operations,
                            unsigned count)
{
    return capabilities && operations && count;
}

static CUresult fill_in(unsigned *capabilities, const CUatomicOperation *operations, unsigned count,
                        bool has_native)
{
    MOCK__REQUIRE(arguments_valid(capabilities, operations, count), CUDA_ERROR_INVALID_VALUE);
    for (unsigned i = 0; i < count; i++)
        MOCK__REQUIRE((unsigned) operations[i] < CU_ATOMIC_OPERATION_MAX, CUDA_ERROR_INVALID_VALUE);
    for (unsigned i = 0; i < count; i++)
        capabilities[i] = has_native ? native(operations[i]) : 0;
    return CUDA_SUCCESS;
}

CUresult mock_cuDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                                const CUatomicOperation *operations,
                                                unsigned int count, CUdevice dev)
{
    const struct mock__device *device;

    MOCK__ENTER();
    device = mock__device_find(dev);
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_DEVICE);
    return fill_in(capabilities, operations, count,
                   mock__attribute(device, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED));
}

CUresult mock_cuDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                               const CUatomicOperation *operations,
                                               unsigned int count, CUdevice srcDevice,
                                               CUdevice dstDevice)
{
    const struct mock__device *source, *target;

    MOCK__ENTER();
    MOCK__REQUIRE(arguments_valid(capabilities, operations, count), CUDA_ERROR_INVALID_VALUE);
    source = mock__device_find(srcDevice);
    target = mock__device_find(dstDevice);
    MOCK__REQUIRE(source && target && source != target, CUDA_ERROR_INVALID_DEVICE);
    /* None is told of two H200s with NVLink, which do have such operations. */
    return fill_in(capabilities, operations, count, false);
}

#endif
