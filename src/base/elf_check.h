/* SPDX-License-Identifier: MIT */
/*
 * Can a file be a shared library of this process? The dynamic linker answers that, too, but in
 * words that do not say what is wrong, and it dies of a file that was cut short.
 */
#ifndef CUSHIM_BASE_ELF_CHECK_H
#define CUSHIM_BASE_ELF_CHECK_H

#include <stdint.h>

enum cushim__elf {
    CUSHIM__ELF_FITS, /* nothing speaks against it */
    CUSHIM__ELF_NONE, /* no ELF file, or no shared library */
    CUSHIM__ELF_OTHER_MACHINE,
    CUSHIM__ELF_CUT_SHORT,
    CUSHIM__ELF_UNREADABLE,
};

struct cushim__elf_file {
    enum cushim__elf state;
    char why[96]; /* unless it fits */
};

/* Looks at the headers of an open file of a size. */
void cushim__elf_inspect(int fd, uint64_t size, struct cushim__elf_file *ret_file);

#endif
