/* SPDX-License-Identifier: MIT */
/* The groups that a device's multiprocessors are in: the blocks of a cluster are in one of them. */
#ifndef CUSHIM_MOCK_BASE_GPC_H
#define CUSHIM_MOCK_BASE_GPC_H

struct mock__share;
struct mock__device;

/* How many are in the n-th group of a share or, for NULL, of a device. 0: there is no such group. */
unsigned mock__gpc(const struct mock__share *share, const struct mock__device *device, unsigned n);

#endif
