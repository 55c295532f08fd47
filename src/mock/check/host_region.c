/* SPDX-License-Identifier: MIT */
/*
 * Memory of the host that is mapped twice: once for the program, whose pages can be protected, and
 * once for the mock.
 */
#include "mock/check/host_region.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/tree.h"
#include "base/util.h"
#include "mock/allocation/memory.h"
#include "mock/base/finding.h"
#include "mock/check/host_watch.h"

/* If the table is full, further memory is mapped only once. */
static struct region {
    _Atomic uintptr_t begin, end;      /* end is 0 in a free place */
    struct cushim__tree_node by_begin; /* in the tree of the regions in use */
    struct region *next_free;
} regions[8192];
static atomic_size_t n_regions;

static struct cushim__tree by_begin;
static struct region *free_regions;
static bool on;

void mock__host_regions_start(void)
{
    on = true;
}

bool mock__host_in_region(uintptr_t address)
{
    for (size_t i = 0; i < atomic_load(&n_regions); i++)
        if (address < atomic_load(&regions[i].end) && address >= atomic_load(&regions[i].begin))
            return true;
    return false;
}

static void *map(size_t bytes, int flags, int file)
{
    void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);

    return address == MAP_FAILED ? NULL : address;
}

static struct region *take_region(void)
{
    const size_t n = atomic_load(&n_regions);
    struct region *region = free_regions;

    if (region) {
        free_regions = region->next_free;
        return region;
    }
    if (!on || n == ARRAY_SIZE(regions))
        return NULL;
    atomic_store(&n_regions, n + 1);
    return &regions[n];
}

static void give_region(struct region *region)
{
    atomic_store(&region->end, 0);
    cushim__tree_remove(&by_begin, &region->by_begin);
    region->next_free = free_regions;
    free_regions = region;
}

/* Maps memory twice, from a file without a name. */
static bool map_twice(size_t bytes, struct region *region, uint64_t *ret_address,
                      unsigned char **ret_host)
{
    const int file = memfd_create("cushim-mock", MFD_CLOEXEC);
    void *address = NULL, *host = NULL;

    if (file >= 0 && !ftruncate(file, (off_t) bytes)) {
        address = map(bytes, MAP_SHARED, file);
        host = address ? map(bytes, MAP_SHARED, file) : NULL;
    }
    if (file >= 0)
        close(file);
    if (!host) {
        if (address)
            munmap(address, bytes);
        return false;
    }
    cushim__tree_add(&by_begin, &region->by_begin, (uintptr_t) address, 0);
    atomic_store(&region->begin, (uintptr_t) address);
    atomic_store(&region->end, (uintptr_t) address + bytes);
    *ret_address = (uintptr_t) address;
    *ret_host = host;
    return true;
}

static size_t pages(size_t bytes)
{
    const size_t size = (size_t) sysconf(_SC_PAGESIZE);

    return (bytes + size - 1) & ~(size - 1);
}

/* While accesses are checked, unused bytes follow the memory; see mock__memory_room(). */
size_t mock__host_room(size_t bytes)
{
    enum { AT_LEAST = MOCK__ALIGNMENT / 2 };

    return pages(bytes + (mock__checking() ? AT_LEAST : 0));
}

bool mock__host_map(size_t bytes, uint64_t *ret_address, unsigned char **ret_host)
{
    struct region *region = take_region();
    void *address;

    bytes = mock__host_room(bytes);
    if (region && map_twice(bytes, region, ret_address, ret_host))
        return true;
    if (region)
        give_region(region);
    address = map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (!address)
        return false;
    *ret_address = (uintptr_t) address;
    *ret_host = address;
    return true;
}

bool mock__host_mapped_twice(const struct mock__memory *memory)
{
    return (uintptr_t) memory->host != memory->address;
}

void mock__host_unmap(const struct mock__memory *memory)
{
    const size_t bytes = mock__host_room(memory->bytes);
    struct region *region = CUSHIM__TREE_MEMBER(cushim__tree_find(&by_begin, memory->address, 0),
                                                struct region, by_begin);

    if (mock__host_mapped_twice(memory))
        mock__host_watch_unmapped(memory);
    if (region)
        give_region(region);
    munmap((void *) (uintptr_t) memory->address, bytes);
    if (mock__host_mapped_twice(memory))
        munmap(memory->host, bytes);
}
