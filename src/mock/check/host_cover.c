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

static struct mock__host_reach *reach_at(struct mock__tree_node *node)
{
    return MOCK__TREE_MEMBER(node, struct mock__host_reach, by_begin);
}

/* How far one reaches itself is its minor number. */
static void note_furthest(struct mock__tree_node *node)
{
    struct mock__host_reach *reach = reach_at(node);

    reach->furthest = node->minor;
    for (unsigned i = 0; i < 2; i++)
        if (node->child[i] && reach_at(node->child[i])->furthest > reach->furthest)
            reach->furthest = reach_at(node->child[i])->furthest;
}

/* The watches that count, by where they begin: all, and those of work that writes. */
static struct mock__tree uses = {.sum = note_furthest}, writing = {.sum = note_furthest};

/* Behind the end of an allocation nobody has anything to do. */
static uintptr_t end_of(const struct mock__host_watch *watch)
{
    const uintptr_t end = atomic_load(&watch->end);

    return end == watch->memory_end ? page_behind(end) : end;
}

void mock__host_cover_add(struct mock__host_watch *watch)
{
    const uintptr_t begin = atomic_load(&watch->begin);

    mock__tree_add(&uses, &watch->uses.by_begin, begin, end_of(watch));
    if (atomic_load(&watch->writes))
        mock__tree_add(&writing, &watch->writing.by_begin, begin, end_of(watch));
}

void mock__host_cover_remove(struct mock__host_watch *watch)
{
    mock__tree_remove(&uses, &watch->uses.by_begin);
    mock__tree_remove(&writing, &watch->writing.by_begin);
}

/* How far those that begin at an address or before reach at most. */
static uintptr_t furthest_from(const struct mock__tree *tree, uintptr_t address)
{
    struct mock__tree_node *node = tree->root;
    uintptr_t furthest = 0;

    while (node) {
        const bool counts = node->major <= address;
        const struct mock__host_reach *left = counts ? reach_at(node->child[0]) : NULL;

        if (counts && node->minor > furthest)
            furthest = node->minor;
        if (left && left->furthest > furthest)
            furthest = left->furthest;
        node = node->child[counts];
    }
    return furthest;
}

/* How far all bytes from one on are used, but no further than is asked. */
static uintptr_t reach(const struct mock__tree *tree, uintptr_t from, uintptr_t most)
{
    uintptr_t end = from, before;

    do {
        before = end;
        end = furthest_from(tree, end);
        end = end > before ? end : before;
    } while (end > before && end < most);
    return end;
}

/* The first page behind one where something may be different. */
static uintptr_t next_change(uintptr_t page, uintptr_t end)
{
    const struct mock__tree_node *node = mock__tree_from(&uses, page + 1, 0);

    if (node && page_behind(node->major) < end)
        end = page_behind(node->major);
    return end > page ? end : page_behind(page + 1);
}

/* One step: the pages from one on that are to be the same. */
static uintptr_t cover_some(uintptr_t page, uintptr_t end)
{
    const uintptr_t written = page_of(reach(&writing, page, end));
    const uintptr_t used = page_of(reach(&uses, page, end));
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
