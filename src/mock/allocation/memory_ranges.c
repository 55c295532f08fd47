/* SPDX-License-Identifier: MIT */
/* Each range stores the size of the gap behind it, and the largest gap in its part of the tree. */
#include "mock/allocation/memory_ranges.h"

#include "mock/allocation/heap.h"
#include "mock/allocation/memory.h"
#include "mock/base/finding.h"

static void note_gap(struct cushim__tree_node *node);

/* All ranges, by rising address. No two overlap. */
static struct cushim__tree ranges = {.sum = note_gap};

static struct mock__memory *range_of(struct cushim__tree_node *node)
{
    return CUSHIM__TREE_MEMBER(node, struct mock__memory, by_address);
}

struct mock__memory *mock__ranges_below(uint64_t address)
{
    return range_of(cushim__tree_before(&ranges, address, 1));
}

struct mock__memory *mock__ranges_above(uint64_t address)
{
    return range_of(cushim__tree_from(&ranges, address, 1));
}

size_t mock__memory_rounded(size_t bytes)
{
    return (bytes + MOCK__ALIGNMENT - 1) & ~(size_t) (MOCK__ALIGNMENT - 1);
}

size_t mock__memory_room(size_t bytes)
{
    enum { AT_LEAST = MOCK__ALIGNMENT / 2 };

    return mock__memory_rounded(bytes + (mock__checking() ? AT_LEAST : 0));
}

/* --- the gaps behind ranges --- */

static void note_gap(struct cushim__tree_node *node)
{
    struct mock__memory *memory = range_of(node);

    memory->largest_gap = memory->gap;
    for (unsigned i = 0; i < 2; i++)
        if (node->child[i] && range_of(node->child[i])->largest_gap > memory->largest_gap)
            memory->largest_gap = range_of(node->child[i])->largest_gap;
}

static void find_gap_behind(struct mock__memory *memory)
{
    const struct mock__chunk *chunk = memory ? memory->chunk : NULL;
    const struct mock__memory *next;
    uint64_t begin, end;

    if (!chunk)
        return;
    next = range_of(cushim__tree_next(&memory->by_address));
    begin = memory->address + mock__memory_room(memory->bytes);
    end = chunk->address + chunk->span;
    end = next && next->address < end ? next->address : end;
    memory->gap = end > begin ? end - begin : 0;
    cushim__tree_changed(&ranges, &memory->by_address);
}

void mock__ranges_add(struct mock__memory *memory)
{
    cushim__tree_add(&ranges, &memory->by_address, memory->address, 0);
    find_gap_behind(memory);
    find_gap_behind(range_of(cushim__tree_previous(&memory->by_address)));
}

void mock__ranges_remove(struct mock__memory *memory)
{
    struct mock__memory *before = range_of(cushim__tree_previous(&memory->by_address));

    cushim__tree_remove(&ranges, &memory->by_address);
    find_gap_behind(before);
}

/*
 * Returns the first range at or below a node of the tree that begins at `from` or later and has a
 * gap of at least `bytes` behind it.
 */
static struct mock__memory *first_gap(struct cushim__tree_node *node, uint64_t from, size_t bytes)
{
    struct mock__memory *memory = range_of(node), *found = NULL;

    if (!memory || memory->largest_gap < bytes)
        return NULL;
    if (memory->address >= from)
        found = first_gap(node->child[0], from, bytes);
    if (!found && memory->address >= from && memory->gap >= bytes)
        found = memory;
    return found ? found : first_gap(node->child[1], from, bytes);
}

uint64_t mock__ranges_gap(uint64_t from, uint64_t to, size_t bytes)
{
    const struct mock__memory *memory = mock__ranges_above(from - 1);
    uint64_t begin = from;

    if (memory && memory->address < to && memory->address - from < bytes) {
        memory = first_gap(ranges.root, from, bytes);
        if (!memory)
            return 0;
        begin = memory->address + mock__memory_room(memory->bytes);
    }
    return begin < to && to - begin >= bytes ? begin : 0;
}
