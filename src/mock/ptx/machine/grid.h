/* SPDX-License-Identifier: MIT */
/*
 * A running launch: its blocks, its workers, and its errors. Each worker is a thread that runs
 * clusters. A block, its warps and its cluster belong to one worker and need no lock. Workers share
 * the grid: the launch does not change, the atomic fields are for all workers, and grid->lock
 * protects the rest. The functions are those of fault.c.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_GRID_H
#define CUSHIM_MOCK_PTX_MACHINE_GRID_H

#include <pthread.h>
#include <stdatomic.h>

#include "mock/ptx/machine/gathered.h"
#include "mock/ptx/machine/run.h"
#include "mock/ptx/machine/warp.h"

#define PTX__BARRIERS  16
#define PTX__MAX_WARPS (PTX__MAX_THREADS / PTX__LANES)

struct ptx__barrier {
    unsigned arrived;  /* threads that have arrived, also those that do not wait */
    unsigned expected; /* 0: all threads of the block */
    unsigned count;    /* bar.red: threads whose predicate was true */
    unsigned voters;
    uint32_t clock[PTX__MAX_WARPS]; /* for the race check: what the arrived warps have seen of each
                                       warp */
};

/* Four consecutive warps, which do some operations together: see warps/warpgroup.h. */
struct ptx__warpgroup {
    const struct ptx__op *op; /* where they meet; NULL: no warp has come */
    uint32_t came;            /* a bit for each warp that waits there */
};

#define PTX__WARPGROUP 4 /* warps */

/* The blocks of a cluster, which run on the same worker. */
struct ptx__cluster {
    struct ptx__block **blocks;
    unsigned n_blocks, n_running;
    unsigned arrived, alive;   /* threads */
    struct ptx__cluster *next; /* in the list of unused ones */
};

/*
 * Warps of a block that go in step: see warps/step.h. Positions are operations of the kernel. Where
 * values are kept, they are what the frames say of it when the warps do not go in step.
 */
struct ptx__step {
    bool on;
    bool lasting;   /* since the structures of the warps were made ready for it */
    bool preloaded; /* the frames of all warps have the values of this block */
    uint8_t from_kept, to_kept;
    struct ptx__warp *first, *end; /* the first one to run, and the last one */
    struct ptx__warp *until;       /* the last one of those that have their numbers in order */
    const struct ptx__op *from;    /* where the warps behind the one that runs go on */
    const struct ptx__op *to;      /* the barrier or exit where those before it are; NULL: none */
    /* For compiled code, see jit/block.h. */
    const struct ptx__op *quick;
    uint64_t entry;
};

struct ptx__block {
    struct ptx__grid *grid;
    struct ptx__worker *worker;
    struct ptx__step step;
    uint32_t index[3];
    uint64_t number, owner; /* owner: its number in shadow memory (racecheck/racecheck.h) */
    unsigned char *shared;
    struct ptx__tensor *tensor;           /* tensor memory; NULL: it was not used */
    struct ptx__shared_racecheck *shadow; /* NULL: no race check of shared memory */
    struct ptx__barrier barriers[PTX__BARRIERS];
    struct ptx__warpgroup warpgroups[PTX__MAX_WARPS / PTX__WARPGROUP];
    uint32_t open; /* a bit for each barrier at which a thread has arrived */
    bool strong;   /* has made an atomic access or a fence, which may order it with other blocks */
    struct ptx__cluster *cluster;
    uint32_t rank;                  /* in the cluster */
    unsigned n_warps, alive;        /* threads */
    struct ptx__warp *warps, *last; /* last: of them */
    struct ptx__warp *running;      /* the one that runs: see ptx__warp_run() */
    unsigned rounds; /* of the warps, also of the next block, that compiled code has begun itself */
    struct ptx__frame *made; /* list of all frames that were made for calls; freed with the block */
    struct ptx__frame **frames; /* unused frames */
    size_t n_frames, capacity;
    unsigned *last_errors;   /* of the device's runtime, of each thread; NULL: there is none */
    struct ptx__block *next; /* in the worker's queue */
};

/*
 * A cache of the range that an operation used last. Most operations use the same range each time.
 */
struct ptx__range_cache {
    uint64_t begin, size;
    unsigned char *host;
    const struct ptx__range *range;
    uint64_t *lines; /* of its shadow memory; NULL: accesses are not noted */
    uint64_t owners; /* the bits that its lines have of the number of a block */
    uint64_t starts; /* for compiled code: see jit/fit.c; 0: not known */
    bool read_only;
};

/* An access of compiled code that is to be noted: see jit/note.c. */
struct ptx__noting {
    union {
        uint64_t addresses[PTX__LANES]; /* in global memory; of a span, or of rows, the first one */
        uint32_t offsets[PTX__LANES];   /* in shared memory */
    };
    uint32_t bytes, step; /* of a lane; from lane to lane of a span, or of a row */
    uint32_t lanes;       /* of a row */
    int64_t rows;         /* from row to row */
};

struct ptx__worker {
    struct ptx__grid *grid;
    struct ptx__range_cache *hits;      /* one for each operation of the program */
    uint64_t next_cluster, end_cluster; /* it has taken these and not begun */
    struct ptx__cluster *free_clusters;
    struct ptx__piece *pieces; /* memory for shadow records: see racecheck/shadow_record.c */
    bool by_itself; /* the block that runs is a cluster, and no other one has begun and not ended */
    struct ptx__noting noting;
    struct ptx__gathered gathered;
};

struct ptx__grid {
    const struct ptx__launch *launch;
    const struct ptx__code *code;
    uint64_t n_blocks, n_clusters;
    unsigned cluster_blocks;
    unsigned n_threads, n_warps; /* of a block */
    unsigned row;                /* see ptx__row_of_block() */
    uint32_t shared_bytes, dynamic_base;
    uint32_t own_shared, reserved_base; /* the kernel's own, and the begin of the system's */
    uint32_t shared_room;      /* what a block is given: devices give whole pieces of 128 bytes */
    bool alone;                /* there is only one worker */
    uint64_t clusters_at_once; /* that a worker takes */
    atomic_bool stop;          /* the launch has failed; each worker checks this and stops */
    pthread_mutex_t lock;      /* for the fields below, and for the calls that report findings */
    enum ptx__result result;
    struct ptx__image *_Atomic images; /* images whose handles were looked up */
    struct ptx__piece *pieces;         /* memory of workers that are done */
    atomic_uchar *noted; /* for each operation: a bit for each kind of finding already reported */
    /* Workers write it all the time. Nothing else is in its line of the processors' caches. */
    _Alignas(64) atomic_uint_fast64_t next_cluster;
};

/*
 * Returns how many lanes of a warp have consecutive tid.x and are a row: 32, or a smaller power of
 * two if a warp is several rows of one plane. 0: neither.
 */
static inline unsigned ptx__row_of_block(const unsigned block[3])
{
    if (block[0] % PTX__LANES == 0 || (block[1] == 1 && block[2] == 1))
        return PTX__LANES;
    if ((block[0] != 8 && block[0] != 16) ||
        (block[2] > 1 && block[0] * block[1] % PTX__LANES != 0))
        return 0;
    return block[0];
}

/*
 * Stops the launch with a CUresult. Only the first call counts; it returns true, and later ones
 * return false.
 */
bool ptx__grid_stop(struct ptx__grid *grid, enum ptx__result result);

/* An operation in one lane of a warp: the place of a finding or a fault. */
struct ptx__lane_op {
    struct ptx__warp *warp;
    const struct ptx__op *op;
    unsigned lane;
};

static inline struct ptx__lane_op ptx__lane_op(struct ptx__warp *warp, const struct ptx__op *op,
                                               unsigned lane)
{
    return (struct ptx__lane_op){warp, op, lane};
}

/* Returns the operation in the first active lane, for what concerns all lanes. */
static inline struct ptx__lane_op ptx__first_lane_op(struct ptx__warp *warp,
                                                     const struct ptx__op *op)
{
    return ptx__lane_op(warp, op, (unsigned) __builtin_ctz(warp->mask));
}

/*
 * Stops the launch with a CUresult because of an error in a lane, and reports the error and its
 * place. Returns NULL, which a handler returns to end the warp.
 */
const struct ptx__op *ptx__fault(struct ptx__lane_op at, enum ptx__result result,
                                 enum ptx__finding_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * Reports an error in a lane that does not stop the launch. Each kind is reported once for each
 * operation.
 */
void ptx__note(struct ptx__lane_op at, enum ptx__finding_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Report errors of an access, with its address and size. ptx__fault_at() and
 * ptx__fault_misaligned() stop the launch; the others do not. verb is the access in words, such as
 * "reads".
 */
void ptx__fault_at(struct ptx__lane_op at, uint64_t address, size_t bytes, const char *verb);
void ptx__fault_misaligned(struct ptx__lane_op at, uint64_t address, size_t bytes,
                           const char *verb);
void ptx__note_stray(struct ptx__lane_op at, uint64_t address, size_t bytes, const char *verb);
void ptx__note_at(struct ptx__lane_op at, enum ptx__finding_kind kind, uint64_t address,
                  size_t bytes, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Returns the line of an operation in the PTX text. */
uint32_t ptx__line_of(const struct ptx__warp *warp, const struct ptx__op *op);

#endif
