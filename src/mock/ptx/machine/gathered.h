/* SPDX-License-Identifier: MIT */
/*
 * Sums that a worker has still to add to global memory. Workers that add to the same few lines of
 * memory would wait for each other most of the time. Additions may come in any order, and nobody
 * learns from one whose result is not used when it was made. So compiled code of some kernels
 * gathers them (jit/atomic.c), and the worker adds each sum in one piece, before anybody may miss
 * it:
 *
 * - Before this worker uses the same memory in another way, and before a handler runs. So a block
 *   sees what it did itself, and a fence comes after all that was added before it.
 * - When a warp yields, as it may wait for another block which waits for this one, and when the
 *   worker ends.
 * - At the end of a block, if some time has passed. Whoever looks at the memory meanwhile sees the
 *   sum as late as that, and nothing else: it has no order with such an addition.
 */
#ifndef CUSHIM_MOCK_PTX_MACHINE_GATHERED_H
#define CUSHIM_MOCK_PTX_MACHINE_GATHERED_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/ptx/machine/code.h"

enum {
    PTX__GATHER_WINDOW = 4096, /* bytes: a power of two */
    PTX__GATHER_GAIN = 1 << 16,
    PTX__GATHER_LOSS = 1 << 14, /* after which nothing is gathered any more */
};

/*
 * Most kernels add to a piece of memory that is small. So the sums of one piece, a window, lie as
 * the memory does, and need no address. Compiled code adds to them itself.
 */
struct ptx__gathered {
    /* The host address of the allocation that all sums are for; NULL: there are none. */
    const unsigned char *memory;
    unsigned bytes;   /* of each of them: 4 or 8 */
    bool refused;     /* it does not pay, or there is no memory for it */
    bool window_used; /* there are sums in the window */
    int32_t gain; /* additions that had a sum already, less those that had none; it has a limit */
    uint64_t window_at;     /* the host address of what the window is for */
    unsigned char *window;  /* its sums */
    uint64_t since;         /* when the first one was gathered */
    ptx__handler entry;     /* the only handler that may run nevertheless */
    struct ptx__sums *sums; /* made at the first use */
};

/* What compiled code hands over: a lane's address on the host, and what is to be added there. */
struct ptx__additions {
    uint64_t addresses[PTX__LANES];
    union {
        uint32_t of_32[PTX__LANES];
        uint64_t of_64[PTX__LANES];
    };
};

/* Gathers additions of some lanes, which are all in one allocation, or makes them at once. */
void ptx__gather_32(struct ptx__gathered *gathered, const struct ptx__additions *additions,
                    uint64_t mask, const unsigned char *memory);
void ptx__gather_64(struct ptx__gathered *gathered, const struct ptx__additions *additions,
                    uint64_t mask, const unsigned char *memory);

/* Adds all sums to the memory. */
void ptx__gathered_add(struct ptx__gathered *gathered);

/* The same at the end of a block, if they have waited for some time. */
void ptx__gathered_add_old(struct ptx__gathered *gathered);

/* Adds them, and frees what was made. */
void ptx__gathered_finish(struct ptx__gathered *gathered);

/* The same before a handler runs, if it is any other than that of compiled code. */
static inline void ptx__gathered_add_before(struct ptx__gathered *gathered,
                                            const struct ptx__op *op)
{
    if (gathered->memory && op && __atomic_load_n(&op->run, __ATOMIC_RELAXED) != gathered->entry)
        ptx__gathered_add(gathered);
}

#endif
