/* SPDX-License-Identifier: MIT */
#include "base/elf_check.h"

#include <elf.h>
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

/* The first bytes of a file: the ELF header, and in practice all program headers. */
struct beginning {
    union {
        Elf64_Ehdr header;
        _Alignas(8) unsigned char bytes[2048];
    };
};

static const char *machine_name(unsigned machine)
{
    for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
        if (machines[i].machine == machine)
            return machines[i].name;
    return "an unknown machine";
}

CUSHIM_PRINTF(3, 4)
static void say(struct cushim__elf_file *file, enum cushim__elf state, const char *format, ...)
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
        say(file, CUSHIM__ELF_NONE, "the file is not in ELF format");
    /* e_machine stands at the same place in both classes. */
    else if (OWN_MACHINE != EM_NONE && header->e_machine != OWN_MACHINE)
        say(file, CUSHIM__ELF_OTHER_MACHINE, "it is for %s, this process is %s",
            machine_name(header->e_machine), machine_name(OWN_MACHINE));
    else if (header->e_ident[EI_CLASS] != ELFCLASS64)
        say(file, CUSHIM__ELF_OTHER_MACHINE, "it is a 32-bit library, this process has 64 bits");
    else if (header->e_type != ET_DYN)
        say(file, CUSHIM__ELF_NONE, "it is not a shared library");
}

/* Where what a segment has in the file ends; a place that no file has if it lies. */
static uint64_t end_of(const Elf64_Phdr *segment)
{
    uint64_t end;

    return __builtin_add_overflow(segment->p_offset, segment->p_filesz, &end) ? UINT64_MAX : end;
}

/*
 * The dynamic linker maps what the headers promise. In a file that was cut short, by a full
 * disk or a broken download, it would then die of SIGBUS.
 */
static void inspect_length(const struct beginning *beginning, uint64_t size,
                           struct cushim__elf_file *file)
{
    const Elf64_Ehdr *header = &beginning->header;
    const uint64_t bytes = (uint64_t) header->e_phnum * sizeof(Elf64_Phdr);
    const Elf64_Phdr *segments;
    uint64_t end = 0;

    /* Linkers put the table right behind the header; what is elsewhere is dlopen()'s to read. */
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff % 8 ||
        header->e_phoff > sizeof(beginning->bytes) ||
        bytes > sizeof(beginning->bytes) - header->e_phoff)
        return;
    segments = (const Elf64_Phdr *) (beginning->bytes + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && end_of(&segments[i]) > end)
            end = end_of(&segments[i]);
    if (header->e_phoff + bytes > end)
        end = header->e_phoff + bytes;
    if (end > size)
        say(file, CUSHIM__ELF_CUT_SHORT,
            "the file is cut short: %" PRIu64 " of %" PRIu64 " bytes or more", size, end);
}

void cushim__elf_inspect(int fd, uint64_t size, struct cushim__elf_file *ret_file)
{
    struct beginning beginning = {0};
    const ssize_t n = pread(fd, beginning.bytes, sizeof(beginning.bytes), 0);

    *ret_file = (struct cushim__elf_file){.state = CUSHIM__ELF_FITS};
    if (n < 0) {
        say(ret_file, CUSHIM__ELF_UNREADABLE, "%s", strerror(errno));
        return;
    }
    inspect_header(&beginning.header, (size_t) n, ret_file);
    if (ret_file->state == CUSHIM__ELF_FITS)
        inspect_length(&beginning, size, ret_file);
}
