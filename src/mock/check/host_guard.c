/* SPDX-License-Identifier: MIT */
/*
 * The pages of registered memory belong to the program. It may unmap or protect them before it
 * unregisters them, or while work uses them. A real device keeps such pages, because they are
 * pinned. The mock cannot: the system does not map private pages a second time. So it does this:
 *
 * - Where the program has unmapped registered memory, the mock reserves the addresses until the
 *   memory is unregistered (host_plugs.c). So nothing else, such as the stack of a new thread, gets
 *   a place there that work would overwrite. The driver functions look for such holes, and so does
 *   the mock before each piece of work.
 * - Work that uses these addresses faults. The handler of SIGSEGV makes them memory until the work
 *   is done. A device would still have the data, but the mock has lost it. So this is a finding,
 *   and the context is broken as by an illegal access.
 * - Protected pages fault as well. They are opened, and get their protection back when the work is
 *   done. A device ignores the protection, too.
 *
 * Pages are opened with PROT_WRITE alone, which lets a processor read them, too. No program asks
 * for that, so it tells which pages are still as the handler left them: if the program has changed
 * the protection meanwhile, or has mapped something else, the pages have another protection, and
 * stay as they are. Pages that cannot be opened in this way, because a file may only be read, are
 * opened with what is needed, and do not get their protection back.
 *
 * Only faults of threads that do the work are handled here. The table of registered memory does not
 * change meanwhile, because the thread that does the work has the lock. The handler takes no lock
 * and allocates nothing.
 */
#include "mock/check/host_guard.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/util.h"
#include "mock/allocation/host_pages.h"
#include "mock/allocation/label.h"
#include "mock/allocation/memory.h"
#include "mock/base/context.h"
#include "mock/base/finding.h"
#include "mock/check/host_plugs.h"
#include "mock/check/segv.h"
#include "mock/queue/work.h"

/*
 * Registered memory, sorted by address. Two registrations may have parts of one page; then the
 * later one does not begin or end before the earlier one.
 */
static struct range {
    uint64_t address;
    uintptr_t begin, end; /* by whole pages */
    bool read_only;       /* for the device */
} * ranges;
static size_t n_ranges, room;

/* The protections that the handler changed for the work that runs now. */
static struct patch {
    uintptr_t begin, end;
    int before, opened;
} patches[8192];
static atomic_size_t n_patches;

/* The threads that do the work that runs now; none if none runs. */
static _Atomic pid_t threads[1024];
static atomic_size_t n_threads;
static bool was_blocked; /* SIGSEGV, in the first thread */

static _Atomic uintptr_t gone; /* the first address that was used after it was unmapped, or 0 */
static atomic_size_t retries;  /* faults at pages that looked usable */

static uintptr_t page_of(uintptr_t address)
{
    return address & ~((uintptr_t) sysconf(_SC_PAGESIZE) - 1);
}

static uintptr_t page_behind(uintptr_t address)
{
    return page_of(address + (uintptr_t) sysconf(_SC_PAGESIZE) - 1);
}

/* --- the handler: nothing but atomics and system calls, and the table, which does not change ---
 */

static bool is_working(void)
{
    const size_t n = atomic_load(&n_threads);
    const pid_t self = n ? (pid_t) syscall(SYS_gettid) : 0;

    for (size_t i = 0; i < n && i < ARRAY_SIZE(threads); i++)
        if (atomic_load(&threads[i]) == self)
            return true;
    return false;
}

/* Returns the place of the first range that ends behind an address. */
static size_t first_behind(uintptr_t address)
{
    size_t low = 0, high = n_ranges;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (ranges[middle].end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Returns the range of an address. One that the device may write is preferred. */
static const struct range *range_at(uintptr_t address)
{
    const struct range *found = NULL;

    for (size_t i = first_behind(address); i < n_ranges && ranges[i].begin <= address; i++) {
        found = &ranges[i];
        if (!found->read_only)
            break;
    }
    return found;
}

/* Adds an entry to the table. If it is full, the pages do not get their protection back. */
static void note_patch(uintptr_t begin, uintptr_t end, int before, int opened)
{
    const size_t n = atomic_fetch_add(&n_patches, 1);

    if (n < ARRAY_SIZE(patches))
        patches[n] = (struct patch){begin, end, before, opened};
    else
        atomic_store(&n_patches, ARRAY_SIZE(patches));
}

/* Changes the protection of pages. Returns false if the system refuses. */
static bool protect(uintptr_t begin, uintptr_t end, int protection)
{
    return !mprotect((void *) begin, end - begin, protection);
}

static bool open_pages(uintptr_t begin, uintptr_t end, int before, int wanted)
{
    const int opened = PROT_WRITE | (before & PROT_EXEC);

    if (!protect(begin, end, opened))
        return protect(begin, end, before | wanted);
    note_patch(begin, end, before, opened);
    return true;
}

/* Opens the pages around an address, or one page alone if there is no memory for so many. */
static bool open_around(uintptr_t address, const struct range *range,
                        const struct mock__host_pages *pages, int wanted)
{
    const uintptr_t page = page_of(address);
    const uintptr_t begin = pages->begin > range->begin ? pages->begin : range->begin;
    const uintptr_t end = pages->end < range->end ? pages->end : range->end;

    return open_pages(begin, end, pages->protection, wanted) ||
           open_pages(page, page_behind(page + 1), pages->protection, wanted);
}

/*
 * Tells whether an access that faulted is worth another try, because another thread of the work may
 * have opened the pages meanwhile. Some pages fault again and again for other reasons.
 */
static bool try_again(void)
{
    enum { MOST = 100000 };

    return atomic_fetch_add(&retries, 1) < MOST;
}

static bool find_pages(uintptr_t address, struct mock__host_pages *ret_pages)
{
    return mock__host_pages_from(address, ret_pages) == MOCK__HOST_YES &&
           ret_pages->begin <= address;
}

static bool meet(const struct mock__segv *segv)
{
    const uintptr_t address = segv->address;
    const struct range *range =
        !segv->of_another_process && is_working() ? range_at(address) : NULL;
    const int wanted = range && range->read_only ? PROT_READ : PROT_READ | PROT_WRITE;
    struct mock__host_pages pages;
    uintptr_t none = 0;

    if (!range)
        return false;
    if (!segv->is_there)
        mock__host_plug(range->begin, range->end);
    if (!find_pages(address, &pages))
        return false;
    if (mock__host_is_plug(&pages))
        atomic_compare_exchange_strong(&gone, &none, address);
    else if (range->read_only && !segv->reads)
        return false;
    /* Pages that can be written can be read, too. */
    if (pages.protection & PROT_WRITE || (pages.protection & wanted) == wanted)
        return try_again();
    return open_around(address, range, &pages, wanted);
}

/* --- registered memory --- */

/* Returns the place of the memory in the table, or the one where it belongs. */
static size_t place_of(const struct mock__memory *memory)
{
    size_t low = 0, high = n_ranges;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (ranges[middle].address >= memory->address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool make_room(void)
{
    const size_t more = room ? 2 * room : 64;
    struct range *larger;

    if (n_ranges < room)
        return true;
    larger = realloc(ranges, more * sizeof(*larger));
    if (!larger)
        return false;
    ranges = larger;
    room = more;
    return true;
}

void mock__host_guard_add(const struct mock__memory *memory)
{
    const size_t i = place_of(memory);

    mock__host_pages_hold();
    mock__host_plugs_start();
    if (!make_room() || !mock__segv_ask(meet))
        return;
    memmove(&ranges[i + 1], &ranges[i], (n_ranges - i) * sizeof(*ranges));
    n_ranges++;
    ranges[i] = (struct range){.address = memory->address,
                               .begin = page_of(memory->address),
                               .end = page_behind(memory->address + memory->bytes),
                               .read_only = mock__memory_read_only(memory->address)};
}

void mock__host_guard_remove(const struct mock__memory *memory)
{
    const size_t i = place_of(memory);

    if (i == n_ranges || ranges[i].address != memory->address)
        return;
    mock__host_unplug(ranges[i].begin, ranges[i].end);
    n_ranges--;
    memmove(&ranges[i], &ranges[i + 1], (n_ranges - i) * sizeof(*ranges));
}

/* Looks for holes in so many ranges, in turn. Those that follow each other take one system call. */
static void look(size_t most)
{
    static size_t next;
    size_t seen = 0;

    while (seen < most) {
        const size_t first = next < n_ranges ? next : 0;
        uintptr_t end = ranges[first].end;

        next = first + 1;
        while (next < n_ranges && ranges[next].begin <= end && seen + next - first < most)
            end = ranges[next++].end;
        mock__host_plug(ranges[first].begin, end);
        seen += next - first;
    }
}

static void look_at_some(void)
{
    enum { MOST = 16 };

    look(n_ranges < MOST ? n_ranges : MOST);
}

void mock__host_guard_look(void)
{
    look_at_some();
}

/* --- work --- */

void mock__host_guard_join(void)
{
    size_t n;

    if (!atomic_load(&n_threads) || is_working())
        return;
    n = atomic_fetch_add(&n_threads, 1);
    if (n < ARRAY_SIZE(threads))
        atomic_store(&threads[n], (pid_t) syscall(SYS_gettid));
    else
        atomic_store(&n_threads, ARRAY_SIZE(threads));
}

/*
 * A fault of a thread that blocks SIGSEGV ends the process. Threads that this one starts block the
 * same signals. A signal that is pending must not come now, because the program did not want it.
 */
static void unblock(void)
{
    sigset_t set, before;

    sigemptyset(&set);
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    was_blocked =
        sigismember(&before, SIGSEGV) == 1 && !sigpending(&set) && sigismember(&set, SIGSEGV) == 0;
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    if (was_blocked)
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void block_again(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    if (was_blocked)
        pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void mock__host_guard_begin(bool any_memory)
{
    if (!n_ranges)
        return;
    if (any_memory)
        look(n_ranges);
    else
        look_at_some();
    unblock();
    atomic_store(&retries, 0);
    atomic_store(&threads[0], (pid_t) syscall(SYS_gettid));
    atomic_store(&n_threads, 1);
}

/* Puts a protection back, on those pages that are as the handler left them. */
static void put_back(const struct patch *patch)
{
    struct mock__host_pages pages;
    uintptr_t at = patch->begin;

    while (at < patch->end && mock__host_pages_from(at, &pages) == MOCK__HOST_YES &&
           pages.begin < patch->end) {
        const uintptr_t begin = pages.begin > at ? pages.begin : at;

        at = pages.end < patch->end ? pages.end : patch->end;
        if (pages.protection == patch->opened)
            (void) protect(begin, at, patch->before);
    }
}

static void undo(void)
{
    const size_t n = atomic_exchange(&n_patches, 0);

    for (size_t i = 0; i < n && i < ARRAY_SIZE(patches); i++)
        put_back(&patches[i]);
}

static void forget_threads(void)
{
    const size_t n = atomic_exchange(&n_threads, 0);

    for (size_t i = 0; i < n && i < ARRAY_SIZE(threads); i++)
        atomic_store(&threads[i], 0);
}

static void report(const struct mock__work *work, uintptr_t address)
{
    const struct mock__memory *memory = mock__memory_before(address);

    if (memory)
        mock__finding(CUSHIM_MOCK_USE_AFTER_FREE,
                      "%s uses offset %zu of %s, which the program has unmapped and not "
                      "unregistered",
                      mock__text_of_work(work).text, (size_t) (address - memory->address),
                      mock__text_of_memory(memory).text);
}

void mock__host_guard_end(const struct mock__work *work)
{
    struct mock__context *context = work->queue->context;
    uintptr_t address;

    if (!atomic_load_explicit(&n_threads, memory_order_relaxed))
        return;
    forget_threads();
    undo();
    block_again();
    address = atomic_exchange(&gone, 0);
    if (!address)
        return;
    report(work, address);
    if (context)
        mock__context_break(context, CUDA_ERROR_ILLEGAL_ADDRESS);
}
