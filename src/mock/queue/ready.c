/* SPDX-License-Identifier: MIT */
#include "mock/queue/ready.h"

#include "mock/base/upcalls.h"
#include "mock/queue/work.h"

static struct mock__queue *by_ticket(struct cushim__tree_node *node)
{
    return CUSHIM__TREE_MEMBER(node, struct mock__queue, by_ticket);
}

static void count(struct cushim__tree_node *node)
{
    struct mock__queue *queue = by_ticket(node);

    queue->n_ready = queue->counts;
    for (unsigned i = 0; i < 2; i++)
        if (node->child[i])
            queue->n_ready += by_ticket(node->child[i])->n_ready;
}

/* The queues that wait for no other queue, sorted by the ticket of their first work. */
static struct cushim__tree open = {.sum = count};

/*
 * Those of them whose first work has a function that tells whether it is ready, in the same order.
 */
static struct cushim__tree asked;

static void stop(struct mock__queue *queue, const struct mock__point *point)
{
    queue->stopped_by = point->queue;
    cushim__tree_add(&point->queue->stopped, &queue->by_number, point->number, 0);
}

void mock__queue_look(struct mock__queue *queue)
{
    struct mock__work *work = queue->first;

    while (work->n_reached < work->n_waits && mock__point_reached(&work->waits[work->n_reached]))
        work->n_reached++;
    if (work->n_reached < work->n_waits) {
        stop(queue, &work->waits[work->n_reached]);
        return;
    }
    queue->counts = !work->type->ready;
    cushim__tree_add(&open, &queue->by_ticket, work->ticket, 0);
    if (work->type->ready)
        cushim__tree_add(&asked, &queue->by_asking, work->ticket, 0);
}

void mock__queue_run(struct mock__queue *queue)
{
    queue->running = true;
    cushim__tree_remove(&open, &queue->by_ticket);
    cushim__tree_remove(&asked, &queue->by_asking);
}

void mock__queue_forget(struct mock__queue *queue)
{
    mock__queue_run(queue);
    queue->running = false;
    if (queue->stopped_by)
        cushim__tree_remove(&queue->stopped_by->stopped, &queue->by_number);
    queue->stopped_by = NULL;
}

void mock__queue_release(struct mock__queue *queue)
{
    struct cushim__tree_node *node;

    while ((node = cushim__tree_first(&queue->stopped)) && node->major <= queue->done) {
        struct mock__queue *other = CUSHIM__TREE_MEMBER(node, struct mock__queue, by_number);

        cushim__tree_remove(&queue->stopped, node);
        other->stopped_by = NULL;
        mock__queue_look(other);
    }
}

/*
 * Calls the function that tells whether work is ready. The function is guarded, because it may read
 * registered memory that the program has unmapped.
 */
static bool ask_work(const struct mock__work *work)
{
    bool ready;

    mock__upcalls.guard_begin(false);
    ready = work->type->ready(work);
    mock__upcalls.guard_end(work);
    return ready;
}

bool mock__queue_ready(const struct mock__queue *queue)
{
    return queue->by_ticket.inside && (!queue->first->type->ready || ask_work(queue->first));
}

/* Calls the functions of all work that has one, and counts the ready queues again. */
static void ask(void)
{
    for (struct cushim__tree_node *node = cushim__tree_first(&asked); node;
         node = cushim__tree_next(node)) {
        struct mock__queue *queue = CUSHIM__TREE_MEMBER(node, struct mock__queue, by_asking);
        const bool ready = ask_work(queue->first);

        if (ready == queue->counts)
            continue;
        queue->counts = ready;
        cushim__tree_changed(&open, &queue->by_ticket);
    }
}

size_t mock__ready_count(void)
{
    ask();
    return open.root ? by_ticket(open.root)->n_ready : 0;
}

struct mock__queue *mock__ready_queue(size_t i)
{
    struct cushim__tree_node *node = open.root;

    while (node) {
        const struct mock__queue *queue = by_ticket(node);
        const size_t before = node->child[0] ? by_ticket(node->child[0])->n_ready : 0;
        const bool right = i >= before;

        if (right && i == before && queue->counts)
            break;
        i -= right ? before + queue->counts : 0;
        node = node->child[right];
    }
    return by_ticket(node);
}

struct mock__queue *mock__ready_first(void)
{
    struct mock__queue *queue = by_ticket(cushim__tree_first(&open));

    while (queue && !mock__queue_ready(queue))
        queue = by_ticket(cushim__tree_next(&queue->by_ticket));
    return queue;
}
