/* SPDX-License-Identifier: MIT */
/*
 * Nothing tells of a host that reads a buffer while a copy is yet to fill it, but the processor:
 * pages that work will write are without access for the program, and those that it will read cannot
 * be written, from when the work is submitted until the host has waited for it. Whether the work is
 * done by then is all the same, so that a missing wait is found in whatever order work is done.
 * The mock itself uses a second mapping of the same memory, so it never meets this. The first
 * access faults; the handler notes it, makes the pages usable, and the program goes on with what a
 * GPU's host would have seen, the bytes of that moment.
 *
 * A program without this mistake must not notice:
 *
 * - Only memory that the driver allocates is watched. Whole pages are its own; memory that a
 *   program registers has neighbours, and cannot be mapped twice.
 * - A page is protected only if such work uses every byte of it that belongs to the allocation
 *   (host_cover.c). So no access to a protected page is right, and a system call that answers
 *   EFAULT for one, which no handler can mend, was given a buffer that is in use.
 * - Work that the host holds up is not watched before that is over: while a host function, or a
 *   wait for a value, lies before a copy and is not done, the host may well be using the
 *   buffer, in that function or before it gives the value.
 * - What lies before a message to the host is not watched from then on, as nobody sees whether
 *   the host has read the message: a host function, a value that a stream writes into memory of the
 *   host, a kernel whose accesses are volatile or in order for the whole system.
 * - Values that streams wait for are not watched: those are for polling.
 *
 * What a kernel uses is known when it has run. So a kernel from PTX that is given an address of
 * such memory is run as soon as it can be, unless it exchanges messages with the host: it may be
 * waiting for one.
 *
 * It is off by default all the same: it takes SIGSEGV, and a program that polls for the end of a
 * copy by its data, which works in practice, would have findings.
 *
 * The handler runs in the midst of anything, the mock with its lock included. So it takes no
 * lock and allocates nothing: it reads atomic words of tables that are never freed, and calls
 * mprotect(). What it noted becomes a finding when the host has waited or somebody asks.
 */
#include "mock/check/host_watch.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/util.h"
#include "mock/allocation/label.h"
#include "mock/allocation/memory.h"
#include "mock/base/finding.h"
#include "mock/base/hooks.h"
#include "mock/check/host_watches.h"
#include "mock/check/segv.h"
#include "mock/queue/clock.h"
#include "mock/queue/work.h"

/* The memory that is mapped twice. What does not fit the table is mapped once. */
static struct region {
    _Atomic uintptr_t begin, end; /* end is 0 in a free place */
} regions[8192];
static atomic_size_t n_regions;

enum kind { READS = 1, WRITES = 2, USES = 3 }; /* what the host did */

/* The table is large, because unused pages of it take no memory. */
static struct mock__host_watch watches[8192];
static atomic_size_t n_watches; /* the places up to the last that is used */

static bool on;
static uintptr_t page;

/* --- the handler: nothing but atomics and mprotect() --- */

static bool in_region(uintptr_t address)
{
    for (size_t i = 0; i < atomic_load(&n_regions); i++)
        if (address < atomic_load(&regions[i].end) && address >= atomic_load(&regions[i].begin))
            return true;
    return false;
}

static void open_pages(uintptr_t begin, uintptr_t end)
{
    (void) mprotect((void *) begin, end - begin, PROT_READ | PROT_WRITE);
}

struct mock__host_watch *mock__host_watch_at(size_t i)
{
    return i < atomic_load(&n_watches) ? &watches[i] : NULL;
}

static uintptr_t page_of(uintptr_t address)
{
    return address & ~(page - 1);
}

static void note(struct mock__host_watch *watch, uintptr_t address, enum kind kind)
{
    uintptr_t none = 0;

    atomic_store(&watch->kind, kind);
    atomic_compare_exchange_strong(&watch->hit, &none, address);
    open_pages(page_of(atomic_load(&watch->begin)), page_of(atomic_load(&watch->end) + page - 1));
}

static enum kind kind_of(const struct mock__segv *segv)
{
    return (enum kind)((segv->reads ? READS : 0) | (segv->writes ? WRITES : 0));
}

/*
 * Handles an access to a protected page. Another thread may have opened the page meanwhile, or
 * ended its watch: then the access is simply tried again.
 */
static bool meet(const struct mock__segv *segv)
{
    const uintptr_t address = segv->address;
    const enum kind kind = kind_of(segv);
    /* A function of the program that stands for a kernel is not the host. */
    const bool host = !segv->of_another_process && !mock__hooks.kernel_running();
    struct mock__host_watch *watch;

    if (!in_region(address))
        return false;
    for (size_t i = 0; host && (watch = mock__host_watch_at(i)); i++) {
        const bool writes = atomic_load(&watch->writes);

        if (atomic_load(&watch->armed) && address < atomic_load(&watch->end) &&
            address >= atomic_load(&watch->begin) && (writes || kind != READS))
            note(watch, address, kind);
    }
    open_pages(page_of(address), page_of(address) + page);
    return true;
}

/* --- regions --- */

void mock__host_watch_start(bool wanted)
{
    if (!wanted || on)
        return;
    page = (uintptr_t) sysconf(_SC_PAGESIZE);
    on = mock__segv_ask(meet);
}

static void *map(size_t bytes, int flags, int file)
{
    void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);

    return address == MAP_FAILED ? NULL : address;
}

static struct region *free_region(void)
{
    const size_t n = atomic_load(&n_regions);

    for (size_t i = 0; on && i < n; i++)
        if (!atomic_load(&regions[i].end))
            return &regions[i];
    if (!on || n == ARRAY_SIZE(regions))
        return NULL;
    atomic_store(&n_regions, n + 1);
    return &regions[n];
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

/* What is checked has something behind it that is nobody's: see memory.c. */
size_t mock__host_room(size_t bytes)
{
    enum { AT_LEAST = MOCK__ALIGNMENT / 2 };

    return pages(bytes + (mock__checking() ? AT_LEAST : 0));
}

bool mock__host_map(size_t bytes, uint64_t *ret_address, unsigned char **ret_host)
{
    struct region *region = free_region();
    void *address;

    bytes = mock__host_room(bytes);
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

static void report(struct mock__host_watch *watch)
{
    static const char *const words[] = {[READS] = "reads", [WRITES] = "writes", [USES] = "uses"};
    const uintptr_t hit = atomic_load(&watch->hit);

    if (!hit || watch->reported)
        return;
    watch->reported = true;
    mock__finding(CUSHIM_MOCK_HOST_ACCESS,
                  "the host %s offset %zu of %s before %s, which %s it, is known to be done. "
                  "Missing: a wait for the stream, or for an event recorded after the %s",
                  words[atomic_load(&watch->kind)], (size_t) (hit - watch->memory),
                  watch->what.text, watch->who.text,
                  atomic_load(&watch->writes) ? "writes" : "reads", watch->type);
}

static void forget(struct mock__host_watch *watch)
{
    size_t n = atomic_load(&n_watches);

    atomic_store(&watch->end, 0);
    while (n && !atomic_load(&watches[n - 1].end))
        n--;
    atomic_store(&n_watches, n);
}

/* Work of another context may still want it: its watch must not touch what comes to be there. */
void mock__host_unmap(const struct mock__memory *memory)
{
    const size_t bytes = mock__host_room(memory->bytes);

    for (size_t i = atomic_load(&n_watches); twice(memory) && i-- > 0;)
        if (watches[i].memory == memory->address) {
            report(&watches[i]);
            forget(&watches[i]);
        }
    for (size_t i = 0; twice(memory) && i < atomic_load(&n_regions); i++)
        if (atomic_load(&regions[i].end) && atomic_load(&regions[i].begin) == memory->address)
            atomic_store(&regions[i].end, 0);
    munmap((void *) (uintptr_t) memory->address, bytes);
    if (twice(memory))
        munmap(memory->host, bytes);
}

static struct mock__host_watch *free_watch(void)
{
    const size_t n = atomic_load(&n_watches);

    for (size_t i = 0; i < n; i++)
        if (!atomic_load(&watches[i].end))
            return &watches[i];
    if (n == ARRAY_SIZE(watches))
        return NULL;
    atomic_store(&n_watches, n + 1);
    return &watches[n];
}

/* Ends one watch, after the host has waited or may know by other means that the work is done. */
static void end_watch(struct mock__host_watch *watch)
{
    const uintptr_t begin = atomic_load(&watch->begin), end = atomic_load(&watch->end);

    report(watch);
    forget(watch);
    mock__host_cover(begin, end);
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

static bool held(const struct mock__work *work)
{
    for (const struct mock__queue *queue = mock__busy_queues(); work && queue;
         queue = queue->next_busy)
        if (holds(queue, work))
            return true;
    return false;
}

/* Who waits for the later one waits for the earlier one, too. */
static bool replaces(const struct mock__host_watch *now, const struct mock__host_watch *old)
{
    return now != old && old->number && old->slot == now->slot && old->number < now->number &&
           atomic_load(&old->armed) && !atomic_load(&old->hit) &&
           atomic_load(&now->begin) <= atomic_load(&old->begin) &&
           atomic_load(&now->end) >= atomic_load(&old->end) &&
           (atomic_load(&now->writes) || !atomic_load(&old->writes));
}

static void arm(struct mock__host_watch *watch)
{
    atomic_store(&watch->armed, true);
    for (size_t i = atomic_load(&n_watches); i-- > 0;)
        if (atomic_load(&watches[i].end) && replaces(watch, &watches[i]))
            forget(&watches[i]);
    mock__host_cover(atomic_load(&watch->begin), atomic_load(&watch->end));
}

void mock__host_watch_arm(void)
{
    for (size_t i = 0; i < atomic_load(&n_watches); i++)
        if (atomic_load(&watches[i].end) && watches[i].number && !atomic_load(&watches[i].armed) &&
            !held(watches[i].work))
            arm(&watches[i]);
}

static void set_place(struct mock__host_watch *watch, const struct mock__queue *queue,
                      uint64_t number)
{
    watch->slot = queue->slot;
    watch->number = number;
    watch->who = mock__say_work(watch->work);
}

void mock__host_watch_submitted(const struct mock__work *work)
{
    for (size_t i = 0; i < atomic_load(&n_watches); i++)
        if (atomic_load(&watches[i].end) && watches[i].work == work && !watches[i].number)
            set_place(&watches[i], work->queue, work->queue->submitted);
    mock__host_watch_arm();
}

static const struct mock__memory *watchable(uint64_t address)
{
    const struct mock__memory *memory = on ? mock__memory_find(address) : NULL;

    return memory && mock__checking() && memory->kind != MOCK__DEVICE_MEMORY && twice(memory)
               ? memory
               : NULL;
}

bool mock__host_watches(uint64_t address)
{
    return watchable(address) != NULL;
}

static struct mock__host_watch *begin_watch(const struct mock__work *work, uint64_t address,
                                            size_t bytes, enum mock__access access)
{
    const struct mock__memory *memory = watchable(address);
    struct mock__host_watch *watch = memory ? free_watch() : NULL;

    if (!watch)
        return NULL;
    atomic_store(&watch->armed, false);
    atomic_store(&watch->hit, 0);
    atomic_store(&watch->writes, access & MOCK__WRITE);
    watch->reported = false;
    watch->work = work;
    watch->type = work->type->name;
    watch->number = 0;
    watch->what = mock__say_memory(memory);
    watch->memory = memory->address;
    watch->memory_end = memory->address + memory->bytes;
    atomic_store(&watch->begin, address);
    atomic_store(&watch->end, address + bytes);
    return watch;
}

void mock__host_watch(struct mock__work *work, uint64_t address, size_t bytes,
                      enum mock__access access)
{
    work->watched |= bytes && begin_watch(work, address, bytes, access);
}

void mock__host_watch_used(const struct mock__work *work, uint64_t address, size_t bytes,
                           enum mock__access access)
{
    enum { TOO_SMALL = 256 }; /* to make up a page, unless it is all that there is */
    const struct mock__memory *memory = watchable(address);
    struct mock__host_watch *watch;

    if (!memory || (bytes < TOO_SMALL && bytes != memory->bytes))
        return;
    watch = begin_watch(work, address, bytes, access);
    if (!watch)
        return;
    set_place(watch, work->queue, work->queue->done + 1);
    watch->work = NULL;
    arm(watch);
}

void mock__host_watch_done(const struct mock__work *work)
{
    for (size_t i = atomic_load(&n_watches); i-- > 0;) {
        struct mock__host_watch *watch = &watches[i];

        if (!atomic_load(&watch->end) || watch->work != work)
            continue;
        watch->work = NULL;
        if (!watch->number) /* it is not submitted after all */
            forget(watch);
        else if (!atomic_load(&watch->armed))
            arm(watch);
    }
}

bool mock__host_watches_slot(unsigned slot)
{
    for (size_t i = 0; i < atomic_load(&n_watches); i++)
        if (atomic_load(&watches[i].end) && watches[i].number && watches[i].slot == slot)
            return true;
    return false;
}

void mock__host_watch_behind(const struct mock__clock *clock)
{
    for (size_t i = atomic_load(&n_watches); i-- > 0;)
        if (atomic_load(&watches[i].end) && watches[i].number &&
            mock__clock_reached(clock, watches[i].slot, watches[i].number))
            end_watch(&watches[i]);
}

void mock__host_watch_report(void)
{
    for (size_t i = 0; i < atomic_load(&n_watches); i++)
        if (atomic_load(&watches[i].end))
            report(&watches[i]);
}
