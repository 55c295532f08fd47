/* SPDX-License-Identifier: MIT */
/*
 * cuMulticast*: only for devices whose attribute says so, which the configuration sets; none was
 * seen with it. So the answers are from the documents, and others are those of a device without.
 */
#include "mock/allocation/multicast.h"

#include <stdlib.h>

#include "mock/allocation/mem_map.h"
#include "mock/base/newer.h"
#include "mock/base/state.h"
#include "mock/config/config.h"
#include "mock/queue/schedule.h"

enum { SUPPORTED = 132 }; /* CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED */

/* A driver waits for ever, and this some two seconds in which nothing happens. */
enum { PATIENCE = 20, TICK_NS = 100000000 };

bool mock__multicast_has(const struct mock__multicast *multicast, const struct mock__device *device)
{
    for (unsigned i = 0; i < multicast->n_devices; i++)
        if (multicast->devices[i] == device)
            return true;
    return false;
}

static struct mock__physical *object_of(CUmemGenericAllocationHandle handle)
{
    struct mock__physical *physical = mock__physical_find(handle);

    return physical && physical->multicast ? physical : NULL;
}

CUresult mock__multicast_await(CUmemGenericAllocationHandle handle)
{
    const struct mock__physical *object;

    /* The wait releases the lock, so the object is looked up each time. */
    for (unsigned i = 0; i < PATIENCE; i += !mock__lock_wait(TICK_NS)) {
        object = object_of(handle);
        if (!object || object->multicast->n_devices == object->multicast->n_wanted)
            return CUDA_SUCCESS;
    }
    return CUDA_ERROR_SYSTEM_NOT_READY;
}

static void end_binding(struct mock__binding **at)
{
    struct mock__binding *binding = *at;

    *at = binding->next;
    mock__map_hidden_end(binding->memory);
    free(binding);
}

void mock__multicast_free(struct mock__multicast *multicast)
{
    while (multicast->bindings)
        end_binding(&multicast->bindings);
    free(multicast);
}

/* --- what kernels use --- */

/* The binding of a device that has all of the bytes, or NULL. */
static const struct mock__binding *binding_of(const struct mock__multicast *multicast,
                                              const struct mock__device *device, size_t offset,
                                              size_t bytes)
{
    const struct mock__binding *binding = multicast->bindings;

    while (binding && (binding->device != device || offset < binding->offset ||
                       offset - binding->offset >= binding->memory->bytes ||
                       bytes > binding->memory->bytes - (offset - binding->offset)))
        binding = binding->next;
    return binding;
}

static bool is_complete(const struct mock__multicast *multicast, size_t offset, size_t bytes)
{
    for (unsigned i = 0; i < multicast->n_devices; i++)
        if (!binding_of(multicast, multicast->devices[i], offset, bytes))
            return false;
    return multicast->n_devices == multicast->n_wanted;
}

bool mock__multicast_member(const struct mock__context *context, uint64_t address, size_t bytes,
                            bool write, unsigned number, uint64_t *ret_address)
{
    const struct mock__memory *memory = mock__memory_find(address);
    const struct mock__mapping *mapping = memory ? memory->mapping : NULL;
    const struct mock__multicast *multicast = mapping ? mapping->physical->multicast : NULL;
    const size_t offset = memory ? address - memory->address : 0;
    const struct mock__binding *binding;

    if (!multicast || number >= multicast->n_devices || bytes > memory->bytes - offset ||
        !((write ? mapping->writable : mapping->readable) >> context->device->ordinal & 1) ||
        !is_complete(multicast, offset, bytes))
        return false;
    binding = binding_of(multicast, multicast->devices[number], offset, bytes);
    *ret_address = binding->memory->address + (offset - binding->offset);
    return true;
}

#if CUDA_VERSION >= 12010

static bool has_switch(const struct mock__device *device)
{
    return mock__attribute(device, (CUdevice_attribute) SUPPORTED) != 0;
}

/* The devices that can be in an object, and the first of them. */
static unsigned count_devices(struct mock__device **ret_first)
{
    struct mock__device *device;
    unsigned n = 0;

    for (int i = 0; (device = mock__device_find(i)); i++)
        if (has_switch(device) && !n++)
            *ret_first = device;
    return n;
}

static CUresult check(const CUmulticastObjectProp *prop, struct mock__device **ret_first)
{
    unsigned n;

    MOCK__REQUIRE(prop && prop->numDevices && prop->size && !prop->flags, CUDA_ERROR_INVALID_VALUE);
    n = count_devices(ret_first);
    MOCK__REQUIRE(n, CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(prop->numDevices <= n && prop->numDevices <= MOCK__MOST_MEMBERS,
                  CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

CUresult mock_cuMulticastGetGranularity(size_t *granularity, const CUmulticastObjectProp *prop,
                                        CUmulticastGranularity_flags option)
{
    MOCK__ENTER();
    MOCK__REQUIRE(mock__device_count() > 1, CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(granularity && prop &&
                      (option == CU_MULTICAST_GRANULARITY_MINIMUM ||
                       option == CU_MULTICAST_GRANULARITY_RECOMMENDED),
                  CUDA_ERROR_INVALID_VALUE);
    *granularity = MOCK__MAP_UNIT; /* whatever the object is to be like */
    return CUDA_SUCCESS;
}

CUresult mock_cuMulticastCreate(CUmemGenericAllocationHandle *mcHandle,
                                const CUmulticastObjectProp *prop)
{
    struct mock__multicast *multicast;
    struct mock__physical *object;
    struct mock__device *first;

    MOCK__ENTER();
    MOCK__REQUIRE(mcHandle, CUDA_ERROR_INVALID_VALUE);
    MOCK__TRY(check(prop, &first));
    MOCK__REQUIRE(prop->size % MOCK__MAP_UNIT == 0, CUDA_ERROR_INVALID_VALUE);
    multicast = calloc(1, sizeof(*multicast));
    object = multicast ? mock__physical_new(first, prop->size) : NULL;
    if (!object) {
        free(multicast);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    multicast->n_wanted = prop->numDevices;
    object->multicast = multicast;
    mock__made(&object->checked.made, "cuMulticastCreate");
    *mcHandle = object->object.handle;
    return CUDA_SUCCESS;
}

/* A driver of a single device does not look at handles. */
static CUresult find_object(CUmemGenericAllocationHandle handle, struct mock__physical **ret_object)
{
    *ret_object = object_of(handle);
    MOCK__REQUIRE(*ret_object || mock__device_count() > 1, CUDA_ERROR_NOT_SUPPORTED);
    return *ret_object ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult find_both(CUmemGenericAllocationHandle handle, CUdevice dev,
                          struct mock__physical **ret_object, struct mock__device **ret_device)
{
    *ret_device = mock__device_find(dev);
    MOCK__REQUIRE(*ret_device || mock__device_count() == 1, CUDA_ERROR_INVALID_DEVICE);
    MOCK__TRY(find_object(handle, ret_object));
    return *ret_device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult mock_cuMulticastAddDevice(CUmemGenericAllocationHandle mcHandle, CUdevice dev)
{
    struct mock__multicast *multicast;
    struct mock__physical *object;
    struct mock__device *device;

    MOCK__ENTER();
    MOCK__TRY(find_both(mcHandle, dev, &object, &device));
    MOCK__REQUIRE(has_switch(device), CUDA_ERROR_NOT_SUPPORTED);
    multicast = object->multicast;
    MOCK__REQUIRE(multicast->n_devices < multicast->n_wanted &&
                      !mock__multicast_has(multicast, device),
                  CUDA_ERROR_INVALID_VALUE);
    multicast->devices[multicast->n_devices++] = device;
    mock__lock_changed();
    return CUDA_SUCCESS;
}

/* --- bindings --- */

/* Memory that is to be bound: a part of what a handle or an address stands for. */
struct part {
    struct mock__physical *physical;
    size_t offset, bytes;
};

static bool is_free(const struct mock__multicast *multicast, const struct mock__device *device,
                    size_t offset, size_t bytes)
{
    for (const struct mock__binding *at = multicast->bindings; at; at = at->next)
        if (at->device == device && at->offset < offset + bytes &&
            offset < at->offset + at->memory->bytes)
            return false;
    return true;
}

static CUresult check_part(const struct mock__physical *object, size_t offset,
                           const struct part *part)
{
    const struct mock__physical *physical = part->physical;

    MOCK__REQUIRE(physical && !physical->multicast && part->bytes, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE((offset | part->offset | part->bytes) % MOCK__MAP_UNIT == 0,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(offset <= object->bytes && part->bytes <= object->bytes - offset &&
                      part->offset <= physical->bytes &&
                      part->bytes <= physical->bytes - part->offset,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(mock__multicast_has(object->multicast, physical->device) &&
                      is_free(object->multicast, physical->device, offset, part->bytes),
                  CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

static CUresult bind(struct mock__physical *object, size_t offset, const struct part *part)
{
    struct mock__binding *binding = malloc(sizeof(*binding));
    struct mock__memory *memory =
        binding ? mock__map_hidden(part->physical, part->offset, part->bytes) : NULL;

    if (!memory) {
        free(binding);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *binding = (struct mock__binding){.device = part->physical->device,
                                      .offset = offset,
                                      .memory = memory,
                                      .next = object->multicast->bindings};
    object->multicast->bindings = binding;
    return CUDA_SUCCESS;
}

/* The part is found after the wait, which lets other threads in. */
static CUresult bind_memory(CUmemGenericAllocationHandle handle, size_t offset,
                            CUmemGenericAllocationHandle memory, size_t memory_offset, size_t bytes)
{
    struct mock__physical *object;
    struct part part = {.offset = memory_offset, .bytes = bytes};

    MOCK__TRY(mock__multicast_await(handle));
    MOCK__TRY(find_object(handle, &object));
    part.physical = mock__physical_find(memory);
    MOCK__TRY(check_part(object, offset, &part));
    return bind(object, offset, &part);
}

static CUresult bind_address(CUmemGenericAllocationHandle handle, size_t offset,
                             CUdeviceptr address, size_t bytes)
{
    const struct mock__memory *memory;
    struct mock__physical *object;
    struct part part = {.bytes = bytes};

    MOCK__TRY(mock__multicast_await(handle));
    MOCK__TRY(find_object(handle, &object));
    memory = mock__memory_find(address);
    MOCK__REQUIRE(memory && memory->mapping && bytes <= memory->bytes - (address - memory->address),
                  CUDA_ERROR_INVALID_VALUE);
    part.physical = memory->mapping->physical;
    part.offset = memory->mapping->offset + (address - memory->address);
    MOCK__TRY(check_part(object, offset, &part));
    return bind(object, offset, &part);
}

CUresult mock_cuMulticastBindMem(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                                 CUmemGenericAllocationHandle memHandle, size_t memOffset,
                                 size_t size, unsigned long long flags)
{
    struct mock__physical *object;

    MOCK__ENTER();
    MOCK__TRY(find_object(mcHandle, &object));
    MOCK__REQUIRE(!flags, CUDA_ERROR_INVALID_VALUE);
    return bind_memory(mcHandle, mcOffset, memHandle, memOffset, size);
}

CUresult mock_cuMulticastBindAddr(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
                                  CUdeviceptr memptr, size_t size, unsigned long long flags)
{
    struct mock__physical *object;

    MOCK__ENTER();
    MOCK__TRY(find_object(mcHandle, &object));
    MOCK__REQUIRE(!flags, CUDA_ERROR_INVALID_VALUE);
    return bind_address(mcHandle, mcOffset, memptr, size);
}

/* The device is that of the memory. */
CUresult mock_cuMulticastBindMem_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                    size_t mcOffset, CUmemGenericAllocationHandle memHandle,
                                    size_t memOffset, size_t size, unsigned long long flags)
{
    const struct mock__physical *physical;
    struct mock__physical *object;
    struct mock__device *device;

    MOCK__ENTER();
    MOCK__TRY(find_both(mcHandle, dev, &object, &device));
    physical = mock__physical_find(memHandle);
    MOCK__REQUIRE(!flags && physical && physical->device == device, CUDA_ERROR_INVALID_VALUE);
    return bind_memory(mcHandle, mcOffset, memHandle, memOffset, size);
}

CUresult mock_cuMulticastBindAddr_v2(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                     size_t mcOffset, CUdeviceptr memptr, size_t size,
                                     unsigned long long flags)
{
    const struct mock__memory *memory;
    struct mock__physical *object;
    struct mock__device *device;

    MOCK__ENTER();
    MOCK__TRY(find_both(mcHandle, dev, &object, &device));
    memory = mock__memory_find(memptr);
    MOCK__REQUIRE(!flags && memory && memory->device == device, CUDA_ERROR_INVALID_VALUE);
    return bind_address(mcHandle, mcOffset, memptr, size);
}

static bool is_inside(const struct mock__binding *binding, size_t offset, size_t bytes)
{
    return binding->offset >= offset && binding->memory->bytes <= bytes &&
           binding->offset - offset <= bytes - binding->memory->bytes;
}

/* Tells whether the bindings that are in the range as a whole are all of it. */
static bool covers(const struct mock__multicast *multicast, const struct mock__device *device,
                   size_t offset, size_t bytes)
{
    size_t found = 0;

    for (const struct mock__binding *at = multicast->bindings; at; at = at->next)
        if (at->device == device && is_inside(at, offset, bytes))
            found += at->memory->bytes;
    return bytes && found == bytes;
}

CUresult mock_cuMulticastUnbind(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
                                size_t mcOffset, size_t size)
{
    struct mock__physical *object;
    struct mock__device *device;

    MOCK__ENTER();
    MOCK__TRY(find_both(mcHandle, dev, &object, &device));
    MOCK__REQUIRE(covers(object->multicast, device, mcOffset, size), CUDA_ERROR_INVALID_VALUE);
    /* Waits for what may use it; meanwhile another thread may have been faster. */
    mock__finish_all();
    MOCK__TRY(find_object(mcHandle, &object));
    MOCK__REQUIRE(covers(object->multicast, device, mcOffset, size), CUDA_ERROR_INVALID_VALUE);
    for (struct mock__binding **at = &object->multicast->bindings; *at;)
        if ((*at)->device == device && is_inside(*at, mcOffset, size))
            end_binding(at);
        else
            at = &(*at)->next;
    return CUDA_SUCCESS;
}

#endif
