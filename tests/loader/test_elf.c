/* SPDX-License-Identifier: MIT */
/*
 * What is read of a file before the dynamic linker maps it: its header and its table of segments,
 * no further. The files have a version of ELF that the dynamic linker refuses before it maps
 * anything.
 */
#include "support.h"

#include <elf.h>
#include <sys/stat.h>

TestSuite(elf, .fini = fail_on_valgrind_errors);

static union {
    Elf64_Ehdr header;
    unsigned char bytes[8192];
} file;

static Elf64_Phdr *segments;

static void begin(void)
{
    FILE *own = fopen(FAKE("few"), "r");

    cr_assert(ne(ptr, own, NULL));
    cr_assert(eq(sz, fread(&file, 1, sizeof(file), own), sizeof(file)));
    fclose(own);
    file.header.e_version = 7;
    segments = (Elf64_Phdr *) (void *) (file.bytes + file.header.e_phoff);
    memset(segments, 0, sizeof(file) - file.header.e_phoff);
    file.header.e_phnum = 3;
}

/* A segment that ends far behind the file. */
static void promise_much(unsigned i)
{
    segments[i] = (Elf64_Phdr){.p_type = PT_LOAD, .p_filesz = 1 << 30};
}

static void check(const char *part)
{
    char path[] = "/tmp/cushim-elf-XXXXXX";
    const int fd = mkstemp(path);
    const struct cushim_report *report;

    cr_assert(eq(sz, (size_t) write(fd, &file, sizeof(file)), sizeof(file)));
    close(fd);
    report = make_report(CUSHIM_LIBRARY_CUDA, cushim_open_params(.library = path));
    cr_assert(eq(sz, report->n_candidates, 1));
    assert_contains(report->candidates[0]->detail, part, path);
    cushim_report_free(&report);
    unlink(path);
}

#define CUT_SHORT "cut short: 8192 of 1073741824 bytes"
#define PASSED_ON "file version"

Test(elf, segments_beyond_the_end, .init = begin)
{
    check(PASSED_ON);
    promise_much(2);
    check(CUT_SHORT);
    file.header.e_phnum = 2;
    check(PASSED_ON);
}

/* More than what is read of a file at first. */
Test(elf, many_segments, .init = begin)
{
    promise_much(99);
    file.header.e_phnum = 99;
    check(PASSED_ON);
    file.header.e_phnum = 100;
    check(CUT_SHORT);
}

Test(elf, a_table_elsewhere, .init = begin)
{
    const Elf64_Phdr much = {.p_type = PT_LOAD, .p_filesz = 1 << 30};

    promise_much(0);
    file.header.e_phoff = 65;
    check(PASSED_ON);
    file.header.e_phoff = 4097;
    check(PASSED_ON);
    memcpy(file.bytes + 4097 + 2 * sizeof(much), &much, sizeof(much));
    check(CUT_SHORT);
}

Test(elf, a_table_behind_the_end, .init = begin)
{
    file.header.e_phoff = sizeof(file) - 3 * sizeof(Elf64_Phdr) + 1;
    check("cut short: 8192 of 8193 bytes");
    file.header.e_phoff = UINT64_MAX;
    check("cut short: 8192 of 18446744073709551615 bytes");
}

Test(elf, a_machine_that_has_no_name_here, .init = begin)
{
    file.header.e_machine = 0x7777;
    check("it is for an unknown machine, this process is ");
}

/* All that a toolkit's folder has is no library: the search goes on behind it. */
Test(elf, folders_of_files_that_are_none)
{
    char home[] = "/tmp/cushim-home-XXXXXX", path[128];
    const struct cushim_report *report;
    bool seen = false;
    FILE *text;

    cr_assert(ne(ptr, mkdtemp(home), NULL));
    snprintf(path, sizeof(path), "%s/lib64", home);
    cr_assert(eq(int, mkdir(path, 0700), 0));
    snprintf(path, sizeof(path), "%s/lib64/libnvrtc.so.13", home);
    text = fopen(path, "w");
    fputs("no library", text);
    fclose(text);
    setenv("CUDA_PATH", home, 1);
    report = make_report(CUSHIM_LIBRARY_NVRTC, NULL);
    for (size_t i = 0; i < report->n_candidates; i++)
        if (!strcmp(report->candidates[i]->path, path)) {
            cr_assert(eq(int, report->candidates[i]->verdict, CUSHIM_VERDICT_NOT_ELF));
            seen = true;
        }
    assert_true(seen || report->chosen, "the folder was looked into, unless one was found before");
    cushim_report_free(&report);
    unlink(path);
    *strrchr(path, '/') = 0;
    rmdir(path);
    rmdir(home);
}
