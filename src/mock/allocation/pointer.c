/* SPDX-License-Identifier: MIT */
/* cuPointer* */
#include <string.h>

#include "mock/allocation/mem_map.h"
#include "mock/allocation/mem_pool.h"
#include "mock/allocation/memory.h"
#include "mock/base/state.h"
#include "mock/stream/capture.h"

/*
 * The attributes by their numbers, because a caller's toolkit may know more of them than the
 * toolkit of this build. Several are declared as bool but written as int, as drivers do.
 */
enum {
    CONTEXT = 1,
    MEMORY_TYPE = 2,
    DEVICE_POINTER = 3,
    HOST_POINTER = 4,
    P2P_TOKENS = 5,
    SYNC_MEMOPS = 6,
    BUFFER_ID = 7,
    IS_MANAGED = 8,
    DEVICE_ORDINAL = 9,
    IS_LEGACY_IPC_CAPABLE = 10,
    RANGE_START = 11,
    RANGE_SIZE = 12,
    MAPPED = 13,
    ALLOWED_HANDLE_TYPES = 14,
    IS_RDMA_CAPABLE = 15,
    ACCESS_FLAGS = 16,
    POOL_HANDLE = 17,
    MAPPING_SIZE = 18,
    MAPPING_BASE = 19,
    BLOCK_ID = 20,
    IS_DECOMPRESS_CAPABLE = 21,
    N_ATTRIBUTES,
};

#define READ_WRITE   3
#define MAPPING_UNIT 0x200000u

static CUresult put_int(void *data, int value)
{
    memcpy(data, &value, sizeof(value));
    return CUDA_SUCCESS;
}

static CUresult put_word(void *data, uint64_t value)
{
    memcpy(data, &value, sizeof(value));
    return CUDA_SUCCESS;
}

/* Returns the reserved range that contains a mapping, or otherwise the range itself. */
static struct mock__range whole_range(uint64_t address, const struct mock__memory *memory)
{
    const struct mock__range *range = mock__map_range(address);

    return range ? *range
                 : (struct mock__range){.address = memory->address, .bytes = memory->bytes};
}

static int access_of(const struct mock__memory *memory)
{
    return memory->mapping ? mock__map_access(memory, memory->device) : READ_WRITE;
}

static uint64_t context_of(const struct mock__memory *memory)
{
    return memory->context ? memory->context->object.handle : 0;
}

static uint64_t allowed_handles(const struct mock__memory *memory)
{
    return memory->mapping ? memory->mapping->physical->handle_types : 0;
}

/* For an address that the driver knows. The order is that of the numbers. */
static CUresult known(void *data, int attribute, uint64_t address,
                      const struct mock__memory *memory)
{
    const bool on_device = memory->kind == MOCK__DEVICE_MEMORY;
    const bool managed = memory->kind == MOCK__MANAGED_MEMORY;

    switch (attribute) {
    case CONTEXT:
        return put_word(data, context_of(memory));
    case MEMORY_TYPE:
        return put_int(data, on_device || managed ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST);
    case DEVICE_POINTER:
        return put_word(data, address);
    case HOST_POINTER:
        return on_device ? CUDA_ERROR_INVALID_VALUE : put_word(data, address);
    case P2P_TOKENS: /* nobody needs them any more */
        memset(data, 0, sizeof(CUDA_POINTER_ATTRIBUTE_P2P_TOKENS));
        return CUDA_SUCCESS;
    case SYNC_MEMOPS:
        return put_int(data, on_device || memory->sync_operations);
    case BUFFER_ID:
    case BLOCK_ID:
        return put_word(data, memory->id);
    case IS_MANAGED:
        return put_int(data, managed);
    case DEVICE_ORDINAL:
        return put_int(data, memory->device->ordinal);
    case IS_LEGACY_IPC_CAPABLE:
    case IS_RDMA_CAPABLE:
    case IS_DECOMPRESS_CAPABLE:
        return put_int(data, on_device && !memory->pool && !memory->mapping);
    case RANGE_START:
        return put_word(data, whole_range(address, memory).address);
    case RANGE_SIZE:
        return put_word(data, whole_range(address, memory).bytes);
    case MAPPED:
        return put_int(data, 1);
    case ALLOWED_HANDLE_TYPES:
        return put_word(data, allowed_handles(memory));
    case ACCESS_FLAGS:
        return put_int(data, access_of(memory));
    case POOL_HANDLE:
        return put_word(data, memory->pool ? memory->pool->object.handle : 0);
    case MAPPING_SIZE:
        return put_word(data, (memory->bytes + MAPPING_UNIT - 1) / MAPPING_UNIT * MAPPING_UNIT);
    case MAPPING_BASE:
        return put_word(data, memory->address);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* For an address that is reserved, but not mapped. */
static CUresult reserved(void *data, int attribute, const struct mock__range *range)
{
    MOCK__REQUIRE(range, CUDA_ERROR_INVALID_VALUE);
    switch (attribute) {
    case RANGE_START:
        return put_word(data, range->address);
    case RANGE_SIZE:
        return put_word(data, range->bytes);
    case MAPPED:
        return put_int(data, 0);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult mock_cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    const struct mock__memory *memory;

    MOCK__ENTER();
    memory = mock__memory_find(ptr);
    MOCK__REQUIRE(data, CUDA_ERROR_INVALID_VALUE);
    return memory ? known(data, (int) attribute, ptr, memory)
                  : reserved(data, (int) attribute, mock__map_range(ptr));
}

/* Returns how many bytes are written for an attribute. */
static size_t size_of(int attribute)
{
    switch (attribute) {
    case MEMORY_TYPE:
    case SYNC_MEMOPS:
    case IS_MANAGED:
    case DEVICE_ORDINAL:
    case IS_LEGACY_IPC_CAPABLE:
    case MAPPED:
    case IS_RDMA_CAPABLE:
    case ACCESS_FLAGS:
    case IS_DECOMPRESS_CAPABLE:
        return sizeof(int);
    default:
        return sizeof(uint64_t);
    }
}

/* For memory that the driver does not know: no attribute applies. */
static void unknown(void *data, int attribute)
{
    memset(data, 0, size_of(attribute));
    if (attribute == DEVICE_ORDINAL)
        put_int(data, -2);
}

CUresult mock_cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes,
                                     void **data, CUdeviceptr ptr)
{
    const struct mock__memory *memory;

    MOCK__ENTER();
    MOCK__REQUIRE(numAttributes && attributes && data, CUDA_ERROR_INVALID_VALUE);
    memory = mock__memory_find(ptr);
    for (unsigned i = 0; i < numAttributes; i++) {
        const int attribute = (int) attributes[i];

        MOCK__REQUIRE(data[i] && attribute >= CONTEXT && attribute < N_ATTRIBUTES &&
                          attribute != P2P_TOKENS,
                      CUDA_ERROR_INVALID_VALUE);
        /*
         * An attribute that does not apply to the address is written as zero, and is not an error.
         */
        if (!memory || known(data[i], attribute, ptr, memory) != CUDA_SUCCESS)
            unknown(data[i], attribute);
    }
    return CUDA_SUCCESS;
}

CUresult mock_cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                                    CUdeviceptr ptr)
{
    struct mock__memory *memory;
    int on;

    MOCK__ENTER();
    MOCK__TRY(mock__capture_unsafe());
    memory = mock__memory_find(ptr);
    MOCK__REQUIRE(value && memory && (int) attribute == SYNC_MEMOPS, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!memory->mapping, CUDA_ERROR_NOT_SUPPORTED);
    memcpy(&on, value, sizeof(on));
    memory->sync_operations = on != 0;
    return CUDA_SUCCESS;
}
