/* SPDX-License-Identifier: MIT */
/*
 * Reads the headers of ELF files: can a file be a shared library of this process, and which other
 * libraries does it need? elf.c answers the first question, and elf_needs.c the second.
 */
#ifndef CUSHIM_BASE_LINKER_ELF_H
#define CUSHIM_BASE_LINKER_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum cushim__elf {
    CUSHIM__ELF_FITS, /* nothing speaks against it */
    CUSHIM__ELF_NONE, /* it is no ELF file, or no shared library */
    CUSHIM__ELF_OTHER_MACHINE,
    CUSHIM__ELF_CUT_SHORT,
    CUSHIM__ELF_UNREADABLE,
};

/* The ELF header of a file and, if they follow it closely as linkers write it, its segments. */
struct cushim__elf_file {
    enum cushim__elf state;
    char why[96];               /* a sentence unless the state is CUSHIM__ELF_FITS */
    const Elf64_Phdr *segments; /* in bytes; NULL if they are elsewhere in the file */
    unsigned n_segments;
    _Alignas(8) unsigned char bytes[2048];
};

/* Reads the headers of an open file of that size. */
void cushim__elf_inspect(int fd, uint64_t size, struct cushim__elf_file *ret_file);

/* Names of libraries, and folders separated by colons. They are in an arena. */
struct cushim__elf_needs {
    const char **names;
    unsigned n;
    const char *rpath, *runpath; /* "" if the file has none */
};

/*
 * The libraries that an inspected file needs, and the folders that it names for them. A file that
 * is damaged needs none: the dynamic linker is the one to refuse it.
 */
struct cushim__elf_needs cushim__elf_needs(int fd, const struct cushim__elf_file *file,
                                           struct cushim__arena *arena);

#endif
