/* SPDX-License-Identifier: MIT */
/*
 * What kernels need to launch kernels. device_runtime.ptx makes CUDA's functions of these, so that a
 * program has them only if it is linked with that library. They ask the caller of the engine, under
 * grid->lock. A number that is no result is a cudaError_t.
 */
#ifndef CUSHIM_MOCK_PTX_EXEC_CHILDREN_H
#define CUSHIM_MOCK_PTX_EXEC_CHILDREN_H

#include "mock/ptx/machine/code.h"

/*
 * cushim_child_room(kernel, grid.x, y, z, block.x, y, z, shared): the address of room for the
 * parameters, or 0. cushim_child_launch(room, stream): a number. cushim_child_handle(what, handle):
 * makes, checks or destroys a stream or an event. cushim_child_ask(what, number, more): a value of the
 * device, or of a kernel. cushim_last_error(what, number): sets, reads, or reads and clears that of the thread.
 */
const struct ptx__op *ptx__do_child_room(struct ptx__warp *warp, const struct ptx__op *op);
const struct ptx__op *ptx__do_child_launch(struct ptx__warp *warp, const struct ptx__op *op);
const struct ptx__op *ptx__do_child_handle(struct ptx__warp *warp, const struct ptx__op *op);
const struct ptx__op *ptx__do_child_ask(struct ptx__warp *warp, const struct ptx__op *op);
const struct ptx__op *ptx__do_last_error(struct ptx__warp *warp, const struct ptx__op *op);

#endif
