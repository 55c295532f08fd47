/* SPDX-License-Identifier: MIT */
#include "base/linker/elf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cushim/version.h>

#include "base/util.h"

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#elif defined(__powerpc64__)
#define OWN_MACHINE EM_PPC64
#else
#define OWN_MACHINE EM_NONE
#endif

static const struct {
    unsigned machine;
    const char *name;
} machines[] = {
    {EM_386, "x86 (32-bit)"}, {EM_X86_64, "x86-64"},       {EM_ARM, "ARM (32-bit)"},
    {EM_AARCH64, "aarch64"},  {EM_PPC64, "ppc64"},         {EM_RISCV, "RISC-V"},
    {EM_S390, "s390"},        {EM_LOONGARCH, "LoongArch"},
};

static const char *machine_name(unsigned machine)
{
    for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
        if (machines[i].machine == machine)
            return machines[i].name;
    return "an unknown machine";
}

CUSHIM_PRINTF(3, 4)
static void reject(struct cushim__elf_file *file, enum cushim__elf state, const char *format, ...)
{
    va_list list;

    file->state = state;
    va_start(list, format);
    vsnprintf(file->why, sizeof(file->why), format, list);
    va_end(list);
}

static void inspect_header(const Elf64_Ehdr *header, size_t size, struct cushim__elf_file *file)
{
    if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        reject(file, CUSHIM__ELF_NONE, "the file is not in ELF format");
    /* e_machine is at the same offset in 32-bit and in 64-bit files. */
    else if (OWN_MACHINE != EM_NONE && header->e_machine != OWN_MACHINE)
        reject(file, CUSHIM__ELF_OTHER_MACHINE, "it is for %s, this process is %s",
               machine_name(header->e_machine), machine_name(OWN_MACHINE));
    else if (header->e_ident[EI_CLASS] != ELFCLASS64)
        reject(file, CUSHIM__ELF_OTHER_MACHINE, "it is a 32-bit library, this process has 64 bits");
    else if (header->e_type != ET_DYN)
        reject(file, CUSHIM__ELF_NONE, "it is not a shared library");
}

/*
 * Returns the offset in the file at which a segment ends, or UINT64_MAX if its numbers are wrong.
 */
static uint64_t end_of(const Elf64_Phdr *segment)
{
    uint64_t end;

    return __builtin_add_overflow(segment->p_offset, segment->p_filesz, &end) ? UINT64_MAX : end;
}

/* Returns the offset in the file at which the table of segments ends. */
static uint64_t end_of_table(const Elf64_Ehdr *header)
{
    const uint64_t bytes = (uint64_t) header->e_phnum * sizeof(Elf64_Phdr);
    uint64_t end;

    return __builtin_add_overflow(header->e_phoff, bytes, &end) ? UINT64_MAX : end;
}

/*
 * Finds the table of segments. Linkers write it directly after the header, so it is usually read
 * already; but it may be anywhere.
 */
static void find_segments(int fd, const Elf64_Ehdr *header, struct cushim__arena *arena,
                          struct cushim__elf_file *file)
{
    const size_t bytes = header->e_phnum * sizeof(Elf64_Phdr);
    Elf64_Phdr *table;

    if (!header->e_phnum || header->e_phentsize != sizeof(Elf64_Phdr))
        return;
    if (header->e_phoff % _Alignof(Elf64_Phdr) == 0 &&
        end_of_table(header) <= sizeof(file->bytes)) {
        file->segments = (const Elf64_Phdr *) (file->bytes + header->e_phoff);
    } else {
        table = cushim__arena_alloc(arena, bytes);
        if (!table || pread(fd, table, bytes, (off_t) header->e_phoff) != (ssize_t) bytes)
            return;
        file->segments = table;
    }
    file->n_segments = header->e_phnum;
}

/*
 * The dynamic linker maps all that the headers describe. It would die of SIGBUS when it reads a
 * file that was cut short by a full disk or a broken download.
 */
static void inspect_length(uint64_t end, uint64_t size, struct cushim__elf_file *file)
{
    for (unsigned i = 0; i < file->n_segments; i++) {
        if (file->segments[i].p_type == PT_LOAD && end_of(&file->segments[i]) > end)
            end = end_of(&file->segments[i]);
    }
    if (end > size)
        reject(file, CUSHIM__ELF_CUT_SHORT,
               "the file is cut short: %" PRIu64 " of %" PRIu64 " bytes or more", size, end);
}

void cushim__elf_inspect(int fd, uint64_t size, struct cushim__arena *arena,
                         struct cushim__elf_file *ret_file)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *) ret_file->bytes;
    ssize_t n;

    *ret_file = (struct cushim__elf_file){.state = CUSHIM__ELF_FITS};
    n = pread(fd, ret_file->bytes, sizeof(ret_file->bytes), 0);
    if (n < 0) {
        reject(ret_file, CUSHIM__ELF_UNREADABLE, "%s", strerror(errno));
        return;
    }
    inspect_header(header, (size_t) n, ret_file);
    if (ret_file->state != CUSHIM__ELF_FITS)
        return;
    if (end_of_table(header) <= size)
        find_segments(fd, header, arena, ret_file);
    inspect_length(end_of_table(header), size, ret_file);
}
