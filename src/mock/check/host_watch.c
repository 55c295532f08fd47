/* SPDX-License-Identifier: MIT */
/*
 * Nothing tells of a host that reads a buffer while a copy is yet to fill it, but the processor:
 * pages that unfinished work will write are without access for the program, and those that it
 * will read cannot be written. The mock itself uses a second mapping of the same memory, so it
 * never meets this. The first access faults; the handler notes it, makes the pages usable, and
 * the program goes on with what a GPU's host would have seen, the bytes of that moment.
 *
 * A program without this mistake must not notice:
 *
 * - Only memory that the driver allocates is watched. Whole pages are its own; memory that a
 *   program registers has neighbours, and cannot be mapped twice.
 * - A page is protected only if the work uses every byte of it that belongs to the
 *   allocation. So no access to a protected page is right, and a system call that answers EFAULT
 *   for one, which no handler can mend, was given a buffer that is in use.
 * - Work that the host holds up is not watched before that is over: while a host function, or a
 *   wait for a value, lies before a copy and is not done, the host may well be using the
 *   buffer, in that function or before it gives the value.
 * - Work that is done as soon as it is submitted, and kernels, which do not say beforehand what
 *   they use, are not watched. Nor are values that streams wait for: those are for polling.
 *
 * It is off by default all the same: it takes SIGSEGV, and a program that polls for the end of a
 * copy by its data, which works in practice, would have findings.
 *
 * The handler runs in the midst of anything, the mock with its lock included. So it takes no
 * lock and allocates nothing: it reads atomic words of tables that are never freed, and calls
 * mprotect(). What it noted becomes a finding when the work ends or somebody asks.
 */
#include "mock/check/host_watch.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/util.h"
#include "mock/allocation/memory.h"
#include "mock/base/finding.h"
#include "mock/queue/clock.h"
#include "mock/queue/work.h"

/* The memory that is mapped twice. What does not fit the table is mapped once. */
static struct region {
    _Atomic uintptr_t begin, end; /* end is 0 in a free place */
} regions[1024];

enum kind { READS = 1, WRITES = 2, USES = 3 }; /* what the host did */

static struct watch {
    _Atomic uintptr_t begin, end; /* whole pages; end is 0 in a free place */
    atomic_bool armed;            /* nothing of the host's is before the work any more */
    atomic_bool writes;           /* the work writes: no access. Else: no writing */
    _Atomic uintptr_t hit;        /* where the host came, 0 while it has not */
    _Atomic enum kind kind;
    bool reported;
    const struct mock__work *work;
    struct mock__words what; /* the memory */
    uintptr_t memory;        /* where that begins */
} watches[256];

static bool on;
static pid_t process;
static uintptr_t page;
static struct sigaction before; /* who had the signal */

/* --- the handler: nothing but atomics and mprotect() --- */

static enum kind kind_of(const ucontext_t *context)
{
#ifdef __x86_64__
    return context->uc_mcontext.gregs[REG_ERR] & 2 ? WRITES : READS;
#else
    (void) context;
    return USES;
#endif
}

static bool in_region(uintptr_t address)
{
    for (size_t i = 0; i < ARRAY_SIZE(regions); i++)
        if (address < atomic_load(&regions[i].end) && address >= atomic_load(&regions[i].begin))
            return true;
    return false;
}

static void open_pages(uintptr_t begin, uintptr_t end)
{
    (void) mprotect((void *) begin, end - begin, PROT_READ | PROT_WRITE);
}

static void note(struct watch *watch, uintptr_t address, enum kind kind)
{
    uintptr_t none = 0;

    atomic_store(&watch->kind, kind);
    atomic_compare_exchange_strong(&watch->hit, &none, address);
    open_pages(atomic_load(&watch->begin), atomic_load(&watch->end));
}

/* The page may have been opened meanwhile, or have no watch any more: then it is tried again. */
static void meet(uintptr_t address, enum kind kind)
{
    for (size_t i = 0; getpid() == process && i < ARRAY_SIZE(watches); i++) {
        struct watch *watch = &watches[i];
        const bool writes = atomic_load(&watch->writes);

        if (atomic_load(&watch->armed) && address < atomic_load(&watch->end) &&
            address >= atomic_load(&watch->begin) && (writes || kind != READS))
            note(watch, address, kind);
    }
    open_pages(address & ~(page - 1), (address & ~(page - 1)) + page);
}

/* A fault that is not ours goes where it went before. */
static void pass_on(int signal_number, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(signal_number, info, context);
        return;
    }
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(signal_number);
        return;
    }
    /* What was sent by kill() does not come again by itself. */
    if (info->si_code <= 0 && before.sa_handler == SIG_IGN)
        return;
    signal(signal_number, SIG_DFL);
    if (info->si_code <= 0)
        raise(signal_number);
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    const uintptr_t address = (uintptr_t) info->si_addr;
    const int error = errno;

    if (info->si_code > 0 && in_region(address))
        meet(address, kind_of(context));
    else
        pass_on(signal_number, info, context);
    errno = error;
}

/* --- regions --- */

void mock__host_watch_start(bool wanted)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    if (!wanted || on)
        return;
    page = (uintptr_t) sysconf(_SC_PAGESIZE);
    process = getpid();
    sigemptyset(&action.sa_mask);
    on = !sigaction(SIGSEGV, &action, &before);
}

static void *map(size_t bytes, int flags, int file)
{
    void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);

    return address == MAP_FAILED ? NULL : address;
}

static struct region *free_region(void)
{
    for (size_t i = 0; on && i < ARRAY_SIZE(regions); i++)
        if (!atomic_load(&regions[i].end))
            return &regions[i];
    return NULL;
}

/* Twice, from a file without a name. */
static bool map_twice(size_t bytes, struct region *region, uint64_t *ret_address,
                      unsigned char **ret_host)
{
    const int file = memfd_create("cushim-mock", MFD_CLOEXEC);
    void *address = NULL, *host = NULL;

    if (file >= 0 && !ftruncate(file, (off_t) bytes)) {
        address = map(bytes, MAP_SHARED, file);
        host = address ? map(bytes, MAP_SHARED, file) : NULL;
    }
    if (file >= 0)
        close(file);
    if (!host) {
        if (address)
            munmap(address, bytes);
        return false;
    }
    atomic_store(&region->begin, (uintptr_t) address);
    atomic_store(&region->end, (uintptr_t) address + bytes);
    *ret_address = (uintptr_t) address;
    *ret_host = host;
    return true;
}

static size_t pages(size_t bytes)
{
    const size_t size = (size_t) sysconf(_SC_PAGESIZE);

    return (bytes + size - 1) & ~(size - 1);
}

bool mock__host_map(size_t bytes, uint64_t *ret_address, unsigned char **ret_host)
{
    struct region *region = free_region();
    void *address;

    bytes = pages(bytes);
    if (region && map_twice(bytes, region, ret_address, ret_host))
        return true;
    address = map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (!address)
        return false;
    *ret_address = (uintptr_t) address;
    *ret_host = address;
    return true;
}

static bool twice(const struct mock__memory *memory)
{
    return (uintptr_t) memory->host != memory->address;
}

/* --- watches --- */

/* Work of another context may still want it: its watch must not touch what comes to be there. */
void mock__host_unmap(const struct mock__memory *memory)
{
    const size_t bytes = pages(memory->bytes);

    for (size_t i = 0; twice(memory) && i < ARRAY_SIZE(watches); i++)
        if (atomic_load(&watches[i].begin) - memory->address < bytes)
            atomic_store(&watches[i].end, 0);
    for (size_t i = 0; twice(memory) && i < ARRAY_SIZE(regions); i++)
        if (atomic_load(&regions[i].end) && atomic_load(&regions[i].begin) == memory->address)
            atomic_store(&regions[i].end, 0);
    munmap((void *) (uintptr_t) memory->address, bytes);
    if (twice(memory))
        munmap(memory->host, bytes);
}

/* Protects what the watches of one kind have in [begin, end). */
static void protect(uintptr_t begin, uintptr_t end, bool writes)
{
    for (size_t i = 0; i < ARRAY_SIZE(watches); i++) {
        const struct watch *watch = &watches[i];
        uintptr_t from = atomic_load(&watch->begin), to = atomic_load(&watch->end);

        from = from > begin ? from : begin;
        to = to < end ? to : end;
        if (from < to && atomic_load(&watch->armed) && !atomic_load(&watch->hit) &&
            atomic_load(&watch->writes) == writes)
            (void) mprotect((void *) from, to - from, writes ? PROT_NONE : PROT_READ);
    }
}

/* The stricter ones last. */
static void protect_again(uintptr_t begin, uintptr_t end)
{
    protect(begin, end, false);
    protect(begin, end, true);
}

/* The pages of which [begin, end) has all bytes that belong to the memory. */
static bool whole_pages(const struct mock__memory *memory, uintptr_t *begin, uintptr_t *end)
{
    const uintptr_t memory_end = memory->address + memory->bytes;

    *begin = (*begin + page - 1) & ~(page - 1);
    *end = *end == memory_end ? (memory_end + page - 1) & ~(page - 1) : *end & ~(page - 1);
    return *begin < *end;
}

static struct watch *free_watch(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(watches); i++)
        if (!atomic_load(&watches[i].end))
            return &watches[i];
    return NULL;
}

/* Is there work left in the queue that the host has in its hands, and that lies before? */
static bool holds(const struct mock__queue *queue, const struct mock__work *later)
{
    uint64_t number = queue->done;

    for (const struct mock__work *work = queue->first; work; work = work->next) {
        number++;
        if ((work->type->host || work->type->ready) && work != later &&
            mock__clock_reached(later->clock, queue->slot, number))
            return true;
    }
    return false;
}

static void arm(struct watch *watch)
{
    for (const struct mock__queue *queue = mock__busy_queues(); queue; queue = queue->next_busy)
        if (holds(queue, watch->work))
            return;
    atomic_store(&watch->armed, true);
    protect_again(atomic_load(&watch->begin), atomic_load(&watch->end));
}

void mock__host_watch_arm(void)
{
    for (size_t i = 0; on && i < ARRAY_SIZE(watches); i++)
        if (atomic_load(&watches[i].end) && !atomic_load(&watches[i].armed) &&
            watches[i].work->queue)
            arm(&watches[i]);
}

static void begin_watch(struct watch *watch, struct mock__work *work, uintptr_t begin,
                        uintptr_t end)
{
    atomic_store(&watch->hit, 0);
    atomic_store(&watch->armed, false);
    watch->reported = false;
    watch->work = work;
    work->watched = true;
    atomic_store(&watch->begin, begin);
    atomic_store(&watch->end, end);
}

void mock__host_watch(struct mock__work *work, uint64_t address, size_t bytes,
                      enum mock__access access)
{
    const struct mock__memory *memory = on ? mock__memory_find(address) : NULL;
    uintptr_t begin = address, end = address + bytes;
    struct watch *watch;

    if (!memory || !mock__checking() || memory->kind == MOCK__DEVICE_MEMORY || !twice(memory) ||
        !whole_pages(memory, &begin, &end) || !(watch = free_watch()))
        return;
    atomic_store(&watch->writes, access & MOCK__WRITE);
    watch->what = mock__say_memory(memory);
    watch->memory = memory->address;
    begin_watch(watch, work, begin, end);
}

/* Of the work that has it, so that the text can say its stream. */
static void report(struct watch *watch)
{
    static const char *const words[] = {[READS] = "reads", [WRITES] = "writes", [USES] = "uses"};
    const uintptr_t hit = atomic_load(&watch->hit);

    if (!hit || watch->reported || !watch->work->queue)
        return;
    watch->reported = true;
    mock__finding(CUSHIM_MOCK_HOST_ACCESS,
                  "the host %s offset %zu of %s before %s, which %s it, is done. Missing: a wait "
                  "for the stream, or for an event recorded after the %s",
                  words[atomic_load(&watch->kind)], (size_t) (hit - watch->memory),
                  watch->what.text, mock__say_work(watch->work).text,
                  atomic_load(&watch->writes) ? "writes" : "reads", watch->work->type->name);
}

void mock__host_watch_end(const struct mock__work *work)
{
    for (size_t i = 0; i < ARRAY_SIZE(watches); i++) {
        struct watch *watch = &watches[i];
        const uintptr_t begin = atomic_load(&watch->begin), end = atomic_load(&watch->end);

        if (!end || watch->work != work)
            continue;
        report(watch);
        atomic_store(&watch->end, 0);
        open_pages(begin, end);
        protect_again(begin, end);
    }
}

void mock__host_watch_report(void)
{
    for (size_t i = 0; on && i < ARRAY_SIZE(watches); i++)
        if (atomic_load(&watches[i].end))
            report(&watches[i]);
}
