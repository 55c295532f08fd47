/* SPDX-License-Identifier: MIT */
/*
 * Tensor memory: 128 lanes with 512 columns of 32 bits. On a device the blocks of a multiprocessor
 * share it; here each block has its own, which is made when the block uses it first. An address has
 * the lane in its upper 16 bits and the column in the lower ones. The lanes are divided into four
 * parts of 32, one for each warp of four.
 *
 * Operations on it are asynchronous on a device, and are done at once here. What nothing has waited
 * for is remembered for each column of a part, so that a read before its time is found. A block
 * belongs to one worker, and so do the blocks of its cluster, so nothing here takes a lock.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_TENSOR_H
#define CUSHIM_MOCK_PTX_MACHINE_TENSOR_H

#include "mock/ptx/machine/grid.h"

enum {
    PTX__TENSOR_LANES = 128,
    PTX__TENSOR_COLUMNS = 512,
    PTX__TENSOR_PARTS = PTX__TENSOR_LANES / PTX__LANES,
    PTX__TENSOR_UNIT = 32, /* columns: the least that is allocated */
    PTX__TENSOR_UNITS = PTX__TENSOR_COLUMNS / PTX__TENSOR_UNIT,
};

/* What a column of a part waits for before it may be used. */
enum ptx__tensor_state {
    PTX__TENSOR_SETTLED,
    PTX__TENSOR_STORED,    /* for the tcgen05.wait::st of a warp, which is thread / 32 */
    PTX__TENSOR_ISSUED,    /* for the tcgen05.commit of a thread */
    PTX__TENSOR_COMMITTED, /* for somebody who waits at the barrier */
};

/*
 * The states that harm a use: asynchronous operations of the tensor cores are done in the order of
 * their issue, and so are stores of a warp.
 */
enum {
    PTX__TENSOR_HARM_LOAD =
        1 << PTX__TENSOR_STORED | 1 << PTX__TENSOR_ISSUED | 1 << PTX__TENSOR_COMMITTED,
    PTX__TENSOR_HARM_STORE = 1 << PTX__TENSOR_ISSUED | 1 << PTX__TENSOR_COMMITTED,
    PTX__TENSOR_HARM_CORES = 1 << PTX__TENSOR_STORED,
};

struct ptx__tensor_part {
    uint8_t state;
    uint16_t thread;  /* in its block */
    uint32_t barrier; /* its offset in shared memory */
};

struct ptx__tensor {
    uint32_t cells[PTX__TENSOR_COLUMNS][PTX__TENSOR_LANES];
    uint32_t written[PTX__TENSOR_COLUMNS][PTX__TENSOR_PARTS]; /* a bit for each lane */
    struct ptx__tensor_part parts[PTX__TENSOR_COLUMNS][PTX__TENSOR_PARTS];
    uint8_t owners[PTX__TENSOR_UNITS]; /* 0: free, else 1 + the first unit of the allocation */
    uint8_t group;                     /* of .cta_group that the block uses: 1 or 2; 0: none yet */
    bool relinquished;                 /* the block may not allocate any more */
    bool committed;                    /* a part may be in that state */
};

/* Columns of some parts, which are a bit each. */
struct ptx__tensor_area {
    unsigned column, columns, parts;
};

/*
 * Returns the block's tensor memory. When out of memory the launch is stopped, and NULL returned.
 */
struct ptx__tensor *ptx__tensor_of(struct ptx__block *block);

/* Takes all back that the previous block has left. */
void ptx__tensor_start(struct ptx__tensor *tensor);

/* Returns the first column of so many free ones, or -1. The number is a power of 2, at least 32. */
int ptx__tensor_allocate(struct ptx__tensor *tensor, unsigned columns);

/* Frees an allocation. False if there is none with this first column and number. */
bool ptx__tensor_release(struct ptx__tensor *tensor, unsigned column, unsigned columns);

/* Returns how many columns are allocated. */
unsigned ptx__tensor_in_use(const struct ptx__tensor *tensor);

/* Tells whether all of the columns are allocated. */
bool ptx__tensor_has(const struct ptx__tensor *tensor, unsigned column, unsigned columns);

/* Sets the state of an area. */
void ptx__tensor_set(struct ptx__tensor *tensor, struct ptx__tensor_area area,
                     enum ptx__tensor_state state, unsigned thread);

/* Reports that the lane uses an area of which a part is in one of the states, a bit each. */
void ptx__tensor_check(struct ptx__lane_op at, const struct ptx__tensor *tensor,
                       struct ptx__tensor_area area, unsigned states);

/* A warp has waited for its stores. */
void ptx__tensor_stored(struct ptx__tensor *tensor, unsigned warp);

/* What a thread has issued will be known to who waits at the barrier. */
void ptx__tensor_commit(struct ptx__tensor *tensor, unsigned thread, uint32_t barrier);

/* A thread of the cluster has waited at the barrier. */
void ptx__tensor_waited(struct ptx__cluster *cluster, uint32_t barrier);

/* The last thread of the block exits: what is still allocated is a finding. */
void ptx__tensor_end(struct ptx__lane_op at);

#endif
