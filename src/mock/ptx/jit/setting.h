/* SPDX-License-Identifier: MIT */
/* Whether kernels are compiled: what the environment asks for, and what this process can do. */
#ifndef CUSHIM_MOCK_PTX_JIT_SETTING_H
#define CUSHIM_MOCK_PTX_JIT_SETTING_H

#include <stdbool.h>

enum ptx__jit_mode {
    PTX__JIT_OFF,
    PTX__JIT_ON,     /* kernels that do much work, in the background */
    PTX__JIT_ALWAYS, /* all, before they run */
};

/* Whether there is an LLVM is not asked: that takes long. Without one nothing is compiled. */
enum ptx__jit_mode ptx__jit_mode(void);

/*
 * Tells whether this process can make memory executable now. Some sandboxes forbid it, also in the
 * middle of a program. LLVM would not notice.
 */
bool ptx__jit_has_executable_memory(void);

/*
 * Says why kernels are interpreted, once: on standard error if the variable is set, and else in the
 * log.
 */
void ptx__jit_tell(const char *why);

/* The same if it follows from the mode. */
void ptx__jit_tell_mode(void);

/* Returns how kernels run here, for people. Loads LLVM if kernels are compiled. */
const char *ptx__jit_mode_text(void);

#endif
