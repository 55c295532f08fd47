/* SPDX-License-Identifier: MIT */
/*
 * The pages of registered memory belong to the program. It may unmap or protect them before it
 * unregisters them, or while work uses them. A real device keeps such pages, because they are
 * pinned. In the mock, work that uses them faults, which would end the process. So the handler of
 * SIGSEGV helps while work runs:
 *
 * - Protected pages are opened, and get their protection back when the work is done. A device
 *   ignores the protection, too.
 * - Where nothing is mapped any more, pages of zeros are mapped until the work is done. A device
 *   would still have the data, but the mock has lost it. So this is a finding, and the context is
 *   broken as by an illegal access.
 *
 * The handler takes no lock and allocates nothing. It uses system calls, and tables of a fixed
 * size. If a table is full, the handler does not help.
 */
#include "mock/check/host_guard.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/util.h"
#include "mock/allocation/host_pages.h"
#include "mock/allocation/label.h"
#include "mock/allocation/memory.h"
#include "mock/base/context.h"
#include "mock/base/finding.h"
#include "mock/check/segv.h"
#include "mock/queue/work.h"

/* Registered memory, by whole pages. */
static struct range {
    _Atomic uintptr_t begin, end; /* end is 0 in a free place */
    atomic_bool read_only;        /* for the device */
} ranges[8192];
static atomic_size_t n_ranges; /* the places up to the last that is used */

/* The changes that the handler made to pages for the work that runs now. */
static struct patch {
    uintptr_t begin, end;
    int protection; /* the protection before; NOTHING if nothing was mapped */
} patches[8192];
static atomic_size_t n_patches;
enum { NOTHING = -1 };

static atomic_bool working;
static _Atomic uintptr_t gone; /* the first address where nothing was mapped, or 0 */

static uintptr_t page_of(uintptr_t address)
{
    return address & ~((uintptr_t) sysconf(_SC_PAGESIZE) - 1);
}

static uintptr_t page_behind(uintptr_t address)
{
    return page_of(address + (uintptr_t) sysconf(_SC_PAGESIZE) - 1);
}

/* --- the handler: nothing but atomics and system calls --- */

/*
 * Returns the range of an address. Two ranges may have parts of one page, so one that the device
 * may write is preferred.
 */
static const struct range *range_at(uintptr_t address)
{
    const struct range *found = NULL;

    for (size_t i = 0; i < atomic_load(&n_ranges); i++) {
        const struct range *range = &ranges[i];

        if (address >= atomic_load(&range->end) || address < atomic_load(&range->begin))
            continue;
        found = range;
        if (!atomic_load(&range->read_only))
            break;
    }
    return found;
}

static struct patch *new_patch(uintptr_t begin, uintptr_t end, int protection)
{
    const size_t n = atomic_fetch_add(&n_patches, 1);

    if (n >= ARRAY_SIZE(patches))
        return NULL;
    patches[n] = (struct patch){begin, end, protection};
    return &patches[n];
}

/*
 * Maps zeros without replacing pages of others, even if another thread maps some at this moment. A
 * kernel that does not know the flag maps the zeros elsewhere if the place is not free.
 */
static bool map_zeros(uintptr_t begin, uintptr_t end)
{
    void *const wanted = (void *) begin;
    void *mapped = mmap(wanted, end - begin, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (mapped != wanted && mapped != MAP_FAILED)
        (void) munmap(mapped, end - begin);
    return mapped == wanted;
}

static bool is_mapped(uintptr_t page)
{
    unsigned char there;

    return !mincore((void *) page, 1, &there);
}

/* Maps the part of [begin, end) next to one end, as large as there is room for. */
static bool fill_from(uintptr_t begin, uintptr_t end, bool from_end)
{
    const uintptr_t page = page_behind(1);
    struct patch *patch = new_patch(begin, begin, NOTHING);

    while (patch && begin < end && !map_zeros(begin, end)) {
        const uintptr_t half = page_of((end - begin) / 2);

        if (end - begin == page)
            return false;
        if (from_end)
            begin = end - (half ? half : page);
        else
            end = begin + (half ? half : page);
    }
    if (patch)
        *patch = (struct patch){begin, end, NOTHING};
    return patch;
}

/*
 * Maps the hole around an address: many pages at once, because each fault takes entries of the
 * table. Copies of the C library may go downwards.
 */
static bool fill(uintptr_t address, const struct range *range)
{
    const uintptr_t page = page_of(address);
    uintptr_t none = 0;

    atomic_compare_exchange_strong(&gone, &none, address);
    /* Perhaps another thread of the work has mapped the page already. */
    if (!fill_from(page, atomic_load(&range->end), false) && !is_mapped(page))
        return false;
    if (atomic_load(&range->begin) < page && !is_mapped(page - page_behind(1)))
        (void) fill_from(atomic_load(&range->begin), page, true);
    return true;
}

/*
 * Opens pages for the access of the device. Pages that the device may only read stay protected
 * against writing.
 */
static bool open_pages(uintptr_t address, const struct range *range)
{
    const int wanted = atomic_load(&range->read_only) ? PROT_READ : PROT_READ | PROT_WRITE;
    const uintptr_t first = atomic_load(&range->begin), last = atomic_load(&range->end);
    struct mock__host_pages pages;
    uintptr_t begin, end;

    if (!mock__host_pages_find(address, &pages))
        return false;
    /* Another thread of the work has opened the pages already. */
    if ((pages.protection & wanted) == wanted)
        return true;
    begin = pages.begin > first ? pages.begin : first;
    end = pages.end < last ? pages.end : last;
    return new_patch(begin, end, pages.protection) &&
           !mprotect((void *) begin, end - begin, pages.protection | wanted);
}

static bool meet(const struct mock__segv *segv)
{
    const struct range *range =
        atomic_load(&working) && !segv->of_another_process ? range_at(segv->address) : NULL;

    if (!range)
        return false;
    if (!segv->is_there)
        return fill(segv->address, range);
    if (atomic_load(&range->read_only) && !segv->reads)
        return false;
    return open_pages(segv->address, range);
}

/* --- registered memory --- */

static bool is_range(const struct range *range, const struct mock__memory *memory)
{
    return atomic_load(&range->end) == page_behind(memory->address + memory->bytes) &&
           atomic_load(&range->begin) == page_of(memory->address) &&
           atomic_load(&range->read_only) == mock__memory_read_only(memory->address);
}

void mock__host_guard_add(const struct mock__memory *memory)
{
    size_t i = 0;

    while (i < ARRAY_SIZE(ranges) && atomic_load(&ranges[i].end))
        i++;
    if (i == ARRAY_SIZE(ranges) || !mock__segv_ask(meet))
        return;
    atomic_store(&ranges[i].begin, page_of(memory->address));
    atomic_store(&ranges[i].read_only, mock__memory_read_only(memory->address));
    atomic_store(&ranges[i].end, page_behind(memory->address + memory->bytes));
    if (i >= atomic_load(&n_ranges))
        atomic_store(&n_ranges, i + 1);
}

void mock__host_guard_remove(const struct mock__memory *memory)
{
    size_t i = 0, n = atomic_load(&n_ranges);

    while (i < n && !is_range(&ranges[i], memory))
        i++;
    if (i < n)
        atomic_store(&ranges[i].end, 0);
    while (n && !atomic_load(&ranges[n - 1].end))
        n--;
    atomic_store(&n_ranges, n);
}

/* --- work --- */

void mock__host_guard_begin(void)
{
    if (atomic_load_explicit(&n_ranges, memory_order_relaxed))
        atomic_store(&working, true);
}

/* Undoes the changes in the opposite order, because the table may contain the same pages twice. */
static void undo(void)
{
    size_t n = atomic_exchange(&n_patches, 0);

    n = n < ARRAY_SIZE(patches) ? n : ARRAY_SIZE(patches);
    while (n--) {
        void *begin = (void *) patches[n].begin;
        const size_t bytes = patches[n].end - patches[n].begin;

        if (bytes && patches[n].protection == NOTHING)
            (void) munmap(begin, bytes);
        else if (bytes)
            (void) mprotect(begin, bytes, patches[n].protection);
    }
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

    if (!atomic_load_explicit(&working, memory_order_relaxed))
        return;
    atomic_store(&working, false);
    undo();
    address = atomic_exchange(&gone, 0);
    if (!address)
        return;
    report(work, address);
    if (context && !context->fault)
        context->fault = CUDA_ERROR_ILLEGAL_ADDRESS;
}
