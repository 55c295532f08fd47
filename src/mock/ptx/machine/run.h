/* SPDX-License-Identifier: MIT */
/*
 * A launch, as the caller of ptx__run() (run/run.h) describes it. The engine uses nothing of the
 * mock except what is passed here. The caller must not change the program and the launch until
 * ptx__run() returns; workers of the engine use them meanwhile.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_RUN_H
#define CUSHIM_MOCK_PTX_MACHINE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/ptx/machine/code.h"
#include "mock/ptx/machine/image.h"
#include "mock/ptx/syntax/log.h"

/* The kinds of errors that the engine finds in a kernel. */
enum ptx__finding_kind {
    PTX__OUT_OF_BOUNDS,
    PTX__MISALIGNED,
    PTX__UNINITIALISED,
    PTX__RACE,
    PTX__BARRIER,
    PTX__ENDLESS,
    PTX__OTHER,
};

/* Parts of a range that a kernel has not used cost nothing after it, however large the range is. */
#define PTX__PART_BYTES ((uint64_t) 1 << 16)

/* A range of memory that the kernel may use. begin is its device address. */
struct ptx__range {
    uint64_t begin, size;
    unsigned char *host;
    void *owner;            /* data of the caller */
    bool usable;            /* the kernel's device may use it */
    bool read_only;         /* and not write it */
    const uint8_t *written; /* a bit for each byte that was written before; NULL: all */
    bool shadowed;          /* record the kernel's accesses in shadow memory */
    bool check_blocks;      /* and record the blocks, for the race check */
    /*
     * The shadow memory: see racecheck/racecheck.h. Made at the first use; the caller asks
     * ptx__line_used() what it says, and frees it with ptx__racecheck_range_free().
     */
    uint64_t *lines, *reads, *writes;
    uint64_t *strong_reads, *strong_writes;
    uint8_t *parts; /* a byte for each PTX__PART_BYTES: what of it was used, 0: nothing */
};

/* A kernel that a kernel wants to launch. code is NULL if its address is that of no kernel. */
struct ptx__child {
    const struct ptx__code *code;
    unsigned grid[3], block[3];
    uint32_t shared_bytes; /* dynamic */
};

/*
 * What kernels that launch kernels ask the caller for. Two calls never run at the same time. What
 * is launched is the caller's to run, after the launch. Errors are numbers of a cudaError_t.
 */
struct ptx__children {
    /* The address of room for the parameters of a kernel; 0: there is none, and *ret_error. */
    uint64_t (*room)(void *user, const struct ptx__child *child, unsigned *ret_error);
    /* Launches the kernel that a room is for, by a block, in a stream. Returns an error, or 0. */
    unsigned (*launch)(void *user, uint64_t block, uint64_t room, uint64_t stream);
    uint64_t (*handle)(void *user, unsigned what, uint64_t handle);
    uint64_t (*ask)(void *user, unsigned what, uint64_t number, uint64_t more);
};

struct ptx__launch {
    const struct ptx__program *program;
    const struct ptx__code *code;
    const char *name;
    const char *launched_by; /* the name of the kernel that has launched this one, or NULL */
    unsigned grid[3], block[3], cluster[3];
    uint32_t shared_bytes; /* dynamic */
    const unsigned char *params;
    size_t param_bytes;
    bool clustered; /* by the launch or the kernel, also with clusters of one block */
    bool cooperative;
    uint64_t workspace; /* of a cooperative launch: the address of 64 zeroed bytes */

    struct ptx__range *ranges; /* sorted by address; those below come first */
    size_t n_ranges;
    /*
     * Returns the range that an address is in, the same one each time, or NULL if there is none.
     * Two calls never run at the same time. So a launch costs what it uses, and not what there is.
     * If this pointer is NULL, there are no ranges but those above.
     */
    struct ptx__range *(*range)(void *user, uint64_t address);

    unsigned n_workers;  /* 0: one for each processor */
    uint64_t seed;       /* not 0: one worker, and the seed decides the order of blocks */
    bool check_shared;   /* find races and uninitialised reads in shared memory */
    bool check_blocks;   /* find races between blocks, in ranges with check_blocks */
    uint64_t step_limit; /* of jumps backwards and calls of a warp, see warp.h; 0: no limit */
    size_t local_limit;  /* the maximum of local memory of a thread, in bytes */
    size_t stack_limit;  /* the maximum stack of a kernel with recursion, in bytes */
    unsigned n_multiprocessors;
    /* The multiprocessor that a block is on, by its number; NULL: they take turns. */
    unsigned (*multiprocessor)(void *user, uint64_t block);
    uint64_t grid_id;

    /*
     * Called for each finding, also for the one that ends the launch. Two calls never run at the
     * same time.
     */
    void (*find)(void *user, enum ptx__finding_kind kind, bool ends, uint64_t address, size_t bytes,
                 const char *text);
    /*
     * Returns the host address of bytes outside of all ranges that the device can access, or also
     * write, nevertheless, such as the rest of an allocation's last page. NULL: the access is a
     * fault. Several threads may call it at the same time.
     */
    unsigned char *(*stray)(void *user, uint64_t address, size_t bytes, bool write);
    /*
     * Finds the memory that an address stands for on one of the devices that it reaches, by the
     * number of the device: returns true and an address in a range. False: there are no more, or
     * this launch may not use all of them so. Several threads may call it at the same time. NULL:
     * there are no such addresses.
     */
    bool (*multicast)(void *user, uint64_t address, size_t bytes, bool write, unsigned number,
                      uint64_t *ret_address);
    /* Prints output of the kernel. error is true for the text of a failed assertion. */
    void (*print)(void *user, bool error, const char *text, size_t length);
    /*
     * Returns the image of a texture or surface handle; false: the handle is not valid. Called once
     * for each handle, and never twice at the same time. NULL: there are no images.
     */
    bool (*image)(void *user, uint64_t handle, struct ptx__image *ret_image);
    /*
     * Returns the address of the word that cudaGraphSetConditional() sets for a handle; 0: the
     * kernel runs in no graph that has it. Two calls never run at the same time. NULL: no kernel
     * does.
     */
    uint64_t (*condition)(void *user, uint64_t handle);
    const struct ptx__children *children; /* NULL: kernels cannot launch any */
    /* Called by each further thread of the launch, before it does anything else. May be NULL. */
    void (*join)(void *user);
    struct ptx__heap *heap; /* for malloc() of kernels; NULL: there is none */
    void *user;
};

/* How a launch ends: names and values are those of CUresult. */
enum ptx__result {
    PTX__SUCCESS = 0,
    PTX__ERROR_OUT_OF_MEMORY = 2,
    PTX__ERROR_ILLEGAL_ADDRESS = 700,
    PTX__ERROR_LAUNCH_TIMEOUT = 702,
    PTX__ERROR_ASSERT = 710,
    PTX__ERROR_ILLEGAL_INSTRUCTION = 715,
    PTX__ERROR_MISALIGNED_ADDRESS = 716,
    PTX__ERROR_INVALID_PC = 718,
    PTX__ERROR_LAUNCH_FAILED = 719,
};

#endif
