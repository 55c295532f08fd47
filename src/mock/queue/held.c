/* SPDX-License-Identifier: MIT */
#include "mock/queue/held.h"

#include "mock/queue/clock.h"
#include "mock/queue/work.h"

static struct cushim__tree holding; /* the queues with such work, by slot */
static size_t n_held;               /* pieces of such work */

void mock__held_add(struct mock__queue *queue, struct mock__work *work)
{
    if (!work->type->host && !work->type->ready)
        return;
    if (!queue->held.root)
        cushim__tree_add(&holding, &queue->by_slot, queue->slot, 0);
    cushim__tree_add(&queue->held, &work->by_number, queue->submitted, 0);
    n_held++;
}

void mock__held_remove(struct mock__queue *queue, struct mock__work *work)
{
    if (!work->by_number.inside)
        return;
    cushim__tree_remove(&queue->held, &work->by_number);
    if (!queue->held.root)
        cushim__tree_remove(&holding, &queue->by_slot);
    n_held--;
}

/*
 * Returns the first such work of a queue if later work comes after it. The first one is enough:
 * work that comes after another one of the queue also comes after the first.
 */
static const struct mock__work *first_held(const struct mock__queue *queue,
                                           const struct mock__work *later)
{
    const struct cushim__tree_node *node = cushim__tree_first(&queue->held);
    const struct mock__work *work =
        CUSHIM__TREE_MEMBER(cushim__tree_first(&queue->held), struct mock__work, by_number);

    return work && work != later && mock__clock_reached(later->clock, queue->slot, node->major)
               ? work
               : NULL;
}

struct search {
    const struct mock__work *later, *found;
};

static struct mock__queue *queue_holding(struct cushim__tree_node *node)
{
    return CUSHIM__TREE_MEMBER(node, struct mock__queue, by_slot);
}

static bool look_in_slot(void *user, unsigned slot, uint64_t number)
{
    const struct mock__queue *queue = queue_holding(cushim__tree_find(&holding, slot, 0));
    struct search *search = user;

    (void) number;
    search->found = queue ? first_held(queue, search->later) : NULL;
    return !search->found;
}

const struct mock__work *mock__work_holding(const struct mock__work *later)
{
    enum { FEW = 16 };
    struct search search = {later, first_held(later->queue, later)};

    if (search.found || !n_held)
        return search.found;
    /* Work that the host knows to be done cannot hold up other work. */
    if (n_held > FEW && !mock__clock_implies())
        mock__clock_each_newer(later->clock, *mock__clock_of_host(), look_in_slot, &search);
    else
        for (struct cushim__tree_node *node = cushim__tree_first(&holding); !search.found && node;
             node = cushim__tree_next(node))
            search.found = first_held(queue_holding(node), later);
    return search.found;
}
