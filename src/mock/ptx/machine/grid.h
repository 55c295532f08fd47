/* SPDX-License-Identifier: MIT */
/*
 * A launch that runs: its blocks, its workers, what it may reach in memory, and what went wrong
 * in it.
 *
 * A block, its warps and its cluster are one worker's: no lock. Workers share the grid: what the
 * launch says does not change, the atomic fields are for all, and the rest is under grid->lock.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_GRID_H
#define CUSHIM_MOCK_PTX_MACHINE_GRID_H

#include <pthread.h>
#include <stdatomic.h>

#include "mock/ptx/machine/run.h"
#include "mock/ptx/machine/warp.h"

#define PTX__BARRIERS  16
#define PTX__MAX_WARPS (PTX__MAX_THREADS / PTX__LANES)

struct ptx__barrier {
    unsigned arrived;  /* threads, of those that wait and of those that only say so */
    unsigned expected; /* 0: all threads of the block */
    unsigned count;    /* bar.red: of the threads whose predicate was true */
    unsigned voters;
    uint32_t clock[PTX__MAX_WARPS]; /* what those who came had seen of each warp */
};

/* Blocks that run together, on one worker. */
struct ptx__cluster {
    struct ptx__block **blocks;
    unsigned n_blocks, n_running;
    unsigned arrived, alive; /* threads */
    uint32_t phase;
    struct ptx__cluster *next; /* of those that are free */
};

struct ptx__block {
    struct ptx__grid *grid;
    struct ptx__worker *worker;
    uint32_t index[3];
    uint64_t number;
    unsigned char *shared;
    struct ptx__shared_racecheck *watch; /* NULL: shared memory is not watched */
    struct ptx__barrier barriers[PTX__BARRIERS];
    uint32_t open; /* barriers that somebody came to, as bits */
    bool strong;   /* it made an atomic access or a fence, which may order it with other blocks */
    struct ptx__cluster *cluster;
    uint32_t rank;           /* in the cluster */
    unsigned n_warps, alive; /* threads */
    struct ptx__warp *warps;
    struct ptx__frame *made;    /* the last one that was made for a call: they go with the block */
    struct ptx__frame **frames; /* that may be used again */
    size_t n_frames, capacity;
    struct ptx__block *next; /* in the worker's queue */
};

/* A range of memory that was found for an operation last time. */
struct ptx__range_cache {
    uint64_t begin, size;
    unsigned char *host;
    const struct ptx__range *range;
    bool watched;
};

struct ptx__worker {
    struct ptx__grid *grid;
    struct ptx__range_cache *hits; /* one for each operation of the program */
    struct ptx__cluster *free_clusters;
    struct ptx__piece *pieces; /* of memory, for records: see shadow_record.c */
};

struct ptx__grid {
    const struct ptx__launch *launch;
    const struct ptx__code *code;
    uint64_t n_blocks, n_clusters;
    unsigned cluster_blocks;
    unsigned n_threads, n_warps; /* of a block */
    uint32_t shared_bytes, dynamic_base;
    uint32_t own_shared, reserved_base; /* the kernel's, and where the system's begins */
    atomic_uint_fast64_t next_cluster;
    bool alone;           /* there is one worker */
    atomic_bool stop;     /* something went wrong */
    pthread_mutex_t lock; /* for what follows, and for what findings tell */
    enum ptx__result result;
    struct ptx__image *_Atomic images; /* that handles were found to stand for */
    struct ptx__piece *pieces;         /* of workers that are done */
    atomic_uchar *noted; /* by operation: the kinds of what was found there already, as bits */
};

/* The launch ends with the result, unless it ends with another already. True: it did not. */
bool ptx__grid_stop(struct ptx__grid *grid, enum ptx__result result);

/*
 * Something went wrong in a lane: stops the launch with the result, and says what and where.
 * Returns NULL, as a handler does then.
 */
const struct ptx__op *ptx__fault(struct ptx__warp *warp, const struct ptx__op *op,
                                 enum ptx__result result, enum ptx__finding_kind kind,
                                 unsigned lane, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* The same for what does no harm to the launch: once for each operation. */
void ptx__note(struct ptx__warp *warp, const struct ptx__op *op, enum ptx__finding_kind kind,
               unsigned lane, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The same with the address that it is about; a wild access names who and what. */
void ptx__fault_at(struct ptx__warp *warp, const struct ptx__op *op, uint64_t address, size_t bytes,
                   unsigned lane, const char *verb);
void ptx__note_stray(struct ptx__warp *warp, const struct ptx__op *op, uint64_t address,
                     size_t bytes, unsigned lane, const char *verb);
void ptx__note_at(struct ptx__warp *warp, const struct ptx__op *op, enum ptx__finding_kind kind,
                  uint64_t address, size_t bytes, unsigned lane, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

/* Frees what handles of textures and surfaces were found to stand for. */
void ptx__images_free(struct ptx__grid *grid);

/* Threads of a cluster came to its barrier. */
void ptx__cluster_arrive(struct ptx__cluster *cluster, unsigned n_threads);

/* Threads of the block came to a barrier, or exited: is that enough for it? Then all go on. */
void ptx__barrier_check(struct ptx__block *block, unsigned number);

/* A frame for a call; NULL if there is no memory. */
struct ptx__frame *ptx__frame_new(struct ptx__block *block, const struct ptx__warp *warp,
                                  const struct ptx__code *code);
void ptx__frame_free(struct ptx__block *block, struct ptx__frame *frame);

/* Makes local memory of a warp at least so large. False: more than a thread may have. */
bool ptx__local_reserve(struct ptx__warp *warp, size_t bytes);

/* --- racecheck_local.c: what nothing has written in local memory --- */

/* Room for it, when local memory grows to so many bytes a lane. False: out of memory. */
bool ptx__local_racecheck_grow(struct ptx__warp *warp, size_t bytes);

/* A function begins for some lanes: its variables are not written, the rest of its frame is. */
void ptx__local_racecheck_frame(struct ptx__warp *warp, const struct ptx__frame *frame,
                                uint32_t lanes);

/* So many bytes of a lane are not written. */
void ptx__local_racecheck_clear(struct ptx__warp *warp, unsigned lane, uint64_t offset,
                                uint64_t bytes);

#endif
