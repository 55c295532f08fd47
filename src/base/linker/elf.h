/* SPDX-License-Identifier: MIT */
/*
 * Reads the headers of ELF files. elf.c finds out whether a file can be a shared library of this
 * process, and elf_needs.c which other libraries it needs.
 */
#ifndef CUSHIM_BASE_LINKER_ELF_H
#define CUSHIM_BASE_LINKER_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum cushim__elf {
    CUSHIM__ELF_FITS, /* no reason against it was found */
    CUSHIM__ELF_NONE, /* not an ELF file, or not a shared library */
    CUSHIM__ELF_OTHER_MACHINE,
    CUSHIM__ELF_CUT_SHORT,
    CUSHIM__ELF_UNREADABLE,
};

/* The ELF header of a file, and its segments. */
struct cushim__elf_file {
    enum cushim__elf state;
    char why[96];               /* a sentence unless the state is CUSHIM__ELF_FITS */
    const Elf64_Phdr *segments; /* in bytes, or in the arena; NULL if they cannot be read */
    unsigned n_segments;
    _Alignas(8) unsigned char bytes[2048]; /* what was read of the file's beginning */
};

/* Reads the headers of an open file of this size. */
void cushim__elf_inspect(int fd, uint64_t size, struct cushim__arena *arena,
                         struct cushim__elf_file *ret_file);

struct cushim__elf_need {
    const char *name;
    bool optional; /* DT_AUXILIARY: the linker goes on if it cannot load this library */
};

/* What a library says to the dynamic linker. The strings are in an arena. */
struct cushim__elf_needs {
    const struct cushim__elf_need *needs;
    size_t n;
    const char *own_name; /* DT_SONAME, or NULL */
    /* Lists of folders separated by colons, or NULL. The linker ignores an RPATH beside a RUNPATH.
     */
    const char *rpath, *runpath;
    bool no_default; /* DF_1_NODEFLIB: do not search in the system's default folders */
};

/*
 * Returns the libraries that an inspected file needs, and the folders that it names for them. The
 * result is empty for a damaged file, because the dynamic linker will refuse that file itself.
 */
struct cushim__elf_needs cushim__elf_needs(int fd, const struct cushim__elf_file *file,
                                           struct cushim__arena *arena);

#endif
