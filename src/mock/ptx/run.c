/* SPDX-License-Identifier: MIT */
/* A launch from its begin to its end: blocks over workers. */
#include "mock/ptx/run.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mock/ptx/block.h"

/* So many blocks of a worker may be under way, unless all blocks of the launch have to be. */
enum { MOST_BLOCKS = 64 };

/* A launch with fewer threads than this is not worth a second worker. */
enum { SMALL_LAUNCH = 4096 };

struct queue {
    struct ptx__block *first, *last;
    unsigned n;
};

static void push(struct queue *queue, struct ptx__block *block)
{
    block->next = NULL;
    if (queue->first)
        queue->last->next = block;
    else
        queue->first = block;
    queue->last = block;
    queue->n++;
}

static struct ptx__block *pop(struct queue *queue)
{
    struct ptx__block *block = queue->first;

    if (block) {
        queue->first = block->next;
        queue->n--;
    }
    return block;
}

/* splitmix64 */
static uint64_t mixed(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/*
 * With a seed, blocks of a row of eight are begun in a drawn order. That is near enough to the
 * order of their numbers for programs that count on it, which they should not.
 */
static uint64_t drawn(const struct ptx__grid *grid, uint64_t number)
{
    const uint64_t row = number / 8 * 8;
    const uint64_t n = grid->n_blocks - row < 8 ? grid->n_blocks - row : 8;

    if (!grid->launch->seed)
        return number;
    return row + (number - row + mixed(grid->launch->seed ^ row)) % n;
}

static struct ptx__block *begin_block(struct ptx__worker *worker)
{
    struct ptx__grid *grid = worker->grid;
    const uint64_t number = atomic_fetch_add(&grid->next_block, 1);
    struct ptx__block *block = worker->free_blocks;

    if (number >= grid->n_blocks)
        return NULL;
    if (block)
        worker->free_blocks = block->next;
    else
        block = ptx__block_new(worker);
    if (!block) {
        grid->result = grid->result ? grid->result : 2;
        atomic_store(&grid->stop, true);
        return NULL;
    }
    ptx__block_start(block, drawn(grid, number));
    return block;
}

static void give_back(struct ptx__worker *worker, struct ptx__block *block)
{
    block->next = worker->free_blocks;
    worker->free_blocks = block;
}

/* Blocks that wait for others take turns, and new ones are begun meanwhile. */
static void run_blocks(struct ptx__worker *worker)
{
    struct ptx__grid *grid = worker->grid;
    struct queue waiting = {.first = NULL};
    bool more = true;

    while (!atomic_load_explicit(&grid->stop, memory_order_relaxed)) {
        struct ptx__block *block = NULL;

        if (more && (waiting.n < MOST_BLOCKS || grid->launch->cooperative))
            more = (block = begin_block(worker));
        if (!block)
            block = pop(&waiting);
        if (!block)
            break;
        switch (ptx__block_run(block)) {
        case PTX__BLOCK_YIELDED:
            push(&waiting, block);
            if (!more)
                sched_yield();
            break;
        default:
            give_back(worker, block);
            break;
        }
    }
    while (waiting.n)
        give_back(worker, pop(&waiting));
}

static bool worker_start(struct ptx__worker *worker, struct ptx__grid *grid)
{
    worker->grid = grid;
    worker->hits = calloc(grid->launch->program->n_sites + 1, sizeof(*worker->hits));
    return worker->hits;
}

static void worker_finish(struct ptx__worker *worker)
{
    while (worker->free_blocks) {
        struct ptx__block *block = worker->free_blocks;

        worker->free_blocks = block->next;
        ptx__block_free(block);
    }
    free(worker->hits);
}

static void *work(void *data)
{
    struct ptx__worker worker = {.grid = NULL};

    if (worker_start(&worker, data))
        run_blocks(&worker);
    worker_finish(&worker);
    return NULL;
}

static unsigned count_workers(const struct ptx__grid *grid)
{
    const struct ptx__launch *launch = grid->launch;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t n = launch->n_workers ? launch->n_workers : processors > 0 ? (uint64_t) processors : 1;

    if (launch->seed || grid->n_blocks * grid->n_threads < SMALL_LAUNCH)
        return 1;
    n = n < 256 ? n : 256;
    return (unsigned) (n < grid->n_blocks ? n : grid->n_blocks);
}

/* The calling thread is a worker, too: with no other, the launch still ends. */
static void run_workers(struct ptx__grid *grid)
{
    const unsigned n = count_workers(grid) - 1;
    pthread_t threads[256];
    unsigned started = 0;

    while (started < n && !pthread_create(&threads[started], NULL, work, grid))
        started++;
    work(grid);
    while (started)
        pthread_join(threads[--started], NULL);
    if (!grid->result && atomic_load(&grid->next_block) < grid->n_blocks)
        grid->result = 2;
}

int ptx__run(struct ptx__launch *launch)
{
    struct ptx__grid grid = {.launch = launch, .code = launch->code};

    pthread_mutex_init(&grid.lock, NULL);
    ptx__grid_shape(&grid);
    run_workers(&grid);
    pthread_mutex_destroy(&grid.lock);
    for (size_t i = 0; i < launch->n_ranges; i++) {
        free(launch->ranges[i].words);
        launch->ranges[i].words = NULL;
    }
    return grid.result;
}
