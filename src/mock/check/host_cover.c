/* SPDX-License-Identifier: MIT */
/*
 * Which pages are protected. A page is out of reach if work that the host has not waited for
 * writes every byte of it that belongs to the allocation, and cannot be written if such work
 * uses every byte, one piece of work or several together. So no access that is right meets a
 * protected page.
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

/* Behind the end of an allocation nobody has anything to do. */
static uintptr_t end_of(const struct mock__host_watch *watch)
{
    const uintptr_t end = atomic_load(&watch->end);

    return end == watch->memory_end ? page_behind(end) : end;
}

/* How far all bytes from one on are used. */
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

/* The first page behind one where something may be different. */
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

/* One step: the pages from one on that are to be the same. */
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
