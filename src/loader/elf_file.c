/* SPDX-License-Identifier: MIT */
#include "loader/elf_file.h"

#include <unistd.h>

#include "base/elf_check.h"
#include "base/file.h"

static enum cushim_verdict verdict_of_open(const struct cushim__file *file)
{
    switch (file->state) {
    case CUSHIM__FILE_ABSENT:
        return CUSHIM_VERDICT_ABSENT;
    case CUSHIM__FILE_CIRCLE:
    case CUSHIM__FILE_FOLDER:
    case CUSHIM__FILE_SPECIAL:
        return CUSHIM_VERDICT_NOT_A_FILE;
    default:
        return CUSHIM_VERDICT_UNREADABLE;
    }
}

static enum cushim_verdict verdict_of_elf(enum cushim__elf state)
{
    switch (state) {
    case CUSHIM__ELF_FITS:
        return CUSHIM_VERDICT_CHOSEN;
    case CUSHIM__ELF_NONE:
        return CUSHIM_VERDICT_NOT_ELF;
    case CUSHIM__ELF_OTHER_MACHINE:
        return CUSHIM_VERDICT_OTHER_MACHINE;
    case CUSHIM__ELF_CUT_SHORT:
        return CUSHIM_VERDICT_LOAD_FAILED;
    default:
        return CUSHIM_VERDICT_UNREADABLE;
    }
}

enum cushim_verdict cushim__elf_file_inspect(const char *path, struct cushim__arena *arena,
                                             const char **ret_detail)
{
    struct cushim__elf_file elf;
    struct cushim__file file;
    const int fd = cushim__file_open(path, &file);

    *ret_detail = "";
    if (fd < 0) {
        if (file.state != CUSHIM__FILE_ABSENT)
            *ret_detail = cushim__arena_printf(arena, "%s", file.why);
        return verdict_of_open(&file);
    }
    if (file.size)
        cushim__elf_inspect(fd, file.size, &elf);
    close(fd);
    if (!file.size) {
        *ret_detail = "the file has no content";
        return CUSHIM_VERDICT_EMPTY;
    }
    if (elf.state != CUSHIM__ELF_FITS)
        *ret_detail = cushim__arena_printf(arena, "%s", elf.why);
    return verdict_of_elf(elf.state);
}
