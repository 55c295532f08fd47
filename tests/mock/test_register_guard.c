/* SPDX-License-Identifier: MIT */
/*
 * Registered memory that the program unmaps or protects: what the mock does for the work that uses
 * it must change nothing of the program's.
 */
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "mock/allocation/host_pages.h"
#include "registered.h"

TestSuite(register_guard, .timeout = 60);

enum { UNMAPPED = -1 };

/* Returns the protection of the page as the system has it. */
static int protection_of(const void *page)
{
    struct mock__host_pages pages;

    cr_assert(eq(int, (int) mock__host_pages_from((uintptr_t) page, &pages), (int) MOCK__HOST_YES));
    return pages.begin <= (uintptr_t) page ? pages.protection : UNMAPPED;
}

static unsigned char *map_at(unsigned char *place, size_t size, int protection)
{
    unsigned char *there =
        mmap(place, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

    cr_assert(eq(ptr, there, place));
    return there;
}

static CUresult set_all(const unsigned char *pages)
{
    return run("sets", pages, PAGES, PAGE / 4);
}

/* What the program does meanwhile: in the function that stands for the kernel "hosts". */
static void (*meanwhile)(unsigned char *pages);

static void host_kernel(const struct cushim_mock_launch *launch, void *const *args)
{
    (void) launch;
    meanwhile((unsigned char *) (uintptr_t) * (const uint64_t *) args[0]);
}

static CUresult run_host(unsigned char *pages, void (*fn)(unsigned char *))
{
    meanwhile = fn;
    OK(cushim_mock_register_kernel("hosts", host_kernel, NULL));
    return run("hosts", pages, 1, 1);
}

/* --- nothing else gets the place of what was unmapped --- */

/* The system maps at the same place again, whoever asks next: the stack of a thread, a table. */
Test(register_guard, new_mappings_do_not_land_there)
{
    const size_t size = (size_t) 64 << 20;
    unsigned char *pages, *next;
    size_t free_bytes, total;

    begin();
    pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(ne(ptr, pages, MAP_FAILED));
    OK(mock_cuMemHostRegister_v2(pages, size, 0));
    munmap(pages, size);
    OK(mock_cuMemGetInfo_v2(&free_bytes, &total));
    next = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_expect(next + size <= pages || next >= pages + size, "%p in %p",
              (void *) next, (void *) pages);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, set_all(pages));
    found("which the program has unmapped", "kernel 'sets'");
    for (size_t i = 0; i < size; i += PAGE)
        cr_assert(eq(int, next[i], 0), "%zu", i);
}

/* The threads of a launch get their stacks after the program has unmapped what they write. */
Test(register_guard, nor_do_the_stacks_of_threads)
{
    const unsigned blocks = 4096;
    const size_t size = (size_t) blocks * PAGE;
    unsigned char *pages;

    setenv("CUSHIM_MOCK_PTX_WORKERS", "4", 1);
    begin();
    pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(ne(ptr, pages, MAP_FAILED));
    OK(mock_cuMemHostRegister_v2(pages, size, 0));
    munmap(pages, size);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run("sets", pages, blocks, PAGE / 4));
    found("which the program has unmapped", "kernel 'sets'");
}

/* Many registrations are looked at in turn, and all of them before work. */
Test(register_guard, holes_of_many)
{
    enum { MANY = 300 };
    unsigned char *pages = map((size_t) 2 * MANY * PAGE, PROT_READ | PROT_WRITE);
    size_t reserved = 0;

    begin();
    for (size_t i = 0; i < MANY; i++)
        OK(mock_cuMemHostRegister_v2(pages + 2 * i * PAGE, PAGE, 0));
    munmap(pages, (size_t) 2 * MANY * PAGE);
    OK(mock_cuCtxSynchronize());
    /* A kernel may use any memory, so all holes are looked for before it. */
    EXPECT(CUDA_SUCCESS, run("sets", (unsigned char *) (uintptr_t) device, 1, PAGE / 4));
    for (size_t i = 0; i < MANY; i++) {
        reserved += protection_of(pages + 2 * i * PAGE) == PROT_NONE;
        cr_expect(eq(int, protection_of(pages + (2 * i + 1) * PAGE), UNMAPPED), "%zu", i);
    }
    cr_expect(eq(sz, reserved, MANY));
    for (size_t i = 0; i < MANY; i++)
        OK(mock_cuMemHostUnregister(pages + 2 * i * PAGE));
    for (size_t i = 0; i < MANY; i++)
        cr_expect(eq(int, protection_of(pages + 2 * i * PAGE), UNMAPPED), "%zu", i);
}

/* What was reserved is given back, except what the program has replaced; that stays as it is. */
Test(register_guard, unregistered)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

    begin();
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    munmap(pages + PAGE, BYTES - 2 * PAGE);
    OK(mock_cuCtxSynchronize());
    map_at(pages + 4 * PAGE, PAGE, PROT_NONE);
    map_at(pages + 5 * PAGE, PAGE, PROT_READ);
    OK(mock_cuMemHostUnregister(pages));
    for (int page = 0; page < PAGES; page++)
        cr_expect(eq(int, protection_of(pages + page * PAGE),
                     page == 4                        ? PROT_NONE
                     : page == 5                      ? PROT_READ
                     : page == 0 || page == PAGES - 1 ? PROT_READ | PROT_WRITE
                                                      : UNMAPPED),
                  "page %d", page);
    silent();
}

/* --- what the program does while work runs --- */

static void unmap_and_use(unsigned char *pages)
{
    munmap(pages + PAGE, BYTES - 2 * PAGE);
    for (int page = PAGES - 1; page >= 0; page--)
        pages[page * PAGE] = 7;
    pages[BYTES - PAGE - 1] = 7;
}

/* A hole is filled in both directions from the first access, and what is around it stays. */
Test(register_guard, unmapped_while_work_runs)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

    begin();
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run_host(pages, unmap_and_use));
    found("uses offset 57344", "which the program has unmapped and not unregistered");
    for (int page = 0; page < PAGES; page++)
        cr_expect(eq(int, readable(pages + page * PAGE), page == 0 || page == PAGES - 1), "%d",
                  page);
    cr_expect(eq(int, pages[0], 7));
}

static void map_what_was_used(unsigned char *pages)
{
    for (int page = 0; page < 4; page++)
        pages[page * PAGE] = 7;
    map_at(pages + PAGE, PAGE, PROT_READ | PROT_WRITE)[0] = 5;
    map_at(pages + 2 * PAGE, PAGE, PROT_READ);
}

Test(register_guard, mapped_while_work_runs)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

    begin();
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    munmap(pages, BYTES);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run_host(pages, map_what_was_used));
    cr_expect(eq(int, protection_of(pages), PROT_NONE));
    cr_assert(eq(int, protection_of(pages + PAGE), PROT_READ | PROT_WRITE));
    cr_expect(eq(int, protection_of(pages + 2 * PAGE), PROT_READ));
    cr_expect(eq(int, protection_of(pages + 3 * PAGE), PROT_NONE));
    cr_expect(eq(int, pages[PAGE], 5));
}

static void protect_what_was_used(unsigned char *pages)
{
    for (int page = 0; page < 5; page++)
        pages[page * PAGE] = 7;
    protect(pages, PAGE, PROT_READ | PROT_WRITE);
    protect(pages + PAGE, PAGE, PROT_READ);
    protect(pages + 2 * PAGE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
    map_at(pages + 3 * PAGE, PAGE, PROT_READ | PROT_WRITE);
}

Test(register_guard, protected_while_work_runs)
{
    unsigned char *pages = map(BYTES, PROT_NONE);

    begin();
    protect(pages, BYTES, PROT_READ | PROT_WRITE);
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    protect(pages, BYTES, PROT_NONE);
    EXPECT(CUDA_SUCCESS, run_host(pages, protect_what_was_used));
    cr_expect(eq(int, protection_of(pages), PROT_READ | PROT_WRITE));
    cr_expect(eq(int, protection_of(pages + PAGE), PROT_READ));
    cr_expect(eq(int, protection_of(pages + 2 * PAGE), PROT_READ | PROT_WRITE | PROT_EXEC));
    cr_expect(eq(int, protection_of(pages + 3 * PAGE), PROT_READ | PROT_WRITE));
    cr_expect(eq(int, protection_of(pages + 4 * PAGE), PROT_NONE));
    silent();
}

/* --- tables --- */

/* Registrations have no limit. Of protections so many are put back as the table has room for. */
Test(register_guard, many_registrations_and_pieces)
{
    enum { MANY = 9000 };
    unsigned char *pages = map((size_t) 2 * MANY * PAGE, PROT_READ | PROT_WRITE);

    begin();
    for (size_t i = 0; i < MANY; i++) {
        OK(mock_cuMemHostRegister_v2(pages + 2 * i * PAGE, PAGE, 0));
        protect(pages + 2 * i * PAGE, PAGE, PROT_NONE);
    }
    for (size_t i = 0; i < MANY; i += MANY - 1) {
        EXPECT(CUDA_SUCCESS, run("sets", pages + 2 * i * PAGE, 1, PAGE / 4));
        cr_expect(eq(int, protection_of(pages + 2 * i * PAGE), PROT_NONE));
    }
    silent();
}

static void use_many(unsigned char *pages)
{
    for (size_t i = 0; i < 9000; i++)
        pages[2 * i * PAGE] = 7;
}

Test(register_guard, more_pieces_than_the_table_has)
{
    enum { MANY = 9000 };
    unsigned char *pages = map((size_t) 2 * MANY * PAGE, PROT_READ | PROT_WRITE);

    begin();
    OK(mock_cuMemHostRegister_v2(pages, (size_t) 2 * MANY * PAGE, 0));
    for (size_t i = 0; i < MANY; i++)
        protect(pages + 2 * i * PAGE, PAGE, PROT_NONE);
    EXPECT(CUDA_SUCCESS, run_host(pages, use_many));
    silent();
    cr_expect(eq(int, protection_of(pages), PROT_NONE));
    protect(pages, (size_t) 2 * MANY * PAGE, PROT_READ);
    for (size_t i = 0; i < MANY; i++)
        cr_assert(eq(int, pages[2 * i * PAGE], 7), "%zu", i);
}

/* Two registrations have parts of one page, and the device may write one of them. */
Test(register_guard, one_page_for_reading_and_writing)
{
    for (int writable = 0; writable < 2; writable++) {
        unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);
        unsigned char *there = pages + 200 * writable;

        begin();
        OK(mock_cuMemHostRegister_v2(pages + 200 * (1 - writable), 128, READ_ONLY));
        OK(mock_cuMemHostRegister_v2(there, 128, 0));
        protect(pages, BYTES, PROT_READ);
        EXPECT(CUDA_SUCCESS, run("sets", there, 1, 32));
        cr_expect(eq(int, there[124], 7));
        silent();
        munmap(pages, BYTES);
        OK(mock_cuMemHostUnregister(there));
        cr_expect(eq(int, protection_of(pages), UNMAPPED));
    }
}

/* --- the system --- */

/* Runs the kernel while the process gets no more descriptors; Criterion needs some afterwards. */
static CUresult run_without_descriptors(const unsigned char *pages)
{
    struct rlimit before, none;
    CUresult result;

    cr_assert(eq(int, getrlimit(RLIMIT_NOFILE, &before), 0));
    none = (struct rlimit){0, before.rlim_max};
    cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &none), 0));
    result = set_all(pages);
    cr_assert(eq(int, setrlimit(RLIMIT_NOFILE, &before), 0));
    return result;
}

Test(register_guard, without_a_descriptor_left)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

    begin();
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    protect(pages, BYTES, PROT_NONE);
    EXPECT(CUDA_SUCCESS, run_without_descriptors(pages));
    cr_expect(eq(int, protection_of(pages), PROT_NONE));
    munmap(pages, PAGE);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run_without_descriptors(pages));
}

/* A program may close what it has not opened, and get the same numbers for files of its own. */
static int replace_descriptors(void)
{
    const int zero = open("/dev/zero", O_RDWR);
    int replaced = 0;

    for (int i = 0; i < 64; i++) {
        char name[64], path[64];
        ssize_t n;

        snprintf(name, sizeof(name), "/proc/self/fd/%d", i);
        n = readlink(name, path, sizeof(path) - 1);
        path[n > 0 ? n : 0] = 0;
        if (strstr(path, "/maps") || strstr(path, "/memfd:cushim-mock"))
            replaced += dup2(zero, i) == i;
    }
    return replaced;
}

Test(register_guard, with_its_descriptors_closed)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);
    unsigned char *other = map(BYTES, PROT_READ | PROT_WRITE);

    begin();
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    cr_expect(eq(int, replace_descriptors(), 2));
    protect(pages, BYTES, PROT_NONE);
    EXPECT(CUDA_SUCCESS, set_all(pages));
    cr_expect(eq(int, protection_of(pages), PROT_NONE));
    OK(mock_cuMemHostRegister_v2(other, BYTES, 0));
    munmap(pages, PAGE);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, set_all(pages));
}

/* What reserves addresses maps a file, which must not be larger than the process may make files. */
Test(register_guard, where_files_are_small)
{
    const struct rlimit small = {2 * PAGE, 2 * PAGE};
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

    cr_assert(eq(int, setrlimit(RLIMIT_FSIZE, &small), 0));
    begin();
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    munmap(pages, BYTES);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, set_all(pages));
    found("which the program has unmapped", "kernel 'sets'");
    for (int page = 0; page < PAGES; page++)
        cr_expect(eq(int, protection_of(pages + page * PAGE), PROT_NONE), "page %d", page);
}

/* Kernels before 6.11 refuse to answer for one mapping, so the list is read. */
static void refuse_questions(void)
{
    const unsigned number = 'f' << 8 | 17;
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xffff),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 25 /* ENOTTY */),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof(rules) / sizeof(*rules), rules};

    cr_assert(eq(int, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0));
    cr_assert(eq(int, prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0));
}

Test(register_guard, on_an_older_kernel)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

    refuse_questions();
    for (int descriptors = 1; descriptors >= 0; descriptors--) {
        begin();
        protect(pages, BYTES, PROT_READ | PROT_WRITE);
        OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
        protect(pages + PAGE, PAGE, PROT_READ);
        protect(pages + 2 * PAGE, PAGE, PROT_NONE);
        EXPECT(CUDA_SUCCESS, descriptors ? set_all(pages) : run_without_descriptors(pages));
        cr_expect(eq(int, protection_of(pages + PAGE), PROT_READ));
        cr_expect(eq(int, protection_of(pages + 2 * PAGE), PROT_NONE));
        OK(mock_cuMemHostUnregister(pages));
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(pages, 2 * PAGE, 0));
        OK(mock_cuMemHostRegister_v2(pages, 2 * PAGE, READ_ONLY));
        EXPECT(CUDA_ERROR_INVALID_VALUE,
               mock_cuMemHostRegister_v2(pages + 2 * PAGE, PAGE, READ_ONLY));
    }
    munmap(pages, PAGE);
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run("takes", pages, 1, 1));
    cr_expect(eq(int, protection_of(pages), PROT_NONE));
    OK(mock_cuDevicePrimaryCtxReset(0));
    cr_expect(eq(int, protection_of(pages), UNMAPPED));
}

/* Pages that fault whatever their protection is must not be tried for ever. */
Test(register_guard, pages_that_always_fault)
{
    enum { MADVISE_GUARD = 102 }; /* MADV_GUARD_INSTALL, since Linux 6.13 */
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);
    const bool can = !madvise(pages, BYTES, MADVISE_GUARD);
    int status = 0;
    const pid_t child = fork();

    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        begin();
        OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
        _exit(set_all(pages) == CUDA_SUCCESS ? 0 : 1);
    }
    cr_assert(eq(int, waitpid(child, &status, 0), child));
    cr_expect(eq(int, can ? WTERMSIG(status) : status, can ? SIGSEGV : 0));
}
