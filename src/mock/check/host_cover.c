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

static struct mock__host_reach *reach_at(struct cushim__tree_node *node)
{
    return CUSHIM__TREE_MEMBER(node, struct mock__host_reach, by_begin);
}

/* The minor number of a node is how far its own watch reaches. */
static void note_furthest(struct cushim__tree_node *node)
{
    struct mock__host_reach *reach = reach_at(node);

    reach->furthest = node->minor;
    for (unsigned i = 0; i < 2; i++)
        if (node->child[i] && reach_at(node->child[i])->furthest > reach->furthest)
            reach->furthest = reach_at(node->child[i])->furthest;
}

/* The watches that count, by where they begin: all, and those of work that writes. */
static struct cushim__tree uses = {.sum = note_furthest}, writing = {.sum = note_furthest};

/*
 * Behind the end of an allocation there are no bytes of another one, so the rest of its last page
 * counts as used.
 */
static uintptr_t end_of(const struct mock__host_watch *watch)
{
    const uintptr_t end = atomic_load(&watch->end);

    return end == watch->memory_end ? page_behind(end) : end;
}

void mock__host_cover_add(struct mock__host_watch *watch)
{
    const uintptr_t begin = atomic_load(&watch->begin);

    cushim__tree_add(&uses, &watch->uses.by_begin, begin, end_of(watch));
    if (atomic_load(&watch->writes))
        cushim__tree_add(&writing, &watch->writing.by_begin, begin, end_of(watch));
}

void mock__host_cover_remove(struct mock__host_watch *watch)
{
    cushim__tree_remove(&uses, &watch->uses.by_begin);
    cushim__tree_remove(&writing, &watch->writing.by_begin);
}

/* Returns how far the watches that begin at an address or before it reach. */
static uintptr_t furthest_from(const struct cushim__tree *tree, uintptr_t address)
{
    struct cushim__tree_node *node = tree->root;
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

/*
 * Returns the end of the bytes that are used without a gap from this one on, but no more than is
 * asked for.
 */
static uintptr_t reach(const struct cushim__tree *tree, uintptr_t from, uintptr_t most)
{
    uintptr_t end = from, before;

    do {
        before = end;
        end = furthest_from(tree, end);
        end = end > before ? end : before;
    } while (end > before && end < most);
    return end;
}

/* Returns the first page behind this one where the protection may be different. */
static uintptr_t next_change(uintptr_t page, uintptr_t end)
{
    const struct cushim__tree_node *node = cushim__tree_from(&uses, page + 1, 0);

    if (node && page_behind(node->major) < end)
        end = page_behind(node->major);
    return end > page ? end : page_behind(page + 1);
}

/*
 * Sets the protection of the pages from this one on that have the same state, and returns the page
 * behind them.
 */
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
