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

/* Loads LLVM if no call did so before. Returns its version, or 0 if there is none. */
unsigned ptx__llvm_version(void);

/* Returns the name of the library's file, or "" if there is none. */
const char *ptx__llvm_name(void);

/* Finds the library's file without loading it. Returns its version, or 0 if there is none. */
unsigned ptx__llvm_find(char *ret_path, size_t size);

/* Whether pointers in its text have types: what version is loaded, or else would be. */
bool ptx__llvm_is_typed(void);

/* Loads LLVM. Returns the attributes of functions that use all that this processor has: a piece of
 * text. */
const char *ptx__llvm_attributes(void);

/*
 * Compiles a module's text to an object file, which the caller frees. If that fails the result is
 * NULL, and a debug message says why. After an error that LLVM calls fatal nothing more is compiled
 * in this process. Only one thread at a time may call it.
 */
void *ptx__llvm_compile(const char *text, size_t length, size_t *ret_bytes);

#endif
