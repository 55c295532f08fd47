/* SPDX-License-Identifier: MIT */
/*
 * malloc() and free() of kernels: first fit in one range. The parts in use are outside of the
 * range, sorted by address, each with the gap behind it, so that many of them cost no more than
 * few.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/tree.h"
#include "mock/ptx/machine/heap.h"

enum { ALIGNMENT = 16 };

/* Nodes are sorted by address. The first part is always there, and is no part in use. */
struct part {
    struct cushim__tree_node node;
    uint64_t bytes;
    uint64_t gap, largest_gap; /* bytes behind it; and the most of it and of all below it */
};

enum { FIRST = 0, IN_USE = 1 };

struct ptx__heap {
    pthread_mutex_t lock;
    uint64_t bytes;
    struct cushim__tree parts;
    struct part first;
};

static struct part *part_of(struct cushim__tree_node *node)
{
    return CUSHIM__TREE_MEMBER(node, struct part, node);
}

static uint64_t largest_gap(struct cushim__tree_node *node)
{
    return node ? part_of(node)->largest_gap : 0;
}

static void sum_gaps(struct cushim__tree_node *node)
{
    struct part *part = part_of(node);

    part->largest_gap = part->gap;
    for (int i = 0; i < 2; i++) {
        const uint64_t below = largest_gap(node->child[i]);

        if (below > part->largest_gap)
            part->largest_gap = below;
    }
}

static void set_gap(struct ptx__heap *heap, struct part *part, uint64_t gap)
{
    part->gap = gap;
    cushim__tree_changed(&heap->parts, &part->node);
}

struct ptx__heap *ptx__heap_new(uint64_t address, size_t bytes)
{
    struct ptx__heap *heap = calloc(1, sizeof(*heap));

    if (!heap)
        return NULL;
    pthread_mutex_init(&heap->lock, NULL);
    heap->bytes = bytes;
    heap->parts.sum = sum_gaps;
    heap->first.gap = bytes;
    cushim__tree_add(&heap->parts, &heap->first.node, address, FIRST);
    return heap;
}

static void remove_part(struct ptx__heap *heap, struct part *part)
{
    struct part *before = part_of(cushim__tree_previous(&part->node));

    cushim__tree_remove(&heap->parts, &part->node);
    set_gap(heap, before, before->gap + part->bytes + part->gap);
    free(part);
}

void ptx__heap_free(struct ptx__heap *heap)
{
    struct part *last;

    if (!heap)
        return;
    while ((last = part_of(cushim__tree_last(&heap->parts))) != &heap->first)
        remove_part(heap, last);
    pthread_mutex_destroy(&heap->lock);
    free(heap);
}

/* Returns the first part with so many bytes behind it, or NULL. */
static struct part *first_gap(const struct ptx__heap *heap, uint64_t bytes)
{
    struct cushim__tree_node *node = heap->parts.root;

    if (largest_gap(node) < bytes)
        return NULL;
    for (;;) {
        if (largest_gap(node->child[0]) >= bytes)
            node = node->child[0];
        else if (part_of(node)->gap >= bytes)
            return part_of(node);
        else
            node = node->child[1];
    }
}

static uint64_t take(struct ptx__heap *heap, uint64_t bytes)
{
    struct part *before = first_gap(heap, bytes);
    struct part *part = before ? calloc(1, sizeof(*part)) : NULL;

    if (!part)
        return 0;
    part->bytes = bytes;
    part->gap = before->gap - bytes;
    set_gap(heap, before, 0);
    cushim__tree_add(&heap->parts, &part->node, before->node.major + before->bytes, IN_USE);
    return part->node.major;
}

uint64_t ptx__heap_take(struct ptx__heap *heap, uint64_t bytes)
{
    uint64_t address;

    if (!heap || bytes > heap->bytes)
        return 0;
    bytes = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    pthread_mutex_lock(&heap->lock);
    address = take(heap, bytes);
    pthread_mutex_unlock(&heap->lock);
    return address;
}

bool ptx__heap_give(struct ptx__heap *heap, uint64_t address)
{
    struct part *part;

    if (!heap)
        return false;
    pthread_mutex_lock(&heap->lock);
    part = part_of(cushim__tree_find(&heap->parts, address, IN_USE));
    if (part)
        remove_part(heap, part);
    pthread_mutex_unlock(&heap->lock);
    return part;
}
