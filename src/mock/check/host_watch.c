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
 * The memory that a kernel uses is known when it has run. So a kernel from PTX that is given an
 * address of such memory is run as soon as it can be, unless it exchanges messages with the host:
 * it may be waiting for one.
 *
 * It is off by default all the same: it takes SIGSEGV, and a program that polls for the end of a
 * copy by its data, which works in practice, would have findings.
 *
 * The handler runs in the midst of anything, the mock with its lock included. So it takes no
 * lock and allocates nothing: it reads atomic words of tables that are never freed, and calls
 * mprotect(). A hit becomes a finding when the host has waited, or when findings are asked for.
 */
#include "mock/check/host_watch.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/util.h"
#include "mock/allocation/label.h"
#include "mock/allocation/memory.h"
#include "mock/base/finding.h"
#include "mock/base/upcalls.h"
#include "mock/check/host_region.h"
#include "mock/check/host_watches.h"
#include "mock/check/segv.h"
#include "mock/queue/clock.h"
#include "mock/queue/work.h"

enum kind { READS = 1, WRITES = 2, USES = 3 }; /* the access of the host */

/* The table is large, because unused pages of it take no memory. */
static struct mock__host_watch watches[8192];
static atomic_size_t n_watches; /* the places up to the last that is used */
static atomic_bool hits;        /* a watch was hit that counts for the pages all the same */

/* The watches, in the ways in which they are looked for. */
static struct cushim__tree free_places, by_work, by_slot, by_memory, by_holder, by_place;

static bool on;
static uintptr_t page;

/* --- the handler: nothing but atomics and mprotect() --- */

static void open_pages(uintptr_t begin, uintptr_t end)
{
    (void) mprotect((void *) begin, end - begin, PROT_READ | PROT_WRITE);
}

static uintptr_t page_of(uintptr_t address)
{
    return address & ~(page - 1);
}

static void note(struct mock__host_watch *watch, uintptr_t address, enum kind kind)
{
    uintptr_t none = 0;

    atomic_store(&watch->kind, kind);
    if (atomic_compare_exchange_strong(&watch->hit, &none, address))
        atomic_store(&hits, true);
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
    const bool host = !segv->of_another_process && !mock__upcalls.kernel_running();

    if (!mock__host_in_region(address))
        return false;
    for (size_t i = 0; host && i < atomic_load(&n_watches); i++) {
        struct mock__host_watch *watch = &watches[i];
        const bool writes = atomic_load(&watch->writes);

        if (atomic_load(&watch->armed) && address < atomic_load(&watch->end) &&
            address >= atomic_load(&watch->begin) && (writes || kind != READS))
            note(watch, address, kind);
    }
    open_pages(page_of(address), page_of(address) + page);
    return true;
}

void mock__host_watch_start(bool wanted)
{
    if (!wanted || on)
        return;
    page = (uintptr_t) sysconf(_SC_PAGESIZE);
    on = mock__segv_ask(meet);
    if (on)
        mock__host_regions_start();
}

/* --- the set of watches --- */

static uint64_t number_of(const struct mock__host_watch *watch)
{
    return (uint64_t) (watch - watches);
}

#define WATCH(node, tree) CUSHIM__TREE_MEMBER(node, struct mock__host_watch, tree)

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
                  watch->memory_text.text, watch->work_text.text,
                  atomic_load(&watch->writes) ? "writes" : "reads", watch->type);
}

static void shrink(void)
{
    size_t n = atomic_load(&n_watches);

    for (; n && !atomic_load(&watches[n - 1].end); n--)
        cushim__tree_remove(&free_places, &watches[n - 1].free_place);
    atomic_store(&n_watches, n);
}

static void forget(struct mock__host_watch *watch)
{
    atomic_store(&watch->end, 0);
    cushim__tree_remove(&by_work, &watch->by_work);
    cushim__tree_remove(&by_slot, &watch->by_slot);
    cushim__tree_remove(&by_memory, &watch->by_memory);
    cushim__tree_remove(&by_holder, &watch->by_holder);
    cushim__tree_remove(&by_place, &watch->by_place);
    mock__host_cover_remove(watch);
    cushim__tree_add(&free_places, &watch->free_place, number_of(watch), 0);
    shrink();
}

/* Work of another context may still want it: its watch must not touch what comes to be there. */
void mock__host_watch_unmapped(const struct mock__memory *memory)
{
    struct mock__host_watch *watch;

    while (
        (watch = WATCH(cushim__tree_before(&by_memory, memory->address, UINT64_MAX), by_memory)) &&
        watch->memory == memory->address) {
        report(watch);
        forget(watch);
    }
}

static struct mock__host_watch *free_watch(void)
{
    const size_t n = atomic_load(&n_watches);
    struct mock__host_watch *watch = WATCH(cushim__tree_first(&free_places), free_place);

    if (watch) {
        cushim__tree_remove(&free_places, &watch->free_place);
        return watch;
    }
    if (n == ARRAY_SIZE(watches))
        return NULL;
    atomic_store(&n_watches, n + 1);
    return &watches[n];
}

/* Watches that were hit do not protect pages any more. The handler cannot change that itself. */
static void take_hits(void)
{
    if (!atomic_exchange(&hits, false))
        return;
    for (size_t i = 0; i < atomic_load(&n_watches); i++)
        if (atomic_load(&watches[i].end) && atomic_load(&watches[i].hit))
            mock__host_cover_remove(&watches[i]);
}

/* Ends one watch, after the host has waited or may know by other means that the work is done. */
static void end_watch(struct mock__host_watch *watch)
{
    const uintptr_t begin = atomic_load(&watch->begin), end = atomic_load(&watch->end);

    report(watch);
    forget(watch);
    take_hits();
    mock__host_cover(begin, end);
}

/* --- when a watch begins to count --- */

/* A wait for the later one is a wait for the earlier one, too. */
static bool replaces(const struct mock__host_watch *now, const struct mock__host_watch *old)
{
    return old->number < now->number && !atomic_load(&old->hit) &&
           atomic_load(&now->end) >= atomic_load(&old->end) &&
           (atomic_load(&now->writes) || !atomic_load(&old->writes));
}

/* Forgets those of the same queue that begin within what the watch is of, and that it replaces. */
static void replace(const struct mock__host_watch *watch)
{
    struct cushim__tree_node *node =
        cushim__tree_from(&by_place, watch->slot, atomic_load(&watch->begin));
    struct mock__host_watch *old;

    while ((old = WATCH(node, by_place)) && old->slot == watch->slot &&
           node->minor < atomic_load(&watch->end)) {
        node = cushim__tree_next(node);
        if (replaces(watch, old))
            forget(old);
    }
}

static void arm(struct mock__host_watch *watch)
{
    cushim__tree_remove(&by_holder, &watch->by_holder);
    atomic_store(&watch->armed, true);
    replace(watch);
    take_hits();
    cushim__tree_add(&by_place, &watch->by_place, watch->slot, atomic_load(&watch->begin));
    mock__host_cover_add(watch);
    mock__host_cover(atomic_load(&watch->begin), atomic_load(&watch->end));
}

/* A watch counts once no work is left before it that the host has in its hands. */
static void try_to_arm(struct mock__host_watch *watch)
{
    const struct mock__work *holder = watch->work ? mock__work_holding(watch->work) : NULL;

    cushim__tree_remove(&by_holder, &watch->by_holder);
    if (holder)
        cushim__tree_add(&by_holder, &watch->by_holder, (uintptr_t) holder, number_of(watch));
    else
        arm(watch);
}

void mock__host_watch_arm(uintptr_t ended)
{
    struct cushim__tree_node *node;

    while ((node = cushim__tree_from(&by_holder, ended, 0)) && node->major == ended)
        try_to_arm(WATCH(node, by_holder));
}

static void set_place(struct mock__host_watch *watch, const struct mock__queue *queue,
                      uint64_t number)
{
    watch->slot = queue->slot;
    watch->number = number;
    watch->work_text = mock__text_of_work(watch->work);
    cushim__tree_add(&by_slot, &watch->by_slot, queue->slot, number);
}

/* The watches of a piece of work, in the order of their places: the next one after a node. */
static struct mock__host_watch *next_of(const struct mock__work *work, uint64_t from)
{
    struct cushim__tree_node *node = cushim__tree_from(&by_work, (uintptr_t) work, from);

    return node && node->major == (uintptr_t) work ? WATCH(node, by_work) : NULL;
}

void mock__host_watch_submitted(const struct mock__work *work)
{
    struct mock__host_watch *watch;

    for (uint64_t i = 0; (watch = next_of(work, i)); i = number_of(watch) + 1)
        if (!watch->number)
            set_place(watch, work->queue, work->queue->submitted);
    for (uint64_t i = 0; (watch = next_of(work, i)); i = number_of(watch) + 1)
        if (!atomic_load(&watch->armed))
            try_to_arm(watch);
}

static const struct mock__memory *watchable(uint64_t address)
{
    const struct mock__memory *memory = on ? mock__memory_find(address) : NULL;

    return memory && mock__checking() && memory->kind != MOCK__DEVICE_MEMORY &&
                   mock__host_mapped_twice(memory)
               ? memory
               : NULL;
}

bool mock__host_watch_is_on(void)
{
    return on;
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
    watch->memory_text = mock__text_of_memory(memory);
    watch->memory = memory->address;
    watch->memory_end = memory->address + memory->bytes;
    atomic_store(&watch->begin, address);
    atomic_store(&watch->end, address + bytes);
    cushim__tree_add(&by_work, &watch->by_work, (uintptr_t) work, number_of(watch));
    cushim__tree_add(&by_memory, &watch->by_memory, memory->address, number_of(watch));
    return watch;
}

void mock__host_watch(struct mock__work *work, uint64_t address, size_t bytes,
                      enum mock__access access)
{
    work->watched |= bytes && begin_watch(work, address, bytes, access);
}

/* Its work is done, or was not known before it was. */
static void let_go(struct mock__host_watch *watch)
{
    watch->work = NULL;
    cushim__tree_remove(&by_work, &watch->by_work);
}

void mock__host_watch_used(const struct mock__work *work, uint64_t address, size_t bytes,
                           enum mock__access access)
{
    /* Smaller pieces are not watched, unless the piece is the whole allocation. */
    enum { TOO_SMALL = 256 };
    const struct mock__memory *memory = watchable(address);
    struct mock__host_watch *watch;

    if (!memory || (bytes < TOO_SMALL && bytes != memory->bytes))
        return;
    watch = begin_watch(work, address, bytes, access);
    if (!watch)
        return;
    set_place(watch, work->queue, work->queue->done + 1);
    let_go(watch);
    arm(watch);
}

void mock__host_watch_done(const struct mock__work *work)
{
    struct cushim__tree_node *node;
    struct mock__host_watch *watch;

    while ((node = cushim__tree_before(&by_work, (uintptr_t) work, UINT64_MAX)) &&
           node->major == (uintptr_t) work) {
        watch = WATCH(node, by_work);
        let_go(watch);
        if (!watch->number) /* it is not submitted after all */
            forget(watch);
        else if (!atomic_load(&watch->armed))
            arm(watch);
    }
}

/* --- when a watch ends --- */

bool mock__host_watches_slot(unsigned slot)
{
    const struct cushim__tree_node *node = cushim__tree_from(&by_slot, slot, 0);

    return node && node->major == slot;
}

/* The watches that are to end, by their places; the last one first. */
static struct cushim__tree ending;

/* The host knows so much of a slot: puts the watches of that work among those that are to end. */
static bool note_slot(void *unused, unsigned slot, uint64_t number)
{
    struct cushim__tree_node *node;

    (void) unused;
    while ((node = cushim__tree_from(&by_slot, slot, 0)) && node->major == slot &&
           node->minor <= number) {
        struct mock__host_watch *watch = WATCH(node, by_slot);

        cushim__tree_remove(&by_slot, node);
        cushim__tree_add(&ending, node, number_of(watch), 0);
    }
    return true;
}

/* A clock implies more than its own entries; that is looked up for each slot. */
static void note_implied(const struct mock__clock *clock)
{
    struct cushim__tree_node *node, *next;

    for (node = cushim__tree_first(&by_slot); node; node = next) {
        const unsigned slot = (unsigned) node->major;

        if (mock__clock_reached(clock, slot, node->minor))
            note_slot(NULL, slot, node->minor);
        next = cushim__tree_from(&by_slot, slot, 0);
        if (next && next->major == slot && !mock__clock_reached(clock, slot, next->minor))
            next = cushim__tree_from(&by_slot, (uint64_t) slot + 1, 0);
    }
}

void mock__host_watch_behind(const struct mock__clock *clock, const struct mock__clock *before_it)
{
    struct cushim__tree_node *node;

    if (!cushim__tree_first(&by_slot))
        return;
    mock__clock_each_newer(clock, before_it, note_slot, NULL);
    if (mock__clock_implies())
        note_implied(clock);
    while ((node = cushim__tree_last(&ending))) {
        struct mock__host_watch *watch = WATCH(node, by_slot);

        cushim__tree_remove(&ending, node);
        end_watch(watch);
    }
}

void mock__host_watch_report(void)
{
    for (size_t i = 0; i < atomic_load(&n_watches); i++)
        if (atomic_load(&watches[i].end))
            report(&watches[i]);
}
