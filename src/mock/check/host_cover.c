/* SPDX-License-Identifier: MIT */
/*
 * Decides which pages are protected. If unfinished work writes every byte of a page that belongs to
 * the allocation, the page cannot be accessed. If unfinished work uses every such byte, the page
 * cannot be written. It does not matter whether one piece of work does this or several together. So
 * an access of a correct program never meets a protected page.
 *
 * The handler of SIGSEGV may change a watch at any moment, also in this thread. So these functions
 * read the watches by atomic operations only.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "mock/check/host_watches.h"

static uintptr_t page_of(uintptr_t address)
{
    return address & ~((uintptr_t) sysconf(_SC_PAGESIZE) - 1);
}

static uintptr_t page_behind(uintptr_t address)
{
    return page_of(address + (uintptr_t) sysconf(_SC_PAGESIZE) - 1);
}

static bool counts(const struct mock__host_watch *watch, bool only_writes)
{
    return atomic_load(&watch->end) && atomic_load(&watch->armed) && !atomic_load(&watch->hit) &&
           (!only_writes || atomic_load(&watch->writes));
}

/*
 * Behind the end of an allocation there are no bytes of another one, so the rest of its last page
 * counts as used.
 */
static uintptr_t end_of(const struct mock__host_watch *watch)
{
    const uintptr_t end = atomic_load(&watch->end);

    return end == watch->memory_end ? page_behind(end) : end;
}

/*
 * Returns the end of the bytes that are used without a gap from this one on. If only_writes is
 * true, only writes count.
 */
static uintptr_t reach(uintptr_t from, bool only_writes)
{
    const struct mock__host_watch *watch;
    uintptr_t end = from, before;

    do {
        before = end;
        for (size_t i = 0; (watch = mock__host_watch_at(i)); i++)
            if (counts(watch, only_writes) && atomic_load(&watch->begin) <= end &&
                end_of(watch) > end)
                end = end_of(watch);
    } while (end > before);
    return end;
}

/* Returns the first page behind this one where the protection may be different. */
static uintptr_t next_change(uintptr_t page, uintptr_t end)
{
    const struct mock__host_watch *watch;

    for (size_t i = 0; (watch = mock__host_watch_at(i)); i++) {
        const uintptr_t begin = atomic_load(&watch->begin);

        if (counts(watch, false) && begin > page && page_behind(begin) < end)
            end = page_behind(begin);
    }
    return end > page ? end : page_behind(page + 1);
}

/*
 * Sets the protection of the pages from this one on that have the same state, and returns the page
 * behind them.
 */
static uintptr_t cover_some(uintptr_t page, uintptr_t end)
{
    const uintptr_t written = page_of(reach(page, true)), used = page_of(reach(page, false));
    uintptr_t to = written;
    int protection = PROT_NONE;

    if (written <= page) {
        protection = used > page ? PROT_READ : PROT_READ | PROT_WRITE;
        to = next_change(page, used > page && used < end ? used : end);
    }
    to = to < end ? to : end;
    (void) mprotect((void *) page, to - page, protection);
    return to;
}

void mock__host_cover(uintptr_t begin, uintptr_t end)
{
    for (uintptr_t page = page_of(begin); page < page_behind(end);)
        page = cover_some(page, page_behind(end));
}
