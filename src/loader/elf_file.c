/* SPDX-License-Identifier: MIT */
#include "loader/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static enum cushim_verdict inspect_header(const Elf64_Ehdr *header, size_t size,
                                          struct cushim__arena *arena, const char **ret_detail)
{
    if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
        *ret_detail = "the file is not in ELF format";
        return CUSHIM_VERDICT_NOT_ELF;
    }
    /* e_machine stands at the same place in both classes. */
    if (OWN_MACHINE != EM_NONE && header->e_machine != OWN_MACHINE) {
        *ret_detail =
            cushim__arena_printf(arena, "it is for %s, this process is %s",
                                 machine_name(header->e_machine), machine_name(OWN_MACHINE));
        return CUSHIM_VERDICT_OTHER_MACHINE;
    }
    if (header->e_ident[EI_CLASS] != ELFCLASS64) {
        *ret_detail = "it is a 32-bit library, this process has 64 bits";
        return CUSHIM_VERDICT_OTHER_MACHINE;
    }
    if (header->e_type != ET_DYN) {
        *ret_detail = "it is not a shared library";
        return CUSHIM_VERDICT_NOT_ELF;
    }
    return CUSHIM_VERDICT_CHOSEN;
}

/*
 * The dynamic linker maps what the headers promise. In a file that was cut short, by a full
 * disk or a broken download, it would then die of SIGBUS.
 */
static enum cushim_verdict inspect_length(const struct beginning *file, uint64_t size,
                                          struct cushim__arena *arena, const char **ret_detail)
{
    const Elf64_Phdr *segments = (const Elf64_Phdr *) (file->bytes + file->header.e_phoff);
    const uint64_t headers = (uint64_t) file->header.e_phnum * sizeof(*segments);
    uint64_t end = 0;

    /* Linkers put the table right behind the header; what is elsewhere is dlopen()'s to read. */
    if (file->header.e_phentsize != sizeof(*segments) || file->header.e_phoff % 8 ||
        file->header.e_phoff > sizeof(file->bytes) ||
        headers > sizeof(file->bytes) - file->header.e_phoff)
        return CUSHIM_VERDICT_CHOSEN;
    for (unsigned i = 0; i < file->header.e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_offset + segments[i].p_filesz > end)
            end = segments[i].p_offset + segments[i].p_filesz;
    if (file->header.e_phoff + headers > end)
        end = file->header.e_phoff + headers;
    if (end <= size)
        return CUSHIM_VERDICT_CHOSEN;
    *ret_detail = cushim__arena_printf(
        arena, "the file is cut short: %" PRIu64 " of %" PRIu64 " bytes or more", size, end);
    return CUSHIM_VERDICT_LOAD_FAILED;
}

static enum cushim_verdict inspect_file(int fd, struct cushim__arena *arena,
                                        const char **ret_detail)
{
    struct beginning file = {0};
    enum cushim_verdict verdict;
    struct stat info;
    ssize_t size;

    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) {
        *ret_detail = S_ISDIR(info.st_mode) ? "it is a folder" : "it is not a regular file";
        return CUSHIM_VERDICT_NOT_A_FILE;
    }
    if (!info.st_size) {
        *ret_detail = "the file has no content";
        return CUSHIM_VERDICT_EMPTY;
    }
    size = pread(fd, file.bytes, sizeof(file.bytes), 0);
    if (size < 0) {
        *ret_detail = cushim__arena_printf(arena, "%s", strerror(errno));
        return CUSHIM_VERDICT_UNREADABLE;
    }
    verdict = inspect_header(&file.header, (size_t) size, arena, ret_detail);
    if (verdict != CUSHIM_VERDICT_CHOSEN)
        return verdict;
    return inspect_length(&file, (uint64_t) info.st_size, arena, ret_detail);
}

enum cushim_verdict cushim__elf_file_inspect(const char *path, struct cushim__arena *arena,
                                             const char **ret_detail)
{
    /* Without O_NONBLOCK, opening a pipe would wait for its writer. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    enum cushim_verdict verdict;

    *ret_detail = "";
    if (fd < 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return CUSHIM_VERDICT_ABSENT;
        *ret_detail = cushim__arena_printf(arena, "%s", strerror(errno));
        return CUSHIM_VERDICT_UNREADABLE;
    }
    verdict = inspect_file(fd, arena, ret_detail);
    close(fd);
    return verdict;
}
