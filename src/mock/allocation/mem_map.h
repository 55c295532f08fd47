/* SPDX-License-Identifier: MIT */
/*
 * Memory and addresses apart: memory that was created has a handle and no address, a reserved range
 * has addresses and no memory, and a mapping puts the one behind the other.
 *
 * A reservation has two ranges of the same size: one without access, which is what the program
 * sees, and one where the memory is mapped, which copies and kernels use. So mappings that follow
 * each other in the one do so in the other, and are used as one piece. Memory is a file
 * (mem_file.h); mapped twice, it is the same bytes. mem_create.c creates the memory. Callers hold
 * the lock.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_MEM_MAP_H
#define CUSHIM_MOCK_ALLOCATION_MEM_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tree.h"
#include "mock/allocation/memory.h"
#include "mock/base/objects.h"
#include "mock/functions.h"

/* The unit in which memory is created, mapped and reserved. */
#define MOCK__MAP_UNIT ((size_t) 2 << 20)

struct mock__multicast;

struct mock__physical {
    struct mock__object object;
    struct mock__device *device;
    size_t bytes;
    int fd;
    size_t file_offset;
    bool own_file;              /* not a piece of the common one */
    unsigned handles, mappings; /* references: by the program, and by addresses */
    bool imported;              /* another process has it too */
    unsigned handle_types;      /* that it may be exported as */
    CUmemAllocationProp properties;
    struct mock__multicast *multicast; /* NULL: it is memory */
    struct mock__memory checked;       /* the memory that check/access.c checks for all mappings */
};

struct mock__mapping {
    struct mock__physical *physical;
    size_t offset;               /* in the memory that is mapped */
    uint32_t readable, writable; /* one bit a device */
};

struct mock__range {
    uint64_t address;
    size_t bytes;
    unsigned char *backing;              /* the second range */
    bool hidden;                         /* the program does not know it */
    struct mock__range *next, **link;    /* list of all, the last one first */
    struct cushim__tree_node by_address; /* among all */
};

/* Makes a handle, without memory behind it. NULL when out of memory. */
struct mock__physical *mock__physical_new(struct mock__device *device, size_t bytes);

/* Frees the memory if it has no handles and no mappings. */
void mock__physical_settle(struct mock__physical *physical);

/* Returns the memory of a handle, or NULL if the program has no such handle. */
struct mock__physical *mock__physical_find(CUmemGenericAllocationHandle handle);

/* Returns the reserved range that an address is in, or NULL. */
const struct mock__range *mock__map_range(uint64_t address);

/* Returns the first of all reserved ranges, or NULL. */
const struct mock__range *mock__map_first(void);

/* Tells whether an address is in a reserved range. */
bool mock__map_reserved(uint64_t address);

/* For memory.c: the answers of mock__memory_bytes() and the like for mapped memory. */
void *mock__map_bytes(uint64_t address, size_t bytes);
bool mock__map_allows(uint64_t address, size_t bytes, const struct mock__device *device,
                      bool write);
struct mock__memory *mock__map_checked(const struct mock__memory *memory, size_t *offset);

/*
 * Maps a part of memory at an address that the program does not know, where all devices may use it,
 * and ends that. NULL when out of memory.
 */
struct mock__memory *mock__map_hidden(struct mock__physical *physical, size_t offset, size_t bytes);
void mock__map_hidden_end(struct mock__memory *memory);

/* CUmemAccess_flags of a device. */
int mock__map_access(const struct mock__memory *memory, const struct mock__device *device);

/*
 * Returns words that say why a reserved address cannot be used, or NULL if that is not the reason.
 */
const char *mock__map_refuses(uint64_t address, size_t bytes);

#endif
