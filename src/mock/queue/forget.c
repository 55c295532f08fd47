/* SPDX-License-Identifier: MIT */
#include "mock/queue/forget.h"

#include "mock/queue/clock.h"
#include "mock/queue/held.h"
#include "mock/queue/own_thread.h"
#include "mock/queue/ready.h"
#include "mock/queue/schedule.h"
#include "mock/queue/work.h"

/* The parent's work is not freed, because that would free what it refers to, but it is no leak. */
static struct mock__work *forgotten;

static void forget(struct mock__queue *queue)
{
    mock__queue_forget(queue);
    for (struct mock__work *work = queue->first; work; work = work->next)
        mock__held_remove(queue, work);
    if (queue->first) {
        queue->last->next = forgotten;
        forgotten = queue->first;
    }
    queue->done = queue->submitted;
    mock__slot_done(queue->slot, queue->done);
    queue->first = queue->last = NULL;
    mock__queue_idle(queue);
}

void mock__work_forget(void)
{
    mock__own_thread_forget();
    while (mock__busy_queues())
        forget(mock__busy_queues());
}
