/* SPDX-License-Identifier: MIT */
/*
 * No document has the sizes of the groups. Those of an H200 follow from how many clusters of each size
 * it has room for: recorded answers are only explained by these. Other devices, and parts of one,
 * are taken to have groups as large as possible.
 */
#include "mock/base/gpc.h"

#include "mock/base/green.h"
#include "mock/base/state.h"

#define USUAL 16 /* of the largest cluster */
#define PART  8  /* of the least part of a device */

static const unsigned h200[] = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};

#define N_H200     (sizeof(h200) / sizeof(*h200))
#define TOTAL_H200 132

static unsigned nth(unsigned total, unsigned size, unsigned n)
{
    const unsigned before = n * size;

    return before >= total ? 0 : total - before < size ? total - before : size;
}

unsigned mock__gpc(const struct mock__share *share, const struct mock__device *device, unsigned n)
{
    const unsigned total = mock__multiprocessors(share, device);

    if (total == TOTAL_H200)
        return n < N_H200 ? h200[n] : 0;
    return nth(total, share ? PART : USUAL, n);
}
