/* SPDX-License-Identifier: MIT */
/*
 * LLVM, by the system's own library: found and loaded at run time, and never unloaded. It is told
 * what to compile as text in its own language, so that only some twenty of its functions are used,
 * which are the same in versions 14 to 22. Nothing of it is needed to build this library.
 */
#ifndef CUSHIM_MOCK_PTX_JIT_LLVM_H
#define CUSHIM_MOCK_PTX_JIT_LLVM_H

#include <stdbool.h>
#include <stddef.h>

enum { PTX__LLVM_OLDEST = 14, PTX__LLVM_NEWEST = 22 };

/* Machine code in memory, which belongs to LLVM. */
struct ptx__machine_code;

/* Loads LLVM if no call did so before. Returns its version, or 0 if there is none. */
unsigned ptx__llvm_version(void);

/* Returns the name of the library's file, or "" if there is none. */
const char *ptx__llvm_name(void);

/* Returns the attributes of functions that use all that this processor has: a piece of text. */
const char *ptx__llvm_attributes(void);

/*
 * Compiles a module's text, and finds a function in it. If that fails the result is NULL, and a
 * debug message says why. After an error that LLVM calls fatal nothing more is compiled in this
 * process. Only one thread at a time may call it.
 */
struct ptx__machine_code *ptx__llvm_compile(const char *text, size_t length, const char *function,
                                            void **ret_address);
void ptx__llvm_free(struct ptx__machine_code *code);

#endif
