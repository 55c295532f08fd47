/* SPDX-License-Identifier: MIT */
/*
 * Memory that the program registers: what is not there, or not to be written, is refused, and what
 * becomes of it afterwards does not end the process when work uses it.
 */
#include <signal.h>
#include <sys/wait.h>

#include "registered.h"

TestSuite(register, .timeout = 60);

static unsigned char bytes[BYTES];

/* --- what is refused --- */

Test(register, what_is_not_there)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE), *closed = map(BYTES, PROT_NONE);

    begin();
    munmap(pages + 4 * PAGE, PAGE);
    munmap(pages + 8 * PAGE, 8 * PAGE);
    for (int flags = 0; flags <= READ_ONLY; flags += READ_ONLY) {
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(closed, BYTES, flags));
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(closed + 10, 1, flags));
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(pages + 4 * PAGE, PAGE, flags));
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(pages, 8 * PAGE, flags));
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(pages, 4 * PAGE + 1, flags));
        EXPECT(CUDA_ERROR_INVALID_VALUE,
               mock_cuMemHostRegister_v2(pages + 7 * PAGE, PAGE + 1, flags));
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2((void *) 16, 1, flags));
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2((void *) -PAGE, 16, flags));
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(pages, SIZE_MAX, flags));
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(pages, 0, flags));
        OK(mock_cuMemHostRegister_v2(pages, 4 * PAGE, flags));
        OK(mock_cuMemHostRegister_v2(pages + 5 * PAGE + 100, 3 * PAGE - 100, flags));
        OK(mock_cuMemHostUnregister(pages));
        OK(mock_cuMemHostUnregister(pages + 5 * PAGE + 100));
    }
}

/* It is a range, however many mappings it is made of. */
Test(register, mappings_that_follow_each_other)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

    begin();
    cr_assert(eq(int, mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC), 0));
    cr_assert(eq(int, mprotect(pages + 3 * PAGE, PAGE, PROT_READ), 0));
    OK(mock_cuMemHostRegister_v2(pages, 3 * PAGE, 0));
    OK(mock_cuMemHostRegister_v2(pages + 3 * PAGE, 2 * PAGE, READ_ONLY));
    OK(mock_cuMemHostUnregister(pages + 3 * PAGE));
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(pages + 3 * PAGE, 2 * PAGE, 0));
}

static size_t memory_of_host(void)
{
    return (size_t) sysconf(_SC_PHYS_PAGES) * PAGE;
}

/* What is registered is not touched: the host has as much memory as is written. */
Test(register, much_more_than_is_used)
{
    const size_t size = memory_of_host() / 8;
    unsigned char *pages = map(size, PROT_READ | PROT_WRITE), there = 1;

    begin();
    OK(mock_cuMemHostRegister_v2(pages, size, 0));
    OK(mock_cuMemcpyDtoH_v2(pages + size / 2, device, PAGE));
    cr_expect(eq(int, pages[size / 2], 9));
    cr_assert(eq(int, mincore(pages, PAGE, &there), 0));
    cr_expect(eq(int, there & 1, 0));
    OK(mock_cuMemHostUnregister(pages));
}

/* An H100 in a host of 126 GiB answered so for 128 GiB and more, whatever the pages were. */
Test(register, more_than_the_host_has)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

    begin();
    for (int flags = 0; flags <= READ_ONLY; flags += READ_ONLY) {
        EXPECT(CUDA_ERROR_OUT_OF_MEMORY, mock_cuMemHostRegister_v2(pages, (size_t) 1 << 45, flags));
        EXPECT(CUDA_ERROR_OUT_OF_MEMORY,
               mock_cuMemHostRegister_v2(pages, memory_of_host() + 1, flags));
        EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(pages, memory_of_host(), flags));
    }
}

/* --- for reading alone --- */

Test(register, read_only_memory_needs_its_flag)
{
    unsigned char *pages = map(BYTES, PROT_READ);

    begin();
    EXPECT(CUDA_ERROR_INVALID_VALUE, mock_cuMemHostRegister_v2(pages, BYTES, 0));
    OK(mock_cuMemHostRegister_v2(pages, BYTES, READ_ONLY));
    EXPECT(CUDA_SUCCESS, run("takes", pages, PAGES, PAGE / 4));
    OK(mock_cuMemcpyDtoH_v2(bytes, device, BYTES));
    cr_expect(eq(int, bytes[BYTES - 1], 0));
    OK(mock_cuMemcpyHtoD_v2(device, pages, BYTES));
    silent();
    OK(mock_cuMemHostUnregister(pages));
}

Test(register, a_device_without_the_flag)
{
    cr_assert(
        eq(int,
           cushim_mock_configure(
               cushim_mock_config(.settings = "device.*.read_only_host_register_supported = 0\n")),
           CUSHIM_OK));
    begin();
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, mock_cuMemHostRegister_v2(bytes, BYTES, READ_ONLY));
    OK(mock_cuMemHostRegister_v2(bytes, BYTES, 0));
}

static void host_kernel(const struct cushim_mock_launch *launch, void *const *args)
{
    unsigned char *p = cushim_mock_output(*(const uint64_t *) args[0], 4);

    (void) launch;
    if (p)
        memset(p, 7, 4);
}

static CUresult copy_to(unsigned char *pages)
{
    CUresult result = mock_cuMemcpyDtoHAsync_v2(pages, device, BYTES, NULL);

    return result ? result : mock_cuCtxSynchronize();
}

static CUresult fill(unsigned char *pages)
{
    CUresult result = mock_cuMemsetD8Async((uintptr_t) pages, 7, BYTES, NULL);

    return result ? result : mock_cuCtxSynchronize();
}

static CUresult set_value(unsigned char *pages)
{
    CUresult result = mock_cuStreamWriteValue32_v2(NULL, (uintptr_t) pages, 7, 0);

    return result ? result : mock_cuCtxSynchronize();
}

static CUresult set_by_host(unsigned char *pages)
{
    return run("hosts", pages, 1, 1);
}

static CUresult set_all(unsigned char *pages)
{
    return run("sets", pages, PAGES, PAGE / 4);
}

static CUresult set_first(unsigned char *pages)
{
    return run("sets", pages, 1, 1);
}

static CUresult count(unsigned char *pages)
{
    return run("counts", pages, 1, 64);
}

static CUresult take_all(unsigned char *pages)
{
    return run("takes", pages, PAGES, PAGE / 4);
}

static CUresult copy_from(unsigned char *pages)
{
    return mock_cuMemcpyHtoD_v2(device, pages, BYTES);
}

static CUresult copy_from_later(unsigned char *pages)
{
    CUresult result = mock_cuMemcpyHtoDAsync_v2(device, pages, BYTES, NULL);

    return result ? result : mock_cuCtxSynchronize();
}

static CUresult wait_for_value(unsigned char *pages)
{
    CUresult result =
        mock_cuStreamWaitValue32_v2(NULL, (uintptr_t) pages, 7, CU_STREAM_WAIT_VALUE_EQ);

    return result ? result : mock_cuCtxSynchronize();
}

/* The first ones write. */
static CUresult (*const uses[])(unsigned char *pages) = {
    set_all,   set_first, count,     set_by_host,     copy_to,       fill,
    set_value, take_all,  copy_from, copy_from_later, wait_for_value};
enum { WRITES = 7, USES = sizeof(uses) / sizeof(uses[0]) };

/* As the memory may be: writable for the host, and not. */
Test(register, devices_only_read_what_is_registered_so)
{
    OK(cushim_mock_register_kernel("hosts", host_kernel, NULL));
    for (int protection = PROT_READ; protection <= (PROT_READ | PROT_WRITE); protection += 2) {
        unsigned char *pages = map(BYTES, protection);

        for (size_t i = 0; i < WRITES; i++) {
            begin();
            OK(mock_cuMemHostRegister_v2(pages, BYTES, READ_ONLY));
            EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, uses[i](pages));
            found("registered for reading alone", "made by cuMemHostRegister");
            EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuCtxSynchronize());
            cr_expect(eq(int, pages[0], 0));
        }
        munmap(pages, BYTES);
    }
}

/* The rest of a page may be read, and not written. */
Test(register, beside_what_is_registered_for_reading)
{
    unsigned char *pages = map(BYTES, PROT_READ);

    begin();
    OK(mock_cuMemHostRegister_v2(pages, 100, READ_ONLY));
    EXPECT(CUDA_SUCCESS, run("takes", pages, 1, 32));
    found("reads: 4 bytes at offset 100", "made by cuMemHostRegister");
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run("sets", pages + 100, 1, 1));
}

/* --- what happens to it afterwards --- */

Test(register, unmapped_while_registered)
{
    OK(cushim_mock_register_kernel("hosts", host_kernel, NULL));
    for (size_t i = 0; i < USES; i++) {
        unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

        begin();
        OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
        munmap(pages, BYTES);
        EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, uses[i](pages));
        found("made by cuMemHostRegister", "which the program has unmapped and not unregistered");
        EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, mock_cuCtxSynchronize());
        for (int page = 0; page < PAGES; page++)
            cr_expect(not(readable(pages + page * PAGE)), "%zu: page %d", i, page);
    }
}

Test(register, unmapped_and_unregistered)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

    begin();
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    munmap(pages, BYTES);
    OK(mock_cuMemHostUnregister(pages));
    EXPECT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, mock_cuMemHostUnregister(pages));
    silent();
}

/* A hole, and kernels that use what is left, and then the hole; other mappings stay as they are. */
Test(register, unmapped_in_parts)
{
    for (unsigned workers = 1; workers <= 4; workers += 3) {
        unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

        setenv("CUSHIM_MOCK_PTX_WORKERS", workers == 1 ? "1" : "4", 1);
        begin();
        OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
        for (int page = 1; page < PAGES - 1; page += 2)
            munmap(pages + page * PAGE, PAGE);
        EXPECT(CUDA_SUCCESS, run("sets", pages + 2 * PAGE, 1, PAGE / 4));
        silent();
        EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, set_all(pages));
        found("which the program has unmapped", "kernel 'sets'");
        for (int page = 0; page < PAGES - 1; page++) {
            cr_expect(eq(int, readable(pages + page * PAGE), page % 2 == 0), "page %d", page);
            if (page % 2 == 0)
                cr_expect(eq(int, pages[page * PAGE + 4], 7), "page %d", page);
        }
        munmap(pages, BYTES);
    }
}

/* The pages are the device's, whatever the host may do with them. */
Test(register, protected_while_registered)
{
    OK(cushim_mock_register_kernel("hosts", host_kernel, NULL));
    for (size_t i = 0; i < USES - 1; i++) {
        unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

        begin();
        OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
        cr_assert(eq(int, mprotect(pages, BYTES, PROT_NONE), 0));
        cr_assert(eq(int, mprotect(pages + 2 * PAGE, PAGE, PROT_READ), 0));
        EXPECT(CUDA_SUCCESS, uses[i](pages));
        silent();
        for (int page = 0; page < PAGES; page++)
            cr_expect(eq(int, readable(pages + page * PAGE), page == 2), "%zu: page %d", i, page);
        OK(mock_cuMemHostUnregister(pages));
        cr_assert(eq(int, mprotect(pages, BYTES, PROT_READ), 0));
        cr_expect(eq(int, pages[0] != 0, i < WRITES), "%zu", i);
        munmap(pages, BYTES);
    }
}

/* Something else that the program puts in the place is what work finds there. */
Test(register, mapped_again)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE), *again;

    begin();
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    munmap(pages, BYTES);
    again = mmap(pages, BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    cr_assert(eq(ptr, again, pages));
    EXPECT(CUDA_SUCCESS, set_all(pages));
    silent();
    cr_expect(eq(int, again[BYTES - 4], 7));
}

/* --- the program's own faults stay its own --- */

Test(register, the_program_still_faults, .signal = SIGSEGV)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

    begin();
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    munmap(pages, BYTES);
    *(volatile unsigned char *) pages = 1;
}

static volatile sig_atomic_t handled, segv_blocked, usr1_blocked;

static void open_page(int number, siginfo_t *info, void *context)
{
    sigset_t set;

    (void) number;
    (void) context;
    sigemptyset(&set);
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    segv_blocked = sigismember(&set, SIGSEGV);
    usr1_blocked = sigismember(&set, SIGUSR1);
    handled++;
    mprotect((void *) ((uintptr_t) info->si_addr & ~(uintptr_t) (PAGE - 1)), PAGE,
             PROT_READ | PROT_WRITE);
}

/* The program's handler is asked for what is not the mock's: also for registered memory. */
Test(register, the_handler_of_the_program)
{
    const struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO};
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

    cr_assert(eq(int, sigaction(SIGSEGV, &action, NULL), 0));
    begin();
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    protect(pages, BYTES, PROT_NONE);
    EXPECT(CUDA_SUCCESS, run("sets", pages, 1, 1));
    cr_expect(eq(int, handled, 0));
    *(volatile unsigned char *) pages = 1;
    cr_expect(eq(int, handled, 1));
}

/* Registers pages, protects them, and handles faults with the flags. */
static unsigned char *with_handler(int flags)
{
    struct sigaction action = {.sa_sigaction = open_page, .sa_flags = SA_SIGINFO | flags};
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);

    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    cr_assert(eq(int, sigaction(SIGSEGV, &action, NULL), 0));
    begin();
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    protect(pages, BYTES, PROT_NONE);
    return pages;
}

Test(register, the_signals_that_the_program_blocks)
{
    volatile unsigned char *pages = with_handler(0);

    pages[0] = 1;
    cr_expect(eq(int, handled, 1));
    cr_expect(eq(int, segv_blocked, 1));
    cr_expect(eq(int, usr1_blocked, 1));
}

Test(register, the_signals_that_the_program_does_not_block)
{
    volatile unsigned char *pages = with_handler(SA_NODEFER);

    pages[0] = 1;
    cr_expect(eq(int, handled, 1));
    cr_expect(eq(int, segv_blocked, 0));
    cr_expect(eq(int, usr1_blocked, 1));
}

Test(register, a_handler_that_is_called_once, .signal = SIGSEGV)
{
    volatile unsigned char *pages = with_handler((int) SA_RESETHAND);

    pages[0] = 1;
    cr_assert(eq(int, handled, 1));
    EXPECT(CUDA_SUCCESS, set_all((unsigned char *) pages));
    pages[PAGE] = 1;
}

Test(register, a_thread_that_blocks_the_signal)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);
    sigset_t set;

    setenv("CUSHIM_MOCK_PTX_WORKERS", "4", 1);
    begin();
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    protect(pages, BYTES, PROT_NONE);
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    EXPECT(CUDA_SUCCESS, set_all(pages));
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    cr_expect(eq(int, sigismember(&set, SIGSEGV), 1));
}

/* In a child no work is done, so nothing is helped. */
Test(register, a_child_of_fork)
{
    unsigned char *pages = map(BYTES, PROT_READ | PROT_WRITE);
    int status = 0;
    pid_t child;

    begin();
    OK(mock_cuMemHostRegister_v2(pages, BYTES, 0));
    child = fork();
    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        munmap(pages, BYTES);
        _exit(mock_cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    }
    cr_assert(eq(int, waitpid(child, &status, 0), child));
    cr_expect(eq(int, status, 0));
    EXPECT(CUDA_SUCCESS, set_all(pages));
    cr_expect(eq(int, pages[BYTES - 4], 7));
}
