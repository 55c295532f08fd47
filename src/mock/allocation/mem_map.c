/* SPDX-License-Identifier: MIT */
/* cuMemMap, cuMemUnmap, cuMemAddressReserve, cuMemAddressFree */
#include "mock/allocation/mem_map.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mock/allocation/mem_file.h"
#include "mock/allocation/multicast.h"
#include "mock/base/state.h"
#include "mock/queue/schedule.h"

#define PAGE           ((size_t) 4096)
#define MOST_ALIGNMENT ((size_t) 1 << 47)

static struct mock__range *ranges;
static struct cushim__tree by_address;

const struct mock__range *mock__map_first(void)
{
    return ranges;
}

const struct mock__range *mock__map_range(uint64_t address)
{
    const struct mock__range *range = CUSHIM__TREE_MEMBER(
        cushim__tree_before(&by_address, address, 1), struct mock__range, by_address);

    return range && address - range->address < range->bytes ? range : NULL;
}

bool mock__map_reserved(uint64_t address)
{
    return mock__map_range(address) != NULL;
}

/* The mapping at an address of which a piece may be used that begins at `address`. */
static struct mock__memory *mapping_at(uint64_t address)
{
    struct mock__memory *memory = mock__memory_find(address);

    return memory && memory->mapping ? memory : NULL;
}

static uint32_t bit(const struct mock__device *device)
{
    return (uint32_t) 1 << device->ordinal;
}

/*
 * Tells whether all of it is mapped memory, and usable by these devices, or by at least one of
 * them.
 */
static bool allowed(uint64_t address, size_t bytes, uint32_t devices, bool write)
{
    const struct mock__range *range = mock__map_range(address);
    const uint64_t end = address + bytes;

    if (!range || bytes > range->bytes - (address - range->address))
        return false;
    do {
        const struct mock__memory *memory = mapping_at(address);

        if (!memory || memory->mapping->physical->multicast ||
            !((write ? memory->mapping->writable : memory->mapping->readable) & devices))
            return false;
        address = memory->address + memory->bytes;
    } while (address < end);
    return true;
}

void *mock__map_bytes(uint64_t address, size_t bytes)
{
    const struct mock__range *range = mock__map_range(address);

    if (!allowed(address, bytes, UINT32_MAX, false))
        return NULL;
    return range->backing + (address - range->address);
}

bool mock__map_allows(uint64_t address, size_t bytes, const struct mock__device *device, bool write)
{
    return allowed(address, bytes, bit(device), write);
}

struct mock__memory *mock__map_checked(const struct mock__memory *memory, size_t *offset)
{
    *offset += memory->mapping->offset;
    return &memory->mapping->physical->checked;
}

int mock__map_access(const struct mock__memory *memory, const struct mock__device *device)
{
    if (memory->mapping->writable & bit(device))
        return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return memory->mapping->readable & bit(device) ? CU_MEM_ACCESS_FLAGS_PROT_READ
                                                   : CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

const char *mock__map_refuses(uint64_t address, size_t bytes)
{
    if (!mock__map_reserved(address) || (!mapping_at(address) && mock__memory_freed(address)))
        return NULL;
    if (mapping_at(address) && mapping_at(address)->mapping->physical->multicast)
        return "where a multicast object is mapped, which only multimem instructions use";
    if (!mapping_at(address) || !mapping_at(address + bytes - 1))
        return "which is reserved, and not all of it mapped";
    return "which is mapped, and not all of it made accessible by cuMemSetAccess";
}

/* Both ranges begin where the alignment is kept; the rest of the address space is given back. */
static uint64_t reserve_aligned(size_t bytes, size_t alignment, uint64_t wanted)
{
    size_t all;
    uint64_t address, aligned;

    if (wanted && wanted % alignment == 0) {
        /* A wish, not a demand: the host maps elsewhere if something is there. */
        void *const hit = mmap((void *) (uintptr_t) wanted, bytes, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (hit != MAP_FAILED && (uintptr_t) hit % alignment == 0)
            return (uintptr_t) hit;
        if (hit != MAP_FAILED)
            munmap(hit, bytes);
    }
    if (__builtin_add_overflow(bytes, alignment, &all))
        return 0;
    address = (uintptr_t) mock__space_new(all, NULL);
    if (!address)
        return 0;
    aligned = (address + alignment - 1) & ~(uint64_t) (alignment - 1);
    if (aligned > address)
        munmap((void *) (uintptr_t) address, aligned - address);
    munmap((void *) (uintptr_t) (aligned + bytes), address + all - (aligned + bytes));
    return aligned;
}

static struct mock__range *new_range(size_t bytes, size_t alignment, uint64_t wanted)
{
    struct mock__range *range = calloc(1, sizeof(*range));

    if (!range)
        return NULL;
    range->bytes = bytes;
    range->address = reserve_aligned(bytes, alignment, wanted);
    range->backing = range->address ? mock__space_new(bytes, NULL) : NULL;
    if (range->backing)
        return range;
    if (range->address)
        munmap((void *) (uintptr_t) range->address, bytes);
    free(range);
    return NULL;
}

static void put_in(struct mock__range *range)
{
    range->next = ranges;
    range->link = &ranges;
    if (ranges)
        ranges->link = &range->next;
    ranges = range;
    cushim__tree_add(&by_address, &range->by_address, range->address, 0);
}

static void take_out(struct mock__range *range)
{
    *range->link = range->next;
    if (range->next)
        range->next->link = range->link;
    cushim__tree_remove(&by_address, &range->by_address);
}

static void free_range(struct mock__range *range)
{
    take_out(range);
    munmap((void *) (uintptr_t) range->address, range->bytes);
    munmap(range->backing, range->bytes);
    free(range);
}

CUresult mock_cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                                  unsigned long long flags)
{
    struct mock__range *range;

    MOCK__ENTER();
    MOCK__REQUIRE(ptr && size && size % MOCK__MAP_UNIT == 0 && addr % PAGE == 0 && !flags,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!(alignment & (alignment - 1)) && alignment <= MOST_ALIGNMENT,
                  CUDA_ERROR_INVALID_VALUE);
    range = new_range(size, alignment > MOCK__MAP_UNIT ? alignment : MOCK__MAP_UNIT, addr);
    MOCK__REQUIRE(range, CUDA_ERROR_OUT_OF_MEMORY);
    put_in(range);
    *ptr = range->address;
    return CUDA_SUCCESS;
}

CUresult mock_cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
    struct mock__range *range;

    MOCK__ENTER();
    range =
        CUSHIM__TREE_MEMBER(cushim__tree_find(&by_address, ptr, 0), struct mock__range, by_address);
    /* Memory that is mapped there has to be unmapped first. */
    MOCK__REQUIRE(range && range->bytes == size && !mock__memory_overlaps(ptr, size),
                  CUDA_ERROR_INVALID_VALUE);
    free_range(range);
    return CUDA_SUCCESS;
}

/* A multicast object has no bytes of its own, so nothing is mapped for it. */
static struct mock__memory *insert_mapping(uint64_t address, size_t bytes, unsigned char *backing,
                                           struct mock__physical *physical, size_t offset)
{
    struct mock__mapping *mapping = malloc(sizeof(*mapping));
    struct mock__memory *memory = NULL;

    if (!mapping)
        return NULL;
    *mapping = (struct mock__mapping){.physical = physical, .offset = offset};
    if (physical->multicast)
        backing = NULL;
    if (!backing || mock__file_map(physical->fd, physical->file_offset + offset, bytes, backing))
        memory = mock__memory_insert(&(struct mock__memory){.address = address,
                                                            .bytes = bytes,
                                                            .host = backing,
                                                            .kind = MOCK__DEVICE_MEMORY,
                                                            .device = physical->device,
                                                            .mapping = mapping,
                                                            .owned = true});
    if (!memory) {
        if (backing)
            mock__space_new(bytes, backing);
        free(mapping);
        return NULL;
    }
    memory->id = physical->checked.id;
    physical->mappings++;
    return memory;
}

CUresult mock_cuMemMap(CUdeviceptr ptr, size_t size, size_t offset,
                       CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    const struct mock__range *range;
    struct mock__physical *physical;
    struct mock__memory *memory;

    MOCK__ENTER();
    MOCK__TRY(mock__multicast_await(handle));
    physical = mock__physical_find(handle);
    range = mock__map_range(ptr);
    MOCK__REQUIRE(physical && range && size && !flags && ptr % MOCK__MAP_UNIT == 0,
                  CUDA_ERROR_INVALID_VALUE);
    /* Drivers so far map memory as a whole. */
    MOCK__REQUIRE(!offset && size % MOCK__MAP_UNIT == 0 &&
                      (size == physical->bytes || (physical->multicast && size < physical->bytes)),
                  CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(size <= range->bytes - (ptr - range->address) &&
                      !mock__memory_overlaps(ptr, size),
                  CUDA_ERROR_INVALID_VALUE);
    memory = insert_mapping(ptr, size, range->backing + (ptr - range->address), physical, offset);
    MOCK__REQUIRE(memory, CUDA_ERROR_OUT_OF_MEMORY);
    mock__made(&memory->made, "cuMemMap");
    return CUDA_SUCCESS;
}

static void unmap(struct mock__memory *memory)
{
    struct mock__mapping *mapping = memory->mapping;

    if (memory->host)
        mock__space_new(memory->bytes, memory->host);
    mock__memory_erase(memory);
    mapping->physical->mappings--;
    mock__physical_settle(mapping->physical);
    free(mapping);
}

struct mock__memory *mock__map_hidden(struct mock__physical *physical, size_t offset, size_t bytes)
{
    struct mock__range *range = new_range(bytes, MOCK__MAP_UNIT, 0);
    struct mock__memory *memory;

    if (!range)
        return NULL;
    range->hidden = true;
    put_in(range);
    memory = insert_mapping(range->address, bytes, range->backing, physical, offset);
    if (!memory) {
        free_range(range);
        return NULL;
    }
    memory->made = physical->checked.made;
    memory->of_driver = true;
    memory->mapping->readable = memory->mapping->writable = UINT32_MAX;
    return memory;
}

void mock__map_hidden_end(struct mock__memory *memory)
{
    struct mock__range *range = CUSHIM__TREE_MEMBER(
        cushim__tree_find(&by_address, memory->address, 0), struct mock__range, by_address);

    unmap(memory);
    free_range(range);
}

/* Tells whether the range is made of whole mappings, with nothing between them. */
static bool whole_mappings(uint64_t address, size_t bytes)
{
    const struct mock__memory *memory = mapping_at(address);

    if (!bytes || !memory || memory->address != address)
        return false;
    while (memory && memory->bytes < bytes) {
        bytes -= memory->bytes;
        memory = mapping_at(memory->address + memory->bytes);
    }
    return memory && memory->bytes == bytes;
}

/*
 * Shortens a range that is to be unmapped to what is reserved. A driver takes a range that is
 * larger than what is mapped, or empty, but none that has a part of a mapping.
 */
static CUresult clip(uint64_t address, size_t *bytes)
{
    const struct mock__range *range = mock__map_range(address);
    size_t left;
    const struct mock__memory *last;

    MOCK__REQUIRE(range && *bytes && address % PAGE == 0 && *bytes % PAGE == 0,
                  CUDA_ERROR_INVALID_VALUE);
    left = range->bytes - (address - range->address);
    *bytes = *bytes < left ? *bytes : left;
    last = mapping_at(address + *bytes - 1);
    MOCK__REQUIRE(!mapping_at(address) || mapping_at(address)->address == address,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(!last || last->address + last->bytes == address + *bytes,
                  CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

/* The first mapping in the range, NULL if there is none. */
static struct mock__memory *first_in(uint64_t address, size_t bytes)
{
    const struct mock__memory *next = mock__memory_after(address - 1);

    return next && next->address - address < bytes ? mapping_at(next->address) : NULL;
}

CUresult mock_cuMemUnmap(CUdeviceptr ptr, size_t size)
{
    struct mock__memory *memory;

    MOCK__ENTER();
    if (size > UINT64_MAX - ptr)
        return CUDA_SUCCESS;
    MOCK__TRY(clip(ptr, &size));
    /* Waits for what may use it; meanwhile another thread may have been faster. */
    mock__finish_all();
    MOCK__TRY(clip(ptr, &size));
    while ((memory = first_in(ptr, size)))
        unmap(memory);
    return CUDA_SUCCESS;
}

/* Older toolkits lack some of the names. */
enum { HOST = 2, HOST_NUMA = 3 };

static bool is_place(CUmemLocationType type)
{
    return type == CU_MEM_LOCATION_TYPE_DEVICE || (int) type == HOST || (int) type == HOST_NUMA;
}

/* The device that a place means, NULL if it is none. */
static struct mock__device *device_at(const CUmemLocation *location)
{
    return location->type == CU_MEM_LOCATION_TYPE_DEVICE ? mock__device_find(location->id) : NULL;
}

/* A device uses memory of its own and of its peers, and multicast objects that it is in. */
static bool may_use(const struct mock__device *device, const struct mock__memory *memory)
{
    const struct mock__multicast *multicast = memory->mapping->physical->multicast;

    if (multicast)
        return mock__multicast_has(multicast, device);
    return device == memory->device || mock__config_peers(device->profile, memory->device->profile);
}

static CUresult check_access(const struct mock__memory *memory, const CUmemAccessDesc *access)
{
    const struct mock__device *device = device_at(&access->location);

    MOCK__REQUIRE(access->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                      access->flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                      access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
                  CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(is_place(access->location.type), CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(access->location.type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_NOT_SUPPORTED);
    MOCK__REQUIRE(device, CUDA_ERROR_INVALID_VALUE);
    MOCK__REQUIRE(may_use(device, memory), CUDA_ERROR_INVALID_DEVICE);
    return CUDA_SUCCESS;
}

static void set_access(struct mock__mapping *mapping, const CUmemAccessDesc *access)
{
    const uint32_t device = bit(device_at(&access->location));

    mapping->readable &= ~device;
    mapping->writable &= ~device;
    if (access->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE)
        mapping->readable |= device;
    if (access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        mapping->writable |= device;
}

CUresult mock_cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc,
                             size_t count)
{
    const uint64_t end = ptr + size;
    const struct mock__memory *memory;

    MOCK__ENTER();
    MOCK__REQUIRE(desc && count && whole_mappings(ptr, size), CUDA_ERROR_INVALID_VALUE);
    /* All of it, or nothing. */
    for (uint64_t at = ptr; at < end; at = memory->address + memory->bytes) {
        memory = mapping_at(at);
        for (size_t i = 0; i < count; i++)
            MOCK__TRY(check_access(memory, &desc[i]));
    }
    for (uint64_t at = ptr; at < end; at = memory->address + memory->bytes) {
        memory = mapping_at(at);
        for (size_t i = 0; i < count; i++)
            set_access(memory->mapping, &desc[i]);
    }
    return CUDA_SUCCESS;
}

/*
 * Of memory that is not mapped by the program, nothing was allowed. For the host a driver answers
 * as for the device of that number.
 */
CUresult mock_cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                             CUdeviceptr ptr)
{
    const struct mock__memory *memory;
    struct mock__device *device;

    MOCK__ENTER();
    memory = mock__memory_find(ptr);
    MOCK__REQUIRE(flags && location && memory && memory->kind == MOCK__DEVICE_MEMORY,
                  CUDA_ERROR_INVALID_VALUE);
    device = mock__device_find(location->id);
    MOCK__REQUIRE(device && is_place(location->type), CUDA_ERROR_INVALID_DEVICE);
    *flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    if (memory->mapping && (int) location->type != HOST_NUMA)
        *flags = (unsigned long long) mock__map_access(memory, device);
    return CUDA_SUCCESS;
}
