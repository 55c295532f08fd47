/* SPDX-License-Identifier: MIT */
/*
 * Running a kernel of a lowered module: all that the engine knows of the world, and all that
 * the world knows of the engine. The caller of ptx__run() keeps the program and the launch as they
 * are until it returns; workers of the engine run meanwhile.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_RUN_H
#define CUSHIM_MOCK_PTX_MACHINE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mock/ptx/machine/code.h"
#include "mock/ptx/machine/image.h"
#include "mock/ptx/syntax/log.h"

/* What does not have to be so. */
enum ptx__finding_kind {
    PTX__OUT_OF_BOUNDS,
    PTX__MISALIGNED,
    PTX__UNINITIALISED,
    PTX__RACE,
    PTX__BARRIER,
    PTX__ENDLESS,
    PTX__OTHER,
};

/* Memory that the kernel may use. begin is the address that it knows it by. */
struct ptx__range {
    uint64_t begin, size;
    unsigned char *host;
    void *owner;              /* the caller's */
    bool usable;              /* by this kernel's device */
    const uint8_t *written;   /* bits of bytes that were written before; NULL: all of them were */
    bool watched;             /* is what the kernel does to it to be noted? */
    bool check_blocks;        /* and which block did it? */
    uint64_t *reads, *writes; /* a bit a byte: made when it is first used, the caller's to free */
    uint64_t *lines;          /* what was done to each line: see racecheck.h; freed by the engine */
};

struct ptx__launch {
    const struct ptx__program *program;
    const struct ptx__code *code;
    const char *name;
    unsigned grid[3], block[3], cluster[3];
    uint32_t shared_bytes; /* dynamic */
    const unsigned char *params;
    size_t param_bytes;
    bool clustered; /* by the launch or by the kernel, and be it clusters of one block */
    bool cooperative;
    uint64_t workspace; /* of a cooperative launch: the address of 64 zeroed bytes */

    struct ptx__range *ranges; /* by rising address */
    size_t n_ranges;

    unsigned n_workers;  /* 0: as many as there are processors */
    uint64_t seed;       /* not 0: one worker, and the order of blocks is drawn from it */
    bool check_shared;   /* races in shared memory, and reads of what nothing has written */
    bool check_blocks;   /* races between blocks, in ranges where that is wanted */
    uint64_t step_limit; /* jumps backwards and calls of a warp, see warp.h; 0: none */
    size_t local_limit;  /* bytes of local memory that a thread may have */
    size_t stack_limit;  /* what calls of a kernel with recursion may take of a stack; 0: all */
    unsigned n_multiprocessors;
    uint64_t grid_id;

    /* Called for each finding, by one thread at a time. */
    void (*find)(void *user, enum ptx__finding_kind kind, uint64_t address, size_t bytes,
                 const char *text);
    /*
     * Where the bytes are that no range has and the device reaches all the same, such as those
     * behind an allocation, in its page; NULL: the access is a fault. Called by several threads.
     */
    unsigned char *(*stray)(void *user, uint64_t address, size_t bytes);
    /* Prints what the kernel prints; error: what a failed assertion says. */
    void (*print)(void *user, bool error, const char *text, size_t length);
    /* What the handle of a texture or surface stands for; false: nothing. By one thread at a
     * time, and once for each handle. NULL: there are none. */
    bool (*image)(void *user, uint64_t handle, struct ptx__image *ret_image);
    struct ptx__heap *heap; /* for malloc() of kernels; NULL: there is none */
    void *user;
};

/*
 * Memory that kernels allocate: parts of one range that the caller has. It lives as long as the
 * range does.
 */
struct ptx__heap *ptx__heap_new(uint64_t address, size_t bytes);
void ptx__heap_free(struct ptx__heap *heap);

/* Does any function of the program call malloc()? */
bool ptx__uses_heap(const struct ptx__program *program);

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

/* Runs it to its end. */
enum ptx__result ptx__run(struct ptx__launch *launch);

/*
 * Lowers a module whose variables have their addresses. What cannot be executed is an error in
 * the log that names it, and PTX_REFUSED. The module is not needed afterwards.
 */
enum ptx__status ptx__lower(const struct ptx__module *module, struct ptx__log *log,
                            struct ptx__program **ret_program);

#endif
