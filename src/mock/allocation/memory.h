/* SPDX-License-Identifier: MIT */
/*
 * Every range of memory that the driver knows, by address.
 *
 * Device memory is not host memory: a device address lies in a reservation without access, so that
 * a host which dereferences it faults, and its bytes lie in a second mapping, which copies and
 * kernels use. Address space is reserved in chunks as it is needed. freed.c remembers what was
 * freed. Callers hold the lock.
 */
#ifndef CUSHIM_MOCK_ALLOCATION_MEMORY_H
#define CUSHIM_MOCK_ALLOCATION_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tree.h"
#include "mock/base/objects.h"
#include "mock/functions.h"

/* The granularity of device memory. */
#define MOCK__ALIGNMENT 512

struct mock__context;
struct mock__advice;
struct mock__chunk;
struct mock__device;
struct mock__history;
struct mock__mapping;
struct mock__opened;
struct mock__pool;
struct mock__queue;
struct ptx__variable;

enum mock__memory_kind {
    MOCK__DEVICE_MEMORY,
    MOCK__MANAGED_MEMORY,    /* one address for host and device */
    MOCK__HOST_MEMORY,       /* allocated by the driver */
    MOCK__REGISTERED_MEMORY, /* the program's own, made known */
};

struct mock__memory {
    uint64_t address;
    size_t bytes;
    unsigned char *host; /* where the bytes are */
    enum mock__memory_kind kind;
    unsigned flags;
    uint64_t id;
    struct mock__device *device;
    struct mock__context *context; /* NULL for memory without a context */
    struct mock__mapping *mapping; /* of cuMemMap(); NULL for other memory */
    struct mock__advice *advice;   /* for managed memory; mem_advise.c's */
    struct mock__pool *pool;       /* where a stream-ordered allocation comes from */
    struct mock__chunk *chunk;     /* of device memory */
    struct mock__opened *opened;   /* of another process; NULL for one's own */
    struct mock__made made;
    char *label;                   /* the program's name for it, or NULL */
    struct mock__history *history; /* check/access.c's */
    bool being_freed;              /* a free was submitted and is not done */
    unsigned holds;                /* how many nodes of graphs have this address for their own */
    bool absent;                   /* of a graph's memory: there are no bytes at present */
    bool promised;                 /* of the same: an allocation was submitted, and no free since */
    uint64_t freed_in;             /* the stream that its free was submitted to */
    uint64_t allocated_by;         /* of a graph's: the last launch that allocates it, by number */
    bool owned;                    /* goes with an array, a mapping or a handle, not by a free */
    bool begins_written;           /* by code that the mock does not see */
    bool of_driver;                /* made for the driver itself: no leak of the program */
    bool in_module;                /* a variable of a module, which goes with the module */
    const struct ptx__variable *variable; /* which one of that module; NULL: none of its own */
    bool fresh;                           /* never used before: the bytes began as zeros */
    unsigned attached;                   /* CU_MEM_ATTACH_*, of managed memory; 0: as it was made */
    uint64_t attached_to;                /* the stream, if it is to one */
    struct mock__queue *attached_queue;  /* the stream's, which tells whether it is still there */
    bool sync_operations;                /* CU_POINTER_ATTRIBUTE_SYNC_MEMOPS */
    struct cushim__tree_node by_address; /* among all ranges */
    struct cushim__tree_node by_free;    /* of a pool's: among those that are being freed */
    uint64_t gap, largest_gap; /* bytes of its chunk behind it; and of all at and below it there */
};

/* CUDA_ERROR_OUT_OF_MEMORY if the device, or the host below it, has no more. */
CUresult mock__memory_alloc(struct mock__context *context, size_t bytes,
                            struct mock__memory **ret_memory);

/* The same from a pool, which has its own part of the device's memory. */
CUresult mock__memory_alloc_pool(struct mock__context *context, struct mock__pool *pool,
                                 size_t bytes, struct mock__memory **ret_memory);
CUresult mock__memory_alloc_host(struct mock__context *context, size_t bytes,
                                 enum mock__memory_kind kind, unsigned flags,
                                 struct mock__memory **ret_memory);
CUresult mock__memory_register(struct mock__context *context, void *host, size_t bytes,
                               unsigned flags, struct mock__memory **ret_memory);

/*
 * Adds a copy of a range that other code has made, with an id of its own, and removes it. Adding
 * returns NULL when out of memory.
 */
struct mock__memory *mock__memory_insert(const struct mock__memory *range);
void mock__memory_erase(struct mock__memory *memory);

/* Returns the number of a new allocation that has no range of its own. */
uint64_t mock__memory_new_id(void);

/* Makes new memory zeros. The host needs no more for it than before, where that is large. */
void mock__memory_clear(const struct mock__memory *memory);

/* Frees the range. A range that graphs hold stays known, without its bytes. */
void mock__memory_free(struct mock__memory *memory);

/*
 * The memory of graphs. Its range is kept from the first hold to the last, and has bytes from
 * when work allocates it to when something frees it; a range that has bytes when the last hold
 * goes is an allocation like others from then on.
 */
CUresult mock__memory_reserve(struct mock__context *context, size_t bytes,
                              struct mock__memory **ret_memory);
void mock__memory_hold(struct mock__memory *memory);
void mock__memory_release(struct mock__memory *memory);
void mock__memory_appear(struct mock__memory *memory);

/* Frees what a context holds. */
void mock__memory_free_all(struct mock__context *context);

/* The range that an address lies in, or NULL. */
struct mock__memory *mock__memory_find(uint64_t address);

/*
 * The last range that begins at or before an address, and the first that begins after it; NULL if
 * there is none. All ranges, by rising address, begin with the one after address 0.
 */
const struct mock__memory *mock__memory_before(uint64_t address);
const struct mock__memory *mock__memory_after(uint64_t address);

/* A range of device memory that was freed not long ago. */
struct mock__freed {
    uint64_t address, id;
    size_t bytes;
    struct mock__made made;
    char *label;
};

/* Tells whether the address is in a range whose free was submitted. New work must not use it. */
bool mock__memory_being_freed(uint64_t address);

/* Notes that a free of the range was submitted to a stream, or takes this note back. */
void mock__memory_free_submitted(struct mock__memory *memory, uint64_t stream_id);
void mock__memory_free_withdrawn(struct mock__memory *memory);

/*
 * Returns a range of the pool whose free was submitted to a stream and is not done. A later
 * allocation in that stream may have it. It is a new allocation from then on.
 */
struct mock__memory *mock__memory_reuse(struct mock__pool *pool, size_t bytes, uint64_t stream_id);

/* Remembers a range that is freed, with its label. (freed.c) */
void mock__memory_note_freed(const struct mock__memory *memory);

/* Returns the freed allocation that an address belonged to, NULL if that is not known. */
const struct mock__freed *mock__memory_freed(uint64_t address);

/* The range that begins at an address, or NULL. */
struct mock__memory *mock__memory_at(uint64_t address);

/*
 * Returns a number for the memory at an address: equal for memory of the same kind and context, 0
 * for memory that the driver does not know. Its owner is the context's number, 0 if the memory is
 * mapped or of a pool, and so a device's.
 */
uint64_t mock__memory_class(uint64_t address);
#define MOCK__OWNER(class) ((class) >> 8)

/* Tells whether any byte of [address, address + bytes) is in a range. */
bool mock__memory_overlaps(uint64_t address, size_t bytes);

/* Tells whether the address lies where device memory comes from, allocated or not. */
bool mock__memory_reserved(uint64_t address);

/* Tells whether the memory is that of a device whose memory the context may not use. */
bool mock__memory_of_stranger(const struct mock__context *context,
                              const struct mock__memory *memory);

/* Tells whether work of a context may use the bytes, as its device and its peers are set up. */
bool mock__memory_usable(const struct mock__context *context, uint64_t address, size_t bytes,
                         bool write);

/* Tells whether the program registered the memory at an address as read-only for devices. */
bool mock__memory_read_only(uint64_t address);

/*
 * Returns the device's memory at an address, for check/access.c: a mapping stands for the memory
 * that is mapped, at *offset of it. NULL if there is nothing.
 */
struct mock__memory *mock__memory_checked(uint64_t address, size_t *ret_offset, size_t *ret_left);

/*
 * Where the bytes of a range of addresses are; NULL if it is not inside one live range, or in
 * mappings that follow each other.
 */
void *mock__memory_bytes(uint64_t address, size_t bytes);

/*
 * Tells whether the bytes are inside one range that exists, such as memory of a graph that has no
 * bytes at present.
 */
bool mock__memory_contains(uint64_t address, size_t bytes);

#endif
