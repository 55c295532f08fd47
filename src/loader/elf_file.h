/* SPDX-License-Identifier: MIT */
#ifndef CUSHIM_LOADER_ELF_FILE_H
#define CUSHIM_LOADER_ELF_FILE_H

#include <cushim/report.h>

#include "base/arena.h"

/*
 * Could this file be a library for this process? CUSHIM_VERDICT_CHOSEN if
 * nothing speaks against it; otherwise why not, with a sentence in *ret_detail.
 * dlopen() would refuse too, but in words that do not say what is wrong.
 */
enum cushim_verdict cushim__elf_file_inspect(const char *path, struct cushim__arena *arena,
                                             const char **ret_detail);

#endif
