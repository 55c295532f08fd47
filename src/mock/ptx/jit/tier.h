/* SPDX-License-Identifier: MIT */
/*
 * The compiled tier: kernels that do much work become machine code, by a thread of their own, while
 * the interpreter goes on. Compiled code is entered where an operation has ptx__jit_enter() for a
 * handler, and leaves the register file and the warp as the interpreter would. So a warp may change
 * between both at any operation that has an entry.
 */
#ifndef CUSHIM_MOCK_PTX_JIT_TIER_H
#define CUSHIM_MOCK_PTX_JIT_TIER_H

#include "mock/ptx/machine/grid.h"

/* Called before a launch runs. If the environment asks for it, all of it is compiled first. */
void ptx__jit_begin_launch(const struct ptx__launch *launch);

/* Counts the work that a block has done. Code that has done enough is going to be compiled. */
void ptx__jit_count(const struct ptx__block *block);

/* Returns how kernels run here, for people; the text is never freed. May load LLVM. */
const char *ptx__jit_text(void);

/* Makes sure that a frame, whose code has been compiled, has an area. False: out of memory. */
bool ptx__jit_make_area(struct ptx__frame *frame, unsigned variant);

/* Frees the machine code of a program, and forgets what was to be compiled. */
void ptx__jit_forget(struct ptx__program *program);

#endif
